"""Factorisations of the mass matrix: dense Cholesky, and LᵀL on the tree's own structure.

M = LᵀL with L lower triangular, eliminated from the last degree of freedom to the first: since a degree of freedom is
coupled only with its ancestors and descendants, nothing fills in (Featherstone section 6.5). Where something couples
branches (mimic, tendons) the structure with its fill-in is found first, symbolically.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dyncli import scalars
from dyncli.spatial import Scalar
from dyncli.tree import Tree

Matrix = list[list[Scalar]]
Structure = list[list[int]]
"""For each row k the columns i < k that may be non-zero, ascending."""


def coupled_dofs(tree: Tree) -> Structure:
    """Predicted non-zeros of M below the diagonal, from the parents and mimic alone: one list a row.

    Tendons add none: their armature stays within branches (`transmissions.armature_entries`).
    """
    rows: list[set[int]] = [set() for _ in range(tree.nv)]

    def couple(dofs: set[int], others: set[int]) -> None:
        for k in dofs:
            for i in others:
                rows[max(k, i)].add(min(k, i))

    for i, body in enumerate(tree.bodies):
        own = set(body.joint.dofs)
        for j in tree.ancestors(i):
            couple(own, set(tree.bodies[j].joint.dofs))
    return [sorted(row - {k}) for k, row in enumerate(rows)]


def factor_structure(tree: Tree) -> Structure:
    """Non-zeros of L below its diagonal: those of M, and the fill-in that coupled branches cause."""
    rows = [set(row) for row in coupled_dofs(tree)]
    for k in range(len(rows) - 1, -1, -1):
        for i in rows[k]:
            rows[i] |= {j for j in rows[k] if j < i}
    return [sorted(row) for row in rows]


class SparseFactor(NamedTuple):
    """M = Uᵀ D U with U unit lower triangular; `rows`: of each row of U the entries below the diagonal, by column.

    `pivots`: D, the inertia each degree of freedom feels while all behind it move freely; one that is not positive
    means that M is singular there. LᵀL with L = √D U is the same factor.
    """

    rows: list[dict[int, Scalar]]
    pivots: list[Scalar]
    inverse_pivots: list[Scalar]

    def lower(self) -> Matrix:
        """L (n x n, lower) with M = LᵀL. A pivot that is not positive gives nan, never an exception."""
        n = len(self.rows)
        L: Matrix = [[0.0] * n for _ in range(n)]
        for k, row in enumerate(self.rows):
            L[k][k] = scalars.sqrt(self.pivots[k])
            for i, entry in row.items():
                L[k][i] = L[k][k] * entry
        return L

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """x with M x = b, touching the non-zeros of U alone."""
        x = list(b)
        for k in range(len(x) - 1, -1, -1):
            for i, entry in self.rows[k].items():
                x[i] = x[i] - entry * x[k]
        for k, row in enumerate(self.rows):
            x[k] = x[k] * self.inverse_pivots[k]
            for i, entry in row.items():
                x[k] = x[k] - entry * x[i]
        return x

    def unit_inverse(self) -> list[dict[int, Scalar]]:
        """W = U⁻¹ row by row, as `rows`: it has U's structure."""
        W: list[dict[int, Scalar]] = []
        for row in self.rows:
            own = {i: -entry for i, entry in row.items()}
            for i, entry in row.items():
                for j, other in W[i].items():
                    own[j] = own.get(j, 0.0) - entry * other
            W.append(own)
        return W

    def solve_columns(self, B: Matrix) -> Matrix:
        """X with M X = B (n x n), for a B whose structural zeros are the number 0.

        A column of M⁻¹ B = W D⁻¹ Wᵀ B is sparse up to W, so that degrees of freedom on other branches cost one product
        for each common ancestor.
        """
        W = self.unit_inverse()
        columns = []
        for column in zip(*B, strict=True):
            z = list(column)
            for k in range(len(z) - 1, -1, -1):
                if not _is_zero(z[k]):
                    for i, entry in self.rows[k].items():
                        z[i] = z[i] - entry * z[k]
            z = [x if _is_zero(x) else x * inverse for x, inverse in zip(z, self.inverse_pivots, strict=True)]
            x = list(z)
            for k, row in enumerate(W):
                for i, entry in row.items():
                    if not _is_zero(z[i]):
                        x[k] = x[k] + entry * z[i]
            columns.append(x)
        return [list(row) for row in zip(*columns, strict=True)]

    def inverse(self) -> Matrix:
        """M⁻¹ = W D⁻¹ Wᵀ with W = U⁻¹, which has U's structure: two rows meet in their common columns."""
        W = self.unit_inverse()
        n = len(W)
        found: Matrix = [[0.0] * n for _ in range(n)]
        for i in range(n):
            weighted = {j: entry * self.inverse_pivots[j] for j, entry in W[i].items()}
            for k in range(i, n):
                total = self.inverse_pivots[i] if i == k else W[k].get(i, 0.0) * self.inverse_pivots[i]
                for j, entry in weighted.items():
                    if j in W[k]:
                        total = total + entry * W[k][j]
                found[k][i] = found[i][k] = total
        return found


def _is_zero(x: Scalar) -> bool:
    """Whether x is the number 0, not a symbol or an array."""
    return isinstance(x, float) and x == 0.0


def sparse_factor(M: Matrix, structure: Structure) -> SparseFactor:
    """The factor of M on its structure. Costs the sum over k of d_k (d_k + 3)/2 products, d_k = len(structure[k]).

    Source: Featherstone (2008), table 6.4, with the square roots left to `SparseFactor.lower`.
    """
    n = len(M)
    left = [[M[k][i] for i in range(k + 1)] for k in range(n)]
    rows: list[dict[int, Scalar]] = [{} for _ in range(n)]
    inverse: list[Scalar] = [0.0] * n
    for k in range(n - 1, -1, -1):
        inverse[k] = scalars.reciprocal(left[k][k])
        for i in structure[k]:
            rows[k][i] = left[k][i] * inverse[k]
            for j in structure[k]:
                if j > i:
                    break
                left[i][j] = left[i][j] - rows[k][i] * left[k][j]
    return SparseFactor(rows, [left[k][k] for k in range(n)], inverse)


def ltl(M: Matrix, structure: Structure) -> Matrix:
    """L (n x n, lower) with M = LᵀL. Source: Featherstone (2008), table 6.3."""
    return sparse_factor(M, structure).lower()


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
