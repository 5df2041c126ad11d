"""`rnea`: joint forces, their parts and the reactions of the joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from dyncli import scalars
from dyncli.algorithms.kinematics import joint_transforms
from dyncli.algorithms.newton_euler import newton_euler
from dyncli.algorithms.passive import passive_forces
from dyncli.algorithms.rnea import link_forces
from dyncli.algorithms.wrenches import Wrench
from dyncli.result import STATE, Sheet
from dyncli.robot import Robot
from dyncli.spatial import dot3, scale3, subtract3
from dyncli.tasks.base import Answer, Quantities, Scalars, Task, named
from dyncli.tree import Body, Tree


class RneaTask(Task):
    """Joint forces, their parts and the reactions of the joints."""

    command = "rnea"
    needs = ("qd", "qdd")

    def __init__(
        self,
        robot: Robot,
        *,
        wrenches: Sequence[Wrench] = (),
        split: bool = False,
        reactions: bool = False,
        passive: bool = False,
    ) -> None:
        super().__init__(robot)
        self.wrenches = tuple(wrenches)
        self.split = split
        self.reactions = reactions
        self.passive = passive

    def for_recording(self) -> RneaTask:
        """On base parameters; reactions stay those of the file's bodies."""
        task = copy(self)
        task.tree, task.wrenches = self.on_base_parameters(self.wrenches)
        return task

    def quantities(self, q: Scalars, v: Scalars | None, a: Scalars | None, tau: Scalars | None) -> Quantities:
        """tau, and where asked for its parts (that add up to it) and the reaction of every joint."""
        tree = self.tree
        total = newton_euler(tree, q, v, a, wrenches=self.wrenches)
        passive = passive_forces(tree, q, v, friction=True) if self.passive else None
        found: Quantities = {"tau": total if passive is None else [x + y for x, y in zip(total, passive, strict=True)]}
        if self.split:
            zero = [0.0] * tree.nv
            found["gravity"] = newton_euler(tree, q)
            found["coriolis"] = zero if v is None else newton_euler(tree, q, v, gravity=False)
            found["inertia"] = zero if a is None else newton_euler(tree, q, a=a, gravity=False)
            if passive is not None:
                found["passive"] = passive
            if self.wrenches:
                found["external"] = newton_euler(tree, q, gravity=False, wrenches=self.wrenches)
        if self.reactions:
            found["reactions"] = joint_reactions(self.robot.unmerged_tree, q, v, a, self.wrenches)
        return found

    def answer(self, found: Quantities, count: int) -> Answer:
        """One row a state; reactions a row a joint."""
        if self.reactions:
            return Answer(found, sheet=_reaction_sheet(found["reactions"]))
        return Answer(found, vectors=[named(self.tree, name, leaves) for name, leaves in found.items()])

    def summarised(self, values: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
        """tau and its parts, and of each reaction the size of force and moment and its shares."""
        yield from super().summarised(values)
        for joint, reaction in values.get("reactions", {}).items():
            for name in ("force", "moment"):
                x, y, z = reaction[name]
                yield joint, name, scalars.sqrt(x * x + y * y + z * z)
            for name in REACTION_MEASURES:
                if reaction.get(name) is not None:
                    yield joint, name, reaction[name]


REACTION_MEASURES = ("axial_force", "radial_force", "bending_moment", "torsion", "drive")


def joint_reactions(
    tree: Tree, q: Scalars, v: Scalars | None, a: Scalars | None, wrenches: Sequence[Wrench]
) -> dict[str, Quantities]:
    """What each joint of an unmerged tree transmits, parent on child, by joint name.

    `force` (N) and `moment` (N m) at the child link's origin in its axes. For one-dof joints, about the joint's own
    frame: axial and radial force, bending moment, torsion of a joint that slides, and the part that drives it.
    """
    moved = tuple(Wrench(tree.frames[w.frame.name], w.world_axes, w.force, w.moment) for w in wrenches)
    forces = link_forces(tree, q, v, a, joint_transforms(tree, q), wrenches=moved)
    reactions = {}
    for i, body in enumerate(tree.bodies):
        in_link = body.link_placement.force_to_child(forces[i])
        reaction: Quantities = {"force": list(in_link.linear), "moment": list(in_link.angular)}
        if body.joint.type.nv == 1:
            reaction |= _measures(body, forces[i].angular, forces[i].linear)
        reactions[body.joint.name] = reaction
    return reactions


def _measures(body: Body, moment: Any, force: Any) -> Quantities:
    """Shares of a reaction along and across the joint's axis."""
    u = body.joint.axis
    axial, about = dot3(force, u), dot3(moment, u)
    radial = subtract3(force, scale3(axial, u))
    bending = subtract3(moment, scale3(about, u))
    slides = body.joint.type.name == "prismatic"
    return {
        "axial_force": axial,
        "radial_force": scalars.sqrt(dot3(radial, radial)),
        "bending_moment": scalars.sqrt(dot3(bending, bending)),
        "torsion": about if slides else None,
        "drive": axial if slides else about,
    }


def _reaction_sheet(reactions: Mapping[str, Quantities]) -> Sheet:
    rows = [
        [STATE, name, *found["force"], *found["moment"], *(found.get(measure) for measure in REACTION_MEASURES)]
        for name, found in reactions.items()
    ]
    return Sheet(("state", "joint", "fx", "fy", "fz", "nx", "ny", "nz", *REACTION_MEASURES), rows, labels=2)
