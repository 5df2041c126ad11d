"""NPY: a matrix with a state a row, the blocks q, qd, ... one behind the other; or one state as a vector."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dyncli.errors import StateError
from dyncli.readers.arrays import (
    ERRORS,
    AnyArray,
    ArrayTable,
    columns_of,
    is_numeric,
    shape_error,
    stored_array,
)
from dyncli.readers.source import Source
from dyncli.readers.table import Table


def open_table(source: Source) -> Table:
    """The table of an open NPY file."""
    try:
        array: AnyArray = stored_array(source.seekable(), source.on_disk and str(Path(source.on_disk).resolve()))
    except ERRORS as error:
        raise StateError(f"{source.path}: not a readable .npy file: {error}") from error
    if array.dtype.names:
        raise StateError(
            f"{source.path}: a structured array ({', '.join(array.dtype.names)})", hint="save its fields in an .npz"
        )
    if isinstance(array, np.ndarray) and array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or not is_numeric(array):
        raise shape_error(source.path, "the array", array, "(rows, columns)")
    return ArrayTable(source.path, array.shape[0], columns_of(array), None)
