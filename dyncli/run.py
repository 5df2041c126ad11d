"""The whole chain: blocks of states through a task into a writer. The only module that knows all of it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from dyncli.engine import Engine
from dyncli.errors import NumericsError
from dyncli.result import Result
from dyncli.states import StateBlock, echo_vectors
from dyncli.tasks.base import Answer, Task

OVERFLOW = "the numbers overflow: {name} is not finite"


class Sink(Protocol):
    """What a block's result is handed to: a writer, or a summary."""

    def write(self, result: Result, kept: Mapping[str, Sequence[Any]]) -> None:
        """Take one block's result."""


@dataclass(slots=True)
class Outcome:
    """How a run went: number of states, and those that have no answer: (running index, line or None, why)."""

    states: int = 0
    invalid: list[tuple[int, int | None, str]] = field(default_factory=list)


def run(
    task: Task,
    blocks: Iterable[StateBlock],
    sink: Sink,
    *,
    echo: bool = False,
    degrees: bool = False,
    one_state: bool = False,
    threads: int = 1,
    on_invalid: Callable[[int, int | None, str], None] | None = None,
) -> Outcome:
    """Answer every block and hand the results to `sink`.

    `echo`: input columns before the results. `one_state`: a state without an answer is NumericsError instead of an
    empty result, else `on_invalid` hears of each as it is met. `threads`: parts of a block computed at once.
    """
    outcome = Outcome()
    inputs = ("q", *task.needs)
    engine = engine_of(task)
    for block in blocks:
        answer = evaluate(task, block, engine, threads)
        invalid = {**non_finite(answer.values, task.unbounded, block.count), **answer.invalid, **block.invalid}
        if one_state and invalid:
            raise NumericsError(invalid[0])
        echoed = echo_vectors(task.tree, block, inputs, degrees=degrees) if echo else []
        values = {**{vector.prefix: list(vector.leaves) for vector in echoed}, **answer.values}
        sink.write(Result(block.count, values, answer.laid_out(echoed), invalid), block.kept)
        for k in sorted(invalid):
            found = (outcome.states + k, block.lines[k] if block.lines is not None else None, invalid[k])
            outcome.invalid.append(found)
            if on_invalid:
                on_invalid(*found)
        outcome.states += block.count
    return outcome


def engine_of(task: Task) -> Engine:
    """What runs the task's recursions: directly, or as a program once there are enough states."""
    return Engine(task.quantities, lambda: task.for_recording().quantities, recordable=task.recordable)


def evaluate(task: Task, block: StateBlock, engine: Engine | None = None, threads: int = 1) -> Answer:
    """The answer of one block; numbers that fail are inf or nan in it, never an exception or a warning."""
    engine = engine or engine_of(task)
    with _quiet_numbers():
        found = engine(block.count, block.q, block.qd, block.qdd, block.tau, threads=threads)
        return task.answer(found, block.count)


def non_finite(values: Mapping[str, Any], unbounded: frozenset[str], count: int) -> dict[int, str]:
    """States with an infinite or undefined number where none may be, and its name."""
    invalid: dict[int, str] = {}
    for name, template in values.items():
        if name in unbounded:
            continue
        for leaf in _leaves(template):
            if isinstance(leaf, float):
                at: Iterable[int] = () if math.isfinite(leaf) else range(count)
            elif getattr(leaf, "dtype", None) is not None and leaf.dtype.kind == "f":
                at = _bad_entries(leaf)
            else:
                continue
            for k in at:
                invalid.setdefault(k, OVERFLOW.format(name=name))
    return invalid


def _bad_entries(leaf: Any) -> list[int]:
    import numpy as np

    finite = np.isfinite(leaf)
    bad: list[int] = [] if finite.all() else np.flatnonzero(~finite).tolist()
    return bad


def _leaves(template: Any) -> Iterator[Any]:
    """All leaves of nested lists and mappings."""
    stack = [template]
    while stack:
        top = stack.pop()
        if isinstance(top, Mapping):
            stack += top.values()
        elif isinstance(top, (list, tuple)):
            stack += top
        else:
            yield top


@contextmanager
def _quiet_numbers() -> Iterator[None]:
    """Overflow and division by zero are looked for in the results; NumPy need not warn of them."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        yield
        return
    with numpy.errstate(all="ignore"):
        yield
