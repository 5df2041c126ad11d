"""The command line in this process, for tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from dyncli.cli.main import run


class Answer:
    """What one run of the command line gave."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    def json(self) -> dict:
        return json.loads(self.out, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))

    def results(self) -> list[dict]:
        return self.json()["results"]

    def result(self) -> dict:
        return self.results()[0]

    def rows(self) -> list[list[str]]:
        return [line.split(",") for line in self.out.splitlines()]


def caller(capsys: Any, *, json_unless_named: bool = False) -> Callable[..., Answer]:
    """A function that runs `dyn` with its arguments; JSON comes out if `json_unless_named` and no format is named."""

    def call(*arguments: object) -> Answer:
        words = [str(argument) for argument in arguments]
        if json_unless_named and "-f" not in words and "-o" not in words:
            words += ["-f", "json"]
        with pytest.raises(SystemExit) as ended:
            run(words)
        streams = capsys.readouterr()
        return Answer(int(ended.value.code or 0), streams.out, streams.err)

    return call
