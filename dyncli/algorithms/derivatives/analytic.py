"""Derivatives of inverse dynamics in closed form, O(n d).

Disturb degree of freedom j. Everything that j carries moves along with its column s_j, and powers do not see that:
what is left are the disturbances of velocity and acceleration of j's parent as the subtree feels them. With u =
v_parent x s_j and w = a_parent x s_j + v_parent x u, and I, 2B and f summed over the subtree of the lower of two
columns,

    i at or below j:  d tau_i / d q_j  = s_i . (I w + 2B u)             d tau_i / d v_j = s_i . (2B s_j + I (u + v_j x
    s_j)) i above j:        d tau_i / d q_j  = s_i . (I w + 2B u + s_j x* f)  d tau_i / d v_j = the same

Derivation and notation: docs/theory/derivatives.md. Sources: J. Carpentier, N. Mansard, Analytical Derivatives of
Rigid Body Dynamics Algorithms (RSS 2018); S. Singh, R. Russell, P. Wensing, Efficient Analytical Derivatives of
Rigid-Body Dynamics using Spatial Vector Algebra (RA-L 2022), here with joints of several degrees of freedom, wrenches
and mimic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from dyncli.algorithms.derivatives.blocks import Block, moving_blocks, parent_accelerations
from dyncli.algorithms.derivatives.coriolis_map import TurnMap
from dyncli.algorithms.derivatives.couplings import (
    add_armature_derivatives,
    add_passive_derivatives,
    add_transmission_derivatives,
)
from dyncli.algorithms.factor import Matrix
from dyncli.algorithms.passive import compensated
from dyncli.algorithms.wrenches import Wrench
from dyncli.spatial import Force, Inertia, Motion, Scalar, dot3
from dyncli.tree import Tree


class RneaDerivatives(NamedTuple):
    """d tau / d(q, v, a), each nv x nv, entry [i][j] for tau_i and degree of freedom j (tangent space of q)."""

    dq: Matrix
    dv: Matrix
    da: Matrix


def rnea_derivatives(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar] | None = None,
    a: Sequence[Scalar] | None = None,
    *,
    gravity: bool = True,
    wrenches: Sequence[Wrench] = (),
    passive: bool = False,
) -> RneaDerivatives:
    """Derivatives of `rnea` (with `passive` of the passive forces too) at q (nq), v and a (nv; None: zero).

    The columns of dq are tangents: degree of freedom j moves q as its unit velocity does. `da` is the mass matrix.
    Coulomb friction counts as constant. O(n d), d the depth of the tree, plus what spatial tendons and springs cost.
    """
    velocity: Sequence[Scalar] = [0.0] * tree.nv if v is None else v
    acceleration: Sequence[Scalar] = [0.0] * tree.nv if a is None else a
    blocks = moving_blocks(tree, q, velocity, gravity=gravity, wrenches=wrenches)
    return derivatives_of_blocks(tree, blocks, q, velocity, acceleration, passive=passive)


def derivatives_of_blocks(
    tree: Tree,
    blocks: Sequence[Block],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    *,
    passive: bool,
) -> RneaDerivatives:
    """`rnea_derivatives` from blocks that are at hand already."""
    accelerations, forces = parent_accelerations(blocks, v, a)
    second = [
        [at.cross(s).plus(block.parent_velocity.cross(u)) for s, u in zip(block.columns, block.turned, strict=True)]
        for block, at in zip(blocks, accelerations, strict=True)
    ]
    result = RneaDerivatives(*([[0.0] * tree.nv for _ in range(tree.nv)] for _ in range(3)))
    inertias = [block.inertia for block in blocks]
    turns = [block.turn for block in blocks]
    wrench_turns = [block.wrench_turn for block in blocks]
    for b in range(len(blocks) - 1, -1, -1):
        block = blocks[b]
        for k in range(len(block.columns)):
            column = _Column(block, k, second[b][k], inertias[b], turns[b], wrench_turns[b], forces[b])
            _within(result, column, block, second[b])
            p = block.parent
            while p >= 0:
                _across(result, column, blocks[p], second[p])
                p = blocks[p].parent
        p = block.parent
        if p >= 0:
            inertias[p] = inertias[p].plus(inertias[b])
            turns[p] = turns[p].plus(turns[b])
            forces[p] = forces[p].plus(forces[b])
            mine, above = wrench_turns[b], wrench_turns[p]
            wrench_turns[p] = mine if above is None else above if mine is None else above.plus(mine)
    add_armature_derivatives(tree, result, v)
    add_transmission_derivatives(tree, result, q, v, a)
    if passive:
        add_passive_derivatives(tree, result, q, v)
        if any(body.compensated for body in tree.bodies):
            weight = rnea_derivatives(replace(compensated(tree), armature=(0.0,) * tree.nv, transmissions=()), q).dq
            for row, lighter in zip(result.dq, weight, strict=True):
                row[:] = [x - y for x, y in zip(row, lighter, strict=True)]
    return result


class _Column:
    """One degree of freedom with the composite quantities of all it carries."""

    def __init__(
        self,
        block: Block,
        k: int,
        second: Motion,
        inertia: Inertia,
        turn: TurnMap,
        wrench_turn: TurnMap | None,
        force: Force,
    ) -> None:
        s, u = block.columns[k], block.turned[k]
        self.dof, self.multiplier, self.index = block.dofs[k], block.multiplier, k
        self.felt = inertia.times(s)
        self.turn_row = turn.power_of(s)
        self.wrench_row = None if wrench_turn is None else wrench_turn.power_of(s)
        by_position = s.cross_force(force).plus(inertia.times(second)).plus(turn.times(u.angular))
        self.by_position = by_position if wrench_turn is None else by_position.plus(wrench_turn.times(s.angular))
        self.by_velocity = turn.times(s.angular).plus(inertia.times(block.drifts[k]))

    def row_q(self, s: Motion, u: Motion, w: Motion) -> Scalar:
        """d tau of this column / d q of a column at or above it."""
        entry = w.dot(self.felt) + dot3(self.turn_row, u.angular)
        return entry if self.wrench_row is None else entry + dot3(self.wrench_row, s.angular)

    def row_v(self, s: Motion, drift: Motion) -> Scalar:
        """d tau of this column / d v of a column at or above it."""
        return drift.dot(self.felt) + dot3(self.turn_row, s.angular)


def _within(result: RneaDerivatives, column: _Column, block: Block, second: Sequence[Motion]) -> None:
    """Entries of a column's row with the columns of its own block."""
    for l, (s, u, w) in enumerate(zip(block.columns, block.turned, second, strict=True)):  # noqa: E741
        scale, other = column.multiplier * block.multiplier, block.dofs[l]
        _add(result.dq, column.dof, other, scale, column.row_q(s, u, w))
        _add(result.dv, column.dof, other, scale, column.row_v(s, block.drifts[l]))
        if l <= column.index:
            entry = s.dot(column.felt)
            _add(result.da, column.dof, other, scale, entry)
            if l < column.index:
                _add(result.da, other, column.dof, scale, entry)


def _across(result: RneaDerivatives, column: _Column, above: Block, second: Sequence[Motion]) -> None:
    """Entries that couple a column with the columns of a block above it, both ways."""
    for l, (s, u, w) in enumerate(zip(above.columns, above.turned, second, strict=True)):  # noqa: E741
        scale, other = column.multiplier * above.multiplier, above.dofs[l]
        _add(result.dq, column.dof, other, scale, column.row_q(s, u, w))
        _add(result.dq, other, column.dof, scale, s.dot(column.by_position))
        _add(result.dv, column.dof, other, scale, column.row_v(s, above.drifts[l]))
        _add(result.dv, other, column.dof, scale, s.dot(column.by_velocity))
        entry = s.dot(column.felt)
        _add(result.da, column.dof, other, scale, entry)
        _add(result.da, other, column.dof, scale, entry)


def _add(M: Matrix, i: int, j: int, scale: float, entry: Scalar) -> None:
    M[i][j] = M[i][j] + (entry if scale == 1.0 else scale * entry)
