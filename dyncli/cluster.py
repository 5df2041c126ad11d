"""`--cluster`: parts of the states answered by the workers of a Dask cluster. Needs the extra `cluster`.

Each part goes to some worker with the robot and its options as plain values. The worker reads its stretch of the file,
which must be under the same path there; rows of packed files and archives, and where in its stream of random numbers a
sample begins, go with the part. The scheduler has a part computed again whose worker died.

The one module that imports dask.distributed.
"""

from __future__ import annotations

import logging
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dyncli.errors import MissingExtraError, UsageError
from dyncli.parts import AHEAD, PartAnswered, answer_part, in_order, put_all
from dyncli.run import Answering, Invalid, Outcome, Sink
from dyncli.structs import struct

if TYPE_CHECKING:
    from dyncli.states.source import States, StatesPart
    from dyncli.summary import Summary
    from dyncli.tasks.base import Task
    from dyncli.writers import Writer

LOCAL = "local"
PART_BLOCKS = 12
"""Blocks of a part, some ten megabytes: a second of work or less, so that little is lost with a worker."""
_KEPT = {"MALLOC_TRIM_THRESHOLD_": 1 << 26, "MALLOC_MMAP_THRESHOLD_": 1 << 25}
"""Processes keep freed memory for the next part, where Dask's own setting gives it back at once (C library of GNU)."""
PATIENCE = 20.0
"""Seconds for which a scheduler may be silent when it is called."""


@struct
class Order:
    """What a worker needs to know beside its part; all of it can be pickled."""

    task: Task
    encoder: Writer | Summary
    echo: bool
    degrees: bool

    def answering(self) -> Answering:
        """What answers it."""
        return Answering(self.task, self.encoder, echo=self.echo, degrees=self.degrees)


def run_on_cluster(
    address: str,
    order: Order,
    states: States,
    sink: Sink,
    *,
    on_invalid: Callable[[Invalid], None] | None = None,
    on_part: Callable[[], None] | None = None,
) -> Outcome:
    """Answer every part of `states` on the cluster at `address` (`local`, `local:N`: processes of this machine).

    `sink` takes the blocks in order; `on_part` is called before those of each part. Raises UsageError where no
    scheduler answers or its workers die again and again.
    """
    with (
        connected(address) as client,
        closing(in_order(_Workers(client, order), states.parts(PART_BLOCKS))) as results,
    ):
        return put_all(order.answering(), results, states, sink, on_invalid=on_invalid, on_part=on_part)


def answer(order: bytes, part: StatesPart, first: int) -> PartAnswered:
    """The work of a worker: the answers of one part; `first`: running index of its first state."""
    return answer_part(_answering(order), part, first)


@lru_cache(maxsize=4)
def _answering(order: bytes) -> Answering:
    """What answers an order, kept by a worker for all parts of a run, so that a program is made once."""
    said: Order = pickle.loads(order)
    return said.answering()


class _Workers:
    """The workers of a cluster, as `Processes`."""

    def __init__(self, client: Any, order: Order) -> None:
        self.room: int = sum(client.nthreads().values()) + AHEAD
        self._client = client
        self._order = pickle.dumps(order)

    def submit(self, part: StatesPart, first: int) -> Any:
        """See `Processes.submit`."""
        return self._client.submit(answer, self._order, part, first, pure=False)

    def cancel(self, pending: Iterable[Any]) -> None:
        """See `Processes.cancel`."""
        self._client.cancel(list(pending))

    def result(self, pending: Any) -> PartAnswered:
        """See `Processes.result`."""
        from distributed import KilledWorker

        try:
            answered: PartAnswered = pending.result()
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
