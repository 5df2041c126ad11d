"""Two trees made comparable: the same joints in the same order, bodies in frames that differ only where the robots do.

A body's frame is that of its link, moved to the joint's axis, as the file of A has it. B's bodies take A's frames where
that is a mere choice (axis and inertia come out the same), and their own links' where the robots differ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from dyncli.joints import JointType
from dyncli.robot import Robot
from dyncli.spatial import (
    IDENTITY,
    ZERO3,
    Inertia,
    Transform,
    Vector3,
    dot3,
    rotate,
    rotate_back,
    scale3,
    subtract3,
)
from dyncli.structs import replace, struct
from dyncli.tree import Body, Frame, Transmission, Tree

SAME = 1e-9
"""Difference of axes (rad), anchors (m) and inertias (relative) below which a frame is a mere choice."""
TURNING = ("revolute", "continuous")


@struct
class Matched:
    """Trees of A and B in A's frames and order; `comparable` False where joints hang on other joints in B.

    `only_a`, `only_b`: joints with coordinates that the other robot lacks, welded at zero here.
    `renamed`: B's name of the one free base -> A's. `ties`: joint -> the joints it follows in A and in B (None: free),
    where these differ; all joints are free in both trees then.
    """

    a: Tree
    b: Tree
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    moved: tuple[str, ...]
    renamed: Mapping[str, str]
    ties: Mapping[str, tuple[str | None, str | None]]

    @property
    def comparable(self) -> bool:
        """Whether both have the same joints on the same joints: M and gravity torques can be set side by side."""
        return not self.moved


def match(a: Robot, b: Robot) -> Matched:
    """Set two robots side by side, joints by name. O(bodies)."""
    b = Robot(b.description, replace(b.options, convention=a.tree.convention))
    ties = _differing_ties(a.tree, b.tree)
    if ties:
        a, b = (Robot(robot.description, replace(robot.options, mimic=False)) for robot in (a, b))
    renamed = _free_bases(a.tree, b.tree)
    names_a = [joint.name for joint in a.tree.joints]
    names_b = [renamed.get(joint.name, joint.name) for joint in b.tree.joints]
    only_a = tuple(name for name in names_a if name not in names_b)
    back = {ours: theirs for theirs, ours in renamed.items()}
    only_b = tuple(name for name in names_b if name not in names_a)
    tree_a = _welded(a, only_a).tree
    tree_b = _renamed(_welded(b, tuple(back.get(name, name) for name in only_b)).tree, renamed)
    moved = _elsewhere(tree_a, tree_b)
    ours = _framed(tree_a, [_own_frame(body) for body in tree_a.bodies])
    if moved:
        theirs = _framed(tree_b, [_own_frame(body) for body in tree_b.bodies])
    else:
        theirs = _in_frames_of(ours, _reordered(tree_b, tree_a))
    return Matched(ours, theirs, only_a, only_b, moved, renamed, ties)


def _welded(robot: Robot, names: Sequence[str]) -> Robot:
    return robot.locked(dict.fromkeys(names)) if names else robot


def _differing_ties(a: Tree, b: Tree) -> dict[str, tuple[str | None, str | None]]:
    """Joints that follow another one in A or B alone, or another one there."""
    drivers = [{body.joint.name: body.joint.mimics for body in tree.bodies} for tree in (a, b)]
    both = [(name, driver, drivers[1][name]) for name, driver in drivers[0].items() if name in drivers[1]]
    return {name: (ours, theirs) for name, ours, theirs in both if ours != theirs}


def _free_bases(a: Tree, b: Tree) -> dict[str, str]:
    """The floating joint on the world has a name that each format makes up: one in each robot is the same joint."""
    free = [
        [body.joint.name for body in tree.bodies if body.parent < 0 and body.joint.type.name == "floating"]
        for tree in (a, b)
    ]
    if len(free[0]) == len(free[1]) == 1 and free[0] != free[1]:
        return {free[1][0]: free[0][0]}
    return {}


def _renamed(tree: Tree, names: Mapping[str, str]) -> Tree:
    if not names:
        return tree

    def new(name: str) -> str:
        joint, dot, suffix = name.rpartition(".")
        return names[joint] + dot + suffix if joint in names else name

    bodies = tuple(
        replace(body, joint=replace(body.joint, name=names.get(body.joint.name, body.joint.name)))
        for body in tree.bodies
    )
    return replace(tree, bodies=bodies, coordinates=tuple(map(new, tree.coordinates)), dofs=tuple(map(new, tree.dofs)))


def _elsewhere(a: Tree, b: Tree) -> tuple[str, ...]:
    """Joints that hang on another joint, have other degrees of freedom or follow another joint in B."""
    moved = []
    of_b = {body.joint.name: body for body in b.bodies}
    for body in a.bodies:
        other = of_b.get(body.joint.name)
        if other is None or _carrier(a, body) != _carrier(b, other) or not _same_kind(body, other):
            moved.append(body.joint.name)
    names_a = {body.joint.name for body in a.bodies}
    return (*moved, *(name for name in of_b if name not in names_a))


def _carrier(tree: Tree, body: Body) -> str:
    return tree.bodies[body.parent].joint.name if body.parent >= 0 else ""


def _same_kind(a: Body, b: Body) -> bool:
    def kind(of: JointType) -> str:
        return "revolute" if of.name in TURNING else of.name

    return kind(a.joint.type) == kind(b.joint.type) and a.joint.mimics == b.joint.mimics


def _reordered(tree: Tree, like: Tree) -> Tree:
    """The tree with bodies, coordinates and degrees of freedom in the order of another one with the same joints."""
    place = {body.joint.name: i for i, body in enumerate(tree.bodies)}
    order = [place[body.joint.name] for body in like.bodies]
    now = {old: i for i, old in enumerate(order)}
    bodies = []
    for model, old in zip(like.bodies, order, strict=True):
        body = tree.bodies[old]
        joint = replace(body.joint, index_q=model.joint.index_q, index_v=model.joint.index_v)
        bodies.append(replace(body, parent=now[body.parent] if body.parent >= 0 else -1, joint=joint))
    dof = {name: k for k, name in enumerate(tree.dofs)}
    frames = {
        name: replace(frame, body=now[frame.body] if frame.body >= 0 else -1) for name, frame in tree.frames.items()
    }
    return replace(
        tree,
        bodies=tuple(bodies),
        frames=frames,
        coordinates=like.coordinates,
        dofs=like.dofs,
        armature=tuple(tree.armature[dof[name]] for name in like.dofs),
        transmissions=tuple(_reindexed(transmission, tree, like, now) for transmission in tree.transmissions),
    )


def _reindexed(transmission: Transmission, tree: Tree, like: Tree, now: Mapping[int, int]) -> Transmission:
    """A transmission with its indices into the tree's bodies and coordinates in the order of `like`."""
    coordinate = {name: k for k, name in enumerate(like.coordinates)}
    dof = {name: k for k, name in enumerate(like.dofs)}
    terms = tuple((coordinate[tree.coordinates[q]], dof[tree.dofs[v]], c) for q, v, c in transmission.terms)
    return replace(transmission.attached(lambda body: (now[body], IDENTITY)), terms=terms)


def _own_frame(body: Body) -> Transform:
    """The axes of the body's link at the joint's anchor, in the body frame; those of a joint that counts along them."""
    return Transform(body.link_placement.rotation, ZERO3) if body.joint.type.nq == 1 else IDENTITY


def _framed(tree: Tree, frames: Sequence[Transform]) -> Tree:
    """The same robot with each body's frame moved to `frames[i]` (in the old one), `reference` folded in."""
    bodies = []
    for body, frame in zip(tree.bodies, frames, strict=True):
        joint = body.joint
        placement = body.placement
        if joint.reference:
            placement = placement.then(joint.type.transform(joint.axis, (-joint.reference,)))
        if body.parent >= 0:
            placement = frames[body.parent].inverse().then(placement)
        back = frame.inverse()
        bodies.append(
            replace(
                body,
                placement=placement.then(frame),
                joint=replace(joint, axis=rotate_back(frame.rotation, joint.axis), reference=0.0),
                inertia=body.inertia.to_parent(back),
                link_placement=back.then(body.link_placement),
                compensated=body.compensated and body.compensated.to_parent(back),
            )
        )
    moved = {name: _moved(frame, frames) for name, frame in tree.frames.items()}
    transmissions = tuple(
        transmission.attached(lambda body: (body, frames[body].inverse())) for transmission in tree.transmissions
    )
    return replace(tree, bodies=tuple(bodies), frames=moved, transmissions=transmissions)


def _moved(frame: Frame, frames: Sequence[Transform]) -> Frame:
    if frame.body < 0:
        return frame
    return replace(frame, placement=frames[frame.body].inverse().then(frame.placement))


def _in_frames_of(a: Tree, b: Tree) -> Tree:
    """B, of the same joints in the same order, with bodies in A's frames where that is a mere choice."""
    frames: list[Transform] = []
    for i, (ours, theirs) in enumerate(zip(a.bodies, b.bodies, strict=True)):
        nominal = _nominal(ours, b, i, frames)
        if nominal is not None and _fits(ours, theirs, nominal):
            frames.append(nominal)
        else:
            frames.append(_beside(ours, theirs))
    return _framed(b, frames)


def _nominal(ours: Body, b: Tree, i: int, frames: Sequence[Transform]) -> Transform | None:
    """Where A's frame would stand in B's body, were the placements alike; None for joints that count along its axes."""
    joint = b.bodies[i].joint
    if joint.type.nq != 1:
        return None
    parent = b.bodies[i].parent
    at_zero = b.bodies[i].placement.then(joint.type.transform(joint.axis, (-joint.reference,)))
    carrier = frames[parent] if parent >= 0 else IDENTITY
    return at_zero.inverse().then(carrier).then(ours.placement)


def _fits(ours: Body, theirs: Body, frame: Transform) -> bool:
    """Whether axis and inertia of B's body, seen from `frame`, are A's."""
    axis = rotate_back(frame.rotation, theirs.joint.axis)
    if math.hypot(*subtract3(axis, ours.joint.axis)) > SAME:
        return False
    # the anchor of a turning joint may lie anywhere on its axis, that of a slide anywhere
    anchor = rotate_back(frame.rotation, scale3(-1.0, frame.translation))
    across = subtract3(anchor, scale3(dot3(anchor, axis), axis))
    if theirs.joint.type.name in TURNING and math.hypot(*across) > SAME:
        return False
    return _alike(ours.inertia, theirs.inertia.to_parent(frame.inverse()))


def _alike(a: Inertia, b: Inertia) -> bool:
    pairs = [(a.mass, b.mass), *zip(a.moment, b.moment, strict=True), *zip(a.rotational, b.rotational, strict=True)]
    scale = max(abs(a.mass), max(map(abs, a.moment)), max(map(abs, a.rotational)), 1e-300)
    return all(abs(x - y) <= SAME * scale for x, y in pairs)


def _beside(ours: Body, theirs: Body) -> Transform:
    """The axes of B's own link, its origin where A has its anchor, as far as the joint leaves a choice."""
    if theirs.joint.type.nq != 1:
        return IDENTITY
    rotation = theirs.link_placement.rotation
    anchor_a = rotate_back(ours.link_placement.rotation, scale3(-1.0, ours.link_placement.translation))
    anchor_b = rotate_back(rotation, scale3(-1.0, theirs.link_placement.translation))
    offset = subtract3(anchor_a, anchor_b)
    axis = rotate_back(rotation, theirs.joint.axis)
    slack: Vector3 = ZERO3
    if theirs.joint.type.name in TURNING:
        slack = scale3(dot3(offset, axis), axis)
    elif theirs.joint.type.name == "prismatic":
        slack = offset
    return Transform(rotation, rotate(rotation, slack))
