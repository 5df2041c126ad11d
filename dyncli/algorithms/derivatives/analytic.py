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
from typing import NamedTuple

from dyncli.algorithms.derivatives.blocks import Block, moving_blocks
from dyncli.algorithms.derivatives.couplings import (
    add_armature_derivatives,
    add_passive_derivatives,
    add_transmission_derivatives,
)
from dyncli.algorithms.derivatives.turn_map import TurnMap
from dyncli.algorithms.factor import Matrix
from dyncli.algorithms.kinematics import complete_branches
from dyncli.algorithms.passive import compensated, weight_is_passive
from dyncli.algorithms.wrenches import Wrench
from dyncli.spatial import Force, Inertia, Scalar, Transform, Vector3, dot3, rotate
from dyncli.structs import replace
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
    result = RneaDerivatives(*([[0.0] * tree.nv for _ in range(tree.nv)] for _ in range(3)))
    carried: list[_Carried] = []
    blocks: list[Block] = []
    complete = complete_branches(tree)
    own: list[range] = []
    for i, new in enumerate(moving_blocks(tree, q, velocity, acceleration, gravity=gravity, wrenches=wrenches)):
        own.append(range(len(blocks), len(blocks) + len(new)))
        blocks += new
        carried += [_Carried(block.inertia, block.turn, block.force, block.wrench_turn) for block in new]
        # inwards as soon as a branch is complete, so that few numbers wait at a time
        for body in complete[i]:
            for b in reversed(own[body]):
                _add_columns(result, blocks, b, carried[b])
                parent = blocks[b].parent
                if parent >= 0:
                    carried[parent] = carried[parent].plus(carried[b].in_parent(blocks[b].step))
    add_armature_derivatives(tree, result, velocity)
    add_transmission_derivatives(tree, result, q, velocity, acceleration)
    if passive:
        add_passive_derivatives(tree, result, q, velocity)
        if any(body.compensated for body in tree.bodies):
            weight = rnea_derivatives(replace(compensated(tree), armature=(0.0,) * tree.nv, transmissions=()), q).dq
            for row, lighter, is_passive in zip(result.dq, weight, weight_is_passive(tree), strict=True):
                if is_passive:
                    row[:] = [x - y for x, y in zip(row, lighter, strict=True)]
    return result


class _Carried(NamedTuple):
    """Composite quantities of a subtree: inertia, Coriolis map, force, turn map of its wrenches (None: zero)."""

    inertia: Inertia
    turn: TurnMap
    force: Force
    wrench_turn: TurnMap | None

    def in_parent(self, X: Transform | None) -> _Carried:
        """The same in the frame that X leads to."""
        if X is None:
            return self
        wrench_turn = None if self.wrench_turn is None else self.wrench_turn.to_parent(X)
        return _Carried(self.inertia.to_parent(X), self.turn.to_parent(X), X.force_to_parent(self.force), wrench_turn)

    def plus(self, other: _Carried) -> _Carried:
        """Two subtrees as one, in the same frame."""
        mine, theirs = self.wrench_turn, other.wrench_turn
        wrench_turn = theirs if mine is None else mine if theirs is None else mine.plus(theirs)
        return _Carried(
            self.inertia.plus(other.inertia), self.turn.plus(other.turn), self.force.plus(other.force), wrench_turn
        )


def _add_columns(result: RneaDerivatives, blocks: Sequence[Block], b: int, carried: _Carried) -> None:
    """Entries that couple the columns of block b with one another and with all columns above, both ways."""
    block = blocks[b]
    for k in range(len(block.columns)):
        column = _column(block, k, carried)
        _within(result, column, block)
        above, X = block.parent, block.step
        while above >= 0:
            if X is not None:
                column = column.in_parent(X)
            _across(result, column, blocks[above])
            above, X = blocks[above].parent, blocks[above].step


class _Column(NamedTuple):
    """One degree of freedom with the composite quantities of all it carries.

    `felt`: I s. `turn_row`, `wrench_row`: s . (2B α) and s . (wrench's turn map α) as rows for α. `by_position`,
    `by_velocity`: change of the force that the block's parent exerts, by this position and velocity.
    """

    dof: int
    multiplier: float
    place: int
    felt: Force
    turn_row: Vector3
    wrench_row: Vector3 | None
    by_position: Force
    by_velocity: Force

    def in_parent(self, X: Transform) -> _Column:
        """The same column in the frame that X leads to."""
        return self._replace(
            felt=X.force_to_parent(self.felt),
            turn_row=rotate(X.rotation, self.turn_row),
            wrench_row=None if self.wrench_row is None else rotate(X.rotation, self.wrench_row),
            by_position=X.force_to_parent(self.by_position),
            by_velocity=X.force_to_parent(self.by_velocity),
        )

    def row_q(self, block: Block, l: int) -> Scalar:  # noqa: E741
        """d tau of this column / d q of column l of a block at or above it."""
        entry = block.swept[l].dot(self.felt) + dot3(self.turn_row, block.turned[l].angular)
        return entry if self.wrench_row is None else entry + dot3(self.wrench_row, block.columns[l].angular)

    def row_v(self, block: Block, l: int) -> Scalar:  # noqa: E741
        """d tau of this column / d v of column l of a block at or above it."""
        return block.drifts[l].dot(self.felt) + dot3(self.turn_row, block.columns[l].angular)


def _column(block: Block, k: int, carried: _Carried) -> _Column:
    s, u = block.columns[k], block.turned[k]
    inertia, turn, force, wrench_turn = carried
    by_position = s.cross_force(force).plus(inertia.times(block.swept[k])).plus(turn.times(u.angular))
    return _Column(
        block.dofs[k],
        block.multiplier,
        k,
        inertia.times(s),
        turn.power_of(s),
        None if wrench_turn is None else wrench_turn.power_of(s),
        by_position if wrench_turn is None else by_position.plus(wrench_turn.times(s.angular)),
        turn.times(s.angular).plus(inertia.times(block.drifts[k])),
    )


def _within(result: RneaDerivatives, column: _Column, block: Block) -> None:
    """Entries of a column's row with the columns of its own block."""
    for l, (other, s) in enumerate(zip(block.dofs, block.columns, strict=True)):  # noqa: E741
        scale = column.multiplier * block.multiplier
        _add(result.dq, column.dof, other, scale, column.row_q(block, l))
        _add(result.dv, column.dof, other, scale, column.row_v(block, l))
        if l <= column.place:
            entry = s.dot(column.felt)
            _add(result.da, column.dof, other, scale, entry)
            if l < column.place:
                _add(result.da, other, column.dof, scale, entry)


def _across(result: RneaDerivatives, column: _Column, above: Block) -> None:
    """Entries that couple a column with the columns of a block above it, both ways."""
    for l, (other, s) in enumerate(zip(above.dofs, above.columns, strict=True)):  # noqa: E741
        scale = column.multiplier * above.multiplier
        _add(result.dq, column.dof, other, scale, column.row_q(above, l))
        _add(result.dq, other, column.dof, scale, s.dot(column.by_position))
        _add(result.dv, column.dof, other, scale, column.row_v(above, l))
        _add(result.dv, other, column.dof, scale, s.dot(column.by_velocity))
        entry = s.dot(column.felt)
        _add(result.da, column.dof, other, scale, entry)
        _add(result.da, other, column.dof, scale, entry)


def _add(M: Matrix, i: int, j: int, scale: float, entry: Scalar) -> None:
    M[i][j] = M[i][j] + (entry if scale == 1.0 else scale * entry)
