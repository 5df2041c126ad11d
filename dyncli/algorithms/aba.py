"""Forward dynamics in O(n): the articulated-body algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli import scalars
from dyncli.algorithms.kinematics import carried, complete_branches, joint_transforms, subspaces, sum_of
from dyncli.algorithms.newton_euler import body_forces
from dyncli.algorithms.wrenches import Wrench
from dyncli.spatial import ZERO_FORCE, ArticulatedInertia, Force, Motion, Scalar
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

    Bodies are first moved with joint accelerations of zero, which gives the bias forces pA; from there on velocities
    and gravity are done with, and `ai` is what the joint accelerations add. `gain` is U/D in the source's letters.
    A joint of several degrees of freedom is eliminated one column at a time, which is the same as a chain of one-dof
    joints with massless bodies between. A pivot is the inertia that a degree of freedom feels while all behind it move
    freely (armature included); one that is not positive means that M is singular there. Holds for trees that
    nothing couples (`tree.couples` false). O(n).
    Source: Featherstone (2008), table 7.1; armature added to D as in section 9.6.
    """
    transforms = joint_transforms(tree, q)
    S = subspaces(tree, q)
    IA: list[ArticulatedInertia] = []
    pA: list[Force] = []
    gain: list[list[Force]] = [[ZERO_FORCE] * body.joint.nv for body in tree.bodies]
    pivots: list[Scalar] = [0.0] * tree.nv
    inverse: list[Scalar] = [0.0] * tree.nv
    u: list[Scalar] = [0.0] * tree.nv
    complete = complete_branches(tree)
    for i, force in enumerate(body_forces(tree, q, v, None, transforms, gravity=gravity, wrenches=wrenches)):
        IA.append(ArticulatedInertia.of(tree.bodies[i].inertia))
        pA.append(force)
        # inwards: what is left of a body's inertia and bias force once its joint gives way
        for j in complete[i]:
            joint, parent = tree.bodies[j].joint, tree.parents[j]
            rotor_bias = _rotor_bias(tree, j, v)
            for local in range(joint.nv - 1, -1, -1):
                k, column = joint.index_v + local, S[j][local]
                own = IA[j].times(column)
                pivots[k] = column.dot(own) + tree.armature[k] if tree.armature[k] else column.dot(own)
                inverse[k] = scalars.reciprocal(pivots[k])
                u[k] = tau[k] - column.dot(pA[j]) - rotor_bias[local]
                gain[j][local] = own.times(inverse[k])
                IA[j] = IA[j].minus_product(own, gain[j][local])
                pA[j] = pA[j].plus(gain[j][local].times(u[k]))
            if parent >= 0:
                IA[parent] = IA[parent].plus(IA[j].to_parent(transforms[j]))
                pA[parent] = pA[parent].plus(transforms[j].force_to_parent(pA[j]))
    # outwards: accelerations
    qdd: list[Scalar] = [0.0] * tree.nv
    accelerations: list[Motion | None] = []
    for i, body in enumerate(tree.bodies):
        ai = carried(transforms[i], accelerations[body.parent] if body.parent >= 0 else None)
        for local, column in enumerate(S[i]):
            k = body.joint.index_v + local
            qdd[k] = inverse[k] * u[k] if ai is None else inverse[k] * u[k] - ai.dot(gain[i][local])
            ai = sum_of(ai, column.times(qdd[k]))
        accelerations.append(ai)
    return qdd, pivots


def _rotor_bias(tree: Tree, i: int, v: Sequence[Scalar] | None) -> list[Scalar]:
    """Armature times the part of the rotors' acceleration that velocities alone cause."""
    joint = tree.bodies[i].joint
    own = None if v is None else joint.velocity(v)
    drift = None if own is None else joint.type.rotor_drift(own, own)
    if drift is None:
        return [0.0] * joint.nv
    return [tree.armature[k] * component for k, component in zip(joint.dofs, drift, strict=True)]
