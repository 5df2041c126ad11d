"""YAML: one state, a list of states, or a document a state.

All plain values are read as the text they are, and made numbers where a number is wanted: so 1e-3 is a number, 012 is
twelve, 1:30 is no number, and a joint may be called `no`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dyncli.errors import StateError
from dyncli.readers.records import in_memory, records_of
from dyncli.readers.source import Source
from dyncli.readers.table import Table

_NOTHING = ("", "~", "null", "Null", "NULL")


def open_table(source: Source) -> Table:
    """The table of an open YAML file, which is read whole."""
    records = [
        record
        for document in _documents(source.everything(), source.path)
        for record in records_of(document)
        if record not in _NOTHING
    ]
    return in_memory(source.path, [_with_nulls(record) for record in records])


def _with_nulls(record: Any) -> Any:
    if not isinstance(record, Mapping):
        return record
    return {key: None if isinstance(value, str) and value in _NOTHING else value for key, value in record.items()}


def _documents(text: bytes, path: str) -> list[Any]:
    import yaml

    class Loader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
        """Text, lists and mappings in which no name stands twice."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            made = super().construct_mapping(node, deep=deep)
            if len(made) < len(node.value):
                raise yaml.constructor.ConstructorError(None, None, "a name stands twice", node.start_mark)
            return made

    try:
        return list(yaml.load_all(text, Loader=Loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark is not None else path
        raise StateError(f"{place}: not YAML: {getattr(error, 'problem', None) or error}") from error
    except RecursionError:
        raise StateError(f"{path}: nested too deeply") from None
