"""Which degrees of freedom make the mass matrix singular. On floats alone: pivots are compared."""

from __future__ import annotations

from dyncli.algorithms.crba import crba
from dyncli.algorithms.factor import factor_structure
from dyncli.tree import Tree

ROUNDING = 1e-12
"""Share of a degree of freedom's own inertia below which a pivot is what cancellation left of zero."""


def dependent_dofs(tree: Tree, q: list[float]) -> list[int]:
    """Degrees of freedom that are left without inertia at q once those behind them move freely, ascending.

    M is eliminated from the last one to the first on the tree's structure; one without inertia is passed over, so that
    all of them are found and not the first alone. O(n d²).
    """
    M = crba(tree, q)
    structure = factor_structure(tree)
    own = [abs(M[k][k]) for k in range(tree.nv)]
    found = []
    for k in range(tree.nv - 1, -1, -1):
        if not M[k][k] > ROUNDING * own[k]:
            found.append(k)
            continue
        for i in structure[k]:
            share = M[k][i] / M[k][k]
            for j in structure[k]:
                if j <= i:
                    M[i][j] -= share * M[k][j]
    return found[::-1]
