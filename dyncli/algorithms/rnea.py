"""Inverse dynamics: the recursive Newton-Euler algorithm, its parts and the joint reactions."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.algorithms.kinematics import carried, combine, joint_transforms, sum_of
from dyncli.algorithms.transmissions import add_transmission_forces
from dyncli.algorithms.wrenches import Wrench, forces_on_bodies
from dyncli.spatial import ZERO3, ZERO_FORCE, Force, Inertia, Motion, Scalar, Transform, scale3
from dyncli.tree import Tree


def rnea(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar] | None = None,
    a: Sequence[Scalar] | None = None,
    *,
    gravity: bool = True,
    wrenches: Sequence[Wrench] = (),
) -> list[Scalar]:
    """Joint forces tau (nv; N m, N) that give the acceleration a at position q and velocity v.

    tau = M(q) a + h(q, v) - Jᵀ f, with armature in M. `v` or `a` None: that part is absent, not computed as zero; so
    rnea(q) is the gravity torque, rnea(q, v, gravity=False) the Coriolis part, rnea(q, a=a, gravity=False) M a. O(n).
    Source: Featherstone (2008), table 5.1, in body coordinates.
    """
    transforms = joint_transforms(tree, q)
    forces = link_forces(tree, q, v, a, transforms, gravity=gravity, wrenches=wrenches)
    tau: list[Scalar] = [0.0] * tree.nv
    for i, body in enumerate(tree.bodies):
        body.joint.add_force(tau, [column.dot(forces[i]) for column in tree.subspace(i, q)])
    add_armature(tree, tau, v, a)
    add_transmission_forces(tree, tau, q, v, a)
    return tau


def link_forces(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar] | None,
    a: Sequence[Scalar] | None,
    transforms: Sequence[Transform],
    *,
    gravity: bool = True,
    wrenches: Sequence[Wrench] = (),
) -> list[Force]:
    """Force that each body's parent exerts on it through its joint, in body coordinates (N m, N).

    The two passes of `rnea`: velocities and accelerations outwards, forces inwards. Letters: `vi`, `ai` of body i,
    `vJ` of its joint, gravity as an acceleration of the base.
    """
    base = Motion(ZERO3, scale3(-1.0, tree.gravity)) if gravity else None
    external = forces_on_bodies(wrenches, transforms, tree.parents)
    velocities: list[Motion | None] = []
    accelerations: list[Motion | None] = []
    forces: list[Force] = []
    # outwards
    for i, (body, X) in enumerate(zip(tree.bodies, transforms, strict=True)):
        joint, parent = body.joint, body.parent
        S = tree.subspace(i, q)
        vi = carried(X, velocities[parent] if parent >= 0 else None)
        ai = carried(X, accelerations[parent] if parent >= 0 else base)
        if v is not None and S:
            own = joint.velocity(v)
            vJ = combine(S, own)
            rate = joint.type.subspace_rate(joint.axis, joint.position(q), own)
            ai = sum_of(ai, combine(rate, own) if rate else None)
            if vi is not None and vJ is not None:
                ai = sum_of(ai, vi.cross(vJ))
            vi = sum_of(vi, vJ)
        if a is not None and S:
            ai = sum_of(ai, combine(S, joint.velocity(a)))
        velocities.append(vi)
        accelerations.append(ai)
        forces.append(_inertial_force(body.inertia, vi, ai))
        if i in external:
            forces[i] = forces[i].minus(external[i])
    # inwards
    for i in range(len(forces) - 1, -1, -1):
        parent = tree.bodies[i].parent
        if parent >= 0:
            forces[parent] = forces[parent].plus(transforms[i].force_to_parent(forces[i]))
    return forces


def _inertial_force(inertia: Inertia, vi: Motion | None, ai: Motion | None) -> Force:
    """I a + v x* I v."""
    force = ZERO_FORCE if ai is None else inertia.times(ai)
    return force if vi is None else force.plus(vi.cross_force(inertia.times(vi)))


def add_armature(tree: Tree, tau: list[Scalar], v: Sequence[Scalar] | None, a: Sequence[Scalar] | None) -> None:
    """Add the force that accelerates the rotors: armature times a, and the drift of velocities whose axes turn."""
    for joint in tree.joints:
        if not any(tree.armature[k] for k in joint.dofs):
            continue
        if a is not None:
            for k in joint.dofs:
                tau[k] = tau[k] + tree.armature[k] * a[k]
        own = None if v is None else joint.velocity(v)
        drift = None if own is None else joint.type.rotor_drift(own, own)
        if drift is not None:
            for k, component in zip(joint.dofs, drift, strict=True):
                tau[k] = tau[k] + tree.armature[k] * component
