"""Checks of the mass matrix: three ways to it, its factor, its inverse, its zeros."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyncli.algorithms.crba import mass_by_rnea
from dyncli.algorithms.factor import Matrix, coupled_dofs, factor_structure, ltl
from dyncli.algorithms.forward import mass_inverse
from dyncli.algorithms.kinematics import body_poses
from dyncli.algorithms.transmissions import gradient
from dyncli.spatial import Motion
from dyncli.tree import Tree
from dyncli.verify.subject import Check, Subject, deviation, flat, greatest


def mass_matrix(subject: Subject) -> Iterator[Check]:
    """Symmetric before it is imposed, positive definite, the same by RNEA and as a sum over the bodies."""
    tree = subject.tree
    columns = [mass_by_rnea(tree, sample.q) for sample in subject.samples]
    sums = [sum_over_bodies(tree, sample.q) for sample in subject.samples]
    transposed = [[list(row) for row in zip(*M, strict=True)] for M in columns]
    bound = subject.bound(5e-15)
    yield Check("M = Mᵀ", _worst(columns, transposed), bound)
    yield Check("M = columns by RNEA", _worst(subject.masses, columns), bound)
    yield Check("M = sum of JᵀIJ", _worst(subject.masses, sums), bound)
    negative = greatest(max(0.0, -low) / high if high else 1.0 for low, high in subject.spectra)
    yield Check("M has no negative eigenvalue", negative, 1e-14)
    yield Check("zeros of M where the tree says", float(max(map(_stray, columns, _predicted(subject)), default=0)), 0.0)


def factor_and_inverse(subject: Subject) -> Iterator[Check]:
    """M = LᵀL without fill-in, M M⁻¹ = 1; where M is regular."""
    if not subject.is_regular:
        return
    structure = factor_structure(subject.tree)
    products, unit_errors = [], []
    for M in subject.masses:
        L = ltl(M, structure)
        products.append(_product([list(row) for row in zip(*L, strict=True)], L))
        unit = _product(M, mass_inverse(subject.tree, M))
        unit_errors.append(greatest(x - float(i == j) for i, row in enumerate(unit) for j, x in enumerate(row)))
    yield Check("M = LᵀL", _worst(products, subject.masses), subject.bound(5e-15))
    yield Check("M Minv = 1", greatest(unit_errors), subject.bound(1e-12, solved=True))


def sum_over_bodies(tree: Tree, q: Sequence[float]) -> Matrix:
    """M as the sum of JᵀIJ over the bodies in world coordinates, armature added: no recursion on forces. O(n d²)."""
    poses = body_poses(tree, q)
    columns: list[list[tuple[int, Motion]]] = []
    for i, body in enumerate(tree.bodies):
        joint = body.joint
        own = zip(joint.dofs, tree.subspace(i, q), strict=True)
        columns.append([(k, poses[i].motion_to_parent(column).times(joint.multiplier)) for k, column in own])
    M: Matrix = [[0.0] * tree.nv for _ in range(tree.nv)]
    for i, body in enumerate(tree.bodies):
        moving = [(k, poses[i].motion_to_child(s)) for j in tree.ancestors(i) for k, s in columns[j]]
        for k, s in moving:
            momentum = body.inertia.times(s)
            for l, other in moving:  # noqa: E741
                M[l][k] += other.dot(momentum)
    for k, armature in enumerate(tree.armature):
        M[k][k] += armature
    for transmission in tree.transmissions:
        J = gradient(tree, transmission, q) if transmission.armature else {}
        for k, entry in J.items():
            for l, other_entry in J.items():  # noqa: E741
                M[k][l] += transmission.armature * entry * other_entry
    return M


def _predicted(subject: Subject) -> list[list[set[int]]]:
    """For each sample the columns that may be non-zero, row by row."""
    rows = [set(row) | {k} for k, row in enumerate(coupled_dofs(subject.tree))]
    for k, row in enumerate(rows):
        for i in row:
            rows[i] = rows[i] | {k}
    return [rows] * len(subject.samples)


def _stray(M: Matrix, predicted: Sequence[set[int]]) -> int:
    """Entries that are not zero where the tree says they are."""
    return sum(entry != 0.0 and j not in predicted[i] for i, row in enumerate(M) for j, entry in enumerate(row))


def _worst(found: Sequence[Matrix], expected: Sequence[Matrix]) -> float:
    return greatest(deviation(flat(A), flat(B)) for A, B in zip(found, expected, strict=True))


def _product(A: Matrix, B: Matrix) -> Matrix:
    columns = list(zip(*B, strict=True))
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in columns] for row in A]
