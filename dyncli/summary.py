"""`--summary`: extremes, RMS and shares of limits over all states, a joint (or quantity) a line, in constant memory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from dyncli.result import Result, Sheet

if TYPE_CHECKING:
    from dyncli.tree import Tree
    from dyncli.writers import Writer

TIME_COLUMNS = ("t", "time", "stamp", "timestamp")


class Extremes:
    """Greatest, least and root mean square of one number over all states, with where the extremes were."""

    def __init__(self) -> None:
        self.count = 0
        self.square = 0.0
        self.greatest: tuple[float, int, Any] = (-math.inf, 0, None)
        self.least: tuple[float, int, Any] = (math.inf, 0, None)

    def take(
        self, leaf: Any, first: int, usable: Sequence[int] | None, count: int, times: Sequence[Any] | None
    ) -> None:
        """Add a block's leaf; `usable`: the states of the block with an answer, None for all."""
        import numpy as np

        values = np.broadcast_to(np.asarray(leaf, dtype=float), (count,))
        index = np.arange(count) if usable is None else np.asarray(usable, dtype=int)
        index = index[~np.isnan(values[index])]
        values = values[index]
        if not len(values):
            return
        self.count += len(values)
        self.square += float(values @ values)
        high, low = int(values.argmax()), int(values.argmin())
        if values[high] > self.greatest[0]:
            self.greatest = self._found(values, index, high, first, times)
        if values[low] < self.least[0]:
            self.least = self._found(values, index, low, first, times)

    @staticmethod
    def _found(values: Any, index: Any, k: int, first: int, times: Sequence[Any] | None) -> tuple[float, int, Any]:
        state = int(index[k])
        return float(values[k]), first + state, None if times is None else times[state]

    def facts(self) -> dict[str, Any]:
        """max, min (with row and time) and rms; None before any state came."""
        if not self.count:
            return dict.fromkeys(("max", "max_row", "min", "min_row", "rms"))
        found: dict[str, Any] = {"max": self.greatest[0], "max_row": self.greatest[1]}
        if self.greatest[2] is not None:
            found["max_time"] = self.greatest[2]
        found |= {"min": self.least[0], "min_row": self.least[1]}
        if self.least[2] is not None:
            found["min_time"] = self.least[2]
        return {**found, "rms": math.sqrt(self.square / self.count)}


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
        self.found: dict[tuple[str, str], Extremes] = {}

    def write(self, result: Result, kept: Mapping[str, Sequence[Any]]) -> None:
        """Take a block's result."""
        times = next((kept[name] for name in kept if name.lower() in TIME_COLUMNS), None)
        usable = [k for k in range(result.count) if k not in result.invalid] if result.invalid else None
        for row, name, leaf in self.task.summarised(result.values):
            extremes = self.found.setdefault((row, name), Extremes())
            extremes.take(leaf, self.states, usable, result.count, times)
        self.states += result.count

    def values(self) -> dict[str, Any]:
        """JSON: row (a joint) -> quantity -> its extremes, and the share of the effort limit."""
        limits = {joint.name: joint.effort_limit for joint in self.task.tree.joints}
        table: dict[str, Any] = {}
        for (row, name), extremes in self.found.items():
            facts = extremes.facts()
            limit = limits.get(row)
            if name == "tau" and limit and extremes.count:
                facts["effort_limit"] = limit
                facts["effort_share"] = max(abs(facts["max"]), abs(facts["min"])) / limit
            table.setdefault(row, {})[name] = facts
        return {"states": self.states, "joints": table}

    def hand_to(self, writer: Writer) -> None:
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
