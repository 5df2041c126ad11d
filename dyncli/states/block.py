"""States q, qd, qdd, tau by name: from the command line, at random, or from the rows of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Leaf = Any


@dataclass(slots=True)
class StateBlock:
    """A block of states as the algorithms take them.

    `q`: nq leaves; `qd`, `qdd`, `tau`: nv leaves, or None where they are not given (zero). A leaf is a Python float if
    the state came from the command line, else a contiguous float64 array of shape (count,). rad, m, N m, N.
    `kept`: columns that are copied to the output, by name, each a sequence of count values (text of a CSV as it stood).
    `time`: the time column as numbers, None without one.
    `lines`: line of each state in its file (None where there is no file); `first`: running index of the first state.
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
