"""What a block of states is, wherever it came from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dyncli.readers.table import BLOCKS
from dyncli.result import Vector
from dyncli.structs import field, struct
from dyncli.tree import Tree

__all__ = ["BLOCKS", "Leaf", "Remarks", "StateBlock", "angular", "echo_vectors", "in_degrees"]

Leaf = Any


@struct(frozen=False)
class StateBlock:
    """A block of states as the algorithms take them.

    `q`: nq leaves; `qd`, `qdd`, `tau`: nv leaves, or None where they are not given (zero). A leaf is a Python float if
    the state came from the command line, else a contiguous float64 array of shape (count,). rad, m, N m, N.
    `kept`: columns that are copied to the output, by name, each a sequence of count values (text of a CSV as it stood).
    `time`: the time column as numbers, None without one or where it was not asked for.
    `lines`: place of each state in its file (None where there is no file); `first`: running index of the first state.
    `invalid`: index within the block -> why that state cannot be used; its leaves hold the neutral position and zeros.
    """

    count: int
    q: list[Leaf]
    qd: list[Leaf] | None = None
    qdd: list[Leaf] | None = None
    tau: list[Leaf] | None = None
    kept: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    time: Leaf | None = None
    lines: Sequence[int] | None = None
    first: int = 0
    invalid: dict[int, str] = field(default_factory=dict)

    def given(self, block: str) -> list[Leaf] | None:
        """The leaves of `q`, `qd`, `qdd` or `tau`."""
        leaves: list[Leaf] | None = getattr(self, block)
        return leaves

    def part(self, start: int, stop: int) -> StateBlock:
        """The states start...stop - 1 as a block of their own; numbers that hold for all states stay as they are."""

        def cut(leaf: Leaf) -> Leaf:
            return leaf[start:stop] if getattr(leaf, "shape", ()) else leaf

        def each(leaves: list[Leaf] | None) -> list[Leaf] | None:
            return None if leaves is None else [cut(leaf) for leaf in leaves]

        return StateBlock(
            stop - start,
            [cut(leaf) for leaf in self.q],
            each(self.qd),
            each(self.qdd),
            each(self.tau),
            {name: values[start:stop] for name, values in self.kept.items()},
            cut(self.time),
            None if self.lines is None else self.lines[start:stop],
            self.first + start,
            {k - start: why for k, why in self.invalid.items() if start <= k < stop},
        )


@struct(frozen=False)
class Remarks:
    """What a user should be told about states: `warnings` are errors with --strict, `notices` are not."""

    warnings: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def angular(tree: Tree) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
    """For each coordinate and each degree of freedom whether `--degrees` applies to it.

    It does to revolute and continuous joints and to planar angles, not to angular velocities of balls and free bodies.
    """
    q: list[bool] = []
    v: list[bool] = []
    for joint in tree.joints:
        single = joint.type.quaternion_at is None
        q += [single and unit == "rad" for unit in joint.type.coordinate_units]
        v += [single and unit == "rad/s" for unit in joint.type.velocity_units]
    return tuple(q), tuple(v)


def in_degrees(leaves: Sequence[Leaf], which: Sequence[bool]) -> list[Leaf]:
    """Leaves with those marked in `which` turned from rad to degrees."""
    return [math.degrees(1.0) * leaf if turn else leaf for leaf, turn in zip(leaves, which, strict=True)]


def echo_vectors(tree: Tree, states: StateBlock, needs: Sequence[str], *, degrees: bool = False) -> list[Vector]:
    """The inputs of a command as named vectors for `--echo`; blocks that were not given are zeros."""
    q_angular, v_angular = angular(tree)
    vectors = []
    for block in needs:
        names, turn = (tree.coordinates, q_angular) if block == "q" else (tree.dofs, v_angular)
        leaves = states.given(block)
        if leaves is None:
            leaves = [0.0 * leaf for leaf in states.q[:1] * tree.nv]
        if degrees and block != "tau":
            leaves = in_degrees(leaves, turn)
        vectors.append(Vector(block, names, leaves))
    return vectors
