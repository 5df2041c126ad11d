"""`--summary`: extremes, RMS and shares of limits over all states, a joint (or quantity) a line, in constant memory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from dyncli.result import Result, Sheet
from dyncli.structs import struct

if TYPE_CHECKING:
    from dyncli.tree import Tree
    from dyncli.writers import Writer
    from dyncli.writers.part_files import PartFiles

TIME_COLUMNS = ("t", "time", "stamp", "timestamp")
_FACTS = ("max", "max_row", "min", "min_row", "rms")


@struct
class Extreme:
    """A greatest or least value, the running index of its state, and its time where there is one."""

    value: float
    row: int
    time: Any


@struct
class Extremes:
    """Greatest, least and sum of squares of one number over `count` states (at least one)."""

    count: int
    square: float
    greatest: Extreme
    least: Extreme

    def joined(self, later: Extremes) -> Extremes:
        """Over these states and later ones; of equal values the first one counts."""
        return Extremes(
            self.count + later.count,
            self.square + later.square,
            max(self.greatest, later.greatest, key=lambda found: found.value),
            min(self.least, later.least, key=lambda found: found.value),
        )

    def facts(self) -> dict[str, Any]:
        """max, min (with row and time) and rms."""
        found: dict[str, Any] = {}
        for name, extreme in (("max", self.greatest), ("min", self.least)):
            found |= {name: extreme.value, f"{name}_row": extreme.row}
            if extreme.time is not None:
                found[f"{name}_time"] = extreme.time
        return {**found, "rms": math.sqrt(self.square / self.count)}


def extremes(
    leaf: Any, count: int, first: int, usable: Sequence[int] | None, times: Sequence[Any] | None
) -> Extremes | None:
    """Those of a block's leaf; `usable`: the states of the block with an answer (None: all). None without any."""
    import numpy as np

    values = np.broadcast_to(np.asarray(leaf, dtype=float), (count,))
    index = np.arange(count) if usable is None else np.asarray(usable, dtype=int)
    values = values[index]
    if not len(values):
        return None

    def at(k: int) -> Extreme:
        state = int(index[k])
        return Extreme(float(values[k]), first + state, None if times is None else times[state])

    return Extremes(len(values), float(values @ values), at(int(values.argmax())), at(int(values.argmin())))


@struct
class BlockExtremes:
    """What a block of `count` states adds: (row, quantity) -> extremes, None where no state has an answer."""

    count: int
    found: Mapping[tuple[str, str], Extremes | None]


class Summarised(Protocol):
    """What a summary is made of: a task on states, or on targets."""

    tree: Tree

    def summarised(self, values: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
        """(row, such as a joint; quantity; leaf) of a block's values."""


class Summary:
    """A sink that keeps extremes of every number in `task.summarised` instead of the states."""

    def __init__(self, task: Summarised) -> None:
        self.task = task
        self.states = 0
        self.found: dict[tuple[str, str], Extremes | None] = {}

    def write(self, result: Result, kept: Mapping[str, Sequence[Any]]) -> None:
        """Take a block's result."""
        self.put(self.encode(result, kept, self.states))

    def encode(self, result: Result, kept: Mapping[str, Sequence[Any]], first: int) -> BlockExtremes:
        """The extremes of a block, on any thread; `first`: running index of its first state."""
        times = next((kept[name] for name in kept if name.lower() in TIME_COLUMNS), None)
        usable = [k for k in range(result.count) if k not in result.invalid] if result.invalid else None
        found = {
            (row, name): extremes(leaf, result.count, first, usable, times)
            for row, name, leaf in self.task.summarised(result.values)
        }
        return BlockExtremes(result.count, found)

    def for_workers(self) -> Summary:
        """One that only encodes; it can be pickled and used in another process."""
        return Summary(self.task)

    def put(self, encoded: BlockExtremes) -> None:
        """Add a block, in the order of the states."""
        self.states += encoded.count
        for key, later in encoded.found.items():
            before = self.found.get(key)
            self.found[key] = before.joined(later) if before and later else before or later

    def values(self) -> dict[str, Any]:
        """JSON: row (a joint) -> quantity -> its extremes, and the share of the effort limit."""
        limits = {joint.name: joint.effort_limit for joint in self.task.tree.joints}
        table: dict[str, Any] = {}
        for (row, name), found in self.found.items():
            facts: dict[str, Any] = found.facts() if found else dict.fromkeys(_FACTS)
            limit = limits.get(row)
            if name == "tau" and limit and found:
                facts["effort_limit"] = limit
                facts["effort_share"] = max(abs(facts["max"]), abs(facts["min"])) / limit
            table.setdefault(row, {})[name] = facts
        return {"states": self.states, "joints": table}

    def hand_to(self, writer: Writer | PartFiles) -> None:
        """Give the writer a sheet, a joint a line."""
        values = self.values()
        columns = list(
            dict.fromkeys(
                f"{quantity}_{fact}"
                for quantities in values["joints"].values()
                for quantity, facts in quantities.items()
                for fact in facts
            )
        )
        rows = []
        for joint, quantities in values["joints"].items():
            cells = {
                f"{quantity}_{fact}": value for quantity, facts in quantities.items() for fact, value in facts.items()
            }
            rows.append([joint, *(cells.get(column) for column in columns)])
        writer.write(Result(1, {"summary": values}, Sheet(("joint", *columns), rows, labels=1)))
