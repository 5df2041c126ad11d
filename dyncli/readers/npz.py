"""NPZ: arrays q, qd, qdd, tau of shape (rows, columns), or (columns,) for one state; other arrays are columns."""

from __future__ import annotations

import zipfile

import numpy as np

from dyncli.errors import StateError
from dyncli.readers.arrays import (
    ERRORS,
    AnyArray,
    ArrayColumn,
    ArrayTable,
    columns_of,
    is_numeric,
    same_rows,
    shape_error,
    stored_array,
)
from dyncli.readers.source import Source
from dyncli.readers.table import BLOCKS, Column, Table


def open_table(source: Source) -> Table:
    """The table of an open NPZ file; arrays of no rows (a header) are left out."""
    try:
        archive = zipfile.ZipFile(source.seekable())
        arrays = {
            name.removesuffix(".npy"): stored_array(archive.open(name))
            for name in archive.namelist()
            if name.endswith(".npy")
        }
    except ERRORS as error:
        raise StateError(f"{source.path}: not a readable .npz file: {error}") from error
    arrays = {name: array for name, array in arrays.items() if array.ndim}
    if any(name in arrays and arrays[name].ndim == 1 for name in BLOCKS):
        arrays = {name: _one_row(array) if name in BLOCKS else array for name, array in arrays.items()}
    rows = same_rows(source.path, {name: array.shape for name, array in arrays.items()})
    columns: list[Column] = []
    parts: list[ArrayColumn] = []
    for name, array in arrays.items():
        if name not in BLOCKS:
            columns.append(name)
            parts.append(ArrayColumn(array))
            continue
        if array.ndim != 2 or not is_numeric(array):
            raise shape_error(source.path, repr(name), array, "(rows, columns) or (columns,)")
        columns += [(name, k) for k in range(array.shape[1])]
        parts += columns_of(array)
    if not columns:
        raise StateError(f"{source.path}: no arrays with rows", hint=f"expected some of {', '.join(BLOCKS)}")
    return ArrayTable(source.path, rows, parts, columns)


def _one_row(array: AnyArray) -> AnyArray:
    """The values of one state as a row of them."""
    return array[None] if isinstance(array, np.ndarray) else array
