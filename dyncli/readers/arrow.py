"""Parquet, and Arrow's own format (Feather): columns that are wanted, block by block. Needs the extra `arrow`.

The one module that reads with pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dyncli.errors import MissingExtraError, StateError
from dyncli.readers.source import Source
from dyncli.readers.table import BLOCK_ROWS, Part, Table, TableBlock
from dyncli.structs import struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Batch = Any
"""A `pyarrow.RecordBatch`."""
Batches = Callable[[Sequence[int], list[str]], Iterator[Batch]]
"""The rows of some groups of a file, of the columns named."""


def open_table(source: Source) -> Table:
    """The table of an open Parquet or Arrow file; how it begins says which."""
    return _opened(source)


def _opened(source: Source, stretch: ArrowPart | None = None) -> ArrowTable:
    """The table of a file, or of a stretch of its groups."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("pyarrow", "arrow", f"{source.path}: reading Parquet and Arrow files") from None
    reader = _parquet if source.peek(4) == b"PAR1" else _arrow
    try:
        file = pyarrow.OSFile(source.on_disk) if source.on_disk else pyarrow.BufferReader(source.everything())
        schema, sizes, batches = reader(file)
    except (pyarrow.ArrowException, OSError) as error:
        raise _unreadable(source.path, error) from error
    table = ArrowTable(source.path, schema, sizes, batches, stretch)
    table.source = source
    return table


def _parquet(file: Any) -> tuple[Any, list[int], Batches]:
    import pyarrow.parquet as parquet

    opened = parquet.ParquetFile(file, pre_buffer=False)
    sizes = [opened.metadata.row_group(k).num_rows for k in range(opened.num_row_groups)]

    def batches(groups: Sequence[int], columns: list[str]) -> Iterator[Batch]:
        yield from opened.iter_batches(BLOCK_ROWS, row_groups=groups, columns=columns, use_threads=False)

    return opened.schema_arrow, sizes, batches


def _arrow(file: Any) -> tuple[Any, list[int], Batches]:
    from pyarrow import ipc

    bare = ipc.open_file(file, options=ipc.IpcReadOptions(included_fields=[0], use_threads=False))
    sizes = [bare.get_batch(k).num_rows for k in range(bare.num_record_batches)]
    schema = ipc.open_file(file).schema

    def batches(groups: Sequence[int], columns: list[str]) -> Iterator[Batch]:
        fields = [schema.get_field_index(name) for name in columns] or [0]
        opened = ipc.open_file(file, options=ipc.IpcReadOptions(included_fields=fields, use_threads=False))
        for group in groups:
            batch = opened.get_batch(group)
            for first in range(0, batch.num_rows, BLOCK_ROWS):
                yield batch.slice(first, BLOCK_ROWS)

    return schema, sizes, batches


@struct
class ArrowPart(Part):
    """Row groups (or batches) `groups` of `file`, which messages call `path`; `first`: rows before them."""

    rows: int
    path: str
    file: str
    groups: tuple[int, ...]
    first: int

    def open(self) -> Table:
        """See `Part.open`."""
        source = Source(self.file)
        try:
            table = _opened(source, self)
        except BaseException:
            source.close()
            raise
        table.path = self.path
        return table


class ArrowTable(Table):
    """Columns of a Parquet or Arrow file."""

    unit = "row"

    def __init__(
        self, path: str, schema: Any, sizes: Sequence[int], batches: Batches, stretch: ArrowPart | None = None
    ) -> None:
        self.path = path
        self.columns: tuple[str, ...] = tuple(schema.names)
        self.width = len(self.columns)
        self._types = schema.types
        self._sizes = sizes
        self._batches = batches
        self._groups: Sequence[int] = range(len(sizes)) if stretch is None else stretch.groups
        self._read = 0 if stretch is None else stretch.first

    def fraction(self) -> float | None:
        """How many of the rows have been read, 0 to 1."""
        rows = sum(self._sizes)
        return self._read / rows if rows else 1.0

    def blocks_to_share(self) -> int:
        """See `Table.blocks_to_share`."""
        return sum(self._sizes) // BLOCK_ROWS if self._on_disk() and len(self._sizes) > 1 else 0

    def _on_disk(self) -> bool:
        return self.source is not None and self.source.on_disk is not None

    def parts(self, blocks: int = 1) -> Iterator[Part]:
        """See `Table.parts`: some row groups each."""
        if not self._on_disk():
            yield from super().parts()
        file = str(Path(self.path).resolve())
        groups: list[int] = []
        first = rows = 0
        for group, size in enumerate(self._sizes):
            groups.append(group)
            rows += size
            if rows >= blocks * BLOCK_ROWS or group + 1 == len(self._sizes):
                yield ArrowPart(rows, self.path, file, tuple(groups), first)
                groups, first, rows = [], first + rows, 0

    def pieces(self, numbers: Sequence[int], texts: Sequence[int] = ()) -> Iterator[Callable[[], TableBlock]]:
        """See `Table.pieces`."""
        for k in numbers:
            if not _is_number(self._types[k]):
                raise StateError(f"{self.path}: {self.column_name(k)} holds {self._types[k]} and no numbers")
        wanted = [self.columns[k] for k in dict.fromkeys([*numbers, *texts])]
        batches = self._batches(self._groups, wanted)
        while (batch := self._next(batches)) is not None:
            first, self._read = self._read + 1, self._read + batch.num_rows
            yield partial(self._block, batch, range(first, first + batch.num_rows), numbers, texts)

    def _next(self, batches: Iterator[Batch]) -> Batch | None:
        import pyarrow

        try:
            return next(batches, None)
        except (pyarrow.ArrowException, OSError) as error:
            raise _unreadable(self.path, error) from error

    def _block(self, batch: Batch, rows: range, numbers: Sequence[int], texts: Sequence[int]) -> TableBlock:
        import numpy as np

        values = np.empty((len(numbers), len(rows)))
        for k, column in enumerate(numbers):
            values[k] = _floats(batch.column(self.columns[column]))
        kept = [_cells(batch.column(self.columns[column])) for column in texts]
        return TableBlock(len(rows), values, kept, rows)


_CSV_BLOCK = 1 << 20
"""Bytes that pyarrow parses at a time: larger ones cost a third more, for memory that is mapped anew."""


def csv_reader() -> tuple[Any, Any] | None:
    """pyarrow and its reader of CSV; None where they cannot be imported."""
    try:
        import pyarrow
        from pyarrow import csv
    except ImportError:
        return None
    return pyarrow, csv


def csv_columns(
    text: bytes, separator: str, width: int, numbers: Sequence[int], texts: Sequence[int]
) -> tuple[NDArray[np.float64], list[Sequence[str]]] | None:
    """Columns of rows of CSV without quotes and comments: finite numbers (columns, rows), and cells as they stand.

    An empty cell is NaN; the numbers are those of `float`. None where a row or a cell is anything else, which is then
    for others to judge, or where pyarrow cannot be imported.
    """
    import numpy as np

    reader = csv_reader()
    if reader is None:
        return None
    pyarrow, csv = reader
    names = [str(k) for k in range(width)]
    types = {names[k]: pyarrow.string() for k in texts} | {names[k]: pyarrow.float64() for k in numbers}
    if set(texts) & set(numbers) or text.startswith(b"\n") or b"\n\n" in text:
        return None
    try:
        table = csv.read_csv(
            pyarrow.py_buffer(text),
            read_options=csv.ReadOptions(use_threads=False, column_names=names, block_size=_CSV_BLOCK),
            parse_options=csv.ParseOptions(delimiter=separator, quote_char=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(column_types=types, include_columns=list(types), null_values=[""]),
        )
    except pyarrow.ArrowInvalid:
        return None
    values = np.empty((len(numbers), table.num_rows))
    empty = 0
    for row, k in zip(values, numbers, strict=True):
        column = table.column(names[k])
        row[:] = column.to_numpy()
        empty += column.null_count
    if values.size - np.count_nonzero(np.isfinite(values)) != empty:
        return None
    return values, [[cell.strip() for cell in table.column(names[k]).to_pylist()] for k in texts]


def _is_number(kind: Any) -> bool:
    """Whether a type is one of real numbers, or of nothing at all."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return _is_number(kind.value_type)
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind))


def _floats(column: Any) -> NDArray[np.float64]:
    """Numbers as doubles, NaN where there is none."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_null(column.type) or types.is_decimal(column.type):
        column = column.cast(pyarrow.float64())
    values: NDArray[np.float64] = column.to_numpy(zero_copy_only=False).astype("f8", copy=False)
    return values


def _cells(column: Any) -> Sequence[Any]:
    """Values to be copied; dates and times as text."""
    import pyarrow
    from pyarrow import types

    if types.is_temporal(column.type):
        column = column.cast(pyarrow.string())
    values: Sequence[Any] = column.to_pylist()
    return values


def _unreadable(path: str, error: Exception) -> StateError:
    return StateError(f"{path}: not a readable Parquet or Arrow file: {str(error).strip()}")
