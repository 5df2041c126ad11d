"""What every reader gives: named columns and blocks of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from dyncli.errors import UsageError
from dyncli.structs import struct

if TYPE_CHECKING:
    from dyncli.readers.source import Source

Column: TypeAlias = str | tuple[str, int]
"""A name (`q_elbow`, `t`), or a block (`q`, `qd`, `qdd`, `tau`) and an index in model order."""

BLOCKS = ("q", "qd", "qdd", "tau")
"""The blocks of a state, in the order they have in files without a header."""

BLOCK_ROWS = 8192
"""Rows of a block cut from arrays: enough for little overhead, few enough for results of many numbers a row."""

_LINE_BITS = 40


def line_of(source: int, line: int = 0) -> int:
    """A line of one of several sources (numbered from 0) as one number; lines of source 0 stay as they are."""
    return (source << _LINE_BITS) + line


def source_and_line(number: int) -> tuple[int, int]:
    """What `line_of` made a number of."""
    return number >> _LINE_BITS, number & (1 << _LINE_BITS) - 1


@struct
class TableBlock:
    """Rows of a table.

    `numbers`: an array of shape (columns asked for, count), float64, each column contiguous; an empty cell is NaN.
    (From a reader of single states without NumPy: lists of floats.) `texts`: the cells of each copied column as they
    stood. `lines`: where each row stands in its file (line, or record counted from 1).
    """

    count: int
    numbers: Any
    texts: list[Sequence[Any]]
    lines: Sequence[int]


class Part(ABC):
    """A stretch of a table that another process can open by itself; it can be pickled.

    `rows`: how many rows it has. `offset`: what is added to the lines of its rows to make them lines of the table.
    """

    rows: int
    offset: int = 0

    @abstractmethod
    def open(self) -> Table:
        """The table of this stretch alone. Raises StateError where its file cannot be read any more."""

    def first_rows(self, count: int) -> Part:
        """A part that begins as this one and has at least `count` rows, or all that there are: the less, the better."""
        return self

    def last_rows(self, count: int) -> Part:
        """A part that ends as this one and has at least `count` rows, or all that there are: the less, the better."""
        return self


class Table(ABC):
    """An open file of states.

    `columns` is None where the file names nothing; `width` counts the columns in any case. `unit`: what `lines` of a
    block count, as a word for messages.
    """

    path: str
    columns: tuple[Column, ...] | None
    width: int
    unit = "line"
    source: Source | None = None
    """The open file behind it, closed with the table."""

    def fraction(self) -> float | None:
        """How much of the input has been read, 0 to 1; None where that is not known."""
        return self.source.fraction() if self.source is not None else None

    def close(self) -> None:
        """Close the file behind the table; its rows cannot be read any more."""
        if self.source is not None:
            self.source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def pieces(self, numbers: Sequence[int], texts: Sequence[int] = ()) -> Iterator[Callable[[], TableBlock]]:
        """Jobs that each read one block, in the order of the rows; jobs may run on any threads, each at most once.

        `numbers` and `texts` are indices of the columns wanted as numbers and as they stand. A job raises StateError,
        with file, line and column, for a row of another length or a cell that is no number.
        """

    def blocks(self, numbers: Sequence[int], texts: Sequence[int] = ()) -> Iterator[TableBlock]:
        """The blocks one after the other; what can be read now comes at once, later blocks are larger."""
        for piece in self.pieces(numbers, texts):
            yield piece()

    def parts(self, blocks: int = 1) -> Iterator[Part]:
        """The whole table in stretches of about so many blocks each. Raises UsageError where it cannot be cut."""
        raise UsageError(
            f"{self.path}: files of this kind are read as a whole and cannot be shared out",
            hint="--cluster takes CSV, TSV, NPY, NPZ, Parquet and Arrow files, and folders of these",
        )

    def blocks_to_share(self) -> int:
        """About how many blocks `parts` would share out, 0 where the table cannot be cut or that is not known."""
        return 0

    def column_name(self, index: int) -> str:
        """A column as messages call it."""
        if self.columns is None:
            return f"column {index + 1}"
        column = self.columns[index]
        return f"column {column!r}" if isinstance(column, str) else f"{column[0]}[{column[1]}]"

    def place(self, line: int) -> str:
        """A row as messages call it: FILE:LINE, or FILE, record N."""
        return f"{self.path}:{line}" if self.unit == "line" else f"{self.path}, {self.unit} {line}"
