"""Measured time of a robot's program, beside the count of its operations."""

from __future__ import annotations

from time import perf_counter

from dyncli.scalars.program import Program

LEAST_SECONDS = 0.05
"""A measurement lasts at least this long, and takes the fastest of its runs."""
LEAST_RUNS = 3


def seconds_per_state(program: Program) -> float:
    """Time of one state on one thread, in blocks of states run with NumPy; the fastest of several runs."""
    import numpy as np

    from dyncli.scalars.execute import Executable

    executable = Executable(program)
    count = executable.block
    inputs = list(np.random.default_rng(1).uniform(0.1, 0.9, (len(program.inputs), count)))
    out = np.empty((len(program.outputs), count))
    best, total, runs = float("inf"), 0.0, 0
    while total < LEAST_SECONDS or runs < LEAST_RUNS:
        start = perf_counter()
        executable.run(inputs, count, out=out)
        spent = perf_counter() - start
        best, total, runs = min(best, spent), total + spent, runs + 1
    return best / count
