"""Tables for people: a small result laid out as a whole, a large one as plain columns while it comes.

One state's vectors stand with a joint a line and a column a quantity; a matrix with its names; anything else as the
rows of its CSV. Wide tables are cut into groups of columns that each repeat the labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dyncli.result import STATE, Header, Result, Sheet
from dyncli.structs import struct
from dyncli.writers.base import Kept, Layout, Writer
from dyncli.writers.cells import sheet_rows
from dyncli.writers.target import Target

WHOLE_ROWS = 200
"""A table of more rows is no longer laid out as a whole."""

_GAP = "   "
_UNLIMITED = 10**6
_NO_ANSWER = "no answer"


def make_writer(target: Target, header: Header, layout: Layout) -> Writer:
    """A writer of tables."""
    return TableWriter(target, header, layout)


@struct(frozen=False)
class _Grid:
    """Rows of text under columns; the first `labels` columns are words at the left."""

    columns: list[str]
    rows: list[list[str]]
    labels: int


class TableWriter(Writer):
    """Holds the first rows back; lays them out at the end, or turns to plain columns when there are many."""

    def __init__(self, target: Target, header: Header, layout: Layout) -> None:
        super().__init__(target, header)
        self._layout = layout
        self._held: _Grid | None = None
        self._widths: list[int] | None = None
        self._single: tuple[Result, Kept] | None = None
        self._why: list[str] = []

    def _number(self, value: float) -> str:
        return f"{value:.{self._layout.precision}g}"

    def _encode(self, result: Result, kept: Kept, first: int) -> tuple[Result, Kept, list[list[str]]]:
        return result, kept, list(sheet_rows(result, kept, first, self._number))

    def _put(self, content: tuple[Result, Kept, list[list[str]]]) -> None:
        result, kept, rows = content
        self._why += [f"state {self.states + k}: {why}" for k, why in result.invalid.items()]
        self._single = (result, kept) if self.states + result.count == 1 else None if result.count else self._single
        if self._widths is not None:
            self._write_plain(rows)
            return
        if self._held is None:
            self._held = _Grid([*kept, *result.sheet.columns], [], len(kept) + result.sheet.labels)
        self._held.rows += rows
        if len(self._held.rows) > WHOLE_ROWS:
            self._turn_plain(self._held)

    def _turn_plain(self, held: _Grid) -> None:
        self._widths = _widths(held)
        self._say("\n".join([*self.header.notes, ""]) if self.header.notes else "")
        self._write_plain([held.columns, *held.rows])
        held.rows.clear()

    def _write_plain(self, rows: Sequence[Sequence[str]]) -> None:
        widths = self._widths or []
        lines = (_GAP.join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)
        self._say("".join(f"{line}\n" for line in lines))

    def _say(self, text: str) -> None:
        if text:
            self.target.write(text.encode(self.target.encoding, errors="replace"))

    def _finish(self, warnings: Sequence[str], extra: Mapping[str, Any]) -> None:
        if self._widths is None and self._held is not None:
            self._say(self._whole(self._held))
        if self._why:
            self._say("\n".join([_NO_ANSWER + ":", *self._why[:WHOLE_ROWS], ""]))

    def _whole(self, held: _Grid) -> str:
        """The table laid out by rich, with the notes above it."""
        from rich.console import Console

        width = self._layout.width
        console = Console(
            file=None,
            width=_UNLIMITED,
            force_terminal=self._layout.color,
            no_color=not self._layout.color,
            highlight=False,
            markup=False,
            emoji=False,
            safe_box=not self.target.encoding.lower().startswith("utf"),
        )
        with console.capture() as captured:
            for note in self.header.notes:
                console.print(note, style="dim")
            for grid in self._grids(held):
                for part in _cut(grid, width):
                    console.print(_rich_table(part))
        return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())

    def _grids(self, held: _Grid) -> list[_Grid]:
        if self._single is None or self._single[0].invalid:
            return [held]
        result, kept = self._single
        if result.sheet.vectors and len(result.sheet.rows) == 1:
            front = [_Grid(list(kept), [held.rows[0][: len(kept)]], 0)] if kept else []
            return [*front, *self._vector_grids(result.sheet, held.rows[0][len(kept) :])]
        return [_without_state(held, result.sheet, len(kept))]

    def _vector_grids(self, sheet: Sheet, cells: list[str]) -> list[_Grid]:
        """Vectors side by side where they have the same names, one below the other where not."""
        grids: list[_Grid] = []
        names: tuple[str, ...] | None = None
        at = 0
        for vector in sheet.vectors:
            own = cells[at : at + len(vector.names)]
            at += len(vector.names)
            if vector.names != names:
                names = vector.names
                grids.append(_Grid([""], [[name] for name in names], 1))
            units = set(vector.units)
            grids[-1].columns += [f"{vector.prefix} [{units.pop()}]"] if len(units) == 1 else [vector.prefix]
            for row, cell in zip(grids[-1].rows, own, strict=True):
                row.append(cell)
            if units:  # they differ
                grids[-1].columns.append("")
                for row, unit in zip(grids[-1].rows, vector.units, strict=True):
                    row.append(unit)
        return grids


def _without_state(held: _Grid, sheet: Sheet, kept: int) -> _Grid:
    """A grid of one state without the column that counts the states."""
    drop = next((kept + k for k, cell in enumerate(sheet.rows[0]) if cell is STATE), None) if sheet.rows else None
    if drop is None:
        return held
    rows = [row[:drop] + row[drop + 1 :] for row in held.rows]
    return _Grid(held.columns[:drop] + held.columns[drop + 1 :], rows, held.labels - 1)


def _widths(grid: _Grid) -> list[int]:
    return [max(map(len, column)) for column in zip(grid.columns, *grid.rows, strict=True)]


def _cut(grid: _Grid, width: int | None) -> list[_Grid]:
    """Groups of columns that each fit `width`, labels repeated."""
    widths = [w + len(_GAP) for w in _widths(grid)]
    if width is None or sum(widths) <= width:
        return [grid]
    fixed = sum(widths[: grid.labels])
    groups: list[list[int]] = [[]]
    used = fixed
    for k in range(grid.labels, len(widths)):
        if groups[-1] and used + widths[k] > width:
            groups.append([])
            used = fixed
        groups[-1].append(k)
        used += widths[k]
    front = list(range(grid.labels))
    return [
        _Grid(
            [grid.columns[k] for k in front + group],
            [[row[k] for k in front + group] for row in grid.rows],
            grid.labels,
        )
        for group in groups
    ]


def _rich_table(grid: _Grid) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for k, name in enumerate(grid.columns):
        words = any(not _is_number(row[k]) for row in grid.rows)
        left = k < grid.labels or words
        table.add_column(Text(name), justify="left" if left else "right", no_wrap=True)
    for row in grid.rows:
        table.add_row(*map(Text, row))
    return table


def _is_number(cell: str) -> bool:
    return not cell or cell[-1].isdigit() or cell in ("inf", "-inf")
