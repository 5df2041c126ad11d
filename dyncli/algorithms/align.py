"""An equivalent tree whose joints turn and slide about z: fewer operations for a recorded program.

Frames are placed as W. Khalil and J.-F. Kleinfinger do (A new geometric notation for open and closed-loop robots, ICRA
1986): z along the joint, x on the common normal with the next joint's axis, so that a turn about x and two lengths lead
from joint to joint. Users never see these frames.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from dyncli.joints import Z_AXIS, Prismatic, Revolute, joint_type
from dyncli.spatial import (
    IDENTITY,
    IDENTITY3,
    ZERO3,
    ZERO_INERTIA,
    Inertia,
    Matrix3,
    Transform,
    TurnAboutX,
    TurnAboutZ,
    Vector3,
    rotate,
    rotate_back,
    scale3,
    transpose3,
)
from dyncli.structs import replace
from dyncli.tree import Body, Frame, Joint, Tree

ROUNDING = 1e-14
"""Sines, cosines, lengths (m) and shares of an inertia below this are what rounding leaves of a zero."""
NEARLY_PARALLEL = 0.1
"""Sine of the angle between two axes below which the foot of their common normal is too far away for an origin."""


def aligned(tree: Tree) -> Tree:
    """The same robot with every one-dof joint about z: q, v, tau and the poses of named frames stay what they are.

    Massless bodies on fixed joints stand between the links, so that each body has one elementary step: a turn about x
    or z with an offset, or a joint. O(number of bodies).
    """
    moves = _moves(tree)
    bodies: list[Body] = []
    index: list[int] = []
    for i, body in enumerate(tree.bodies):
        parent = index[body.parent] if body.parent >= 0 else -1
        steps, angle = _steps(_between(tree, moves, i, moves[i]), absorbs_angle=_turns(body.joint))
        for step in steps:
            bodies.append(_massless(body, parent, step, tree.convention))
            parent = len(bodies) - 1
        joint = body.joint
        if _is_one_dof(joint):
            joint = replace(joint, axis=Z_AXIS, reference=joint.reference - angle)
        back = moves[i].inverse()
        bodies.append(
            replace(
                body,
                parent=parent,
                joint=joint,
                placement=IDENTITY,
                inertia=without_rounding(body.inertia.to_parent(back)),
                link_placement=back.then(body.link_placement),
                compensated=None if body.compensated is None else body.compensated.to_parent(back),
            )
        )
        index.append(len(bodies) - 1)
    return replace(
        tree,
        bodies=tuple(bodies),
        frames={name: _moved_frame(frame, index, moves) for name, frame in tree.frames.items()},
        transmissions=tuple(
            transmission.attached(lambda body: (index[body], moves[body].inverse()))
            for transmission in tree.transmissions
        ),
    )


def without_rounding(inertia: Inertia) -> Inertia:
    """An inertia without the specks that turning its frame leaves where zeros were."""
    tensor, moment = inertia.rotational, inertia.moment
    size = ROUNDING * max(map(abs, tensor))
    lever = ROUNDING * max(map(abs, moment))
    xx, yy, zz, xy, xz, yz = (0.0 if abs(entry) <= size else entry for entry in tensor)
    x, y, z = (0.0 if abs(entry) <= lever else entry for entry in moment)
    return Inertia(inertia.mass, (x, y, z), (xx, yy, zz, xy, xz, yz))


# Where the new frames stand --------------------------------------------------------------------------------------


def _moves(tree: Tree) -> list[Transform]:
    """Pose of each body's new frame in its old one; the identity where the joint has not one degree of freedom."""
    moves: list[Transform] = []
    main = _main_children(tree)
    for i, body in enumerate(tree.bodies):
        if not _is_one_dof(body.joint):
            moves.append(IDENTITY)
            continue
        onto_axis = Transform(_frame_about(body.joint.axis), ZERO3)
        placement = _between(tree, moves, i, onto_axis)
        move = onto_axis.then(Transform(IDENTITY3, _origin(placement, body.joint)))
        child = main[i]
        if child is not None and _turns(body.joint):
            in_body = move.inverse().then(tree.bodies[child].placement)
            spin = _towards(in_body, tree.bodies[child].joint.axis)
        else:
            spin = -_euler(placement.rotation).last
        moves.append(move.then(_turn_about_z(spin)))
    return moves


def _between(tree: Tree, moves: Sequence[Transform], i: int, move: Transform) -> Transform:
    """Pose of body i's new frame, for its joint at zero, in the new frame of its parent."""
    parent = tree.bodies[i].parent
    placed = tree.bodies[i].placement.then(move)
    return placed if parent < 0 else moves[parent].inverse().then(placed)


def _main_children(tree: Tree) -> list[int | None]:
    """Of each body the one-dof child that carries most bodies: the child whose axis the frame is turned to."""
    size = [1] * len(tree.bodies)
    main: list[int | None] = [None] * len(tree.bodies)
    for i in range(len(tree.bodies) - 1, -1, -1):
        parent = tree.bodies[i].parent
        if parent < 0:
            continue
        size[parent] += size[i]
        best = main[parent]
        if _is_one_dof(tree.bodies[i].joint) and (best is None or size[i] >= size[best]):
            main[parent] = i
    return main


def _origin(placement: Transform, joint: Joint) -> Vector3:
    """Shift of the origin: along z to the common normal with the parent's z, or (sliding) onto the parent's origin."""
    if not _turns(joint):
        return scale3(-1.0, rotate_back(placement.rotation, placement.translation))
    angles = _euler(placement.rotation)
    s, c = math.sin(angles.middle), math.cos(angles.middle)
    _, y, z = rotate_back(_turn_about_z(angles.first).rotation, placement.translation)
    return (0.0, 0.0, y / s if abs(s) > NEARLY_PARALLEL else -z / c)


def _frame_about(axis: Vector3) -> Matrix3:
    """A rotation whose z is a unit vector, orthonormal to rounding for every direction.

    Source: T. Duff and others, Building an Orthonormal Basis, Revisited (JCGT 6, 2017).
    """
    x, y, z = axis
    sign = math.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    return transpose3(((1.0 + sign * x * x * a, sign * b, -sign * x), (b, sign + y * y * a, -y), axis))


def _towards(placement: Transform, axis: Vector3) -> float:
    """Angle about z that lays x on the common normal with a child's axis."""
    x, y, _ = rotate(placement.rotation, axis)
    if abs(x) > ROUNDING or abs(y) > ROUNDING:
        return math.atan2(x, -y)
    x, y, _ = placement.translation
    return math.atan2(y, x) if abs(x) > ROUNDING or abs(y) > ROUNDING else 0.0


# Elementary steps ----------------------------------------------------------------------------------------------


class _Euler(NamedTuple):
    """Angles (rad) of a rotation as turns about z, the new x and the new z."""

    first: float
    middle: float
    last: float


def _euler(R: Matrix3) -> _Euler:
    """Euler angles z-x-z; the first is 0 where the z axes are parallel."""
    tilted = abs(R[0][2]) > ROUNDING or abs(R[1][2]) > ROUNDING
    first = math.atan2(R[0][2], -R[1][2]) if tilted else 0.0
    s, c = math.sin(first), math.cos(first)
    # rows of the rotation that is left after the first turn
    along = (c * R[0][0] + s * R[1][0], c * R[0][1] + s * R[1][1])
    return _Euler(first, math.atan2(s * R[0][2] - c * R[1][2], R[2][2]), math.atan2(-along[1], along[0]))


def _steps(placement: Transform, *, absorbs_angle: bool) -> tuple[list[Transform], float]:
    """A placement as turns about z, x, z with the offset at the x step, and the last angle if the joint can take it.

    Right angles stay a step of their own: they are free, an angle added to the joint's is not.
    """
    angles = _euler(placement.rotation)
    first, last = _turn_about_z(angles.first), _turn_about_z(angles.last)
    offset = rotate_back(first.rotation, placement.translation)
    shift: Vector3 = (_rounded(offset[0]), _rounded(offset[1]), _rounded(offset[2]))
    middle = TurnAboutX.of(_rounded(math.sin(angles.middle)), _rounded(math.cos(angles.middle))).moved(shift)
    angle = 0.0
    if absorbs_angle and last.rotation[0][0] * last.rotation[1][0] != 0.0:
        last, angle = IDENTITY, angles.last
    steps = [step for step in (first, middle, last) if step.rotation != IDENTITY3 or step.translation != ZERO3]
    return steps, angle


def _turn_about_z(angle: float) -> Transform:
    return TurnAboutZ.of(_rounded(math.sin(angle)), _rounded(math.cos(angle)))


def _rounded(x: float) -> float:
    """x, or the whole number that rounding has moved it from."""
    return round(x) + 0.0 if abs(x - round(x)) < ROUNDING else x


def _massless(body: Body, parent: int, step: Transform, convention: str) -> Body:
    fixed = Joint(body.joint.name, joint_type("fixed", convention), Z_AXIS, 0, 0, ())
    return Body(body.link, parent, fixed, step, ZERO_INERTIA)


def _turns(joint: Joint) -> bool:
    return isinstance(joint.type, Revolute)


def _is_one_dof(joint: Joint) -> bool:
    return isinstance(joint.type, (Revolute, Prismatic))


# What stands on bodies -------------------------------------------------------------------------------------------


def _moved_frame(frame: Frame, index: Sequence[int], moves: Sequence[Transform]) -> Frame:
    if frame.body < 0:
        return frame
    return replace(frame, body=index[frame.body], placement=moves[frame.body].inverse().then(frame.placement))
