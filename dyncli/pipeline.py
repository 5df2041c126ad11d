"""Jobs on several threads, results in order, and never more of them under way than memory should hold.

A job makes something of a known size (a block of rows); `work` turns it into a result and is told how much all jobs
before it made. Reading happens one job at a time, so an input that waits keeps no one from finishing what it has.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from threading import Thread

Made = TypeVar("Made")
Done = TypeVar("Done")
Job = Callable[[], Made]

AHEAD = 2
"""Jobs that may be done or waiting beyond those that the threads are at."""
_PATIENCE = 0.2
"""Seconds that the end of a run waits for a thread that is reading: it may wait for input that never comes."""


def in_order(
    jobs: Iterable[Job[Made]], size: Callable[[Made], int], work: Callable[[Made, int], Done], threads: int
) -> Generator[Done, None, None]:
    """`work(made, first)` of every job, in order; `first`: the sizes of all that was made before, added up.

    The first job is done at once and here; threads start with the second one. With one thread none are started. An
    exception is raised in the place of the result that it prevents. Closing the iterator ends the threads.
    """
    jobs = iter(jobs)
    first = 0
    for count, job in enumerate(jobs):
        made = job()
        yield work(made, first)
        first += size(made)
        if count == 0:
            _keep_freed_memory()
            if threads > 1:
                break
    else:
        return
    crew = _Crew(jobs, size, work, first, threads)
    try:
        yield from crew.results()
    finally:
        crew.stop()


def _keep_freed_memory() -> None:
    """Have the allocator keep what is freed, since jobs need the same again and again.

    The C library of GNU asks the system for each large array anew, page by page, until one as large as its bound of
    32 MB has been freed; this one is never touched. Elsewhere it does nothing.
    """
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.empty(31 << 20, numpy.uint8)


class _Crew(Generic[Made, Done]):
    """Threads that share the jobs of one run."""

    def __init__(
        self,
        jobs: Iterator[Job[Made]],
        size: Callable[[Made], int],
        work: Callable[[Made, int], Done],
        first: int,
        threads: int,
    ) -> None:
        import threading

        self._jobs = jobs
        self._size = size
        self._work = work
        self._change = threading.Condition()
        # all that follows changes under `_change` only
        self._reader: Thread | None = None  # the one thread that takes the next job
        self._taken = 0
        self._sized = 0  # jobs whose size is known, and all of those before them
        self._total = first
        self._results: dict[int, Done | BaseException] = {}
        self._room = threads + AHEAD  # jobs that may still be taken
        self._end: int | None = None  # index of the first job that failed, or that there is not
        self._stopped = False
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def results(self) -> Iterator[Done]:
        """The results in order, as they come."""
        for index in itertools.count():
            with self._change:
                while index not in self._results:
                    if index == self._end:
                        return
                    self._change.wait()
                result = self._results.pop(index)
            if isinstance(result, BaseException):
                raise result
            yield result
            with self._change:
                self._room += 1
                self._change.notify_all()

    def stop(self) -> None:
        """End the threads once each has finished what it is at."""
        with self._change:
            self._stopped = True
            self._change.notify_all()
        for thread in self._threads:
            thread.join(_PATIENCE if thread is self._reader else None)

    def _run(self) -> None:
        while (taken := self._take()) is not None:
            index, job = taken
            try:
                made = job()
                if (first := self._place(index, self._size(made))) is None:
                    return
                self._deliver(index, self._work(made, first))
            except BaseException as error:  # the thread that asked for results raises it
                self._fail(index, error)
                return

    def _take(self) -> tuple[int, Job[Made]] | None:
        """The next job; None where there is none, or no more are wanted."""
        from threading import current_thread

        with self._change:
            self._change.wait_for(lambda: self._over() or (self._room > 0 and self._reader is None))
            if self._over():
                return None
            self._reader = current_thread()
        index = self._taken
        try:
            job = next(self._jobs, None)
        except BaseException as error:
            self._fail(index, error)
            return None
        with self._change:
            self._reader = None
            if job is None:
                self._end_at(index)
                return None
            self._taken += 1
            self._room -= 1
            self._change.notify_all()
        return index, job

    def _over(self) -> bool:
        return self._stopped or self._end is not None

    def _place(self, index: int, size: int) -> int | None:
        """How much all jobs before this one made; None if that will never be known."""
        with self._change:
            self._change.wait_for(lambda: self._sized == index or self._stopped or self._ends_before(index))
            if self._sized != index:
                return None
            first = self._total
            self._total += size
            self._sized += 1
            self._change.notify_all()
            return first

    def _ends_before(self, index: int) -> bool:
        return self._end is not None and self._end < index

    def _deliver(self, index: int, result: Done | BaseException) -> None:
        with self._change:
            self._results[index] = result
            self._change.notify_all()

    def _fail(self, index: int, error: BaseException) -> None:
        with self._change:
            self._results[index] = error
            self._end_at(index)

    def _end_at(self, index: int) -> None:
        with self._change:
            self._end = index if self._end is None else min(index, self._end)
            self._change.notify_all()
