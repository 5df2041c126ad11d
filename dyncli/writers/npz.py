"""NPZ: an array for every key, states first; spooled to disk while it grows, so that memory does not."""

from __future__ import annotations

import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from dyncli.errors import UsageError
from dyncli.result import SCHEMA, Header, Result
from dyncli.writers.base import Kept, Layout, Writer
from dyncli.writers.fast import json_text
from dyncli.writers.target import Target
from dyncli.writers.templates import finite, is_array, kept_value

Array = NDArray[Any]

_IN_MEMORY = 1 << 24
"""Bytes of an array before it goes to disk."""


def make_writer(target: Target, header: Header, layout: Layout) -> Writer:
    """A writer of an NPZ archive. Raises UsageError on a terminal."""
    if target.interactive:
        raise UsageError("npz is binary and not for a terminal", hint="-o FILE.npz writes it to a file")
    return NpzWriter(target, header)


class NpzWriter(Writer):
    """Arrays named after the keys of a result (`tau`, `reactions/elbow/force`), of shape (states, ...).

    `header`: the JSON text of command, model and warnings; `invalid`: which states have no answer (NaN in the others).
    """

    def __init__(self, target: Target, header: Header) -> None:
        super().__init__(target, header)
        self._columns: dict[str, _Column] = {}

    def _encode(self, result: Result, kept: Kept, first: int) -> dict[str, Array]:
        bad = sorted(result.invalid)
        arrays = {}
        for key, template in _flat("", result.values):
            arrays[key] = array = _array(template, result.count)
            if bad:
                arrays[key] = array = array.astype(np.float64) if array.dtype.kind in "iu" else array
                array[bad] = {"f": np.nan, "b": False}.get(array.dtype.kind, "")
        for name, cells in kept.items():
            arrays.setdefault(name, np.array([kept_value(cell) for cell in cells]))
        invalid = np.zeros(result.count, dtype=np.bool_)
        invalid[bad] = True
        return {**arrays, "invalid": invalid}

    def _put(self, content: dict[str, Array]) -> None:
        for name, array in content.items():
            self._columns.setdefault(name, _Column()).append(array)

    def _finish(self, warnings: Sequence[str], extra: Mapping[str, Any]) -> None:
        facts = {"schema": SCHEMA, "command": self.header.command, "model": finite(self.header.model)}
        header = json_text({**facts, **finite(extra), "warnings": list(warnings)}).decode()
        with zipfile.ZipFile(cast("IO[bytes]", _Sink(self.target)), "w", zipfile.ZIP_STORED) as archive:
            with archive.open("header.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.array(header), allow_pickle=False)
            for name, column in self._columns.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    column.write(file)


def _flat(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Templates without mappings, under the names that lead to them."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{key}/", value)
        else:
            yield f"{prefix}{key}", value


def _array(template: Any, count: int) -> Array:
    """A template as one array of shape (count, ...); what holds more than numbers becomes text."""
    if is_array(template):
        return _numbers_or_text(template)
    if isinstance(template, (list, tuple)):
        parts = [_array(item, count) for item in template]
        return np.stack(parts, axis=1) if parts else np.empty((count, 0))
    value = np.nan if template is None else template
    return np.repeat(_numbers_or_text(np.array([value])), count, axis=0)


def _numbers_or_text(array: Array) -> Array:
    if array.dtype.kind in "fiubU":
        return array.copy()
    values = array.tolist()
    if all(value is None or isinstance(value, float) for value in values):
        return np.array([np.nan if value is None else value for value in values])
    return np.array([value if isinstance(value, str) else json_text(finite(value)).decode() for value in values])


class _Column:
    """An array that grows by blocks; numbers are spooled, texts are kept (their width is known at the end only)."""

    def __init__(self) -> None:
        self._spool = cast("BinaryIO", tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY))  # noqa: SIM115 - until written
        weakref.finalize(self, self._spool.close)
        self._texts: list[Array] = []
        self._like: Array | None = None
        self._rows = 0

    def append(self, block: Array) -> None:
        """Add rows."""
        self._rows += len(block)
        if block.dtype.kind == "U" or self._texts:
            self._texts.append(block)
            return
        if self._like is None:
            self._like = block[:0].copy()
        self._spool.write(np.ascontiguousarray(block, dtype=self._like.dtype).tobytes())

    def write(self, file: IO[bytes]) -> None:
        """The whole array in NPY format."""
        if self._texts or self._like is None:
            parts = self._texts or [np.empty(0)]
            np.lib.format.write_array(file, np.concatenate(parts), allow_pickle=False)
            return
        described = {
            "descr": np.lib.format.dtype_to_descr(self._like.dtype),
            "fortran_order": False,
            "shape": (self._rows, *self._like.shape[1:]),
        }
        np.lib.format.write_array_header_1_0(file, described)
        self._spool.seek(0)
        shutil.copyfileobj(self._spool, file, 1 << 20)


class _Sink:
    """A target as a file that can only be written onwards."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def write(self, data: bytes) -> int:
        """Pass bytes on."""
        self._target.write(data)
        return len(data)

    def flush(self) -> None:
        """Targets flush themselves."""
