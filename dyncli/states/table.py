"""Rows of a table to blocks of states: units, quaternions, limits, and rows that cannot be used."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from dyncli.errors import StateError
from dyncli.readers.registry import open_table
from dyncli.readers.table import Part, Table, TableBlock
from dyncli.states.block import Leaf, Remarks, StateBlock
from dyncli.states.checks import LimitCheck, normalise_quaternions
from dyncli.states.columns import map_columns
from dyncli.states.inline import AGREES
from dyncli.states.names import Dependent, Names, listed
from dyncli.states.source import Job, Observed, States, StatesPart
from dyncli.structs import struct
from dyncli.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]


def table_states(
    tree: Tree,
    table: Table,
    needs: Sequence[str],
    *,
    fill_missing: bool = False,
    ignore_extra: bool = False,
    keep: Sequence[str] = (),
    degrees: bool = False,
    timed: bool = False,
) -> TableStates:
    """The states in a table for a command that takes the blocks `needs` (such as q, qd, qdd; q first).

    `timed`: the time column is wanted as numbers too. Raises StateError where the columns do not fit the model (at
    once) or a cell or quaternion is none (while reading), UsageError for a name in `keep` that is no column.
    """
    remarks = Remarks()
    names = Names(tree)
    columns = map_columns(
        names, table, needs, fill_missing=fill_missing, ignore_extra=ignore_extra, keep=keep, remarks=remarks
    )
    if timed and columns.time is None:
        raise StateError(f"{table.path}: no time column", hint="expected one named t, time, stamp or timestamp")
    reading = {
        "needs": tuple(needs),
        "fill_missing": fill_missing,
        "ignore_extra": ignore_extra,
        "keep": tuple(keep),
        "degrees": degrees,
        "timed": timed,
    }
    return TableStates(tree, names, table, columns, remarks, reading)


def first_state(tree: Tree, path: str, block: str, *, degrees: bool, remarks: Remarks) -> list[float]:
    """One block (q, qd, qdd or tau) of the first state of a file, as Python floats."""
    with open_table(path) as table:
        needs = (block,) if block == "q" or table.width == tree.nv else ("q", block)
        states = table_states(tree, table, needs, degrees=degrees)
        remarks.notices += states.remarks.notices
        values = states.first_values(block)
        remarks.warnings += states.remarks.warnings
        return values


@struct
class TablePart(StatesPart):
    """The states in a part of a table; `reading`: arguments of `table_states`."""

    rows: int
    offset: int
    part: Part
    reading: Mapping[str, Any]

    @contextmanager
    def open(self, tree: Tree) -> Iterator[States]:
        """See `StatesPart.open`."""
        with self.part.open() as table:
            yield table_states(tree, table, **self.reading)

    def first_rows(self, count: int) -> TablePart:
        """See `StatesPart.first_rows`."""
        return self._of(self.part.first_rows(count))

    def last_rows(self, count: int) -> TablePart:
        """See `StatesPart.last_rows`."""
        return self._of(self.part.last_rows(count))

    def _of(self, part: Part) -> TablePart:
        return TablePart(part.rows, part.offset, part, self.reading)


class TableStates(States):
    """Blocks of states out of a table; `reading`: how it is read, arguments of `table_states`."""

    def __init__(
        self,
        tree: Tree,
        names: Names,
        table: Table,
        columns: Any,
        remarks: Remarks,
        reading: Mapping[str, Any],
    ) -> None:
        super().__init__(remarks)
        self._tree = tree
        self._names = names
        self._table = table
        self._columns = columns
        self._reading = reading
        self._degrees: bool = reading["degrees"]
        self._timed: bool = reading["timed"]
        self._limits = LimitCheck(tree, degrees=self._degrees)
        self._differences: list[tuple[float, int, str]] = []
        self._numbers = [at for entries in columns.blocks.values() for at in entries if at is not None]
        self._needed = len(self._numbers) + self._timed
        self._numbers += [columns.time] if self._timed else []
        self._numbers += [at for at, _ in columns.dependents]

    def pieces(self) -> Iterator[Job]:
        """See `States.pieces`."""
        texts = list(self._columns.kept.values())
        empty = True
        for piece in self._table.pieces(self._numbers, texts):
            empty = False
            yield partial(self._block, piece)
        if empty:  # a header alone: its columns are still wanted in the output
            nothing = TableBlock(0, [()] * len(self._numbers), [()] * len(texts), ())
            yield partial(self._block, lambda: nothing)

    def finish(self) -> None:
        """See `States.finish`."""
        if remark := self._limits.remark():
            self.remarks.warnings.append(remark)
        worst: dict[str, tuple[float, int]] = {}
        for difference, line, column in list(self._differences):
            worst[column] = max(worst.get(column, (0.0, 0)), (difference, line), key=lambda found: found[0])
        if worst:
            column, (difference, line) = max(worst.items(), key=lambda item: item[1][0])
            others = f"; so do {listed([name for name in worst if name != column], 4)}" if len(worst) > 1 else ""
            self.remarks.warnings.append(
                f"{self._table.place(line)}: {column} differs from what the model makes it by {difference:.6g}, "
                f"the largest difference{others}; the model's value is used"
            )

    def observed(self) -> Observed:
        """See `States.observed`."""
        return Observed(self._limits.seen(), tuple(self._differences))

    def take(self, observed: Observed, offset: int = 0) -> None:
        """See `States.take`."""
        self._limits.add(observed.limits)
        self._differences += [(size, line + offset, column) for size, line, column in observed.differences]

    def parts(self, blocks: int = 1) -> Iterator[TablePart]:
        """See `States.parts`."""
        for part in self._table.parts(blocks):
            yield TablePart(part.rows, part.offset, part, self._reading)

    def blocks_to_share(self) -> int:
        """See `States.blocks_to_share`."""
        return self._table.blocks_to_share()

    def place(self, line: int) -> str:
        """See `States.place`."""
        return self._table.place(line)

    def first_values(self, block: str) -> list[float]:
        """One block of the first state, on floats and without NumPy where the file allows it."""
        entries = self._columns.blocks.get(block)
        if entries is None:
            raise StateError(f"{self._table.path}: no {block} in it", hint=f"expected {block}, or columns {block}_NAME")
        rows = next((rows for rows in self._table.blocks(entries) if rows.count), None)
        if rows is None:
            raise StateError(f"{self._table.path}: no states in it")
        values = [float(column[0]) for column in rows.numbers]
        for at, value in zip(entries, values, strict=True):
            if not math.isfinite(value):
                place = self._table.place(rows.lines[0])
                raise StateError(f"{place}: {self._table.column_name(at)} is {_called(value)}")
        turn = self._names.angular(block)
        return [math.radians(x) if angular and self._degrees else x for x, angular in zip(values, turn, strict=True)]

    def _block(self, piece: Callable[[], TableBlock]) -> StateBlock:
        import numpy as np

        rows = piece()
        numbers = np.asarray(rows.numbers, dtype=np.float64).reshape(len(self._numbers), rows.count)
        invalid = self._invalid(numbers[: self._needed], rows)
        made: dict[str, list[Leaf]] = {}
        at = 0
        for block, entries in self._columns.blocks.items():
            rest = self._tree.neutral if block == "q" else (0.0,) * self._tree.nv
            leaves: list[Leaf] = []
            for entry, value, angular in zip(entries, rest, self._names.angular(block), strict=True):
                if entry is None:
                    leaves.append(np.full(rows.count, value))
                    continue
                leaf = numbers[at]
                at += 1
                if angular and self._degrees:
                    leaf *= math.radians(1.0)
                if invalid:
                    leaf[list(invalid)] = value
                leaves.append(leaf)
            made[block] = leaves
        q = made.get("q")
        if q is None:
            q = [np.full(rows.count, value) for value in self._tree.neutral]
        else:
            normalise_quaternions(self._tree, q, lambda k: self._table.place(rows.lines[k]))
            self._limits.look(q, rows.count)
        self._compare({**made, "q": q}, numbers[self._needed :], rows)
        return StateBlock(
            rows.count,
            q,
            qd=made.get("qd"),
            qdd=made.get("qdd"),
            tau=made.get("tau"),
            kept=dict(zip(self._columns.kept, rows.texts, strict=True)),
            time=numbers[at] if self._timed else None,
            lines=rows.lines,
            invalid=invalid,
        )

    def _invalid(self, needed: Numbers, rows: TableBlock) -> dict[int, str]:
        """Rows with a value that is empty, NaN or infinite, and why."""
        import numpy as np

        finite = np.isfinite(needed)
        if finite.all():
            return {}
        invalid = {}
        for k in np.flatnonzero(~finite.all(axis=0)):
            column = int(np.flatnonzero(~finite[:, k])[0])
            name = self._table.column_name(self._numbers[column])
            invalid[int(k)] = f"{name} is {_called(float(needed[column, k]))}"
        return invalid

    def _compare(self, made: dict[str, list[Leaf]], given: Numbers, rows: TableBlock) -> None:
        """Note the largest difference of each column of a mimicking or locked joint from what the model makes it."""
        import numpy as np

        dependents: list[tuple[int, Dependent]] = self._columns.dependents
        for (at, dependent), value in zip(dependents, given, strict=True):
            model: Any = dependent.offset
            if dependent.driver is not None and dependent.block in made:
                model = model + dependent.multiplier * made[dependent.block][dependent.driver]
            if dependent.angular and self._degrees:
                value = value * math.radians(1.0)
            difference = np.abs(value - model)
            excess = np.where(np.isfinite(difference), difference - AGREES * np.maximum(1.0, np.abs(model)), -1.0)
            if rows.count and excess.max() > 0.0:
                k = int(excess.argmax())
                scale = math.degrees(1.0) if dependent.angular and self._degrees else 1.0
                name = f"{self._table.column_name(at)} ({dependent.why})"
                self._differences.append((scale * float(difference[k]), rows.lines[k], name))


def _called(value: float) -> str:
    return "empty or nan" if math.isnan(value) else "infinite"
