"""The whole chain: blocks of states through a task into a writer. The only module that knows all of it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Protocol

from dyncli.engine import Engine
from dyncli.errors import NumericsError
from dyncli.pipeline import in_order
from dyncli.result import Result
from dyncli.states.block import StateBlock, echo_vectors
from dyncli.states.source import Job, States
from dyncli.structs import struct
from dyncli.tasks.base import Answer, Task

OVERFLOW = "the numbers overflow: {name} is not finite"


class Encoder(Protocol):
    """The part of a writer, or of a summary, that works on one block at a time."""

    def encode(self, result: Result, kept: Mapping[str, Sequence[Any]], first: int) -> Any:
        """Do what does not depend on other blocks, on any thread; `first`: running index of the first state."""


class Sink(Encoder, Protocol):
    """What a block's result is handed to: a writer, or a summary."""

    def put(self, encoded: Any) -> None:
        """Take what `encode` made, in the order of the states."""


Invalid = tuple[int, int | None, str]
"""A state without an answer: its running index, its line (None where there is none), and why."""


@struct(frozen=False)
class Outcome:
    """How a run went: number of states, and of those that have no answer."""

    states: int = 0
    invalid: int = 0


@struct
class Answered:
    """A block that only has to be put."""

    count: int
    encoded: Any
    invalid: list[Invalid]


class Answering:
    """From blocks of states to results that only have to be put; blocks may be answered on any threads.

    `echo`: input columns before the results. `one_state`: a state without an answer is NumericsError instead of an
    empty result.
    """

    def __init__(
        self, task: Task, encoder: Encoder, *, echo: bool = False, degrees: bool = False, one_state: bool = False
    ) -> None:
        self.task = task
        self._encoder = encoder
        self._echo = ("q", *task.needs) if echo else ()
        self._degrees = degrees
        self._one_state = one_state
        self._engine = engine_of(task)

    def __call__(self, block: StateBlock, first: int) -> Answered:
        """The answer of one block; `first`: running index of its first state."""
        task = self.task
        answer = evaluate(task, block, self._engine, first)
        invalid = {**non_finite(answer.values, task.unbounded, block.count), **answer.invalid, **block.invalid}
        if self._one_state and invalid:
            raise NumericsError(invalid[0])
        echoed = echo_vectors(task.tree, block, self._echo, degrees=self._degrees)
        values = {**{vector.prefix: list(vector.leaves) for vector in echoed}, **answer.values}
        result = Result(block.count, values, answer.laid_out(echoed), invalid)
        lines = block.lines
        found = [(first + k, None if lines is None else lines[k], invalid[k]) for k in sorted(invalid)]
        return Answered(block.count, self._encoder.encode(result, block.kept, first), found)

    def all(self, states: States, first: int = 0, threads: int = 1) -> Generator[Answered, None, None]:
        """The answers of all blocks in order; `first`: running index of the first state of all."""
        return in_order(self._pieces(states), _count, lambda block, before: self(block, first + before), threads)

    def _pieces(self, states: States) -> Iterator[Job]:
        """Jobs whose blocks are no longer than the task bears."""
        longest = self.task.longest_block
        if longest is None:
            yield from states.pieces()
            return
        for piece in states.pieces():
            block = piece()
            for start in range(0, max(block.count, 1), longest):
                yield partial(block.part, start, min(start + longest, block.count))


def _count(block: StateBlock) -> int:
    return block.count


def run(
    answering: Answering,
    states: States,
    sink: Sink,
    *,
    threads: int = 1,
    on_invalid: Callable[[Invalid], None] | None = None,
) -> Outcome:
    """Answer every block of `states`, on several threads where there are many, and hand the results to `sink` in order.

    `on_invalid` hears of each state without an answer as it is met.
    """
    outcome = Outcome()
    with closing(answering.all(states, threads=threads)) as blocks:
        for block in blocks:
            sink.put(block.encoded)
            account(block, outcome, on_invalid)
            states.passed(block.count)
    states.finish()
    return outcome


def account(block: Answered, outcome: Outcome, on_invalid: Callable[[Invalid], None] | None) -> None:
    """Count a block that has been put, and tell of its states without an answer."""
    outcome.states += block.count
    outcome.invalid += len(block.invalid)
    if on_invalid:
        for found in block.invalid:
            on_invalid(found)


def engine_of(task: Task) -> Engine:
    """What runs the task's recursions: directly, or as a program once there are enough states."""
    return Engine(task.quantities, lambda: task.for_recording().quantities, recordable=task.recordable)


def evaluate(task: Task, block: StateBlock, engine: Engine | None = None, before: int | None = None) -> Answer:
    """The answer of one block; numbers that fail are inf or nan in it, never an exception or a warning.

    `before`: how many states came before it, if not counted by `engine` itself.
    """
    engine = engine or engine_of(task)
    with _quiet_numbers():
        found = engine(block.count, block.q, block.qd, block.qdd, block.tau, before=before)
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
