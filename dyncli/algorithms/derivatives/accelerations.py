"""Derivatives of forward dynamics, through the factor of the mass matrix.

With tau = ID(q, v, a) solved for a: da/dq = -M⁻¹ d ID/dq, da/dv = -M⁻¹ d ID/dv and da/dtau = M⁻¹, all at the
acceleration that tau causes. M's sparse factor is solved against the columns, which are as sparse as M; where dampers
are taken implicitly M + h D takes M's place. Source: J. Carpentier, N. Mansard, Analytical Derivatives of Rigid Body
Dynamics Algorithms (RSS 2018), section IV.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dyncli.algorithms.crba import crba
from dyncli.algorithms.derivatives.analytic import rnea_derivatives
from dyncli.algorithms.derivatives.couplings import add_damping_ahead
from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.factor import (
    Matrix,
    cholesky,
    cholesky_solve,
    factor_structure,
    sparse_factor,
)
from dyncli.spatial import Scalar


class ForwardDerivatives(NamedTuple):
    """d qdd / d(q, v, tau), each nv x nv, with qdd itself and the pivots (nv) of M's elimination."""

    dq: Matrix
    dv: Matrix
    dtau: Matrix
    qdd: list[Scalar]
    pivots: list[Scalar]


def forward_derivatives(
    dynamics: Dynamics, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar]
) -> ForwardDerivatives:
    """Derivatives of the acceleration that tau (nv) causes at q and v, tangent space of q.

    A pivot that is not positive, up to rounding, means that M is singular there and the numbers mean nothing.
    O(n d²) for the factor and O(n² d) for the columns.
    """
    tree = dynamics.tree
    factor = sparse_factor(crba(tree, q), factor_structure(tree))
    bias = dynamics.torques(q, v, [0.0] * tree.nv)
    qdd = factor.solve([force - h for force, h in zip(tau, bias, strict=True)])
    by = rnea_derivatives(tree, q, v, qdd, wrenches=dynamics.wrenches, passive=dynamics.passive)
    dq, dv = factor.solve_columns(_negative(by.dq)), factor.solve_columns(_negative(by.dv))
    return ForwardDerivatives(dq, dv, factor.inverse(), qdd, factor.pivots)


def damped_derivatives(
    dynamics: Dynamics, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar], h: float
) -> ForwardDerivatives:
    """Derivatives of `Dynamics.damped_accelerations`, with the pivots of M + h D. O(n³)."""
    if not dynamics.passive:
        return forward_derivatives(dynamics, q, v, tau)
    tree = dynamics.tree
    L = cholesky(dynamics.damped_mass(q, v, h))

    def solve(b: Sequence[Scalar]) -> list[Scalar]:
        return cholesky_solve(L, b)

    bias = dynamics.torques(q, v, [0.0] * tree.nv)
    qdd = solve([force - h0 for force, h0 in zip(tau, bias, strict=True)])
    by = rnea_derivatives(tree, q, v, qdd, wrenches=dynamics.wrenches, passive=True)
    add_damping_ahead(tree, by, q, v, [h * x for x in qdd])
    units = [[1.0 if i == k else 0.0 for i in range(tree.nv)] for k in range(tree.nv)]
    pivots = [L[k][k] * L[k][k] for k in range(tree.nv)]
    dq, dv, dtau = (
        _transposed([solve(column) for column in zip(*B, strict=True)])
        for B in (_negative(by.dq), _negative(by.dv), units)
    )
    return ForwardDerivatives(dq, dv, dtau, qdd, pivots)


def _negative(B: Matrix) -> Matrix:
    """-B; a structural zero stays the number 0."""
    return [[-entry for entry in row] for row in B]


def _transposed(columns: Sequence[Sequence[Scalar]]) -> Matrix:
    return [list(row) for row in zip(*columns, strict=True)]
