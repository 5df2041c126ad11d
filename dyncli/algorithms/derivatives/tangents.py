"""Derivatives of inverse dynamics by one tangent pass through RNEA for each position and each velocity: the reference.

A pass visits the subtree of its joint outwards (nothing else moves) and the subtree and the joint's ancestors
inwards. What it costs with plain 6x6 matrices is the row `rnea-derivs` of the operation counts: quadratic in the size
of the subtrees, where `analytic` is linear in the number of pairs of ancestor and descendant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dyncli.algorithms.factor import Matrix
from dyncli.algorithms.kinematics import combine, joint_transforms, subspaces
from dyncli.spatial import ZERO3, ZERO_FORCE, ZERO_MOTION, Force, Motion, Scalar, Transform, scale3
from dyncli.tree import Tree


class _Nominal(NamedTuple):
    """RNEA's quantities at the point, in body coordinates; `carried`: the parent's velocity and acceleration."""

    transforms: list[Transform]
    S: list[tuple[Motion, ...]]
    carried: list[tuple[Motion, Motion]]
    joint_velocities: list[Motion]
    velocities: list[Motion]
    forces: list[Force]


Tangent = tuple[Motion, Motion]
"""Tangents of a body's velocity and acceleration."""


def derivatives_by_tangents(
    tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> tuple[Matrix, Matrix]:
    """d tau/dq and d tau/dv, nv x nv each, of the rigid bodies alone (no armature, wrenches or passive forces).

    For joints whose columns are fixed in the body they move. O(n) a column.
    """
    at = _nominal(tree, q, v, a)
    by_q: Matrix = [[0.0] * tree.nv for _ in range(tree.nv)]
    by_v: Matrix = [[0.0] * tree.nv for _ in range(tree.nv)]
    for k, body in enumerate(tree.bodies):
        for j, s in zip(body.joint.dofs, at.S[k], strict=True):
            v_parent, a_parent = at.carried[k]
            turned = v_parent.cross(s)
            of_position = (turned, a_parent.cross(s).plus(turned.cross(at.joint_velocities[k])))
            of_velocity = (s, at.velocities[k].cross(s).plus(s.cross(at.joint_velocities[k])))
            scale = body.joint.multiplier
            _add_column(tree, by_q, j, scale, at, k, of_position, s.cross_force(at.forces[k]))
            _add_column(tree, by_v, j, scale, at, k, of_velocity, ZERO_FORCE)
    return by_q, by_v


def _nominal(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]) -> _Nominal:
    base = Motion(ZERO3, scale3(-1.0, tree.gravity))
    at = _Nominal(joint_transforms(tree, q), [*subspaces(tree, q)], [], [], [], [])
    accelerations: list[Motion] = []
    for i, body in enumerate(tree.bodies):
        X, parent = at.transforms[i], body.parent
        v_parent = X.motion_to_child(at.velocities[parent] if parent >= 0 else ZERO_MOTION)
        a_parent = X.motion_to_child(accelerations[parent] if parent >= 0 else base)
        vJ = combine(at.S[i], body.joint.velocity(v)) or ZERO_MOTION
        aJ = combine(at.S[i], body.joint.velocity(a)) or ZERO_MOTION
        velocity = v_parent.plus(vJ)
        acceleration = a_parent.plus(aJ).plus(velocity.cross(vJ))
        at.carried.append((v_parent, a_parent))
        at.joint_velocities.append(vJ)
        at.velocities.append(velocity)
        accelerations.append(acceleration)
        momentum = body.inertia.times(velocity)
        at.forces.append(body.inertia.times(acceleration).plus(velocity.cross_force(momentum)))
    for i in range(len(tree.bodies) - 1, -1, -1):
        parent = tree.bodies[i].parent
        if parent >= 0:
            at.forces[parent] = at.forces[parent].plus(at.transforms[i].force_to_parent(at.forces[i]))
    return at


def _add_column(
    tree: Tree,
    result: Matrix,
    j: int,
    scale: float,
    at: _Nominal,
    start: int,
    tangent: Tangent,
    turned_force: Force,
) -> None:
    """Add one column: the tangent at body `start` carried out over its subtree, forces carried in to the world.

    `turned_force`: what turning the joint adds to the force on its way to the parent.
    """
    moving: dict[int, Tangent] = {start: tangent}
    forces: dict[int, Force] = {}
    for i in range(start, len(tree.bodies)):
        if i != start:
            parent = tree.bodies[i].parent
            if parent not in moving:
                continue
            dv, da = (at.transforms[i].motion_to_child(m) for m in moving[parent])
            moving[i] = (dv, da.plus(dv.cross(at.joint_velocities[i])))
        forces[i] = _force_tangent(tree, at, i, *moving[i])
    for i in sorted(forces, reverse=True):
        _project(tree, result, j, scale, at, i, forces[i])
        if i != start:
            parent = tree.bodies[i].parent
            forces[parent] = forces[parent].plus(at.transforms[i].force_to_parent(forces[i]))
    force, i = forces[start].plus(turned_force), start
    while tree.bodies[i].parent >= 0:
        force, i = at.transforms[i].force_to_parent(force), tree.bodies[i].parent
        _project(tree, result, j, scale, at, i, force)


def _force_tangent(tree: Tree, at: _Nominal, i: int, dv: Motion, da: Motion) -> Force:
    """I da + dv x* I v + v x* I dv."""
    inertia, v = tree.bodies[i].inertia, at.velocities[i]
    turning = dv.cross_force(inertia.times(v)).plus(v.cross_force(inertia.times(dv)))
    return inertia.times(da).plus(turning)


def _project(tree: Tree, result: Matrix, j: int, scale: float, at: _Nominal, i: int, force: Force) -> None:
    joint = tree.bodies[i].joint
    for k, s in zip(joint.dofs, at.S[i], strict=True):
        result[k][j] = result[k][j] + (scale * joint.multiplier) * s.dot(force)
