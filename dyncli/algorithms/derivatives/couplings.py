"""Derivatives of what stands beside the tree: armature, transmissions, dampers and springs.

What belongs to one joint, and tendons, are differentiated by dual numbers in the few degrees of freedom that they
involve: a spring on a ball joint or a path over several bodies has no closed form that is shorter than the function
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from dyncli.algorithms.derivatives.seeds import moving, tangents
from dyncli.algorithms.factor import Matrix
from dyncli.algorithms.passive import add_tendon_forces, is_passive, joint_force
from dyncli.algorithms.transmissions import add_transmission_forces, armature_entries, gradient, involved_dofs
from dyncli.scalars.dual import Dual, level_of
from dyncli.spatial import Scalar
from dyncli.structs import replace
from dyncli.tree import Joint, Transmission, Tree

if TYPE_CHECKING:
    from dyncli.algorithms.derivatives.analytic import RneaDerivatives

Force = Callable[[Sequence[Scalar], Sequence[Scalar]], Sequence[Scalar]]
"""A force on some degrees of freedom as a function of q and v."""


def add_armature_derivatives(tree: Tree, result: RneaDerivatives, v: Sequence[Scalar]) -> None:
    """Armature on M's diagonal, and the drift of rotors whose axes turn, bilinear in v."""
    for k, armature in enumerate(tree.armature):
        if armature:
            result.da[k][k] = result.da[k][k] + armature
    for joint in tree.joints:
        own = joint.velocity(v)
        for column, j in enumerate(joint.dofs):
            unit = [1.0 if i == column else 0.0 for i in range(joint.nv)]
            turning, turned = joint.type.rotor_drift(unit, own), joint.type.rotor_drift(own, unit)
            if turning is None or turned is None:
                break
            for k, x, y in zip(joint.dofs, turning, turned, strict=True):
                if tree.armature[k]:
                    result.dv[k][j] = result.dv[k][j] + tree.armature[k] * (x + y)


def add_transmission_derivatives(
    tree: Tree, result: RneaDerivatives, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> None:
    """b JᵀJ in M for a transmission of armature b, and the derivatives of a spatial tendon's force."""
    for transmission in tree.transmissions:
        if not transmission.armature:
            continue
        for k, j, entry in armature_entries(tree, transmission, gradient(tree, transmission, q)):
            result.da[k][j] = result.da[k][j] + entry
        if transmission.path:
            dofs = involved_dofs(tree, transmission)
            force = partial(_on_dofs, partial(_rotor_force, a=a), tree, transmission, dofs)
            _add_piece(result, tree, dofs, force, q, v)


def add_passive_derivatives(tree: Tree, result: RneaDerivatives, q: Sequence[Scalar], v: Sequence[Scalar]) -> None:
    """Dampers and springs of joints and tendons."""
    for dofs, force in _passive_pieces(tree):
        _add_piece(result, tree, dofs, force, q, v)


def add_damping_ahead(
    tree: Tree, result: RneaDerivatives, q: Sequence[Scalar], v: Sequence[Scalar], dv: Sequence[Scalar]
) -> None:
    """Derivatives of D dv, D = d(passive)/dv at q and v, for a change dv (nv) of the velocity that is held fixed."""
    for dofs, force in _passive_pieces(tree):

        def ahead(q: Sequence[Scalar], v: Sequence[Scalar], force: Force = force) -> list[Scalar]:
            moved = [Dual(x, dx) for x, dx in zip(v, dv, strict=True)]
            level = max(map(level_of, moved))
            return [y.tangent if level_of(y) == level else 0.0 for y in force(q, moved)]

        _add_piece(result, tree, dofs, ahead, q, v)


def damping_matrix(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> Matrix:
    """D = d(passive)/dv, nv x nv, symmetric (N m s/rad, N s/m). O(dampers)."""
    D: Matrix = [[0.0] * tree.nv for _ in range(tree.nv)]
    for dofs, force in _passive_pieces(tree):
        for k, row in zip(dofs, _piece_rows(tree, dofs, force, q, v), strict=True):
            for j, entry in zip(dofs, row[len(dofs) :], strict=True):
                D[k][j] = D[k][j] + entry
    return D


def _passive_pieces(tree: Tree) -> Iterator[tuple[Sequence[int], Force]]:
    """Each spring or damper: the degrees of freedom it acts on and depends on, and its force on them."""
    for body in tree.bodies:
        if is_passive(body.joint):
            yield body.joint.dofs, partial(_joint_piece, body.joint)
    for tendon in tree.transmissions:
        if tendon.stiffness or tendon.damping:
            dofs = involved_dofs(tree, tendon)
            yield dofs, partial(_on_dofs, add_tendon_forces, tree, tendon, dofs)


def _joint_piece(joint: Joint, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    return [joint.multiplier * force for force in joint_force(joint, q, v)]


def _rotor_force(tree: Tree, tau: list[Scalar], q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]) -> None:
    add_transmission_forces(tree, tau, q, v, a)


def _on_dofs(
    add_forces: Callable[[Tree, list[Scalar], Sequence[Scalar], Sequence[Scalar]], None],
    tree: Tree,
    transmission: Transmission,
    dofs: Sequence[int],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
) -> list[Scalar]:
    """What one transmission adds to the forces on `dofs`."""
    tau: list[Scalar] = [0.0] * tree.nv
    add_forces(replace(tree, transmissions=(transmission,)), tau, q, v)
    return [tau[k] for k in dofs]


def _piece_rows(tree: Tree, dofs: Sequence[int], force: Force, q: Sequence[Scalar], v: Sequence[Scalar]) -> Matrix:
    """d force / d(q, v) in its own degrees of freedom: len(dofs) x 2 len(dofs)."""
    moving_q, moving_v = moving(tree, q, v, dofs)
    level = max(map(level_of, (*moving_q, *moving_v)))
    return tangents(force(moving_q, moving_v), level, 2 * len(dofs))


def _add_piece(
    result: RneaDerivatives, tree: Tree, dofs: Sequence[int], force: Force, q: Sequence[Scalar], v: Sequence[Scalar]
) -> None:
    n = len(dofs)
    for k, row in zip(dofs, _piece_rows(tree, dofs, force, q, v), strict=True):
        for j, by_q, by_v in zip(dofs, row[:n], row[n:], strict=True):
            result.dq[k][j] = result.dq[k][j] + by_q
            result.dv[k][j] = result.dv[k][j] + by_v
