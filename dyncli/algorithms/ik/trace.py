"""The run from the start, iteration by iteration."""

from __future__ import annotations

import numpy as np

from dyncli.algorithms.ik.chain import Array
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.linear import singular_values
from dyncli.algorithms.ik.problem import Problem
from dyncli.algorithms.ik.solver import Step, solve
from dyncli.structs import struct


@struct
class TraceRow:
    """One iteration: errors before the step (m, rad), the step, what it does to first order, and how it was damped.

    `dq` (n,): change of each joint; `step`: its norm; `J_step`: norm of J dq in the rows that count.
    """

    iteration: int
    error: float
    position_error: float
    orientation_error: float
    step: float
    J_step: float
    smallest_singular_value: float
    damping: float
    dq: tuple[float, ...]


def trace(problem: Problem, target: Targets, start: Array) -> list[TraceRow]:
    """The iterations of the run from `start` (coordinates, 1) for one target; restarts are not among them."""
    rows: list[TraceRow] = []

    def observe(step: Step) -> None:
        J, e = step.at.J[:, :, 0], step.at.e[:, 0]
        rows.append(
            TraceRow(
                len(rows) + 1,
                float(np.linalg.norm(e)),
                float(step.at.position[0]),
                float(step.at.orientation[0]),
                float(np.linalg.norm(step.dq)),
                float(np.linalg.norm(J @ step.dq)),
                float(singular_values(step.at.J)[0, -1]),
                step.damping,
                tuple(step.dq.tolist()),
            )
        )

    solve(problem.chain, target, start, problem.first_run, observe=observe)
    return rows
