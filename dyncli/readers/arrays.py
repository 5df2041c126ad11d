"""Tables of arrays (.npy, .npz): rows from memory, or from a file in the order in which they stand there."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dyncli.errors import StateError
from dyncli.readers.table import BLOCK_ROWS, Column, Table, TableBlock
from dyncli.structs import struct

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
    """An array of rows (C order) in a file that is read onwards; `file` stands at its first number."""

    def __init__(self, file: IO[bytes], shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype
        self._file = file
        self._at = 0

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
        shape = (stop - start, *self.shape[1:])
        size = prod(shape) * self.dtype.itemsize
        data = self._file.read(size)
        if len(data) < size:
            raise EOFError("the file ends before the array does")
        return np.frombuffer(data, dtype=self.dtype).reshape(shape)


AnyArray = Array | StoredArray


def stored_array(file: IO[bytes]) -> AnyArray:
    """The array of an open .npy file: whole if it is small or not row by row. Raises one of `ERRORS`."""
    start = file.tell()
    version = np.lib.format.read_magic(file)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, columns_first, dtype = read_header(file)
    large = len(shape) in (1, 2) and prod(shape) * dtype.itemsize > IN_MEMORY
    if large and not dtype.hasobject and not (columns_first and len(shape) > 1):
        return StoredArray(file, shape, dtype)
    file.seek(start)
    array: Array = np.lib.format.read_array(file, allow_pickle=False)
    return array


@struct
class ArrayColumn:
    """A column of the table: an array of shape (rows,), or column `at` of one of shape (rows, columns)."""

    array: AnyArray
    at: int | None = None


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
                raise StateError(f"{self.path}: cannot be read to its end: {error}") from error
            yield partial(self._block, rows, range(first + 1, self._read + 1), numbers, texts)

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
