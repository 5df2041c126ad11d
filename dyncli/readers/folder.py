"""A folder of files of one format as one table: its rows are those of the files, in the order of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from dyncli.errors import StateError
from dyncli.readers.packed import SUFFIXES as PACKED
from dyncli.readers.table import Column, Table, TableBlock

_LINE_BITS = 40
"""A place counts the files above these bits and the lines of its file below."""


def files_of(path: str, suffixes: Sequence[str]) -> list[Path]:
    """The files of a folder whose names end in a known suffix, in the order of their names.

    Raises StateError where there are none, or of several formats. Hidden files and marks such as _SUCCESS are no data.
    """
    try:
        entries = [entry for entry in sorted(Path(path).iterdir()) if entry.name[0] not in "._"]
    except OSError as error:
        raise StateError(f"{path}: {error.strerror or error}") from error
    endings = {suffix: (suffix, *(suffix + packed for packed in PACKED)) for suffix in suffixes}
    by_suffix: dict[str, list[Path]] = {}
    for entry in entries:
        known = next((suffix for suffix in suffixes if entry.name.lower().endswith(endings[suffix])), None)
        if known and entry.is_file():
            by_suffix.setdefault(known, []).append(entry)
    if len(by_suffix) > 1:
        raise StateError(f"{path}: files of several formats: {', '.join(by_suffix)}", hint="expected files of one kind")
    if not by_suffix:
        raise StateError(f"{path}: a folder without files of states", hint=f"suffixes: {', '.join(suffixes)}")
    (files,) = by_suffix.values()
    return files


class FolderTable(Table):
    """The tables of several files one after the other; all have the columns of the first, in any order.

    The first file is open as long as the table, each other one while its rows are read.
    """

    def __init__(self, path: str, files: Sequence[Path], opener: Callable[[str], Table]) -> None:
        self.path = path
        self._files = files
        self._opener = opener
        self._first = opener(str(files[0]))
        self.columns = self._first.columns
        self.width = self._first.width
        self.unit = self._first.unit
        self._at = 0
        self._current = self._first

    def fraction(self) -> float | None:
        """Files that have been read, and how much of the current one."""
        return (self._at + (self._current.fraction() or 0.0)) / len(self._files)

    def close(self) -> None:
        """Close the files."""
        self._first.close()
        self._current.close()

    def pieces(self, numbers: Sequence[int], texts: Sequence[int] = ()) -> Iterator[Callable[[], TableBlock]]:
        """See `Table.pieces`."""
        for at, file in enumerate(self._files):
            table = self._first if at == 0 else self._opener(str(file))
            self._at, self._current = at, table
            own = self._own_columns(table)
            for piece in table.pieces([own[k] for k in numbers], [own[k] for k in texts]):
                yield partial(_placed, piece, at << _LINE_BITS)
            table.close()

    def place(self, line: int) -> str:
        """A row by its own file and line."""
        at, own = line >> _LINE_BITS, line & ((1 << _LINE_BITS) - 1)
        path = str(self._files[at])
        return f"{path}:{own}" if self.unit == "line" else f"{path}, {self.unit} {own}"

    def _own_columns(self, table: Table) -> Sequence[int]:
        """Where a file has the columns of the first one."""
        if table.columns == self.columns and table.width == self.width:
            return range(self.width)
        own, expected = _names(table), _names(self._first)
        if sorted(own) != sorted(expected):
            lacking, more = ([name for name in a if name not in b] for a, b in ((expected, own), (own, expected)))
            found = [*(f"no {name}" for name in lacking[:3]), *(f"{name} beside them" for name in more[:3])]
            raise StateError(
                f"{table.path}: other columns than {self._first.path}: {', '.join(found) or 'in another order'}"
            )
        return [own.index(name) for name in expected]


def _names(table: Table) -> list[str]:
    columns: Sequence[Column | int] = table.columns if table.columns is not None else range(table.width)
    return [str(column) for column in columns]


def _placed(piece: Callable[[], TableBlock], offset: int) -> TableBlock:
    """A block whose lines say the file too."""
    block = piece()
    lines = block.lines
    placed = (
        range(lines.start + offset, lines.stop + offset)
        if isinstance(lines, range)
        else [line + offset for line in lines]
    )
    return TableBlock(block.count, block.numbers, block.texts, placed)
