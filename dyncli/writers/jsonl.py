"""JSON lines: one result a line, nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dyncli.result import Header, Result
from dyncli.writers.base import Kept, Layout, Writer
from dyncli.writers.fast import json_text
from dyncli.writers.target import Target
from dyncli.writers.templates import state_values


def make_writer(target: Target, header: Header, layout: Layout) -> Writer:
    """A writer of JSON lines."""
    return JsonLinesWriter(target, header)


class JsonLinesWriter(Writer):
    """A JSON object a state."""

    def _encode(self, result: Result, kept: Kept, first: int) -> bytes:
        return b"".join(json_text(state) + b"\n" for state in state_values(result, kept))

    def _put(self, content: bytes) -> None:
        self.target.write(content)

    def _finish(self, warnings: Sequence[str], extra: Mapping[str, Any]) -> None:
        """Lines have no place for anything but results."""
