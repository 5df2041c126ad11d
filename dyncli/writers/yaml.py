"""YAML: the same mapping as JSON, its results written as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dyncli.result import SCHEMA, Header, Result
from dyncli.writers.base import Kept, Layout, Writer
from dyncli.writers.target import Target
from dyncli.writers.templates import finite, state_values


def make_writer(target: Target, header: Header, layout: Layout) -> Writer:
    """A writer of one YAML document."""
    return YamlWriter(target, header)


class YamlWriter(Writer):
    """Keys `schema`, `command`, `model`, `results`, `warnings`; lists of numbers on one line."""

    def __init__(self, target: Target, header: Header) -> None:
        super().__init__(target, header)
        self._begun = False

    def _begin(self) -> bytes:
        self._begun = True
        return _text({"schema": SCHEMA, "command": self.header.command, "model": finite(self.header.model)})

    def _encode(self, result: Result, kept: Kept, first: int) -> bytes:
        states = state_values(result, kept)
        return _text(states) if states else b""

    def _put(self, content: bytes) -> None:
        begin = b"" if self._begun else self._begin()
        key = b"results:\n" if content and not self.states else b""
        self.target.write(begin + key + content)

    def _finish(self, warnings: Sequence[str], extra: Mapping[str, Any]) -> None:
        text = b"" if self._begun else self._begin()
        text += b"" if self.states else b"results: []\n"
        self.target.write(text + _text({**finite(extra), "warnings": list(warnings)}))


def _text(value: Any) -> bytes:
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text: bytes = yaml.dump(
        value,
        Dumper=dumper,
        encoding="utf-8",
        default_flow_style=None,
        sort_keys=False,
        allow_unicode=True,
        width=2**30,
    )
    return text
