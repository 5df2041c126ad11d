"""What the file holds: summary, tree, joints, bodies, where the mass is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dyncli.algorithms.sparsity import body_branches
from dyncli.build import ModelOptions
from dyncli.report import tables
from dyncli.report.budget import WORLD, links_by_body, mass_budget
from dyncli.report.drawings.bars import share_bar
from dyncli.report.drawings.skeleton import center_symbol, skeleton_drawing
from dyncli.report.drawings.tree import joint_kinds, kind_symbol, tree_drawing
from dyncli.report.gravity import resting_position
from dyncli.report.text import counted, few, measure, number, share, without_rounding
from dyncli.report.workspace import tips
from dyncli.robot import Robot

Facts = dict[str, Any]

KINDS = {
    "revolute": "revolute: turns between its limits",
    "continuous": "continuous: turns without end",
    "prismatic": "prismatic: slides",
    "planar": "planar: slides in a plane and turns in it",
    "ball": "ball: turns about a point",
    "floating": "floating: moves freely",
    "mimic": "follows another joint",
}
CONVENTIONS = {
    "mujoco": "as MuJoCo: quaternion w first, linear velocity in world axes",
    "pinocchio": "as Pinocchio: quaternion w last, velocities in body axes",
}


def summary(robot: Robot, facts: Facts) -> Facts:
    """The head of the page: what the robot is in a dozen figures, and the options it was read with."""
    tree, description = robot.tree, robot.description
    moving = sum(joint["type"] != "fixed" for joint in facts["joints"])
    center = " ".join(number(value, 3) for value in without_rounding(facts["center_of_mass"]))
    figures = [
        ("Degrees of freedom", str(tree.nv), f"{counted(tree.nq, 'coordinate')}"),
        ("Joints", str(len(facts["joints"])), f"{moving} of them move"),
        ("Links" if tree.format == "urdf" else "Bodies", str(len(facts["bodies"])), _merged(robot)),
        ("Mass", measure(facts["total_mass"], "kg"), f"{measure(facts['moving_mass'], 'kg')} of it moves"),
        ("Depth", counted(facts["depth"], "joint"), counted(facts["branches"], "branch", "branches")),
        ("Gravity", f"{' '.join(map(number, tree.gravity))} m/s²", "in world axes"),
        ("Centre of mass", f"{center} m", "at the neutral position"),
    ]
    wide = any(joint.nq > 1 for joint in tree.joints)
    return {
        "name": robot.name or "(without a name)",
        "format": tree.format.upper(),
        "file": "standard input" if description.path == "-" else Path(description.path).name,
        "figures": figures,
        "options": list(_options(robot.options)),
        "convention": CONVENTIONS[tree.convention] if wide else "",
        "ignored": list(description.ignored),
        "features": list(description.features),
    }


def tree(robot: Robot) -> Facts:
    """The tree of moving bodies, the robot at rest as a stick figure, and the legend of both."""
    tree = robot.tree
    branches = body_branches(tree)
    links = links_by_body(robot)
    base = links[WORLD][0] if WORLD in links else "world"
    ends = {frame.body: frame for frame in tips(robot)}
    return {
        "drawing": tree_drawing(tree, base, links, branches),
        "skeleton": skeleton_drawing(tree, resting_position(tree), ends, branches),
        "legend": [(kind_symbol(kind), f"{KINDS[kind]} ({count})") for kind, count in joint_kinds(tree).items()],
        "center": center_symbol(),
        "bodies": len(tree.bodies),
        "one_branch": len(set(branches)) == 1,
    }


def joints(facts: Facts, *, degrees: bool) -> Facts:
    """The table of joints."""
    rows = tables.joint_rows(facts, degrees=degrees)
    return {"rows": rows, "remarks": any(row["more"] for row in rows)}


def bodies(facts: Facts) -> Facts:
    """The table of bodies."""
    return {"rows": tables.body_rows(facts)}


def masses(robot: Robot) -> Facts:
    """The mass budget: a row a body that moves as one, in the colours of the tree."""
    budget = mass_budget(robot)
    branches = body_branches(robot.tree)
    total = budget.total
    heaviest = max((part.mass for part in budget.shares), default=0.0)
    rows = []
    for part in budget.shares:
        if part.body == WORLD and not part.links and not part.mass:
            continue
        ratio = part.mass / heaviest if 0.0 < heaviest < math.inf else 0.0
        others = [name for name in part.links if name not in (part.name, "world")]
        rows.append(
            {
                "name": part.name,
                "still": part.body == WORLD,
                "mass": number(part.mass),
                "share": share(part.mass, total),
                "bar": share_bar(ratio, None if part.body == WORLD else branches[part.body]),
                "links": few(others, 6),
            }
        )
    return {
        "rows": rows,
        "total": number(total),
        "links": counted(budget.links, "link"),
        "in_links": measure(budget.in_links, "kg"),
        "in_payloads": measure(budget.in_payloads, "kg") if budget.in_payloads else "",
        "bodies": counted(len(robot.tree.bodies), "body", "bodies"),
        "moving": measure(budget.moving, "kg"),
        "welded": measure(budget.welded, "kg"),
    }


def _merged(robot: Robot) -> str:
    return f"{counted(len(robot.tree.bodies), 'moving body', 'moving bodies')} once fixed joints are merged"


def _options(options: ModelOptions) -> Iterator[str]:
    """The options of the command line that shaped the model."""
    if options.root:
        yield f"--root {options.root}"
    if options.convention != "auto":
        yield f"--convention {options.convention}"
    if options.gravity is not None:
        yield f"--gravity {','.join(f'{component:g}' for component in options.gravity)}"
    for name, value in options.lock.items():
        yield f"--lock {name}" + (f"={value:g}" if value is not None else "")
    for payload in options.payloads:
        yield f"--payload {payload.link}:{payload.mass:g}"
    if not options.mimic:
        yield "--no-mimic"
    if not options.armature:
        yield "--no-armature"
