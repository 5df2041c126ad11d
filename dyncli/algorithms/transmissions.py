"""Tendons and actuators beside the tree: their length, its gradient, and what their armature adds.

A transmission of armature b and length gradient J (a row of nv) adds b JᵀJ to M and b JᵀJ̇ v to the bias, as MuJoCo
defines it: M keeps the entries of JᵀJ that the tree has room for, those of a degree of freedom with its ancestors and
itself, and drops those between separate branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from dyncli import scalars
from dyncli.algorithms.kinematics import body_poses, jacobian_at
from dyncli.spatial import Scalar, Transform, Vector3, dot3, subtract3
from dyncli.tree import Transmission, Tree

Gradient = dict[int, Scalar]
"""Entries of J that are not structurally zero, by degree of freedom."""


def length(tree: Tree, transmission: Transmission, q: Sequence[Scalar]) -> Scalar:
    """Length of a tendon (m; rad for terms of angles)."""
    total: Scalar = transmission.constant
    for index_q, _, coefficient in transmission.terms:
        total = total + coefficient * q[index_q]
    if transmission.path:
        poses = body_poses(tree, q)
        for divisor, points in transmission.path:
            for start, end in pairwise(points):
                d = subtract3(_point(poses, *end), _point(poses, *start))
                total = total + scalars.sqrt(dot3(d, d)) / divisor
    return total


def gradient(tree: Tree, transmission: Transmission, q: Sequence[Scalar]) -> Gradient:
    """J = d length / d q in the tangent space. O(points x depth) for a path, constant for terms."""
    J: Gradient = {k: coefficient for _, k, coefficient in transmission.terms}
    if not transmission.path:
        return J
    poses = body_poses(tree, q)
    for divisor, points in transmission.path:
        for start, end in pairwise(points):
            at_start, at_end = _point(poses, *start), _point(poses, *end)
            d = subtract3(at_end, at_start)
            scale = scalars.reciprocal(divisor * scalars.sqrt(dot3(d, d)))
            for (body, _), at, side in ((start, at_start, -1.0), (end, at_end, 1.0)):
                rows = jacobian_at(tree, q, poses, body, at)
                for k in path_dofs(tree, body):
                    along = dot3(d, (rows[0][k], rows[1][k], rows[2][k]))
                    J[k] = J.get(k, 0.0) + side * scale * along
    return J


def path_dofs(tree: Tree, body: int) -> list[int]:
    """Degrees of freedom that move a body, the drivers of joints that mimic included."""
    return sorted({k for i in tree.ancestors(body) for k in tree.bodies[i].joint.dofs})


def involved_dofs(tree: Tree, transmission: Transmission) -> list[int]:
    """Degrees of freedom on which a transmission's length may depend."""
    dofs = {k for _, k, _ in transmission.terms}
    for _, points in transmission.path:
        dofs |= {k for body, _ in points for k in path_dofs(tree, body)}
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
