"""The robot's inertia as felt at a frame: operational-space inertia."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli import scalars
from dyncli.algorithms.factor import Matrix, cholesky, cholesky_solve
from dyncli.spatial import Scalar


def inverse_task_inertia(J: Matrix, Minv: Matrix) -> Matrix:
    """J M⁻¹ Jᵀ (rows of J squared; 1/kg, 1/(kg m²)): the mobility of the frame. O(rows nv²).

    Source: O. Khatib, A unified approach for motion and force control (1987), eq. 51.
    """
    half = [[_dot(row, column) for column in Minv] for row in J]
    return [[_dot(a, b) for b in J] for a in half]


def task_inertia(mobility: Matrix) -> Matrix:
    """Operational-space inertia Λ = (J M⁻¹ Jᵀ)⁻¹ (kg, kg m, kg m²), rows linear then angular.

    inf or nan where the frame cannot move in some direction (fewer degrees of freedom than rows, a singular pose).
    """
    n = len(mobility)
    L = cholesky(mobility)
    columns = [cholesky_solve(L, [1.0 if i == k else 0.0 for i in range(n)]) for k in range(n)]
    return [[columns[j][i] for j in range(n)] for i in range(n)]


def effective_mass(mobility: Matrix, direction: Sequence[float]) -> Scalar:
    """Mass (kg) that a push along a unit vector at the frame's origin feels: 1 / (uᵀ Λᵥ⁻¹ u)."""
    moved = [_dot(row[:3], direction) for row in mobility[:3]]
    return scalars.reciprocal(_dot(moved, direction))


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
