"""Factorisations of the mass matrix: dense Cholesky, and LᵀL on the tree's own structure.

M = LᵀL with L lower triangular, eliminated from the last degree of freedom to the first: since a degree of freedom is
coupled only with its ancestors and descendants, nothing fills in (Featherstone section 6.5). Where something couples
branches (mimic, tendons) the structure with its fill-in is found first, symbolically.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyncli import scalars
from dyncli.algorithms.transmissions import involved_dofs
from dyncli.spatial import Scalar
from dyncli.tree import Tree

Matrix = list[list[Scalar]]
Structure = list[list[int]]
"""For each row k the columns i < k that may be non-zero, ascending."""


def coupled_dofs(tree: Tree) -> Structure:
    """Predicted non-zeros of M below the diagonal, from the parents, mimic and tendons alone: one list a row."""
    rows: list[set[int]] = [set() for _ in range(tree.nv)]

    def couple(dofs: set[int], others: set[int]) -> None:
        for k in dofs:
            for i in others:
                rows[max(k, i)].add(min(k, i))

    for i, body in enumerate(tree.bodies):
        own = set(body.joint.dofs)
        for j in tree.ancestors(i):
            couple(own, set(tree.bodies[j].joint.dofs))
    for transmission in tree.transmissions:
        if transmission.armature:
            dofs = set(involved_dofs(tree, transmission))
            couple(dofs, dofs)
    return [sorted(row - {k}) for k, row in enumerate(rows)]


def factor_structure(tree: Tree) -> Structure:
    """Non-zeros of L below its diagonal: those of M, and the fill-in that coupled branches cause."""
    rows = [set(row) for row in coupled_dofs(tree)]
    for k in range(len(rows) - 1, -1, -1):
        for i in rows[k]:
            rows[i] |= {j for j in rows[k] if j < i}
    return [sorted(row) for row in rows]


def ltl(M: Matrix, structure: Structure) -> Matrix:
    """L (n x n, lower) with M = LᵀL. Costs the sum over k of d_k (d_k + 3)/2 products, d_k = len(structure[k]).

    Source: Featherstone (2008), table 6.3. A pivot that is not positive gives inf or nan, never an exception.
    """
    n = len(M)
    L = [list(row) for row in M]
    for k in range(n - 1, -1, -1):
        L[k][k] = scalars.sqrt(L[k][k])
        inverse = scalars.reciprocal(L[k][k])
        row = L[k]
        for i in structure[k]:
            row[i] = row[i] * inverse
        for i in structure[k]:
            for j in structure[k]:
                if j > i:
                    break
                L[i][j] = L[i][j] - row[i] * row[j]
    for k in range(n):
        below = set(structure[k])
        for j in range(n):
            if j > k or (j < k and j not in below):
                L[k][j] = 0.0
    return L


def ltl_solve(L: Matrix, structure: Structure, b: Sequence[Scalar]) -> list[Scalar]:
    """x with LᵀL x = b, touching the non-zeros of L alone."""
    x = list(b)
    for k in range(len(x) - 1, -1, -1):
        x[k] = x[k] * scalars.reciprocal(L[k][k])
        for i in structure[k]:
            x[i] = x[i] - L[k][i] * x[k]
    for k in range(len(x)):
        for i in structure[k]:
            x[k] = x[k] - L[k][i] * x[i]
        x[k] = x[k] * scalars.reciprocal(L[k][k])
    return x


def ltl_inverse(L: Matrix, structure: Structure) -> Matrix:
    """M⁻¹ = W Wᵀ with W = L⁻¹, which has the structure of L: two rows meet in their common columns."""
    n = len(L)
    W: list[dict[int, Scalar]] = []
    for k in range(n):
        inverse = scalars.reciprocal(L[k][k])
        row: dict[int, Scalar] = {}
        for i in structure[k]:
            for j, entry in W[i].items():
                row[j] = row.get(j, 0.0) - L[k][i] * entry
        W.append({**{j: entry * inverse for j, entry in row.items()}, k: inverse})
    found: Matrix = [[0.0] * n for _ in range(n)]
    for k in range(n):
        for i in range(k + 1):
            total: Scalar = 0.0
            for j, entry in W[i].items():
                if j in W[k]:
                    total = total + entry * W[k][j]
            found[k][i] = found[i][k] = total
    return found


def cholesky(M: Matrix) -> Matrix:
    """L (n x n, lower) with M = L Lᵀ, no structure used. O(n³)."""
    n = len(M)
    L: Matrix = [[0.0] * n for _ in range(n)]
    for j in range(n):
        for i in range(j, n):
            entry = M[i][j]
            for k in range(j):
                entry = entry - L[i][k] * L[j][k]
            L[i][j] = scalars.sqrt(entry) if i == j else entry * scalars.reciprocal(L[j][j])
    return L


def cholesky_solve(L: Matrix, b: Sequence[Scalar]) -> list[Scalar]:
    """x with L Lᵀ x = b."""
    n = len(L)
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
        x[i] = x[i] * scalars.reciprocal(L[i][i])
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] = x[i] - L[k][i] * x[k]
        x[i] = x[i] * scalars.reciprocal(L[i][i])
    return x
