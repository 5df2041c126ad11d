"""Forward dynamics in O(n): the articulated-body algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli import scalars
from dyncli.algorithms.kinematics import (
    body_velocities,
    carried,
    combine,
    joint_transforms,
    subspaces,
    sum_of,
)
from dyncli.algorithms.wrenches import Wrench, forces_on_bodies
from dyncli.spatial import (
    ZERO3,
    ZERO_FORCE,
    ArticulatedInertia,
    Force,
    Inertia,
    Motion,
    Scalar,
    Transform,
    scale3,
)
from dyncli.tree import Tree


def aba(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar] | None,
    tau: Sequence[Scalar],
    *,
    gravity: bool = True,
    wrenches: Sequence[Wrench] = (),
) -> tuple[list[Scalar], list[Scalar]]:
    """Accelerations (nv; rad/s², m/s²) under the joint forces tau, and the pivots D (nv).

    A joint of several degrees of freedom is eliminated one column at a time, which is the same as a chain of one-dof
    joints with massless bodies between. A pivot is the inertia that a degree of freedom feels while all behind it move
    freely (armature included); one that is not positive means that M is singular there. Holds for trees that
    nothing couples (`tree.couples` false). O(n).
    Source: Featherstone (2008), table 7.1; armature added to D as in section 9.6.
    """
    transforms = joint_transforms(tree, q)
    external = forces_on_bodies(wrenches, transforms, tree.parents)
    n = len(tree.bodies)
    S = subspaces(tree, q)
    velocities: list[Motion | None] = [None] * n if v is None else body_velocities(tree, transforms, S, v)
    drift = [None] * n if v is None else _drifts(tree, q, v, S, velocities, transforms)
    IA = [ArticulatedInertia.of(body.inertia) for body in tree.bodies]
    pA = [_bias_force(body.inertia, velocities[i], external.get(i)) for i, body in enumerate(tree.bodies)]
    U: list[list[Force]] = [[] for _ in range(n)]
    pivots: list[Scalar] = [0.0] * tree.nv
    inverse: list[Scalar] = [0.0] * tree.nv
    u: list[Scalar] = [0.0] * tree.nv
    # inwards: what is left of each body's inertia and bias force once its joint gives way
    for i in range(n - 1, -1, -1):
        body = tree.bodies[i]
        U[i] = [ZERO_FORCE] * body.joint.nv
        rotor_bias = _rotor_bias(tree, i, v)
        for local in range(body.joint.nv - 1, -1, -1):
            k, column = body.joint.index_v + local, S[i][local]
            own = IA[i].times(column)
            pivots[k] = column.dot(own) + tree.armature[k] if tree.armature[k] else column.dot(own)
            inverse[k] = scalars.reciprocal(pivots[k])
            u[k] = tau[k] - column.dot(pA[i]) - rotor_bias[local]
            U[i][local] = own
            IA[i] = IA[i].minus_product(own, own.times(inverse[k]))
            pA[i] = pA[i].plus(own.times(inverse[k] * u[k]))
        if body.parent >= 0:
            c = drift[i]
            force = pA[i] if c is None else pA[i].plus(IA[i].times(c))
            IA[body.parent] = IA[body.parent].plus(IA[i].to_parent(transforms[i]))
            pA[body.parent] = pA[body.parent].plus(transforms[i].force_to_parent(force))
    # outwards: accelerations
    qdd: list[Scalar] = [0.0] * tree.nv
    base = Motion(ZERO3, scale3(-1.0, tree.gravity)) if gravity else None
    accelerations: list[Motion | None] = []
    for i, body in enumerate(tree.bodies):
        ai = carried(transforms[i], accelerations[body.parent] if body.parent >= 0 else base)
        ai = sum_of(ai, drift[i])
        for local, column in enumerate(S[i]):
            k = body.joint.index_v + local
            felt = u[k] if ai is None else u[k] - ai.dot(U[i][local])
            qdd[k] = inverse[k] * felt
            ai = sum_of(ai, column.times(qdd[k]))
        accelerations.append(ai)
    return qdd, pivots


def _bias_force(inertia: Inertia, vi: Motion | None, external: Force | None) -> Force:
    """v x* I v - f."""
    force = ZERO_FORCE if vi is None else vi.cross_force(inertia.times(vi))
    return force if external is None else force.minus(external)


def _drifts(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    S: Sequence[Sequence[Motion]],
    velocities: Sequence[Motion | None],
    transforms: Sequence[Transform],
) -> list[Motion | None]:
    """Velocity-dependent acceleration c of each joint: Ṡ v + v x S v."""
    drifts: list[Motion | None] = []
    for i, body in enumerate(tree.bodies):
        joint = body.joint
        own = joint.velocity(v)
        rate = joint.type.subspace_rate(joint.axis, joint.position(q), own)
        parent = carried(transforms[i], velocities[body.parent] if body.parent >= 0 else None)
        vJ = combine(S[i], own)
        turning = None if parent is None or vJ is None else parent.cross(vJ)
        drifts.append(sum_of(turning, combine(rate, own) if rate else None))
    return drifts


def _rotor_bias(tree: Tree, i: int, v: Sequence[Scalar] | None) -> list[Scalar]:
    """Armature times the part of the rotors' acceleration that velocities alone cause."""
    joint = tree.bodies[i].joint
    own = None if v is None else joint.velocity(v)
    drift = None if own is None else joint.type.rotor_drift(own, own)
    if drift is None:
        return [0.0] * joint.nv
    return [tree.armature[k] * component for k, component in zip(joint.dofs, drift, strict=True)]
