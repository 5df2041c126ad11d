"""Tables of arrays (.npy, .npz): rows cut from what is in memory or mapped from the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyncli.errors import StateError
from dyncli.readers.table import BLOCK_ROWS, Column, Table, TableBlock

Array = NDArray[Any]

ERRORS = (ValueError, OSError, EOFError, KeyError, TypeError, SyntaxError, RecursionError, MemoryError)
"""What NumPy raises for data that is damaged, cut short or forged."""


class ArrayTable(Table):
    """Columns of arrays of shape (rows, ...), each with the column (or block of columns) it stands for."""

    unit = "row"

    def __init__(self, path: str, rows: int, arrays: Sequence[Array], columns: Sequence[Column] | None) -> None:
        self.path = path
        self.columns = None if columns is None else tuple(columns)
        self.width = len(arrays)
        self._arrays = arrays
        self._rows = rows

    def pieces(self, numbers: Sequence[int], texts: Sequence[int] = ()) -> Iterator[Callable[[], TableBlock]]:
        """See `Table.pieces`."""
        for first in range(0, self._rows, BLOCK_ROWS):
            yield partial(self._block, first, min(first + BLOCK_ROWS, self._rows), numbers, texts)

    def _block(self, first: int, last: int, numbers: Sequence[int], texts: Sequence[int]) -> TableBlock:
        values = np.empty((len(numbers), last - first))
        for k, column in enumerate(numbers):
            array = self._arrays[column]
            if array.ndim != 1 or not is_numeric(array):
                raise StateError(f"{self.path}: {self.column_name(column)} holds {array.dtype} and no numbers")
            values[k] = array[first:last]
        kept = [self._arrays[column][first:last].tolist() for column in texts]
        return TableBlock(last - first, values, kept, range(first + 1, last + 1))


def is_numeric(array: Array) -> bool:
    """Whether an array holds real numbers."""
    return array.dtype.kind in "fiu"


def columns_of(array: Array) -> list[Array]:
    """The columns of a matrix."""
    return [array[:, k] for k in range(array.shape[1])]


def shape_error(path: str, name: str, array: Array, expected: str) -> StateError:
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
