"""Tables of arrays (.npy, .npz): rows from memory, or from a file in the order in which they stand there."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dyncli.errors import StateError
from dyncli.readers.table import BLOCK_ROWS, Column, Part, Table, TableBlock
from dyncli.structs import replace, struct

Array = NDArray[Any]

ERRORS = (
    *(ValueError, OSError, EOFError, KeyError, TypeError, SyntaxError, RecursionError, MemoryError),
    *(NotImplementedError, zipfile.BadZipFile, zlib.error),
)
"""What NumPy and its archives raise for data that is damaged, cut short or forged."""

IN_MEMORY = 8 << 20
"""Bytes of an array that is read whole."""
MOST_COLUMNS = 100_000
"""Columns beyond which a header is taken for forged."""


class StoredArray:
    """An array of rows (C order) in a file that is read onwards; `file` stands at its first number.

    `path`: where the same file can be opened again, None where it cannot.
    """

    def __init__(self, file: IO[bytes], shape: tuple[int, ...], dtype: np.dtype[Any], path: str | None = None) -> None:
        self.shape = shape
        self.dtype = dtype
        self._file = file
        self._at = 0
        self._path = path
        self._start = 0 if path is None else file.tell()

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def __getitem__(self, rows: slice) -> Array:
        """The rows that follow those of the call before."""
        start, stop, _ = rows.indices(self.shape[0])
        if start != self._at:
            raise IndexError(f"row {start} of an array that is read onwards and stands at row {self._at}")
        self._at = stop
        return _rows_of(self._file, (stop - start, *self.shape[1:]), self.dtype)

    def share(self, start: int, stop: int) -> Rows:
        """The rows that follow those of the call before, for another process."""
        if self._path is None:
            return GivenRows(self[start:stop])
        return FileRows(self._path, self._start, self.shape, self.dtype).cut(start, stop)


def _rows_of(file: IO[bytes], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    size = prod(shape) * dtype.itemsize
    data = file.read(size)
    if len(data) < size:
        raise EOFError("the file ends before the array does")
    return np.frombuffer(data, dtype=dtype).reshape(shape)


@struct(eq=False)
class GivenRows:
    """Rows of an array."""

    array: Array

    def open(self) -> Array:
        """The rows."""
        return self.array

    def cut(self, start: int, stop: int) -> GivenRows:
        """Some of the rows."""
        return GivenRows(self.array[start:stop])


@struct
class FileRows:
    """Rows of an array, by where they stand in a file."""

    file: str
    start: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def open(self) -> Array:
        """The rows. Raises OSError or EOFError where they cannot be read any more."""
        with Path(self.file).open("rb") as file:
            file.seek(self.start)
            return _rows_of(file, self.shape, self.dtype)

    def cut(self, start: int, stop: int) -> FileRows:
        """Some of the rows."""
        row_bytes = prod(self.shape[1:]) * self.dtype.itemsize
        return FileRows(self.file, self.start + start * row_bytes, (stop - start, *self.shape[1:]), self.dtype)


Rows = GivenRows | FileRows
AnyArray = Array | StoredArray


def stored_array(file: IO[bytes], path: str | None = None) -> AnyArray:
    """The array of an open .npy file: whole if it is small or not row by row. Raises one of `ERRORS`.

    `path`: where the same file can be opened again, None where it cannot.
    """
    start = file.tell()
    version = np.lib.format.read_magic(file)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, columns_first, dtype = read_header(file)
    large = len(shape) in (1, 2) and prod(shape) * dtype.itemsize > IN_MEMORY
    if large and not dtype.hasobject and not (columns_first and len(shape) > 1):
        return StoredArray(file, shape, dtype, path)
    file.seek(start)
    array: Array = np.lib.format.read_array(file, allow_pickle=False)
    return array


@struct
class ArrayColumn:
    """A column of the table: an array of shape (rows,), or column `at` of one of shape (rows, columns)."""

    array: AnyArray
    at: int | None = None


@struct
class ArrayPart(Part):
    """Rows of a table of arrays; `columns`: for each of the table's the index of its rows in `arrays`, and `at`."""

    rows: int
    offset: int
    path: str
    names: tuple[Column, ...] | None
    arrays: tuple[Rows, ...]
    columns: tuple[tuple[int, int | None], ...]

    def open(self) -> Table:
        """See `Part.open`."""
        try:
            arrays = [rows.open() for rows in self.arrays]
        except ERRORS as error:
            raise _broken(self.path, error) from error
        return ArrayTable(self.path, self.rows, [ArrayColumn(arrays[k], at) for k, at in self.columns], self.names)

    def first_rows(self, count: int) -> Part:
        """See `Part.first_rows`."""
        return self._cut(0, min(count, self.rows))

    def last_rows(self, count: int) -> Part:
        """See `Part.last_rows`."""
        return self._cut(max(self.rows - count, 0), self.rows)

    def _cut(self, start: int, stop: int) -> Part:
        arrays = tuple(rows.cut(start, stop) for rows in self.arrays)
        return replace(self, rows=stop - start, offset=self.offset + start, arrays=arrays)


class ArrayTable(Table):
    """Columns of arrays, each with the column (or block of columns) it stands for; to be read once."""

    unit = "row"

    def __init__(self, path: str, rows: int, parts: Sequence[ArrayColumn], columns: Sequence[Column] | None) -> None:
        self.path = path
        self.columns = None if columns is None else tuple(columns)
        self.width = len(parts)
        self._parts = parts
        self._rows = rows
        self._read = 0

    def fraction(self) -> float | None:
        """See `Table.fraction`."""
        return self._read / self._rows if self._rows else 1.0

    def pieces(self, numbers: Sequence[int], texts: Sequence[int] = ()) -> Iterator[Callable[[], TableBlock]]:
        """See `Table.pieces`."""
        for column in numbers:
            array = self._parts[column].array
            if array.ndim != 1 + (self._parts[column].at is not None) or not is_numeric(array):
                raise StateError(f"{self.path}: {self.column_name(column)} holds {array.dtype} and no numbers")
        arrays = {id(part.array): part.array for part in (self._parts[k] for k in (*numbers, *texts))}
        for first in range(0, self._rows, BLOCK_ROWS):
            self._read = min(first + BLOCK_ROWS, self._rows)
            try:
                rows = {key: array[first : self._read] for key, array in arrays.items()}
            except ERRORS as error:
                raise _broken(self.path, error) from error
            yield partial(self._block, rows, range(first + 1, self._read + 1), numbers, texts)

    def parts(self, blocks: int = 1) -> Iterator[Part]:
        """See `Table.parts`. A row of an archive goes with its part, where it cannot be told where it stands."""
        arrays = {id(part.array): part.array for part in self._parts}
        keys = list(arrays)
        columns = tuple((keys.index(id(part.array)), part.at) for part in self._parts)
        for first in range(0, self._rows, blocks * BLOCK_ROWS):
            self._read = min(first + blocks * BLOCK_ROWS, self._rows)
            try:
                shares = tuple(_shared(array, first, self._read) for array in arrays.values())
            except ERRORS as error:
                raise _broken(self.path, error) from error
            yield ArrayPart(self._read - first, first, self.path, self.columns, shares, columns)

    def blocks_to_share(self) -> int:
        """See `Table.blocks_to_share`."""
        return self._rows // BLOCK_ROWS

    def _block(
        self, rows: Mapping[int, Array], lines: range, numbers: Sequence[int], texts: Sequence[int]
    ) -> TableBlock:
        def cells(column: int) -> Array:
            part = self._parts[column]
            own = rows[id(part.array)]
            return own if part.at is None else own[:, part.at]

        values = np.empty((len(numbers), len(lines)))
        for row, column in zip(values, numbers, strict=True):
            row[:] = cells(column)
        return TableBlock(len(lines), values, [cells(column).tolist() for column in texts], lines)


def _shared(array: AnyArray, start: int, stop: int) -> Rows:
    return array.share(start, stop) if isinstance(array, StoredArray) else GivenRows(array[start:stop])


def _broken(path: str, error: Exception) -> StateError:
    return StateError(f"{path}: cannot be read to its end: {error}")


def is_numeric(array: AnyArray) -> bool:
    """Whether an array holds real numbers."""
    return array.dtype.kind in "fiu"


def columns_of(array: AnyArray) -> list[ArrayColumn]:
    """The columns of a matrix."""
    if array.shape[1] > MOST_COLUMNS:
        raise StateError(f"an array of {array.shape[1]} columns", hint=f"expected {MOST_COLUMNS} at most")
    return [ArrayColumn(array, k) for k in range(array.shape[1])]


def shape_error(path: str, name: str, array: AnyArray, expected: str) -> StateError:
    """The error for an array of the wrong shape or kind."""
    found = f"shape {array.shape}" if is_numeric(array) else f"{array.dtype} of shape {array.shape}"
    return StateError(f"{path}: {name} has {found}, expected numbers of shape {expected}")


def same_rows(path: str, shapes: Mapping[str, tuple[int, ...]]) -> int:
    """The common number of rows of arrays; raises StateError where they differ."""
    counts = {name: shape[0] for name, shape in shapes.items()}
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{name} {shapes[name]}" for name in counts)
        raise StateError(f"{path}: arrays with different numbers of rows: {said}")
    return next(iter(counts.values()), 0)
