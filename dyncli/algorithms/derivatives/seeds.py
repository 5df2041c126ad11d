"""Dual numbers that move with the degrees of freedom: where forward differentiation starts and how it is read."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.algorithms.factor import Matrix
from dyncli.scalars.dual import Directions, Dual, level_of
from dyncli.spatial import Scalar
from dyncli.tree import Tree


def tangent_basis(tree: Tree, q: Sequence[Scalar]) -> Matrix:
    """dq/d(tangent), nq x nv: how coordinates move along each degree of freedom; q (0, e)/2 for a quaternion."""
    basis: Matrix = [[0.0] * tree.nv for _ in range(tree.nq)]
    for joint in tree.joints:
        own = q[joint.index_q : joint.index_q + joint.nq]
        for k, direction in zip(joint.dofs, joint.type.tangent(own), strict=True):
            for row, entry in enumerate(direction, joint.index_q):
                basis[row][k] = entry
    return basis


def velocities_of_rates(tree: Tree, q: Sequence[Scalar], rates: Sequence[Scalar]) -> list[Scalar]:
    """The tangent (nv) of a rate of the coordinates (nq) at q: the left inverse of `tangent_basis`."""
    v: list[Scalar] = []
    for joint in tree.joints:
        own = slice(joint.index_q, joint.index_q + joint.nq)
        v += joint.type.velocity_of_rate(q[own], rates[own])
    return v


def seeded(values: Sequence[Scalar], rows: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """Dual numbers of `values`, each with its row of tangents (one a direction)."""
    return [Dual(value, Directions(row)) for value, row in zip(values, rows, strict=True)]


def unit_rows(count: int, total: int, first: int) -> Matrix:
    """Tangents of `count` independent scalars that are directions `first`... of `total`."""
    return [[1.0 if column == first + k else 0.0 for column in range(total)] for k in range(count)]


def tangents(outputs: Sequence[Scalar], level: int, directions: int) -> Matrix:
    """The tangents of `outputs`, len(outputs) x directions; zeros for what depends on none.

    `level`: that of the seeds (`dual.level_of`), since an output may be a dual number of a lower level.
    """
    return [list(y.tangent) if level_of(y) == level else [0.0] * directions for y in outputs]


def moving(
    tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], dofs: Sequence[int]
) -> tuple[list[Scalar], list[Scalar]]:
    """q and v in which some degrees of freedom move: their tangents of q first, then their velocities.

    What does not move is a dual number too, so that all are of one level and dual numbers nested above stay apart.
    """
    n = len(dofs)
    still = (0.0,) * (2 * n)
    place = {k: index for index, k in enumerate(dofs)}
    q_rows = [[*(row[k] for k in dofs), *(0.0,) * n] for row in tangent_basis(tree, q)]
    v_rows = [still if k not in place else unit_rows(1, 2 * n, n + place[k])[0] for k in range(tree.nv)]
    return seeded(q, q_rows), seeded(v, v_rows)
