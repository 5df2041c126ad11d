"""`--cluster`: parts of a table answered by the workers of a Dask cluster, put in order. Needs the extra `cluster`.

Each part goes to some worker with the robot and its options as plain values. The worker reads its stretch of the file,
which must be under the same path there, and sends back blocks that only have to be put. A few parts are asked for
ahead, so memory stays bounded. The scheduler has a part computed again whose worker died.

The one module that imports dask.distributed.
"""

from __future__ import annotations

import logging
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dyncli.errors import DynError, MissingExtraError, StateError, UsageError
from dyncli.run import Answered, Answering, Invalid, Outcome, Sink, account, run
from dyncli.states.table import Observed, TableStates, table_states
from dyncli.structs import struct

if TYPE_CHECKING:
    from dyncli.readers.table import Part
    from dyncli.summary import Summary
    from dyncli.tasks.base import Task
    from dyncli.writers import Writer

LOCAL = "local"
AHEAD = 2
"""Parts that are asked for beyond those that the workers are at."""
_KEPT = {"MALLOC_TRIM_THRESHOLD_": 1 << 26, "MALLOC_MMAP_THRESHOLD_": 1 << 25}
"""Processes keep freed memory for the next part, where Dask's own setting gives it back at once (C library of GNU)."""
PATIENCE = 20.0
"""Seconds for which a scheduler may be silent when it is called."""


@struct
class Order:
    """What a worker needs to know beside its part; all of it can be pickled. `reading`: arguments of `table_states`."""

    task: Task
    encoder: Writer | Summary
    reading: dict[str, Any]
    echo: bool
    degrees: bool


@struct
class PartAnswered:
    """What a worker sends back: blocks, and what it observed or the error that stopped it."""

    blocks: list[Answered]
    observed: Observed | None = None
    error: DynError | None = None


def run_on_cluster(
    address: str,
    order: Order,
    states: TableStates,
    sink: Sink,
    *,
    on_invalid: Callable[[Invalid], None] | None = None,
    on_part: Callable[[], None] | None = None,
) -> Outcome:
    """Answer every part of `states` on the cluster at `address` (`local`, `local:N`: processes of this machine).

    `sink` takes the blocks in order; `on_part` is called before those of each part. Raises UsageError where no
    scheduler answers or its workers die again and again.
    """
    outcome = Outcome()
    with connected(address) as client:
        for part, answered in _in_order(client, pickle.dumps(order), states.parts()):
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
    if not outcome.states:  # a header alone: its columns are still wanted in the output
        return run(Answering(order.task, order.encoder, echo=order.echo, degrees=order.degrees), states, sink)
    states.finish()
    return outcome


def answer_part(order: bytes, part: Part, first: int) -> PartAnswered:
    """The work of a worker: the answers of one part; `first`: running index of its first state."""
    said, answering = _prepared(order)
    blocks: list[Answered] = []
    try:
        with part.open() as table:
            states = table_states(answering.task.tree, table, **said.reading)
            blocks.extend(answering.all(states, first))
            return PartAnswered(blocks, states.observed())
    except DynError as error:
        return PartAnswered(blocks, error=error)


@lru_cache(maxsize=4)
def _prepared(order: bytes) -> tuple[Order, Answering]:
    """An order and what answers it, kept by a worker for all parts of a run, so that a program is made once."""
    said: Order = pickle.loads(order)
    return said, Answering(said.task, said.encoder, echo=said.echo, degrees=said.degrees)


def _in_order(client: Any, order: bytes, parts: Iterator[Part]) -> Iterator[tuple[Part, PartAnswered]]:
    """Each part with its answer; a few are under way beyond the one that is waited for."""
    waiting: deque[tuple[Part, Any]] = deque()
    first = 0
    room = sum(client.nthreads().values()) + AHEAD
    try:
        for part in parts:
            future = client.submit(answer_part, order, part, first, pure=False)
            first += part.rows
            waiting.append((part, future))
            if len(waiting) >= room:
                part, future = waiting.popleft()
                yield part, _result(future)
        while waiting:
            part, future = waiting.popleft()
            yield part, _result(future)
    finally:
        client.cancel([future for _, future in waiting])


def _result(future: Any) -> PartAnswered:
    from distributed import KilledWorker

    try:
        answered: PartAnswered = future.result()
    except KilledWorker as error:
        raise UsageError(
            f"--cluster: the workers that had a part of the states died, again and again: {error}",
            hint="have they enough memory?",
        ) from error
    except ImportError as error:
        raise UsageError(
            f"--cluster: a worker lacks a package: {error}", hint="they need dyncli as it is here"
        ) from error
    except (OSError, CancelledError) as error:
        raise UsageError(f"--cluster: the scheduler was lost: {error}") from error
    return answered


def _placed(block: Answered, offset: int) -> Answered:
    """A block whose lines are those of the whole table."""
    lines = [(state, None if line is None else line + offset, why) for state, line, why in block.invalid]
    return Answered(block.count, block.encoded, lines)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the cluster at `address`; for `local` the processes are started, and ended again."""
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("distributed", "cluster", "--cluster") from None
    dask: Any = distributed
    kind, _, count = address.partition(":")
    if kind == LOCAL:
        if count and not (count.isdecimal() and int(count)):
            raise UsageError(f"--cluster {address}: {count!r} is no number of processes", hint="local or local:N")
        with _processes(dask, int(count) if count else None) as cluster, dask.Client(cluster) as client:
            yield client
        return
    try:
        client = dask.Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(
            f"--cluster {address}: no scheduler answers: {error}",
            hint="local, local:N or HOST:PORT of a Dask scheduler",
        ) from error
    with client:
        yield client


def _processes(dask: Any, count: int | None) -> Any:
    """A cluster of `count` processes of this machine (None: the cores)."""
    from dask import config

    kept = config.set({f"distributed.nanny.pre-spawn-environ.{name}": size for name, size in _KEPT.items()})
    with kept, _interrupts_ignored():
        return dask.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ignore Ctrl-C; so do the processes that start meanwhile, for good: the one that started them ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
