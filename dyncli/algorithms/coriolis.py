"""A Coriolis matrix C with C v = h - g and dM/dt - 2C skew-symmetric."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.algorithms.factor import Matrix
from dyncli.algorithms.kinematics import body_velocities, joint_transforms, subspaces, sum_of
from dyncli.algorithms.transmissions import gradient, gradient_rate
from dyncli.spatial import ZERO_MOTION, Force, Inertia, Motion, Scalar, Transform
from dyncli.tree import Tree


def coriolis_matrix(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> Matrix:
    """C(q, v), nv x nv (N m s/rad): C v is the Coriolis and centrifugal part of tau, and dM/dt - 2C is skew.

    Column by column, C e = sum over the bodies of Jᵀ(I J̇ e + B J e), where B is the body-level matrix that makes the
    sum consistent with Christoffel's symbols. O(n²).
    Source: S. Echeandia, P. Wensing, Numerical Methods to Compute the Coriolis Matrix and Christoffel Symbols (2021).
    """
    transforms = joint_transforms(tree, q)
    S = subspaces(tree, q)
    velocities = body_velocities(tree, transforms, S, v)
    rates = [_column_rates(tree, i, S[i], q, v, velocities[i]) for i in range(len(tree.bodies))]
    C: Matrix = [[0.0] * tree.nv for _ in range(tree.nv)]
    for i, body in enumerate(tree.bodies):
        for k, column, rate in zip(body.joint.dofs, S[i], rates[i], strict=True):
            forces = _column_forces(tree, i, column, rate, transforms, velocities)
            for j, force in forces.items():
                other = tree.bodies[j].joint
                for l, row in zip(other.dofs, S[j], strict=True):  # noqa: E741
                    C[l][k] = C[l][k] + (body.joint.multiplier * other.multiplier) * row.dot(force)
    _add_rotors(tree, C, v)
    for transmission in tree.transmissions:
        if transmission.armature and transmission.path:
            turning = gradient_rate(tree, transmission, q, v)
            for l, entry in gradient(tree, transmission, q).items():  # noqa: E741
                for k, rate_entry in turning.items():
                    C[l][k] = C[l][k] + transmission.armature * entry * rate_entry
    return C


def _column_rates(
    tree: Tree, i: int, S: Sequence[Motion], q: Sequence[Scalar], v: Sequence[Scalar], vi: Motion | None
) -> list[Motion]:
    """Spatial derivative of each column of body i's subspace: Ṡ + v x S."""
    joint = tree.bodies[i].joint
    apparent = joint.type.subspace_rate(joint.axis, joint.position(q), joint.velocity(v)) or [None] * len(S)
    rates = [sum_of(None if vi is None else vi.cross(column), rate) for column, rate in zip(S, apparent, strict=True)]
    return [ZERO_MOTION if rate is None else rate for rate in rates]


def _column_forces(
    tree: Tree,
    start: int,
    column: Motion,
    rate: Motion,
    transforms: Sequence[Transform],
    velocities: Sequence[Motion | None],
) -> dict[int, Force]:
    """Force that each body feels when body `start` moves by one column of its subspace: subtree, then ancestors."""
    motions = {start: (column, rate)}
    forces: dict[int, Force] = {}
    for j in range(start, len(tree.bodies)):
        X, parent = transforms[j], tree.bodies[j].parent
        if j != start:
            if parent not in motions:
                continue
            m, m_rate = motions[parent]
            motions[j] = (X.motion_to_child(m), X.motion_to_child(m_rate))
        m, m_rate = motions[j]
        forces[j] = _body_coriolis(tree.bodies[j].inertia, velocities[j] or ZERO_MOTION, m, m_rate)
    for j in sorted(forces, reverse=True):
        if j != start:
            parent = tree.bodies[j].parent
            forces[parent] = forces[parent].plus(transforms[j].force_to_parent(forces[j]))
    for j in tree.ancestors(start)[:-1]:
        forces[tree.bodies[j].parent] = transforms[j].force_to_parent(forces[j])
    return forces


def _body_coriolis(inertia: Inertia, v: Motion, m: Motion, m_rate: Motion) -> Force:
    """I J̇ e + B J e with m = J e and B m = (v x* I m + m x* I v - I (v x m)) / 2."""
    total = v.cross_force(inertia.times(m)).plus(m.cross_force(inertia.times(v)))
    return inertia.times(m_rate).plus(total.minus(inertia.times(v.cross(m))).times(0.5))


def _add_rotors(tree: Tree, C: Matrix, v: Sequence[Scalar]) -> None:
    """Armature of joints whose velocity axes turn: the rotors' drift is linear in v, column by column."""
    for joint in tree.joints:
        if not any(tree.armature[k] for k in joint.dofs):
            continue
        for column, l in enumerate(joint.dofs):  # noqa: E741
            unit = [1.0 if i == column else 0.0 for i in range(joint.nv)]
            drift = joint.type.rotor_drift(joint.velocity(v), unit)
            if drift is not None:
                for k, component in zip(joint.dofs, drift, strict=True):
                    C[k][l] = C[k][l] + tree.armature[k] * component
