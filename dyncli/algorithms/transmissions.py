"""Tendons and actuators beside the tree: their length, its gradient, and what their armature adds.

A transmission of armature b and length gradient J (a row of nv) adds b JᵀJ to M and b JᵀJ̇ v to the bias, as MuJoCo
defines it: M keeps the entries of JᵀJ that the tree has room for, those of a degree of freedom with its ancestors and
itself, and drops those between separate branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dyncli.algorithms.kinematics import body_poses, jacobian_at
from dyncli.spatial import Scalar, Transform, Vector3, subtract3
from dyncli.tree import Obstacle, Transmission, Tree
from dyncli.wrapping.choices import inner, never, norm, unit
from dyncli.wrapping.solids import Wrap, local, wrap

Gradient = dict[int, Scalar]
"""Entries of J that are not structurally zero, by degree of freedom."""


def length(tree: Tree, transmission: Transmission, q: Sequence[Scalar]) -> Scalar:
    """Length of a tendon (m; rad for terms of angles)."""
    return _length(transmission, q, _laid_out(tree, transmission, q))


def gradient(tree: Tree, transmission: Transmission, q: Sequence[Scalar]) -> Gradient:
    """J = d length / d q in the tangent space. O(points x depth) for a path, constant for terms."""
    return _gradient(tree, transmission, q, _laid_out(tree, transmission, q))


def length_and_gradient(tree: Tree, transmission: Transmission, q: Sequence[Scalar]) -> tuple[Scalar, Gradient]:
    """Both, for little more than the gradient alone."""
    cord = _laid_out(tree, transmission, q)
    return _length(transmission, q, cord), _gradient(tree, transmission, q, cord)


class _Strand(NamedTuple):
    """A straight part of a tendon between world points carried by bodies; it counts `weight` times in the length."""

    weight: Scalar
    from_body: int
    start: Vector3
    to_body: int
    end: Vector3


class _Cord(NamedTuple):
    """A tendon as it runs in one position: poses of the bodies, straight parts, and the length of what lies on solids.

    That length does not enter the gradient: the shortest way stays so to first order when its points of contact move.
    """

    poses: Sequence[Transform]
    strands: list[_Strand]
    on_solids: Scalar


def _laid_out(tree: Tree, transmission: Transmission, q: Sequence[Scalar]) -> _Cord:
    if not transmission.path:
        return _Cord((), [], 0.0)
    poses = body_poses(tree, q)
    strands: list[_Strand] = []
    on_solids: Scalar = 0.0
    for stretch in transmission.path:
        a, b, share = stretch.start.body, stretch.end.body, 1.0 / stretch.divisor
        start, end = _point(poses, *stretch.start), _point(poses, *stretch.end)
        straight: Scalar = share
        if stretch.around is not None:
            at, bend = stretch.around.body, _bend(poses, stretch.around, start, end)
            bent = bend.touches * share
            straight = (1.0 - bend.touches) * share
            if not never(bent):
                strands += [_Strand(bent, a, start, at, bend.first), _Strand(bent, at, bend.last, b, end)]
                on_solids = on_solids + bent * bend.arc
        if not never(straight):
            strands.append(_Strand(straight, a, start, b, end))
    return _Cord(poses, strands, on_solids)


def _bend(poses: Sequence[Transform], around: Obstacle, start: Vector3, end: Vector3) -> Wrap:
    pose = around.placement if around.body < 0 else poses[around.body].then(around.placement)
    side = None
    if around.side is not None:
        # a side point that moves with the solid is a constant to it
        together = around.side.body == around.body
        side = local(around.placement, around.side.point) if together else local(pose, _point(poses, *around.side))
    return wrap(around.shape, around.radius, pose, start, end, side)


def _length(transmission: Transmission, q: Sequence[Scalar], cord: _Cord) -> Scalar:
    total: Scalar = transmission.constant + cord.on_solids
    for index_q, _, coefficient in transmission.terms:
        total = total + coefficient * q[index_q]
    for strand in cord.strands:
        total = total + strand.weight * norm(subtract3(strand.end, strand.start))
    return total


def _gradient(tree: Tree, transmission: Transmission, q: Sequence[Scalar], cord: _Cord) -> Gradient:
    J: Gradient = {k: coefficient for _, k, coefficient in transmission.terms}
    for weight, from_body, start, to_body, end in cord.strands:
        if from_body == to_body:
            continue
        direction = unit(subtract3(end, start))
        for body, at, side in ((from_body, start, -1.0), (to_body, end, 1.0)):
            rows = jacobian_at(tree, q, cord.poses, body, at)
            for k in path_dofs(tree, body):
                along = inner(direction, (rows[0][k], rows[1][k], rows[2][k]))
                J[k] = J.get(k, 0.0) + side * weight * along
    return J


def path_dofs(tree: Tree, body: int) -> list[int]:
    """Degrees of freedom that move a body, the drivers of joints that mimic included."""
    return sorted({k for i in tree.ancestors(body) for k in tree.bodies[i].joint.dofs})


def involved_dofs(tree: Tree, transmission: Transmission) -> list[int]:
    """Degrees of freedom on which a transmission's length may depend."""
    dofs = {k for _, k, _ in transmission.terms}
    for stretch in transmission.path:
        dofs |= {k for body in stretch.bodies for k in path_dofs(tree, body)}
    return sorted(dofs)


def gradient_rate(tree: Tree, transmission: Transmission, q: Sequence[Scalar], v: Sequence[Scalar]) -> Gradient:
    """J̇ = dJ/dt at velocity v: J on dual numbers that move with v. Empty for terms."""
    if not transmission.path:
        return {}
    from dyncli.scalars.dual import Dual, tangent_of

    moving: list[Scalar] = [0.0] * tree.nq
    for joint in tree.joints:
        own_q, own_v = q[joint.index_q : joint.index_q + joint.nq], v[joint.index_v : joint.index_v + joint.nv]
        rate = joint.type.position_rate(own_q, own_v)
        for k, (value, tangent) in enumerate(zip(own_q, rate, strict=True)):
            moving[joint.index_q + k] = Dual(value, tangent)
    return {k: tangent_of(entry) for k, entry in gradient(tree, transmission, moving).items()}


def add_transmission_forces(
    tree: Tree, tau: list[Scalar], q: Sequence[Scalar], v: Sequence[Scalar] | None, a: Sequence[Scalar] | None
) -> None:
    """Add what every transmission's armature b adds to M a, and b JᵀJ̇ v; `v` or `a` None: that part is absent."""
    for transmission in tree.transmissions:
        if not transmission.armature or (a is None and (v is None or not transmission.path)):
            continue
        J = gradient(tree, transmission, q)
        if a is not None:
            for k, l, entry in armature_entries(tree, transmission, J):  # noqa: E741
                tau[k] = tau[k] + entry * a[l]
        if v is not None and transmission.path:
            rate: Scalar = 0.0
            for k, entry in gradient_rate(tree, transmission, q, v).items():
                rate = rate + entry * v[k]
            for k, entry in J.items():
                tau[k] = tau[k] + transmission.armature * entry * rate


def armature_entries(tree: Tree, transmission: Transmission, J: Gradient) -> Iterator[tuple[int, int, Scalar]]:
    """(row, column, entry) of what a transmission adds to M: b J_k J_l for degrees of freedom on one branch."""
    for k, entry in J.items():
        for l, other in J.items():  # noqa: E741
            if tree.on_one_branch(k, l):
                yield k, l, transmission.armature * (entry * other)


def _point(poses: Sequence[Transform], body: int, point: Vector3) -> Vector3:
    return point if body < 0 else poses[body].point_to_parent(point)
