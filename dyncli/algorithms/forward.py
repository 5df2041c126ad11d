"""Forward dynamics by its three routes, and the inverse of the mass matrix."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.algorithms.aba import aba
from dyncli.algorithms.crba import crba
from dyncli.algorithms.factor import (
    Matrix,
    cholesky,
    cholesky_solve,
    factor_structure,
    sparse_factor,
)
from dyncli.algorithms.newton_euler import newton_euler
from dyncli.algorithms.wrenches import Wrench
from dyncli.spatial import Scalar
from dyncli.tree import Tree

METHODS = ("aba", "crba", "sparse")


def route(tree: Tree, method: str) -> str:
    """The route that is taken when `method` is asked for: ABA does not hold where M couples branches."""
    return "sparse" if method == "aba" and tree.couples else method


def forward_dynamics(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar] | None,
    tau: Sequence[Scalar],
    *,
    method: str = "aba",
    wrenches: Sequence[Wrench] = (),
) -> tuple[list[Scalar], list[Scalar]]:
    """Accelerations (nv) that tau causes at q and v, and the pivots (nv) of the elimination.

    `method`: aba, O(n); crba, M and a dense Cholesky factor, O(n³); sparse, M = LᵀL on the tree's structure, O(n d²).
    A pivot that is not positive, up to rounding, means that M is singular at that degree of freedom.
    """
    method = route(tree, method)
    if method == "aba":
        return aba(tree, q, v, tau, wrenches=wrenches)
    M = crba(tree, q)
    bias = newton_euler(tree, q, v, wrenches=wrenches)
    b = [force - h for force, h in zip(tau, bias, strict=True)]
    if method == "crba":
        L = cholesky(M)
        return cholesky_solve(L, b), [L[k][k] * L[k][k] for k in range(tree.nv)]
    factor = sparse_factor(M, factor_structure(tree))
    return factor.solve(b), factor.pivots


def mass_inverse(tree: Tree, M: Matrix) -> Matrix:
    """M⁻¹ (nv x nv) of this tree's mass matrix, through the sparse factor."""
    return sparse_factor(M, factor_structure(tree)).inverse()
