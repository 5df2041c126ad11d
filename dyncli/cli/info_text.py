"""`dyn info` for people: one screen by default, the tree, or full lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dyncli.robot import Robot

Facts = dict[str, Any]

SHOWN_ROWS = 24
"""Joints that the default view lists before it only counts."""


def lines(robot: Robot, facts: Facts, *, as_tree: bool, bodies: bool, joints: bool, degrees: bool) -> Iterator[str]:
    """The text, line by line."""
    if not (as_tree or bodies or joints):
        yield from _overview(robot, facts)
        yield ""
        yield from _joints([joint for joint in facts["joints"] if joint["type"] != "fixed"], degrees, SHOWN_ROWS)
    if as_tree:
        yield from _tree(robot)
    if bodies:
        yield from _bodies(facts["bodies"])
    if joints:
        yield from _joints(facts["joints"], degrees, None)


def _overview(robot: Robot, facts: Facts) -> Iterator[str]:
    tree, counts = robot.tree, facts.get("counts", {})
    moving = sum(joint["type"] != "fixed" for joint in facts["joints"])
    gravity = ", ".join(f"{component:g}" for component in tree.gravity)
    center = ", ".join(f"{component:.6g}" for component in facts["center_of_mass"])
    yield f"{robot.name or '(unnamed)'} ({tree.format.upper()}), nq {tree.nq}, nv {tree.nv}"
    yield f"  {len(facts['bodies'])} bodies, {len(facts['joints'])} joints, {moving} of them move; " + (
        f"depth {facts['depth']}, {facts['branches']} branches"
    )
    yield f"  mass {facts['total_mass']:.6g} kg (all links), {facts['moving_mass']:.6g} kg of it moves"
    yield f"  centre of mass ({center}) m at the neutral position"
    yield f"  gravity ({gravity}) m/s², convention {tree.convention}"
    if counts:
        yield "  as MuJoCo counts: " + ", ".join(f"{name} {value:g}" for name, value in counts.items())
    if facts["keyframes"]:
        yield "  keyframes: " + ", ".join(facts["keyframes"])
    if facts["features"]:
        yield "  uses: " + ", ".join(facts["features"])
    for text in facts["ignored"]:
        yield f"  not used: {text}"


def _joints(joints: Sequence[Facts], degrees: bool, most: int | None) -> Iterator[str]:
    unit = "deg" if degrees else "rad"
    header = ("joint", "type", "q", "v", f"lower ({unit}, m)", "upper", "velocity", "effort", "axis", "")
    shown = joints if most is None else joints[:most]
    rows = [
        (
            joint["name"],
            joint["type"],
            _range(joint["idx_q"], joint["nq"]),
            _range(joint["idx_v"], joint["nv"]),
            *(_number(joint[key]) for key in ("lower", "upper", "velocity", "effort")),
            " ".join(f"{component:.4g}" for component in joint["axis"]),
            _remark(joint),
        )
        for joint in shown
    ]
    yield from _columns(header, rows)
    if len(shown) < len(joints):
        yield f"... and {len(joints) - len(shown)} more: --joints lists all"


def _remark(joint: Facts) -> str:
    said = []
    if joint["mimic"]:
        mimic = joint["mimic"]
        said.append(f"= {mimic['multiplier']:g} {mimic['joint']} + {mimic['offset']:g}")
    for key in ("armature", "damping", "friction", "stiffness"):
        if joint[key]:
            said.append(f"{key} {_number(joint[key])}")
    return ", ".join(said)


def _bodies(bodies: Sequence[Facts]) -> Iterator[str]:
    header = ("body", "parent", "mass kg", "com x y z m", "ixx iyy izz kg m²", "ixy ixz iyz")
    rows = []
    for body in bodies:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = body["inertia"]
        triples = (body["com"], (xx, yy, zz), (xy, xz, yz))
        rows.append(
            (
                body["name"],
                body["parent"] or "",
                _number(body["mass"]),
                *(" ".join(f"{value:.4g}" for value in triple) for triple in triples),
            )
        )
    yield from _columns(header, rows)


def _tree(robot: Robot) -> Iterator[str]:
    """Links with their joints, children under parents; written without recursion, for chains of any depth."""
    children: dict[str, list[Any]] = {}
    for joint in robot.description.joints:
        children.setdefault(joint.parent, []).append(joint)
    root = robot.description.links[0].name
    yield root
    stack = [(joint, "", k == 0) for k, joint in enumerate(reversed(children.get(root, [])))]
    while stack:
        joint, indent, last = stack.pop()
        yield f"{indent}{'└─ ' if last else '├─ '}{joint.child}  [{joint.name}: {joint.type}]"
        below = indent + ("   " if last else "│  ")
        stack += [(child, below, k == 0) for k, child in enumerate(reversed(children.get(joint.child, [])))]


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[k]) for row in (header, *rows)) for k in range(len(header))]
    for row in (header, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _range(start: int | None, count: int) -> str:
    if start is None:
        return "-"
    return str(start) if count == 1 else f"{start}..{start + count - 1}"


def _number(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return " ".join(f"{entry:.6g}" for entry in value)
    return f"{value:.6g}"
