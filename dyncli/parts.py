"""Parts of the states answered by other processes, and put in order.

The processes are those of a Dask cluster (`cluster.py`) or forked from this one (`forks.py`). Each gets the task once
and then parts, which open themselves; it sends back blocks that only have to be put. A few parts are under way at a
time, so memory stays bounded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Protocol, TypeVar

from dyncli.errors import DynError, StateError
from dyncli.run import Answered, Answering, Invalid, Outcome, Sink, account, run
from dyncli.states.source import Observed, States, StatesPart
from dyncli.structs import struct

AHEAD = 2
"""Parts that are asked for beyond those that the processes are at."""


@struct
class PartAnswered:
    """What a process sends back: blocks, and what it observed or the error that stopped it."""

    blocks: list[Answered]
    observed: Observed | None = None
    error: Exception | None = None


Pending = TypeVar("Pending")


class Processes(Protocol[Pending]):
    """Processes that answer parts; used as a context manager, at whose end they are told to stop."""

    @property
    def room(self) -> int:
        """How many parts may be under way at once."""

    def submit(self, part: StatesPart, first: int) -> Pending:
        """Have a part answered; `first`: running index of its first state."""

    def result(self, pending: Pending) -> PartAnswered:
        """Wait for an answer."""

    def cancel(self, pending: Iterable[Pending]) -> None:
        """Say that answers are no longer wanted."""


Results = Iterable[tuple[StatesPart, PartAnswered]]


def answer_part(answering: Answering, part: StatesPart, first: int) -> PartAnswered:
    """The answers of one part; `first`: running index of its first state. What is wrong with a row is no exception."""
    blocks: list[Answered] = []
    try:
        with part.open(answering.task.tree) as states:
            blocks.extend(answering.all(states, first))
            return PartAnswered(blocks, states.observed())
    except DynError as error:
        return PartAnswered(blocks, error=error)


def in_order(
    processes: Processes[Pending], parts: Iterator[StatesPart], first: int = 0
) -> Generator[tuple[StatesPart, PartAnswered], None, None]:
    """Each part with its answer; `first`: running index of the first state of all."""
    waiting: deque[tuple[StatesPart, Pending]] = deque()
    try:
        for part in parts:
            waiting.append((part, processes.submit(part, first)))
            first += part.rows
            if len(waiting) >= processes.room:
                part, pending = waiting.popleft()
                yield part, processes.result(pending)
        while waiting:
            part, pending = waiting.popleft()
            yield part, processes.result(pending)
    finally:
        processes.cancel([pending for _, pending in waiting])


def put_all(
    answering: Answering,
    results: Results,
    states: States,
    sink: Sink,
    *,
    on_invalid: Callable[[Invalid], None] | None = None,
    on_part: Callable[[], None] | None = None,
) -> Outcome:
    """Hand the answers of all parts of `states` to `sink`; `on_part` is called before those of each part.

    `answering`: what answers states without any rows, of which only the names of the columns are wanted.
    """
    outcome = Outcome()
    for part, answered in results:
        if on_part:
            on_part()
        for block in answered.blocks:
            sink.put(block.encoded)
            account(_placed(block, part.offset), outcome, on_invalid)
            states.passed(block.count)
        if answered.error:
            raise answered.error
        if answered.observed:
            states.take(answered.observed, part.offset)
        if sum(block.count for block in answered.blocks) != part.rows:
            raise StateError(f"{states.place(part.offset)}: the file changed while it was read")
    if not outcome.states:
        return run(answering, states, sink)
    states.finish()
    return outcome


def _placed(block: Answered, offset: int) -> Answered:
    """A block whose lines are those of all states."""
    lines = [(state, None if line is None else line + offset, why) for state, line, why in block.invalid]
    return Answered(block.count, block.encoded, lines)
