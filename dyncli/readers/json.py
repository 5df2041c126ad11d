"""JSON: one state, a list of states, or the output of an earlier command."""

from __future__ import annotations

from dyncli.errors import StateError
from dyncli.readers.json_text import parsed
from dyncli.readers.records import in_memory, records_of
from dyncli.readers.source import Source
from dyncli.readers.table import Table


def open_table(source: Source) -> Table:
    """The table of an open JSON file, which is read whole."""
    text = source.everything()
    if not text.strip():
        raise StateError(f"{source.path}: no states: the file is empty")
    return in_memory(source.path, records_of(parsed(text, source.path)))
