"""The mass matrix: composite rigid bodies."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dyncli.algorithms.kinematics import joint_transforms, subspaces
from dyncli.algorithms.rnea import rnea
from dyncli.algorithms.transmissions import armature_entries, gradient
from dyncli.spatial import ZERO3, Inertia, Scalar, Transform
from dyncli.tree import Tree

Matrix = list[list[Scalar]]


def composite_inertias(tree: Tree, transforms: Sequence[Transform]) -> list[Inertia]:
    """Inertia of each body with everything it carries, in body coordinates. O(n)."""
    composite = [body.inertia for body in tree.bodies]
    for i in range(len(composite) - 1, -1, -1):
        parent = tree.bodies[i].parent
        if parent >= 0:
            composite[parent] = composite[parent].plus(composite[i].to_parent(transforms[i]))
    return composite


def crba(tree: Tree, q: Sequence[Scalar]) -> Matrix:
    """Mass matrix M(q), nv x nv (kg m², kg m, kg), armature included. O(n d), d the depth of the tree.

    Joints that mimic give Gᵀ M G: each column counts for its driver, times its multiplier.
    Source: Featherstone (2008), table 6.2, with the force carried to the ancestors column by column.
    """
    transforms = joint_transforms(tree, q)
    composite = composite_inertias(tree, transforms)
    S = subspaces(tree, q)
    M: Matrix = [[0.0] * tree.nv for _ in range(tree.nv)]
    for i, body in enumerate(tree.bodies):
        for k, column in zip(body.joint.dofs, S[i], strict=True):
            F = composite[i].times(column)
            for l, other in zip(body.joint.dofs, S[i], strict=True):  # noqa: E741
                if l <= k:
                    _add(M, k, l, body.joint.multiplier**2, other.dot(F), same=True)
            j = i
            while tree.bodies[j].parent >= 0:
                F = transforms[j].force_to_parent(F)
                j = tree.bodies[j].parent
                ancestor = tree.bodies[j].joint
                for l, other in zip(ancestor.dofs, S[j], strict=True):  # noqa: E741
                    _add(M, k, l, body.joint.multiplier * ancestor.multiplier, other.dot(F), same=False)
    for k, armature in enumerate(tree.armature):
        if armature:
            M[k][k] = M[k][k] + armature
    for transmission in tree.transmissions:
        if transmission.armature:
            for k, l, entry in armature_entries(tree, transmission, gradient(tree, transmission, q)):  # noqa: E741
                M[k][l] = M[k][l] + entry
    return M


def _add(M: Matrix, k: int, l: int, scale: float, value: Scalar, *, same: bool) -> None:  # noqa: E741
    """Add a coupling of two columns symmetrically; two joints of one driver couple it with itself twice."""
    if scale != 1.0:
        value = scale * value
    M[k][l] = M[k][l] + value
    if k != l:
        M[l][k] = M[k][l]
    elif not same:
        M[k][k] = M[k][k] + value


def mass_diagonal(tree: Tree, q: Sequence[Scalar]) -> list[Scalar]:
    """Diagonal of M alone (nv): what a degree of freedom moves when it moves by itself. O(n) where nothing couples."""
    if tree.couples:
        M = crba(tree, q)
        return [M[k][k] for k in range(tree.nv)]
    composite = composite_inertias(tree, joint_transforms(tree, q))
    diagonal: list[Scalar] = list(tree.armature)
    for i, body in enumerate(tree.bodies):
        for k, column in zip(body.joint.dofs, tree.subspace(i, q), strict=True):
            diagonal[k] = diagonal[k] + column.dot(composite[i].times(column))
    return diagonal


def mass_diagonal_bound(tree: Tree) -> list[float] | None:
    """Numbers (nv) that M's diagonal exceeds at no position: every body as far out as its chain of offsets reaches.

    None where a joint slides behind one that turns, or where something couples joints: then there is no such bound.
    A body of mass m and moments of inertia I about its origin has at most tr I + 2 m L² about an axis at distance L.
    O(n d).
    """
    if tree.couples:
        return None
    bound = list(tree.armature)
    for i, body in enumerate(tree.bodies):
        mass, spread = abs(body.inertia.mass), sum(abs(entry) for entry in body.inertia.rotational[:3])
        distance, slides = 0.0, False
        for j in tree.ancestors(i):
            joint = tree.bodies[j].joint
            turning = [unit == "rad/s" for unit in joint.type.velocity_units]
            if slides and any(turning):
                return None
            for k, turns in zip(joint.dofs, turning, strict=True):
                bound[k] += spread + 2.0 * mass * distance**2 if turns else mass
            slides = slides or not all(turning)
            distance += math.dist(tree.bodies[j].placement.translation, ZERO3)
    return bound


def mass_by_rnea(tree: Tree, q: Sequence[Scalar]) -> Matrix:
    """Mass matrix by nv calls of RNEA: column k is the force that gives unit acceleration of k alone. O(n²)."""
    columns = [rnea(tree, q, a=[1.0 if i == k else 0.0 for i in range(tree.nv)], gravity=False) for k in range(tree.nv)]
    return [[columns[k][i] for k in range(tree.nv)] for i in range(tree.nv)]
