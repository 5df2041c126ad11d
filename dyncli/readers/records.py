"""Tables of records (JSON, JSON lines, YAML): a mapping a state, or a list of numbers.

A value of `q`, `qd`, `qdd`, `tau` is a list in model order or a mapping by name; any other key is a column of its own;
what stands under `kept` are columns too. The output of a command can be read again: its records are those in `results`.
Numbers may stand as text where a number is wanted, since YAML 1.1 takes 1e-3 for text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from dyncli.errors import StateError
from dyncli.readers.numbers import number
from dyncli.readers.table import BLOCK_ROWS, BLOCKS, Column, Table, TableBlock

Path: TypeAlias = tuple[str | int, ...]
"""Keys that lead from a record to one value."""

_SHOWN = 40


def records_of(document: Any) -> list[Any]:
    """The records of a whole document: its own, those of its list, or those of an earlier command's `results`."""
    if isinstance(document, Mapping) and isinstance(document.get("results"), list):
        return list(document["results"])
    if isinstance(document, list) and (not document or isinstance(document[0], (list, Mapping))):
        return document
    return [document]


class RecordTable(Table):
    """Rows out of records; `records` yields (where it stands in the file, record), groups as they become known."""

    def __init__(self, path: str, groups: Iterator[list[tuple[int, Any]]], unit: str) -> None:
        self.path = path
        self.unit = unit
        self._first = next(groups, [])
        self._groups = groups
        self._signature = _signature(self._first[0][1]) if self._first else None
        self._paths = self._layout()
        self.width = len(self._paths)
        headless = bool(self._first) and isinstance(self._first[0][1], list)
        self.columns: tuple[Column, ...] | None = None if headless else tuple(map(_column, self._paths))

    def pieces(self, numbers: Sequence[int], texts: Sequence[int] = ()) -> Iterator[Callable[[], TableBlock]]:
        """See `Table.pieces`."""
        yield partial(self._block, self._first, numbers, texts)
        for group in self._groups:
            yield partial(self._block, group, numbers, texts)

    def _layout(self) -> list[Path]:
        """Columns, from the first record; of a block that is null there, from the first one that says more."""
        if not self._first:
            raise StateError(f"{self.path}: no states: the file is empty")
        place, model = self._first[0]
        if isinstance(model, list):
            return [(k,) for k in range(len(model))]
        if not isinstance(model, Mapping):
            raise StateError(
                f"{self.place(place)}: a state is a mapping such as {{q: [...], qd: [...]}} or a list of numbers, "
                f"not {_shown(model)}"
            )
        paths: list[Path] = []
        for key, value in model.items():
            if value is None and key in BLOCKS:
                value = next((r[key] for _, r in self._first if isinstance(r, Mapping) and r.get(key)), None)
                if value is None:
                    continue
            paths += self._paths_of(self._name(key, place), value, place)
        return paths

    def _paths_of(self, key: str, value: Any, place: int) -> list[Path]:
        if key in BLOCKS:
            if isinstance(value, list):
                return [(key, k) for k in range(len(value))]
            if isinstance(value, Mapping):
                return [(key, self._name(name, place)) for name in value]
            return [(key,)]
        if key == "kept" and isinstance(value, Mapping):
            return [(key, self._name(name, place)) for name in value]
        return [(key,)]

    def _name(self, key: Any, place: int) -> str:
        if not isinstance(key, str):
            raise StateError(f"{self.place(place)}: the name {key!r} was read as {type(key).__name__}", hint="quote it")
        return key

    def _block(self, group: list[tuple[int, Any]], numbers: Sequence[int], texts: Sequence[int]) -> TableBlock:
        for place, record in group:
            if _signature(record) != self._signature:
                self._check_shape(record, place)
        places = [place for place, _ in group]
        columns = [
            [
                value if type(value) is float else self._number(value, k, place)
                for value, place in zip(_values(group, self._paths[k]), places, strict=True)
            ]
            for k in numbers
        ]
        kept: list[Sequence[Any]] = [_values(group, self._paths[k]) for k in texts]
        return TableBlock(len(group), columns, kept, places)

    def _check_shape(self, record: Any, place: int) -> None:
        """Every record must have what the first one has, and nothing else."""
        if self.columns is None:
            if not isinstance(record, list) or len(record) != self.width:
                found = f"{len(record)} values" if isinstance(record, list) else _shown(record)
                raise StateError(f"{self.place(place)}: {found}, expected {self.width} numbers as in the first state")
            return
        if not isinstance(record, Mapping):
            raise StateError(f"{self.place(place)}: a mapping was expected as in the first state, not {_shown(record)}")
        own = [path for key, value in record.items() for path in self._paths_of(self._name(key, place), value, place)]
        known = set(self._paths)
        for path in own:
            if path not in known and _values([(place, record)], path) != [None] and path[0] not in ("invalid", "why"):
                raise StateError(f"{self.place(place)}: {_called(path)} stands here but not in the first state")
        for path in known.difference(own):
            if record.get(path[0], record) is not None and path[0] not in ("invalid", "why"):
                raise StateError(f"{self.place(place)}: {_called(path)} is missing, which the first state has")

    def _number(self, value: Any, column: int, place: int) -> float:
        path = self._paths[column]
        if value is None:
            return math.nan
        try:
            if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                raise ValueError
            return number(value) if isinstance(value, str) else float(value)
        except OverflowError:
            return math.inf
        except ValueError:
            what = "text that is no number" if isinstance(value, str) else "not a number"
            raise StateError(f"{self.place(place)}: {_called(path)} is {what}: {_shown(value)}") from None


def in_memory(path: str, records: Iterable[Any], unit: str = "record") -> RecordTable:
    """The table of records that are all there, counted from 1."""
    numbered = enumerate(records, 1)
    return RecordTable(path, iter(lambda: list(islice(numbered, BLOCK_ROWS)), []), unit)


def _signature(record: Any) -> Any:
    """Names and lengths: equal for records that have the same shape."""
    if not isinstance(record, Mapping):
        return len(record) if isinstance(record, list) else None
    return [
        (key, len(value) if isinstance(value, list) else tuple(value) if isinstance(value, Mapping) else value is None)
        for key, value in record.items()
    ]


def _values(group: list[tuple[int, Any]], path: Path) -> list[Any]:
    """What the path leads to in each record; None where a mapping on the way is null or lacks the name."""
    found = [record for _, record in group]
    for key in path:
        if isinstance(key, int):
            found = [None if inner is None else inner[key] for inner in found]
        else:
            found = [None if inner is None else inner.get(key) for inner in found]
    return found


def _column(path: Path) -> Column:
    first, *rest = path
    if not rest:
        return ("q", 0) if first == "q" else (str(first), 0) if first in BLOCKS else str(first)
    (inner,) = rest
    if isinstance(inner, int):
        return (str(first), inner)
    return inner if first == "kept" else f"{first}_{inner}"


def _called(path: Path) -> str:
    return repr(path[0]) + "".join(f"[{key!r}]" for key in path[1:])


def _shown(value: Any) -> str:
    text = "null" if value is None else repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
