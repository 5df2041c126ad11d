"""CSV and TSV: a header, then rows of the shortest text that reads back to the same doubles.

An empty cell is a value that does not exist; a row of one empty cell is written as "", since an empty line is no row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dyncli.result import STATE, Header, Result
from dyncli.writers.base import Kept, Layout, Writer
from dyncli.writers.cells import cell_text, only_numbers, sheet_rows
from dyncli.writers.fast import matrix_text
from dyncli.writers.target import Target

_EMPTY = '""'


def make_writer(target: Target, header: Header, layout: Layout) -> Writer:
    """A writer of comma- or tab-separated rows."""
    return DelimitedWriter(target, header, "\t" if layout.format == "tsv" else ",")


class DelimitedWriter(Writer):
    """Rows of cells behind a separator, one or more a state."""

    def __init__(self, target: Target, header: Header, separator: str) -> None:
        super().__init__(target, header)
        self._separator = separator
        self._begun = False

    def _encode(self, result: Result, kept: Kept, first: int) -> tuple[bytes, bytes]:
        body = self._number_block(result, kept, first)
        if body is None:
            body = self._lines(sheet_rows(result, kept, first, repr))
        return self._lines([[*kept, *result.sheet.columns]]), body

    def _put(self, content: tuple[bytes, bytes]) -> None:
        columns, body = content
        self.target.write(body if self._begun else columns + body)
        self._begun = True

    def _number_block(self, result: Result, kept: Kept, first: int) -> bytes | None:
        """The block where its rows are labels and then finite floats only; None where they are not."""
        labels = result.sheet.labels
        rows = result.sheet.rows
        if not result.count or not rows or not all(only_numbers(row[labels:]) for row in rows):
            return None
        import numpy as np

        numbers = np.empty((result.count, len(rows), len(rows[0]) - labels))
        for r, row in enumerate(rows):
            for c, leaf in enumerate(row[labels:]):
                numbers[:, r, c] = leaf
        numbers[list(result.invalid)] = 0.0
        if not np.isfinite(numbers).all():
            return None
        text = matrix_text(numbers.reshape(-1, numbers.shape[2]), self._separator.encode())
        if not labels and not kept and not result.invalid:
            return text + b"\n"
        lines = text.decode().split("\n")
        for k in result.invalid:
            for line in range(k * len(rows), (k + 1) * len(rows)):
                lines[line] = self._separator * (numbers.shape[2] - 1)
        if not labels and not kept:
            return "".join(f"{cells or _EMPTY}\n" for cells in lines).encode()
        fronts = self._fronts(result, kept, first)
        return "".join(f"{front}{cells}\n" for front, cells in zip(fronts, lines, strict=True)).encode()

    def _fronts(self, result: Result, kept: Kept, first: int) -> Iterable[str]:
        """Kept cells and labels of each row, each with a separator behind it."""
        labels = [row[: result.sheet.labels] for row in result.sheet.rows]
        separator = self._separator
        for k in range(result.count):
            copied = "".join(f"{self._quoted(cell_text(column[k], repr))}{separator}" for column in kept.values())
            for row in labels:
                said = (str(first + k) if cell is STATE else self._quoted(str(cell)) for cell in row)
                yield copied + "".join(f"{cell}{separator}" for cell in said)

    def _lines(self, rows: Iterable[Sequence[str]]) -> bytes:
        lines = (self._separator.join(map(self._quoted, row)) or _EMPTY for row in rows)
        return "".join(f"{line}\n" for line in lines).encode()

    def _quoted(self, cell: str) -> str:
        special = self._separator in cell or '"' in cell or "\n" in cell or "\r" in cell
        padded = cell[:1] in (" ", "#") or cell[-1:] == " "
        return '"' + cell.replace('"', '""') + '"' if special or padded else cell

    def _finish(self, warnings: Sequence[str], extra: Mapping[str, Any]) -> None:
        """Rows have no place for anything but results."""
