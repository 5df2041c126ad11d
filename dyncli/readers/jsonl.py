"""JSON lines: a state a line, read block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dyncli.readers.json_text import parsed
from dyncli.readers.records import RecordTable, records_of
from dyncli.readers.source import Source
from dyncli.readers.table import Table


def open_table(source: Source) -> Table:
    """The table of an open file of JSON lines; blank lines are skipped."""
    return RecordTable(source.path, _groups(source), "line")


def _groups(source: Source) -> Iterator[list[tuple[int, Any]]]:
    line = 1
    for piece in source.pieces():
        group: list[tuple[int, Any]] = []
        for text in piece.splitlines():
            if text.strip():
                group += [(line, record) for record in records_of(parsed(text, source.path, line))]
            line += 1
        if group:
            yield group
