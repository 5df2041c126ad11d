"""JSON: one object, its results written as they come; always strict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dyncli.result import SCHEMA, Header, Result
from dyncli.writers.base import Kept, Layout, Writer
from dyncli.writers.fast import json_text
from dyncli.writers.target import Target
from dyncli.writers.templates import finite, state_values


def make_writer(target: Target, header: Header, layout: Layout) -> Writer:
    """A writer of one JSON object."""
    return JsonWriter(target, header)


class JsonWriter(Writer):
    """`{"schema", "command", "model", "results": [...], "warnings": [...]}`, one state a line."""

    def __init__(self, target: Target, header: Header) -> None:
        super().__init__(target, header)
        self._begun = False

    def _begin(self) -> bytes:
        self._begun = True
        facts = {"schema": SCHEMA, "command": self.header.command, "model": finite(self.header.model)}
        return json_text(facts)[:-1] + b', "results": ['

    def _encode(self, result: Result, kept: Kept, first: int) -> bytes:
        return b",\n".join(json_text(state) for state in state_values(result, kept))

    def _put(self, content: bytes) -> None:
        begin = b"" if self._begun else self._begin()
        between = (b",\n" if self.states else b"\n") if content else b""
        self.target.write(begin + between + content)

    def _finish(self, warnings: Sequence[str], extra: Mapping[str, Any]) -> None:
        begin = b"" if self._begun else self._begin()
        rest = json_text({**finite(extra), "warnings": list(warnings)})
        self.target.write(begin + (b"\n" if self.states else b"") + b"], " + rest[1:] + b"\n")
