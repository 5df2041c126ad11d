"""CSV and TSV, with a header or without; plain or .gz; block by block.

Lines end in LF, CRLF or both mixed; blank lines and lines that begin with # are skipped; cells may be quoted and padded
with blanks. A comment line above the first row that has as many cells as the rows, none of them a number, is the header
(the form that numpy.savetxt writes).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from dyncli.errors import StateError
from dyncli.readers.numbers import looks_like_numbers, number
from dyncli.readers.source import LARGEST_SIZE, Source
from dyncli.readers.table import Part, Table, TableBlock
from dyncli.structs import replace, struct

_BOM = b"\xef\xbb\xbf"
_SHOWN = 40
_FEW = 2000
"""Bytes below which arrays do not pay, nor the import of NumPy for a single state."""
LONG_FILE = 64 << 20
"""Bytes of a file from which pyarrow, where it is there, saves more than its import costs."""
_NO_ROW = re.compile(rb"^[ \t]*(?:#.*)?$", re.MULTILINE)


def open_table(source: Source) -> Table:
    """The table of an open CSV or TSV; commas, tabs or semicolons, as the first line has them."""
    return DelimitedTable(source)


def _line_feeds(piece: bytes) -> int:
    """How many there are; NumPy counts five times as fast."""
    if len(piece) < _FEW:
        return piece.count(b"\n")
    import numpy as np

    return int(np.count_nonzero(np.frombuffer(piece, dtype=np.uint8) == ord("\n")))


def unified(piece: bytes) -> bytes:
    """Text whose lines end in a line feed alone."""
    return piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in piece else piece


def _is_row(line: bytes) -> bool:
    return _NO_ROW.fullmatch(line.rstrip(b"\r\n")) is None


def _counted(text: bytes) -> tuple[int, int]:
    """How many line feeds a text has, and how many of its lines are rows."""
    import numpy as np

    characters = np.frombuffer(text, dtype=np.uint8)
    ends = characters == ord("\n")
    count = int(np.count_nonzero(ends))
    rows = count + (not text.endswith(b"\n"))
    blanks = any(mark in text for mark in (b"#", b" ", b"\t"))
    odd = characters <= ord("#") if blanks else ends  # as characters are with which a line without a row can begin
    if odd[:1].any() or (ends[:-1] & odd[1:]).any():
        rows -= len(_NO_ROW.findall(text.removesuffix(b"\n")))
    return count, rows


@struct
class Layout:
    """What a header says, and the line that the rows begin with."""

    columns: tuple[str, ...] | None
    width: int
    separator: str
    line: int
    by_arrow: bool


class LinesPart(Part):
    """Lines of a file, which messages call `path`."""

    path: str
    layout: Layout

    @abstractmethod
    def source(self) -> Source:
        """The lines alone."""

    @abstractmethod
    def cut(self, rows: int, start: int, stop: int, layout: Layout) -> Part:
        """The part that consists of the bytes `start` to `stop` of this one."""

    def open(self) -> Table:
        """See `Part.open`."""
        source = self.source()
        table = DelimitedTable(source, self.layout)
        table.path, table.source = self.path, source
        return table

    def first_rows(self, count: int) -> Part:
        """See `Part.first_rows`."""
        text = self._text()
        at = rows = 0
        while rows < count and at < len(text):
            end = text.find(b"\n", at) + 1 or len(text)
            rows += _is_row(text[at:end])
            at = end
        return self.cut(rows, 0, at, self.layout)

    def last_rows(self, count: int) -> Part:
        """See `Part.last_rows`."""
        text = self._text()
        at, rows = len(text), 0
        while rows < count and at > 0:
            begin = text.rfind(b"\n", 0, at - 1) + 1
            rows += _is_row(text[begin:at])
            at = begin
        line = self.layout.line + _line_feeds(unified(text[:at]))
        return self.cut(rows, at, len(text), replace(self.layout, line=line))

    def _text(self) -> bytes:
        source = self.source()
        try:
            return source.everything()
        finally:
            source.close()


@struct
class DelimitedPart(LinesPart):
    """The bytes `start` to `stop` of `file`."""

    rows: int
    path: str
    file: str
    start: int
    stop: int
    layout: Layout

    def source(self) -> Source:
        """See `LinesPart.source`."""
        return Source(self.file, self.start, self.stop)

    def cut(self, rows: int, start: int, stop: int, layout: Layout) -> Part:
        """See `LinesPart.cut`."""
        return replace(self, rows=rows, start=self.start + start, stop=self.start + stop, layout=layout)


@struct
class UnpackedPart(LinesPart):
    """Some lines of a packed file."""

    rows: int
    path: str
    text: bytes
    layout: Layout

    def source(self) -> Source:
        """See `LinesPart.source`."""
        return Source(self.path, text=self.text)

    def cut(self, rows: int, start: int, stop: int, layout: Layout) -> Part:
        """See `LinesPart.cut`."""
        return replace(self, rows=rows, text=self.text[start:stop], layout=layout)


class DelimitedTable(Table):
    """Rows of cells behind a separator; see the module's docstring."""

    def __init__(self, source: Source, layout: Layout | None = None) -> None:
        self.path = source.path
        self._source = source
        self._separator = ","
        self._line = 1
        if layout is None:
            self._by_arrow = source.stored_size() >= LONG_FILE and find_spec("pyarrow") is not None
            self._read_header()
        else:
            self.columns, self.width = layout.columns, layout.width
            self._separator, self._line, self._by_arrow = layout.separator, layout.line, layout.by_arrow

    def _read_header(self) -> None:
        comment: list[str] = []
        while (raw := self._first_line()) is not None:
            if self._line == 1 and raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise StateError(f"{self.path}: text in UTF-16", hint="save it as UTF-8")
            text = self._decoded(raw.removeprefix(_BOM) if self._line == 1 else raw, self._line).strip("\r\n")
            self._separator = next((mark for mark in ",\t;" if mark in text), ",")
            if text.lstrip().startswith("#"):
                comment = self._cells(text.lstrip().lstrip("#"))
            elif text.strip():
                break
            self._line += 1
        else:
            raise StateError(
                f"{self.path}: no header: the file is empty",
                hint="the first line names the columns, such as q_NAME,qd_NAME,... (dyn info lists the joints)",
            )
        cells = self._cells(text)
        self.width = len(cells)
        if not looks_like_numbers(cells):
            self.columns: tuple[str, ...] | None = tuple(cells)
            self._line += 1
            return
        named = len(comment) == len(cells) and not looks_like_numbers(comment)
        self.columns = tuple(comment) if named else None
        self._source.put_back(raw.removeprefix(_BOM) if self._line == 1 else raw)

    def _first_line(self) -> bytes | None:
        """The next line, also where lines end in a carriage return alone."""
        raw = self._source.first_line()
        if raw is None or b"\r" not in raw.rstrip(b"\r\n"):
            return raw
        line, _, rest = raw.partition(b"\r")
        self._source.put_back(rest)
        return line + b"\r"

    def pieces(self, numbers: Sequence[int], texts: Sequence[int] = ()) -> Iterator[Callable[[], TableBlock]]:
        """See `Table.pieces`; a piece is some hundred kilobytes of text."""
        line = self._line
        for piece in self._source.pieces():
            yield partial(self._parse, piece, line, numbers, texts)
            line += _line_feeds(unified(piece))

    def blocks_to_share(self) -> int:
        """See `Table.blocks_to_share`."""
        return self._source.stored_size() // LARGEST_SIZE

    def parts(self, blocks: int = 1) -> Iterator[Part]:
        """See `Table.parts`: byte ranges that end with a line, or the lines of a packed file.

        Reads the whole file once, to count its lines.
        """
        plain = self._source.on_disk is not None
        if not plain and not self._source.stored_size():
            yield from super().parts()
        if self._by_arrow:  # so that forked processes have it in common
            import_module("dyncli.readers.arrow").csv_reader()
        start = stop = self._source.position() if plain else 0
        line, lines, rows = self._line, 0, 0
        for count, piece in enumerate(self._source.pieces(), 1):
            more_lines, more_rows = _counted(unified(piece))
            lines, rows, stop = lines + more_lines, rows + more_rows, stop + len(piece)
            if not plain:
                yield UnpackedPart(rows, self.path, piece, self._layout(line))
            elif count % blocks == 0:
                yield self._part(start, stop, line, rows)
            else:
                continue
            start, line, lines, rows = stop, line + lines, 0, 0
        if rows:
            yield self._part(start, stop, line, rows)

    def _part(self, start: int, stop: int, line: int, rows: int) -> DelimitedPart:
        return DelimitedPart(rows, self.path, str(Path(self.path).resolve()), start, stop, self._layout(line))

    def _layout(self, line: int) -> Layout:
        return Layout(self.columns, self.width, self._separator, line, self._by_arrow)

    # the fast way: no quotes, comments or blank lines, every row of the right length ------------------------------

    def _parse(self, piece: bytes, line: int, numbers: Sequence[int], texts: Sequence[int]) -> TableBlock:
        text = self._without_padding(unified(piece).rstrip(b"\n"))
        blank = self.width == 1 and b"\n\n" in b"\n" + text
        if len(text) < _FEW or b'"' in text or b"#" in text or blank or not numbers:
            return self._parse_lines(text, line, numbers, texts)
        if self._by_arrow:
            from dyncli.readers.arrow import csv_columns

            if (columns := csv_columns(text, self._separator, self.width, numbers, texts)) is not None:
                rows = columns[0].shape[1]
                return TableBlock(rows, *columns, range(line, line + rows))
        import numpy as np

        from dyncli.decimals.parse import parse_cells, structure

        found = structure(text, ord(self._separator))
        breaks = found.breaks
        rows, rest = divmod(len(breaks), self.width)
        if rest or np.count_nonzero(breaks) != rows or not breaks[self.width - 1 :: self.width].all():
            return self._parse_lines(text, line, numbers, texts)
        if 2 * len(numbers) > self.width:  # cells side by side cost less than the same number of single ones
            values, undecided = (part.reshape(rows, self.width)[:, numbers] for part in parse_cells(found))
        else:
            cells = ((np.arange(rows) * self.width)[:, None] + np.asarray(numbers)).ravel()
            values, undecided = (part.reshape(rows, len(numbers)) for part in parse_cells(found, cells))
        left = undecided.nonzero()
        raws = found.cells(left[0] * self.width + np.asarray(numbers)[left[1]])
        for row, k, raw in zip(left[0].tolist(), left[1].tolist(), raws, strict=True):
            values[row, k] = self._number(self._decoded(raw, line + row), line + row, numbers[k])
        kept: list[Sequence[str]] = []
        for column in texts:
            raws = found.cells(np.arange(column, len(breaks), self.width))
            kept.append([self._decoded(raw, k).strip() for k, raw in enumerate(raws, line)])
        return TableBlock(rows, np.ascontiguousarray(values.T), kept, range(line, line + rows))

    def _without_padding(self, text: bytes) -> bytes:
        """Text without the blanks before its cells."""
        for mark in (self._separator.encode(), b"\n"):
            while b" " in text and mark + b" " in text:
                text = text.replace(mark + b" ", mark)
        return text

    # the exact way ------------------------------------------------------------------------------------------------

    def _parse_lines(self, piece: bytes, first: int, numbers: Sequence[int], texts: Sequence[int]) -> TableBlock:
        rows: list[list[str]] = []
        lines: list[int] = []
        for line, raw in enumerate(piece.split(b"\n"), first):
            text = self._decoded(raw, line)
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            cells = self._cells(text)
            if len(cells) != self.width:
                raise self._ragged(cells, line)
            rows.append(cells)
            lines.append(line)
        columns = [[self._number(row[k], line, k) for row, line in zip(rows, lines, strict=True)] for k in numbers]
        return TableBlock(len(rows), columns, [[row[k] for row in rows] for k in texts], lines)

    def _decoded(self, raw: bytes, line: int) -> str:
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise StateError(f"{self.path}:{line}: not text in UTF-8 ({error.reason})") from error
        if "\0" in text:
            raise StateError(f"{self.path}:{line}: not a text file (a zero byte)")
        return text

    def _cells(self, text: str) -> list[str]:
        if '"' not in text:
            return [cell.strip() for cell in text.split(self._separator)]
        import csv

        row = next(csv.reader([text], delimiter=self._separator, skipinitialspace=True), [""])
        return [cell.strip() for cell in row]

    def _number(self, text: str, line: int, column: int) -> float:
        try:
            return number(text)
        except ValueError:
            shown = text.strip()[:_SHOWN]
            raise StateError(
                f"{self.place(line)}: {self.column_name(column)}: {shown!r} is not a number",
                hint="decimals are written with a point; an empty cell marks a row without an answer",
            ) from None

    def _ragged(self, cells: list[str], line: int) -> StateError:
        found = f"{len(cells)} value" + ("s" if len(cells) != 1 else "")
        if self.columns is None:
            return StateError(f"{self.place(line)}: {found}, expected {self.width} as in the first row")
        names = ", ".join(self.columns[:12]) + (", ..." if self.width > 12 else "")
        return StateError(f"{self.place(line)}: {found}, expected {self.width} ({names})")
