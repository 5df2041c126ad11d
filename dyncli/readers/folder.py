"""A folder of files of one format as one table: its rows are those of the files, in the order of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from dyncli.errors import StateError
from dyncli.readers.packed import SUFFIXES as PACKED
from dyncli.readers.table import Column, Part, Table, TableBlock, line_of, source_and_line
from dyncli.structs import replace, struct


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
        for offset, table in self._tables():
            for piece in table.pieces(numbers, texts):
                yield partial(_placed, piece, offset)

    def parts(self, blocks: int = 1) -> Iterator[Part]:
        """See `Table.parts`: those of each file."""
        for offset, table in self._tables():
            for part in table.parts(blocks):
                yield FolderPart(part.rows, part, self.columns, offset + part.offset)

    def blocks_to_share(self) -> int:
        """See `Table.blocks_to_share`: as if all files were like the first."""
        return len(self._files) * self._first.blocks_to_share()

    def place(self, line: int) -> str:
        """A row by its own file and line."""
        at, own = source_and_line(line)
        path = str(self._files[at])
        return f"{path}:{own}" if self.unit == "line" else f"{path}, {self.unit} {own}"

    def _tables(self) -> Iterator[tuple[int, Table]]:
        """The table of each file, and what its lines are counted from."""
        for at, file in enumerate(self._files):
            table = self._first if at == 0 else _like(self._opener(str(file)), self.columns, self._first.path)
            if table.width != self.width:
                raise StateError(f"{table.path}: {table.width} columns, {self._first.path} has {self.width}")
            self._at, self._current = at, table
            yield line_of(at), table
            table.close()


@struct
class FolderPart(Part):
    """A part of one file of a folder whose first file has `columns`."""

    rows: int
    part: Part
    columns: tuple[Column, ...] | None
    offset: int

    def open(self) -> Table:
        """See `Part.open`."""
        return _like(self.part.open(), self.columns, "the first file")

    def first_rows(self, count: int) -> Part:
        """See `Part.first_rows`."""
        return self._of(self.part.first_rows(count))

    def last_rows(self, count: int) -> Part:
        """See `Part.last_rows`."""
        return self._of(self.part.last_rows(count))

    def _of(self, part: Part) -> Part:
        return replace(self, rows=part.rows, part=part, offset=self.offset - self.part.offset + part.offset)


class _Reordered(Table):
    """A table whose columns are taken in another order: `own` says where each one is."""

    def __init__(self, table: Table, columns: tuple[Column, ...] | None, own: Sequence[int]) -> None:
        self.path, self.unit, self.width, self.source = table.path, table.unit, table.width, table.source
        self.columns = columns
        self._table = table
        self._own = own

    def pieces(self, numbers: Sequence[int], texts: Sequence[int] = ()) -> Iterator[Callable[[], TableBlock]]:
        """See `Table.pieces`."""
        return self._table.pieces([self._own[k] for k in numbers], [self._own[k] for k in texts])

    def parts(self, blocks: int = 1) -> Iterator[Part]:
        """See `Table.parts`."""
        return self._table.parts(blocks)


def _like(table: Table, columns: tuple[Column, ...] | None, model: str) -> Table:
    """A table with its columns in the order of `columns`, those of `model`. Raises StateError where they are others."""
    if columns is None or table.columns is None:
        if columns is not table.columns:
            raise StateError(f"{table.path}: {model} has a header and this file none, or the other way round")
        return table
    if table.columns == columns:
        return table
    own, expected = list(table.columns), list(columns)
    if sorted(map(str, own)) != sorted(map(str, expected)):
        found = [f"no {name}" for name in expected if name not in own]
        found += [f"{name} beside them" for name in own if name not in expected]
        raise StateError(f"{table.path}: other columns than {model}: {', '.join(found[:6])}")
    return _Reordered(table, columns, [own.index(name) for name in expected])


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
