"""Running a program on blocks of states with NumPy: one ufunc call an operation, results written in place.

The rows that are live at once stay in cache, so that an operation costs little more than its arithmetic; ufuncs release
the interpreter lock, so blocks run on several threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyncli import scalars
from dyncli.scalars.operations import (
    ADD,
    COS,
    DIVIDE,
    MULTIPLY,
    NEGATE,
    SIGN,
    SIN,
    SQRT,
    STUMPFF,
    SUBTRACT,
)
from dyncli.scalars.program import Program
from dyncli.scalars.registers import allocate
from dyncli.scalars.schedule import scheduled

Array = NDArray[np.float64]
Row = Any
"""A row of a block: a float64 array of the block's length, or of no dimension where all states share the value."""

LONGEST_BLOCK = 8192
"""States a block. A call costs half a microsecond, a state half a nanosecond an operation: see docs/performance.md."""
SHORTEST_BLOCK = 1024
FEWEST_THREADED = 1 << 16
"""States below which a second thread does not pay, since the interpreter's lock is handed over at each call."""
WORK_BYTES = 64 << 20
"""What the registers of one thread may take; the blocks of a large program are shorter for it."""

Step = tuple[Callable[[Row, Row, Row], object], int, int, int]

_BINARY: dict[int, Any] = {ADD: np.add, SUBTRACT: np.subtract, MULTIPLY: np.multiply, DIVIDE: np.divide}
_UNARY: dict[int, Any] = {NEGATE: np.negative, SQRT: np.sqrt, SIN: np.sin, COS: np.cos, SIGN: np.sign}


class Executable:
    """A program laid out for blocks of states."""

    def __init__(self, program: Program) -> None:
        program = scheduled(program)
        self.program = program
        slots = allocate(program)
        self._steps = list(_steps(program, slots.of))
        self._copies = slots.copies
        self._registers = slots.registers
        self._fits = max(WORK_BYTES // (8 * max(slots.registers, 1)), SHORTEST_BLOCK)
        self.block = min(1 << self._fits.bit_length() - 1, LONGEST_BLOCK)
        self._constants: list[Row] = [np.array(c) for c in program.constants]

    def run(
        self,
        inputs: Sequence[Row],
        count: int,
        *,
        out: Array | None = None,
        threads: int = 1,
        block: int | None = None,
    ) -> Array:
        """The outputs, (n_out, count), for `inputs`: for each a row of `count` float64, or one number for all states.

        `out`: where to write them. `threads`: how many blocks run at once. `block`: states a block at most, by default
        as many as pay, with several threads as many as memory allows, so that they seldom meet at the interpreter's
        lock; blocks are made equal, and as many as give each thread the same share.
        """
        threads = 1 if count < FEWEST_THREADED else max(threads, 1)
        block = block or (self.block if threads == 1 else self._fits)
        rounds = max(-(-count // (threads * block)), 1)
        length = max(-(-count // (rounds * threads)), 1)
        if out is None:
            out = np.empty((len(self.program.outputs), count))
        rows = [np.asarray(x, dtype=np.float64) for x in inputs]

        def work(first: int) -> None:
            registers = np.empty((self._registers, length))
            with np.errstate(all="ignore"):
                for start in range(first, count, threads * length):
                    self._run_block(rows, out, registers, start, min(start + length, count))

        if threads == 1:
            work(0)
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(work, range(0, threads * length, length)))
        return out

    def _run_block(self, inputs: list[Row], out: Array, registers: Array, start: int, stop: int) -> None:
        length = stop - start
        slots = [
            *(row[start:stop] if row.ndim else row for row in inputs),
            *self._constants,
            *out[:, start:stop],
            *registers[:, :length],
        ]
        for function, a, b, c in self._steps:
            function(slots[a], slots[b], slots[c])
        for target, source in self._copies:
            slots[target][...] = slots[source]


def _steps(program: Program, of: Sequence[int]) -> Iterator[Step]:
    """The operations as calls on slots: (function, slot, slot, slot)."""
    operations = program.operations
    first = program.first_operation
    done = -1
    for k, (code, a, b) in enumerate(operations):
        if k == done:
            continue
        if code in _BINARY:
            yield _BINARY[code], of[a], of[b], of[first + k]
        elif code == SIN and operations[k + 1 : k + 2] == ((COS, a, 0),):
            done = k + 1
            yield _sine_and_cosine, of[a], of[first + k], of[first + k + 1]
        else:
            yield _unary(code, b), of[a], 0, of[first + k]


def _sine_and_cosine(x: Row, sine: Row, cosine: Row) -> None:
    """Both from t = tan(x/2): with w = 2/(1 + t²) they are t w and w - 1, to rounding, for two thirds of the time."""
    np.tan(np.multiply(x, 0.5, sine), sine)
    np.divide(2.0, np.add(np.multiply(sine, sine, cosine), 1.0, cosine), cosine)
    np.multiply(sine, cosine, sine)
    np.subtract(cosine, 1.0, cosine)


def _unary(code: int, order: int) -> Callable[[Row, Row, Row], None]:
    """A function of one operand in the shape of the others: (operand, ignored, out)."""
    if code == STUMPFF:

        def stumpff(x: Row, _: Row, out: Row) -> None:
            out[...] = scalars.stumpff(order, x)

        return stumpff
    ufunc = _UNARY[code]

    def apply(x: Row, _: Row, out: Row) -> None:
        ufunc(x, out)

    return apply
