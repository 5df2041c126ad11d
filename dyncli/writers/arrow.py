"""Parquet and Arrow (Feather): the rows of CSV as typed columns. Needs the extra `arrow`.

The one module that writes with pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from dyncli.errors import MissingExtraError, StateError, UsageError
from dyncli.result import SCHEMA, STATE, Header, Leaf, Result
from dyncli.writers.base import Kept, Layout, Writer
from dyncli.writers.fast import json_text
from dyncli.writers.target import Target
from dyncli.writers.templates import finite, is_array, is_floats, kept_value, plain

GROUP_BYTES = 16 << 20
"""Bytes of rows that are gathered to one row group: fewer cost readers time, more cost memory."""
_METADATA = "dyncli"
_EXACT_INTEGERS = 2**53


def make_writer(target: Target, header: Header, layout: Layout) -> Writer:
    """A writer of a Parquet or Arrow file. Raises UsageError on a terminal, MissingExtraError without pyarrow."""
    if target.interactive:
        raise UsageError(
            f"{layout.format} is binary and not for a terminal", hint=f"-o FILE.{layout.format} writes it to a file"
        )
    try:
        import pyarrow  # noqa: F401 - whether it is there
    except ImportError:
        target.discard()
        raise MissingExtraError("pyarrow", "arrow", f"writing {layout.format} files") from None
    return ArrowWriter(target, header, layout.format)


class ArrowWriter(Writer):
    """One column a column of CSV; a cell without a value is null. Command and model stand in the metadata as JSON.

    Kept columns of text are numbers where all cells of the first block are.
    """

    def __init__(self, target: Target, header: Header, format: str) -> None:
        super().__init__(target, header)
        self._format = format
        self._schema: Any = None
        self._file: Any = None
        self._waiting: list[Any] = []
        self._bytes = 0

    @cached_property
    def _facts(self) -> bytes:
        model = finite(self.header.model)
        return json_text({"schema": SCHEMA, "command": self.header.command, "model": model})

    def _encode(self, result: Result, kept: Kept, first: int) -> Any:
        import pyarrow

        sheet, count = result.sheet, result.count
        columns = [_kept_column(cells, len(sheet.rows)) for cells in kept.values()]
        for k in range(len(sheet.columns)):
            leaves = [row[k] for row in sheet.rows]
            invalid = result.invalid if k >= sheet.labels else {}
            columns.append(_column(leaves, count, first, invalid))
        return pyarrow.record_batch(columns, names=[*kept, *sheet.columns])

    def _put(self, content: Any) -> None:
        import pyarrow

        if self._schema is None:
            self._schema = pyarrow.schema(
                [
                    (field.name, pyarrow.float64() if field.type == pyarrow.null() else field.type)
                    for field in content.schema
                ],
                metadata={_METADATA: self._facts},
            )
        self._waiting.append(_fitted(content, self._schema))
        self._bytes += content.nbytes
        if self._bytes >= GROUP_BYTES:
            self._write_group()

    def _write_group(self) -> None:
        import pyarrow

        table = pyarrow.Table.from_batches(self._waiting, self._schema).combine_chunks()
        if self._file is None:
            self._file = self._opened()
        self._file.write_table(table)
        self._waiting.clear()
        self._bytes = 0

    def _opened(self) -> Any:
        import pyarrow

        sink = pyarrow.PythonFile(_Sink(self.target), mode="w")
        if self._format == "parquet":
            import pyarrow.parquet as parquet

            return parquet.ParquetWriter(sink, self._schema)
        return pyarrow.ipc.new_file(sink, self._schema)

    def _finish(self, warnings: Sequence[str], extra: Mapping[str, Any]) -> None:
        import pyarrow

        if self._schema is None:
            self._schema = pyarrow.schema([], metadata={_METADATA: self._facts})
        if self._waiting or self._file is None:
            self._write_group()
        if self._format == "parquet" and (warnings or extra):
            told = json_text({**finite(extra), "warnings": list(warnings)})
            self._file.add_key_value_metadata({f"{_METADATA}.end": told.decode()})
        self._file.close()


def _column(leaves: Sequence[Leaf], count: int, first: int, invalid: Mapping[int, str]) -> Any:
    """The cells of a column, a leaf a row of each state: all rows of a state, then those of the next one."""
    import numpy as np
    import pyarrow

    rows = len(leaves)
    missing = np.zeros((count, rows), dtype=bool)
    missing[list(invalid)] = True
    if all(leaf is None or isinstance(leaf, float) or is_floats(leaf) for leaf in leaves):
        numbers = np.zeros((count, rows))
        for r, leaf in enumerate(leaves):
            if leaf is None:
                missing[:, r] = True
            else:
                numbers[:, r] = leaf
        missing |= np.isnan(numbers)
        if missing.all():
            return pyarrow.nulls(count * rows)
        return pyarrow.array(numbers.ravel(), mask=missing.ravel() if missing.any() else None)
    if all(leaf is STATE for leaf in leaves):
        return pyarrow.array(np.repeat(np.arange(first, first + count), rows))
    cells = [list(_cells(leaf, count, first)) for leaf in leaves]
    return _array([cell for state in zip(*cells, strict=True) for cell in state], missing.ravel())


def _cells(leaf: Leaf, count: int, first: int) -> Iterator[Any]:
    if leaf is STATE:
        yield from range(first, first + count)
    elif is_array(leaf):
        yield from leaf.tolist()
    else:
        yield from [leaf] * count


def _array(cells: Sequence[Any], missing: Any = None) -> Any:
    """Cells of one kind, or as text."""
    import pyarrow

    values = [None if cell is None or cell != cell else plain(cell) for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 or kinds & {dict, list}:
        if not kinds <= {int, float}:
            values = [
                value if value is None or isinstance(value, str) else json_text(finite(value)).decode()
                for value in values
            ]
        else:
            values = [None if value is None else float(value) for value in values]
    return pyarrow.array(values, mask=missing)


def _kept_column(cells: Sequence[Any], rows: int) -> Any:
    """A copied column, each cell for all rows of its state; text that is numbers throughout becomes numbers."""
    values = [None if cell == "" else kept_value(cell) for cell in cells]
    numbers = [value for value in values if value is not None]
    if all(isinstance(cell, str) or cell is None for cell in cells):
        exact = all(isinstance(value, (int, float)) and abs(value) <= _EXACT_INTEGERS for value in numbers)
        values = [None if v is None else float(v) for v in values] if exact else list(cells)
    return _array([value for value in values for _ in range(rows)])


def _fitted(batch: Any, schema: Any) -> Any:
    """A batch with the types of the first one."""
    import pyarrow

    columns = []
    for field, column in zip(schema, batch.columns, strict=True):
        try:
            columns.append(column.cast(field.type))
        except pyarrow.ArrowInvalid as error:
            raise StateError(
                f"column {field.name!r} began with {field.type} and goes on with {column.type}: {error}",
                hint="CSV and JSON lines take any text",
            ) from error
    return pyarrow.record_batch(columns, schema=schema)


class _Sink:
    """A target as the file object that pyarrow writes to."""

    closed = False

    def __init__(self, target: Target) -> None:
        self._target = target
        self._at = 0

    def write(self, data: Any) -> int:
        """Pass bytes on."""
        self._target.write(bytes(data))
        self._at += len(data)
        return len(data)

    def tell(self) -> int:
        """How much has been written."""
        return self._at

    def flush(self) -> None:
        """Targets flush themselves."""

    def close(self) -> None:
        """The target is closed by its writer."""
