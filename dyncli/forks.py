"""Many states on the cores of this machine: processes forked from this one answer parts of them.

Threads would share the interpreter's lock, which NumPy's short calls hand over too often for two threads to be faster
than one. A forked process inherits the robot, its program and all modules, so it costs some milliseconds and little
memory. Where a process cannot be forked, or the states cannot be cut or are few, threads of `pipeline.py` do the work.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from functools import partial
from typing import NoReturn, Self

from dyncli.parts import AHEAD, PartAnswered, answer_part, in_order, put_all
from dyncli.run import Answering, Invalid, Outcome, Sink, run
from dyncli.states.source import States, StatesPart
from dyncli.structs import struct

Answer = Callable[[StatesPart, int], PartAnswered]

_FEWEST_PARTS = 2
"""Parts for each process below which its start costs more than it saves."""
_HEADER = 8
"""Bytes that say how long a message is."""
_HANDING_OVER = 8e-9
"""Seconds that a byte of an answer takes from one process to another, there and here."""
_LARGE_ANSWER = 8 << 20
"""Bytes of a part's answer from which only as many are under way as there are processes."""
_PIPE_BYTES = 1 << 20
"""Room for the answer of a part, so that it is handed over at once."""
_QUEUED = 2
"""Parts that a process may have at a time, so that it need not wait for the next one."""


def run_on_cores(
    answering: Answering,
    states: States,
    sink: Sink,
    *,
    cores: int,
    on_invalid: Callable[[Invalid], None] | None = None,
) -> Outcome:
    """Answer all of `states` on so many cores (two or more), and hand the results to `sink` in order; see `run.run`."""
    count = min(cores, states.blocks_to_share() // _FEWEST_PARTS)
    if count < 2 or not can_fork():
        return run(answering, states, sink, threads=cores, on_invalid=on_invalid)
    with closing(_answered(partial(answer_part, answering), states.parts(), count)) as results:
        return put_all(answering, results, states, sink, on_invalid=on_invalid)


def can_fork() -> bool:
    """Whether a copy of this process can be relied on: on Linux, while no other thread of Python may hold a lock.

    Threads that libraries have of their own (OpenBLAS, jemalloc, Arrow) are prepared for it.
    """
    return sys.platform == "linux" and threading.active_count() == 1


def _answered(
    answer: Answer, parts: Iterator[StatesPart], count: int
) -> Generator[tuple[StatesPart, PartAnswered], None, None]:
    """Each part with its answer; the first is answered here, so that all processes inherit the program made for it.

    So are all where an answer is so large that handing it over takes as long as finding it, as for M in NPZ.
    """
    first = next(parts, None)
    if first is None:
        return
    start = time.perf_counter()
    answered = answer(first, 0)
    taken, size = time.perf_counter() - start, len(pickle.dumps(answered, pickle.HIGHEST_PROTOCOL))
    yield first, answered
    if taken < _HANDING_OVER * size:
        before = first.rows
        for part in parts:
            yield part, answer(part, before)
            before += part.rows
        return
    with Forks(answer, count, count if size > _LARGE_ANSWER else _QUEUED * count + AHEAD) as forks:
        yield from in_order(forks, parts, first.rows)


@struct(frozen=False, eq=False)
class _Pending:
    """A part whose answer is wanted; `lost`: the process that had it has died."""

    part: StatesPart
    first: int
    message: bytes
    answered: PartAnswered | None = None
    lost: bool = False


@struct(frozen=False, eq=False)
class _Fork:
    """A process, the pipes to and from it, and what it is at."""

    pid: int
    requests: int
    results: int
    at: deque[_Pending]

    def takes(self, message: bytes) -> bool:
        """Whether a message can be sent without waiting for the process to be done with another one."""
        return not self.at or (len(self.at) < _QUEUED and len(message) + _HEADER <= select.PIPE_BUF)


class Forks:
    """Processes that answer parts, `room` of them at once. A part whose process was killed is answered here."""

    def __init__(self, answer: Answer, count: int, room: int) -> None:
        self.room = room
        self._answer = answer
        self._queue: deque[_Pending] = deque()
        self._forks: list[_Fork] = []
        with suppress(OSError):  # as many as the system allows
            for _ in range(count):
                self._forks.append(self._fork())

    def submit(self, part: StatesPart, first: int) -> _Pending:
        """See `Processes.submit`."""
        pending = _Pending(part, first, pickle.dumps((part, first), pickle.HIGHEST_PROTOCOL))
        self._queue.append(pending)
        self._share_out()
        return pending

    def result(self, pending: _Pending) -> PartAnswered:
        """See `Processes.result`."""
        while pending.answered is None and self._forks and not pending.lost:
            self._listen()
        return pending.answered or self._answer(pending.part, pending.first)

    def cancel(self, pending: Iterable[_Pending]) -> None:
        """See `Processes.cancel`."""
        self._queue.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for fork in self._forks:
            os.kill(fork.pid, signal.SIGKILL)  # all at once, since each takes a while to give its memory back
        for fork in list(self._forks):
            self._end(fork)

    def _share_out(self) -> None:
        """Send what waits to the processes that take it, those with least to do first."""
        while self._queue:
            message = self._queue[0].message
            fork = min(self._forks, key=lambda fork: len(fork.at), default=None)
            if fork is None or not fork.takes(message):
                return
            pending = self._queue.popleft()
            fork.at.append(pending)
            try:
                _send(fork.requests, message)
            except BrokenPipeError:
                self._end(fork)

    def _listen(self) -> None:
        """Wait until some processes have an answer, and take it."""
        ready, _, _ = select.select([fork.results for fork in self._forks], [], [])
        for fork in [fork for fork in self._forks if fork.results in ready]:
            message = _received(fork.results)
            if message is None:
                self._end(fork)
            else:
                fork.at.popleft().answered = pickle.loads(message)
        self._share_out()

    def _end(self, fork: _Fork) -> None:
        """End a process, which may have died already; what it was at is lost."""
        self._forks.remove(fork)
        for pending in fork.at:
            pending.lost = True
        os.close(fork.requests)
        os.close(fork.results)
        os.kill(fork.pid, signal.SIGKILL)
        os.waitpid(fork.pid, 0)

    def _fork(self) -> _Fork:
        """A new process; Ctrl-C is for the one that started it, which ends it."""
        import fcntl

        pipes = (*os.pipe(), *os.pipe())
        theirs, requests, results, answers = pipes
        with suppress(OSError):  # where the system allows less, an answer takes more turns
            fcntl.fcntl(answers, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        not_theirs = [requests, results, *(end for fork in self._forks for end in (fork.requests, fork.results))]
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of libraries' threads
                pid = os.fork()
            if pid == 0:
                _serve(self._answer, theirs, answers, not_theirs)
        except OSError:
            for end in pipes:
                os.close(end)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        os.close(theirs)
        os.close(answers)
        return _Fork(pid, requests, results, deque())


def _serve(answer: Answer, requests: int, answers: int, not_ours: Iterable[int]) -> NoReturn:
    """Answer parts until no more can come: what a forked process does instead of all that its parent still would."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for end in not_ours:
            os.close(end)
        while (message := _received(requests)) is not None:
            part, first = pickle.loads(message)
            _send(answers, _packed(answer, part, first))
    finally:
        os._exit(0)


def _packed(answer: Answer, part: StatesPart, first: int) -> bytes:
    """The message with an answer, or with the fault that prevented it."""
    try:
        return pickle.dumps(answer(part, first), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        import traceback

        error.add_note(traceback.format_exc())
        return pickle.dumps(PartAnswered([], error=error), pickle.HIGHEST_PROTOCOL)


def _send(pipe: int, message: bytes) -> None:
    """Write a message to a pipe, however little of it fits at a time."""
    rest = memoryview(len(message).to_bytes(_HEADER, "little") + message)
    while rest:
        rest = rest[os.write(pipe, rest) :]


def _received(pipe: int) -> bytearray | None:
    """The next message of a pipe; None where its other end was closed."""
    header = _read(pipe, _HEADER)
    return header and _read(pipe, int.from_bytes(header, "little"))


def _read(pipe: int, size: int) -> bytearray | None:
    data = bytearray(size)
    rest = memoryview(data)
    while rest:
        count = os.readv(pipe, [rest])
        if not count:
            return None
        rest = rest[count:]
    return data
