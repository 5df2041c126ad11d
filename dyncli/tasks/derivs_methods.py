"""The methods of `derivs` side by side: their errors, what they cost, and how they depend on the step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any

from dyncli.algorithms.derivatives.methods import METHODS, Derivative
from dyncli.engine import Compiled, compiled
from dyncli.errors import NumericsError, UsageError
from dyncli.result import Result, Sheet
from dyncli.robot import Robot
from dyncli.scalars.differentiate import forward, reverse
from dyncli.scalars.program import record
from dyncli.states import StateBlock
from dyncli.structs import replace, struct
from dyncli.tasks.derivs import DerivsTask

STEPS = (*(10.0**-k for k in range(1, 16)), 1e-30)
ONLY_COMPLEX = 1e-16
"""Below this a real step is lost in what it is added to."""
SWEPT = ("forward", "central", "complex")
ENOUGH_TIME = 0.02
"""Seconds of repeated runs that make a time of one state trustworthy."""

Errors = dict[str, float | None]
Matrices = dict[str, Any]


@struct(frozen=False)
class MethodReport:
    """Of one method: largest relative error by matrix, seconds a state, operations a state."""

    method: str
    errors: Errors
    seconds: float
    operations: int


def compare_methods(robot: Robot, derivative: Derivative, blocks: Iterable[StateBlock]) -> list[MethodReport]:
    """Every method on the same states; errors are against the complex step.

    On more than one state the closed form runs as a program. Raises NumericsError where a state has no answer.
    """
    held = _usable(robot, blocks)
    wanted, _ = _answers(DerivsTask(robot, replace(derivative, method="complex", step=None)), held)
    reports = []
    for method in METHODS:
        task = DerivsTask(robot, replace(derivative, method=method))
        found, seconds = _answers(task, held, timed=True)
        count = operations(_suited(task).derivative)
        reports.append(MethodReport(method, relative_errors(found, wanted), seconds, count))
    return reports


def sweep_steps(robot: Robot, derivative: Derivative, blocks: Iterable[StateBlock]) -> list[dict[str, Any]]:
    """For each step size the largest relative error by method and matrix, against dual numbers."""
    held = _usable(robot, blocks)
    wanted, _ = _answers(DerivsTask(robot, replace(derivative, method="dual", step=None)), held)
    rows: list[dict[str, Any]] = []
    for step in STEPS:
        row: dict[str, Any] = {"step": step}
        for method in SWEPT:
            if method == "complex" or step > ONLY_COMPLEX:
                found, _ = _answers(DerivsTask(robot, replace(derivative, method=method, step=step)), held)
                row[method] = relative_errors(found, wanted)
        rows.append(row)
    return rows


def operations(derivative: Derivative) -> int:
    """Arithmetic operations a state: of the recorded program, or evaluations times it for the numeric methods.

    Complex operations count as one; a tangent or an adjoint as what one costs beside the function itself.
    """
    n = derivative.dynamics.tree.nv
    if derivative.method == "analytic":
        inputs = (*derivative.dynamics.tree.coordinates, *derivative.dynamics.tree.dofs, *derivative.dynamics.tree.dofs)
        nq = derivative.dynamics.tree.nq
        program = record(
            lambda s: [entry for row in derivative.jacobian(s[:nq], s[nq : nq + n], s[nq + n :]) for entry in row],
            inputs,
        )
        return len(program.operations)
    once = len(derivative.program.operations)
    if derivative.method == "dual":
        return once + 3 * n * (len(forward(derivative.program).operations) - once)
    if derivative.method == "reverse":
        outputs = len(derivative.program.outputs)
        return once + outputs * (len(reverse(derivative.program).operations) - once)
    return once * {"complex": 3 * n, "central": 6 * n, "forward": 3 * n + 1}[derivative.method]


def relative_errors(found: Matrices, wanted: Matrices) -> Errors:
    """Largest error of each matrix over the states, relative to the state's largest entry of that matrix.

    None where the method gave no number.
    """
    import numpy as np

    errors: Errors = {}
    for name, exact in wanted.items():
        size = np.abs(exact).max(axis=(0, 1))
        off = np.abs(found[name] - exact).max(axis=(0, 1))
        worst = float(np.max(np.where(size > 0.0, off / np.where(size > 0.0, size, 1.0), off)))
        errors[name] = worst if math.isfinite(worst) else None
    return errors


def _usable(robot: Robot, blocks: Iterable[StateBlock]) -> list[StateBlock]:
    """The blocks, if their states can be answered at all."""
    if not robot.nv:
        raise UsageError(f"{robot.name!r} has no degree of freedom to differentiate by")
    held = list(blocks)
    for block in held:
        if block.invalid:
            raise NumericsError(f"state {block.first + min(block.invalid)}: {block.invalid[min(block.invalid)]}")
    return held


def _answers(task: DerivsTask, blocks: Sequence[StateBlock], *, timed: bool = False) -> tuple[Matrices, float]:
    """Each matrix as an array (rows, columns, states) over all blocks, and if `timed` the seconds a state takes."""
    import numpy as np

    states = sum(block.count for block in blocks)
    program: Compiled | None = None
    parts: list[Matrices] = []
    seconds = 0.0
    for block in blocks:
        longest = task.longest_block or block.count
        for start in range(0, block.count, longest):
            part = block.part(start, min(start + longest, block.count))
            leaves = (part.q, part.qd, part.qdd, part.tau)
            run: Callable[[], Any] = partial(task.quantities, *leaves)
            if task.recordable and states > 1:
                sizes = [None if block is None else len(block) for block in leaves]
                program = program or compiled(_suited(task).quantities, sizes)
                run = partial(program.run, part.count, leaves)
            with np.errstate(all="ignore"):
                found = run()
                seconds += _least_time(run) if timed else 0.0
            invalid = task.answer(found, part.count).invalid
            if invalid:
                raise NumericsError(f"state {part.first + min(invalid)}: {invalid[min(invalid)]}")
            parts.append({name: _stacked(rows, part.count) for name, rows in found.items() if name[0] != "_"})
    joined = {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}
    return joined, seconds / max(states, 1)


def _stacked(rows: Sequence[Sequence[Any]], count: int) -> Any:
    """A matrix of leaves as an array (rows, columns, states)."""
    import numpy as np

    return np.array([[np.broadcast_to(leaf, (count,)) for leaf in row] for row in rows])


def _suited(task: DerivsTask) -> DerivsTask:
    """The task as it runs on many states: on base parameters where it is recorded."""
    return task.for_recording() if task.recordable else task


def _least_time(run: Callable[[], Any]) -> float:
    """The least time that a run takes, of as many as make a trustworthy measurement."""
    best, total = math.inf, 0.0
    while total < ENOUGH_TIME:
        start = perf_counter()
        run()
        spent = perf_counter() - start
        best, total = min(best, spent), total + spent
    return best


def compare_result(reports: Sequence[MethodReport]) -> Result:
    """One row a method."""
    names = list(reports[0].errors)
    rows = [
        [report.method, *(report.errors[name] for name in names), report.seconds, report.operations]
        for report in reports
    ]
    values = {
        "methods": {
            report.method: {"errors": report.errors, "seconds": report.seconds, "operations": report.operations}
            for report in reports
        }
    }
    return Result(1, values, Sheet(("method", *names, "seconds", "operations"), rows, labels=1))


def sweep_result(sweep: Sequence[Mapping[str, Any]]) -> Result:
    """One row a step size; a cell that makes no sense (a real step that is lost in rounding) is empty."""
    names = list(sweep[0]["complex"])
    columns = [(method, name) for method in SWEPT for name in names]
    rows = [[row["step"], *(row[method][name] if method in row else None for method, name in columns)] for row in sweep]
    return Result(
        1,
        {"sweep": [dict(row) for row in sweep]},
        Sheet(("step", *(f"{method}_{name}" for method, name in columns)), rows),
    )


def curves(sweep: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """For each method its curve: step size and the largest error over the matrices, down to where real steps end."""
    for method in SWEPT:
        shown = (row for row in sweep if method in row and row["step"] > ONLY_COMPLEX)
        points = [(row["step"], [error for error in row[method].values() if error]) for row in shown]
        yield method, [(step, max(errors)) for step, errors in points if errors]
