"""The methods of `derivs` side by side: their errors, what they cost, and how they depend on the step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

from dyncli.algorithms.derivatives.methods import METHODS, Derivative
from dyncli.engine import Engine, Quantities
from dyncli.errors import NumericsError
from dyncli.result import Result, Sheet
from dyncli.robot import Robot
from dyncli.scalars.differentiate import forward, reverse
from dyncli.scalars.program import record
from dyncli.states import StateBlock
from dyncli.tasks.derivs import DerivsTask

STEPS = (*(10.0**-k for k in range(1, 16)), 1e-30)
ONLY_COMPLEX = 1e-16
"""Below this a real step is lost in what it is added to."""
SWEPT = ("forward", "central", "complex")
ENOUGH_TIME = 0.02
"""Seconds of repeated runs that make a time of one state trustworthy."""

Errors = dict[str, float]


@dataclass(slots=True)
class MethodReport:
    """Of one method: largest relative error by matrix, seconds a state, operations a state."""

    method: str
    errors: Errors
    seconds: float
    operations: int


def compare_methods(robot: Robot, derivative: Derivative, blocks: Iterable[StateBlock]) -> list[MethodReport]:
    """Every method on the same states; errors are against the complex step.

    Raises NumericsError where a state has no answer.
    """
    held = list(blocks)
    exact = DerivsTask(robot, replace(derivative, method="complex", step=None))
    wanted = [_found(exact, block) for block in held]
    reports = []
    for method in METHODS:
        task = DerivsTask(robot, replace(derivative, method=method))
        engine = Engine(task.quantities, partial(_recorded_quantities, task), recordable=task.recordable)
        errors: Errors = {}
        seconds, states = 0.0, 0
        for block, want in zip(held, wanted, strict=True):
            found, spent = _timed(partial(engine, block.count, block.q, block.qd, block.qdd, block.tau))
            _keep_largest(errors, relative_errors(found, want))
            seconds += spent
            states += block.count
        reports.append(MethodReport(method, errors, seconds / max(states, 1), operations(_suited(task).derivative)))
    return reports


def sweep_steps(robot: Robot, derivative: Derivative, blocks: Iterable[StateBlock]) -> list[dict[str, Any]]:
    """For each step size the largest relative error by method and matrix, against dual numbers."""
    held = list(blocks)
    exact = DerivsTask(robot, replace(derivative, method="dual", step=None))
    wanted = [_found(exact, block) for block in held]
    rows: list[dict[str, Any]] = []
    for step in STEPS:
        row: dict[str, Any] = {"step": step}
        for method in SWEPT:
            if method != "complex" and step < ONLY_COMPLEX:
                continue
            task = DerivsTask(robot, replace(derivative, method=method, step=step))
            errors: Errors = {}
            for block, want in zip(held, wanted, strict=True):
                _keep_largest(errors, relative_errors(_found(task, block), want))
            row[method] = errors
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


def relative_errors(found: Mapping[str, Any], want: Mapping[str, Any]) -> Errors:
    """Largest error of each matrix over the states, relative to the state's largest entry of that matrix."""
    import numpy as np

    errors = {}
    for name, wanted in want.items():
        if name.startswith("_"):
            continue
        exact, got = _stacked(wanted), _stacked(found[name])
        size = np.abs(exact).max(axis=(0, 1))
        off = np.abs(got - exact).max(axis=(0, 1))
        errors[name] = float(np.max(np.where(size > 0.0, off / np.where(size > 0.0, size, 1.0), off)))
    return errors


def _stacked(rows: Sequence[Sequence[Any]]) -> Any:
    """A matrix of leaves as an array (rows, columns, states)."""
    import numpy as np

    leaves = np.broadcast_arrays(*(np.atleast_1d(leaf) for row in rows for leaf in row))
    return np.array(leaves).reshape(len(rows), len(rows[0]), -1)


def _found(task: DerivsTask, block: StateBlock) -> Mapping[str, Any]:
    found = task.quantities(block.q, block.qd, block.qdd, block.tau)
    invalid = {**block.invalid, **task.answer(found, block.count).invalid}
    if invalid:
        raise NumericsError(f"state {block.first + min(invalid)}: {invalid[min(invalid)]}")
    return found


def _suited(task: DerivsTask) -> DerivsTask:
    """The task as it runs on many states: on base parameters where it is recorded."""
    return task.for_recording() if task.recordable else task


def _recorded_quantities(task: DerivsTask) -> Quantities:
    return task.for_recording().quantities


def _timed(run: Any) -> tuple[Any, float]:
    """A result and the least time that a run of it takes; the first run, which may record, is not counted."""
    found = run()
    best, total = math.inf, 0.0
    while total < ENOUGH_TIME:
        start = perf_counter()
        run()
        spent = perf_counter() - start
        best, total = min(best, spent), total + spent
    return found, best


def _keep_largest(errors: Errors, new: Errors) -> None:
    for name, error in new.items():
        errors[name] = max(errors.get(name, 0.0), error) if error == error else math.nan


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
        points = [(row["step"], max(row[method].values())) for row in shown]
        yield method, [(step, error) for step, error in points if error > 0.0 and math.isfinite(error)]
