"""Multiplications of the recursions with plain 6x6 matrices, nothing exploited: the textbook cost.

A matrix product costs rows x inner x columns, so do a dot product and an outer product; a dot of length k in a
factorisation or substitution costs k. Scalar times vector, additions, transposes, trigonometry and Rodrigues' formula
count nothing. Each function walks the tree and adds up what the passes do at each body; for a serial chain and for
the star-shaped cases closed forms follow.
"""

from __future__ import annotations

from collections.abc import Callable

from dyncli.algorithms.factor import factor_structure
from dyncli.tree import Tree

SIX_BY_SIX_TIMES_VECTOR = 36
OUTER_OF_SIX = 36
DOT_OF_SIX = 6
THREE_BY_THREE = 27
TRANSFORM = THREE_BY_THREE
"""X of a joint from its rotation E and offset r: the block -E [r]x."""
CONGRUENCE = 2 * 6 * 6 * 6
"""Xᵀ I X."""
EXPONENTIAL = THREE_BY_THREE + 9 + 36 + THREE_BY_THREE
"""X of a joint from its screw axis: K², P v, the product of two poses, and the block [p]x R of the adjoint."""

VELOCITY = 2 * SIX_BY_SIX_TIMES_VECTOR
"""X v of the parent, and v x vJ."""
INERTIAL_FORCE = 3 * SIX_BY_SIX_TIMES_VECTOR
"""I a, I v and v x* (I v)."""


def multiplications(tree: Tree, algorithm: str) -> int | None:
    """Multiplications of an algorithm on a tree; None where the dense model does not define it, see `undefined`."""
    return None if undefined(tree, algorithm) else _COUNTS[algorithm](tree)


def undefined(tree: Tree, algorithm: str) -> str | None:
    """Why the dense model gives no count of an algorithm on this tree; None if it does."""
    if algorithm not in _COUNTS:
        return "it is counted on scalars only"
    if any(body.joint.type.nv != 1 for body in tree.bodies):
        return "the dense model is defined for joints of one degree of freedom"
    if any(transmission.armature for transmission in tree.transmissions):
        return "the dense model knows no tendons or actuators with armature"
    if tree.couples and algorithm in _NEEDS_FREE_JOINTS:
        return "it does not hold where joints mimic others"
    if algorithm in _ON_CHAINS and tree.parents != tuple(range(-1, len(tree.bodies) - 1)):
        return "it is the form for one serial chain"
    return None


def rnea(tree: Tree) -> int:
    """Inverse dynamics: X v, X a, v x vJ, I a, I v, v x* I v and Sᵀf a body, Xᵀf a body with a parent."""
    outwards = TRANSFORM + VELOCITY + SIX_BY_SIX_TIMES_VECTOR + INERTIAL_FORCE
    return sum(outwards + DOT_OF_SIX + (SIX_BY_SIX_TIMES_VECTOR if parent >= 0 else 0) for parent in tree.parents)


def crba(tree: Tree) -> int:
    """Mass matrix: Ic S and Sᵀ F a body, Xᵀ Ic X a body with a parent, Xᵀ F and Sᵀ F a body and each ancestor."""
    own = TRANSFORM + SIX_BY_SIX_TIMES_VECTOR + DOT_OF_SIX
    pair = SIX_BY_SIX_TIMES_VECTOR + DOT_OF_SIX
    return sum(
        own + (CONGRUENCE if parent >= 0 else 0) + pair * above
        for parent, above in zip(tree.parents, ancestor_counts(tree), strict=True)
    )


def aba(tree: Tree) -> int:
    """Forward dynamics by articulated bodies."""
    first = TRANSFORM + VELOCITY + 2 * SIX_BY_SIX_TIMES_VECTOR  # I v and v x* I v
    second = SIX_BY_SIX_TIMES_VECTOR + 2 * DOT_OF_SIX  # U = IA S, Sᵀ U, Sᵀ pA
    third = SIX_BY_SIX_TIMES_VECTOR + DOT_OF_SIX  # X a, Uᵀ a
    # U Uᵀ / D, Ia c, Xᵀ Ia X, Xᵀ pa
    handed_on = OUTER_OF_SIX + SIX_BY_SIX_TIMES_VECTOR + CONGRUENCE + SIX_BY_SIX_TIMES_VECTOR
    return sum(first + second + third + (handed_on if parent >= 0 else 0) for parent in tree.parents)


def cholesky(n: int) -> int:
    """Dense factor of an n x n matrix: entry (i, j) is a dot of length j, j up to i from 0 on."""
    return (n - 1) * n * (n + 1) // 6


def substitutions(n: int) -> int:
    """The two triangular solves of one right-hand side."""
    return n * (n - 1)


def fd_crba(tree: Tree) -> int:
    """Forward dynamics through M and its dense factor."""
    return rnea(tree) + crba(tree) + cholesky(tree.nv) + substitutions(tree.nv)


def fd_sparse(tree: Tree) -> int:
    """Forward dynamics through M = LᵀL on the tree's structure."""
    return rnea(tree) + crba(tree) + ltl(tree) + ltl_substitutions(tree)


def ltl(tree: Tree) -> int:
    """Factor on the tree's structure: a product for each pair of non-zeros in a row of L."""
    return sum(d * (d + 1) // 2 for d in _row_lengths(tree))


def ltl_substitutions(tree: Tree) -> int:
    """The two solves of one right-hand side on the tree's structure."""
    return 2 * sum(_row_lengths(tree))


def _row_lengths(tree: Tree) -> list[int]:
    """Non-zeros of L left of its diagonal, a row each: the ancestors, and what fills in where mimic couples joints."""
    return [len(row) for row in factor_structure(tree)] if tree.couples else ancestor_counts(tree)


def minv(tree: Tree) -> int:
    """M⁻¹ through the dense factor: one pair of substitutions a column."""
    return crba(tree) + cholesky(tree.nv) + tree.nv * substitutions(tree.nv)


def rnea_derivatives(tree: Tree) -> int:
    """Derivatives of tau by a tangent pass through RNEA for each position and each velocity.

    The passes share one run of RNEA without its last product. A pass visits the subtree of its joint (the tangents of
    X v, X a, v x vJ with two terms, I a, I v, v x* I v with two terms), then the forces up to the world.
    """
    shared = TRANSFORM + VELOCITY + SIX_BY_SIX_TIMES_VECTOR + INERTIAL_FORCE
    total = sum(shared + (SIX_BY_SIX_TIMES_VECTOR if parent >= 0 else 0) for parent in tree.parents)
    visit = 8 * SIX_BY_SIX_TIMES_VECTOR
    for size, above in zip(subtree_sizes(tree), ancestor_counts(tree), strict=True):
        of_position = visit * size + SIX_BY_SIX_TIMES_VECTOR  # at the joint itself also S x* f
        of_velocity = visit * size - SIX_BY_SIX_TIMES_VECTOR  # at the joint itself the tangent of v is S
        touched = size + above
        total += of_position + of_velocity
        total += 2 * (SIX_BY_SIX_TIMES_VECTOR * (touched - 1) + DOT_OF_SIX * touched)
    return total


def fd_derivatives(tree: Tree) -> int:
    """d qdd/d(q, v, tau): qdd through M, the derivatives of tau there, and three matrices through the same factor."""
    return fd_crba(tree) + rnea_derivatives(tree) + 3 * tree.nv * substitutions(tree.nv)


def rnea_screw(tree: Tree) -> int:
    """RNEA of a serial chain on screw axes: six products outwards and Xᵀf inwards at every body, the base too."""
    return len(tree.bodies) * (EXPONENTIAL + VELOCITY + 2 * SIX_BY_SIX_TIMES_VECTOR + INERTIAL_FORCE + DOT_OF_SIX)


def ancestor_counts(tree: Tree) -> list[int]:
    """For each body the number of bodies between it and the world."""
    counts: list[int] = []
    for parent in tree.parents:
        counts.append(counts[parent] + 1 if parent >= 0 else 0)
    return counts


def subtree_sizes(tree: Tree) -> list[int]:
    """For each body the number of bodies it carries, itself included."""
    sizes = [1] * len(tree.bodies)
    for i in range(len(sizes) - 1, -1, -1):
        if tree.parents[i] >= 0:
            sizes[tree.parents[i]] += sizes[i]
    return sizes


_COUNTS: dict[str, Callable[[Tree], int]] = {
    "rnea": rnea,
    "crba": crba,
    "aba": aba,
    "fd-crba": fd_crba,
    "fd-sparse": fd_sparse,
    "minv": minv,
    "minv-aba": lambda tree: tree.nv * aba(tree),
    "mass-rnea": lambda tree: tree.nv * rnea(tree),
    "rnea-derivs": rnea_derivatives,
    "fd-derivs": fd_derivatives,
    "rnea-screw": rnea_screw,
    "mass-rnea-screw": lambda tree: tree.nv * rnea_screw(tree),
}
_NEEDS_FREE_JOINTS = ("aba", "minv-aba", "rnea-derivs", "fd-derivs")
_ON_CHAINS = ("rnea-screw", "mass-rnea-screw")
