"""Following a path of targets: each row from the answer before, by plain Newton steps as long as they do.

Float-only. One row costs a few evaluations of the chain's program on Python floats; a row on which Newton's method
takes a large step, leaves the limits or does not converge at once is handed to the full search.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from dyncli.algorithms.ik.chain import Array, Bools, Indices
from dyncli.algorithms.ik.closest import closest
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.problem import Problem
from dyncli.algorithms.ik.restarts import Answers, find, polished
from dyncli.algorithms.ik.solver import End
from dyncli.structs import struct

_MOST_STEPS = 8
_LONGEST_STEP = 0.3
"""Change of a joint (rad, m) beyond which a step is no small correction any more."""


def follow(problem: Problem, targets: Targets, start: Array) -> Answers:
    """Answers for T targets in a row, the first from `start` (coordinates, 1), each next from the last."""
    count = targets.count
    q = np.empty((start.shape[0], count))
    found = np.zeros(count, dtype=bool)
    iterations, restarts = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.intp)
    end = np.full(count, End.CONVERGED, dtype=np.int8)
    plain = problem.settings.method == "adaptive" and not problem.analytic and not problem.branch
    last = start
    for k in range(count):
        target = targets.take(slice(k, k + 1))
        steps = _newton(problem, target, last) if plain else None
        if steps is not None:
            last, iterations[k], found[k] = *steps, True
        elif plain and k and problem.out_of_reach(target, np.array([0]))[0]:
            # nothing to look for: stay as close as can be without leaving the way that came here
            last, end[k] = closest(problem.chain, problem.bounds, target, last)[0], End.STATIONARY
        else:
            answer = find(problem, target, last)
            last = answer.q
            found[k], iterations[k] = answer.found[0], answer.iterations[0]
            restarts[k], end[k] = answer.restarts[0], answer.end[0]
        q[:, k] = last[:, 0]
    return polished(problem, targets, Answers(q, found, iterations, restarts, end))


def _newton(problem: Problem, target: Targets, q: Array) -> tuple[Array, int] | None:
    """A solution near q and the steps to it, None if plain steps do not lead there."""
    chain, tol = problem.chain, problem.settings.tol
    for steps in range(_MOST_STEPS):
        error = target.error(chain.kinematics(q))
        if error.position[0] <= tol and error.orientation[0] <= tol:
            return (q, steps) if not problem.settings.limits or problem.bounds.contain(q)[0] else None
        dq = _step(error.J[:, :, 0], error.e[:, 0])
        if dq is None or not np.abs(dq).max(initial=0.0) <= _LONGEST_STEP:
            return None
        q = chain.step(q, dq[:, None])
    return None


def _step(J: Array, e: Array) -> Array | None:
    """The least-squares or least-norm step, None where J has lost rank."""
    try:
        if J.shape[0] > J.shape[1]:
            return np.asarray(np.linalg.solve(J.T @ J, J.T @ e))
        return np.asarray(J.T @ np.linalg.solve(J @ J.T, e))
    except np.linalg.LinAlgError:
        return None


@struct
class PathFacts:
    """What a path of answers looks like.

    `step` (T,): largest change of a joint from the row before, nan for the first. `branch_changed` (T,). `rates`
    (n, T): joint speeds from the row before (rad/s, m/s), nan for the first; None without times. `too_fast`: joints
    above their velocity limit, per row.
    """

    step: Array
    branch_changed: Bools
    rates: Array | None
    too_fast: Sequence[Sequence[str]]


def sides(problem: Problem, branches: Sequence[str | None], jacobian: Array) -> list[str]:
    """On which side of singularities each answer is: its branch, or the sign of a square Jacobian's determinant."""
    if problem.form is not None:
        return [label or "" for label in branches]
    if jacobian.shape[0] != jacobian.shape[1]:
        return [""] * jacobian.shape[2]
    return ["-" if det < 0.0 else "+" for det in np.linalg.det(jacobian.transpose(2, 0, 1))]


def path_facts(problem: Problem, q: Array, restarts: Indices, side: Sequence[str], times: Array | None) -> PathFacts:
    """Steps, changes of branch and speeds of a path of answers q (coordinates, T)."""
    chain = problem.chain
    moved = chain.difference(q[:, :-1], q[:, 1:])
    step = np.concatenate([[np.nan], np.abs(moved).max(axis=0, initial=0.0)])
    changed = np.array([False, *(a != b for a, b in pairwise(side))], dtype=bool)
    changed[1:] |= restarts[1:] > 0
    rates = None
    too_fast: list[list[str]] = [[] for _ in range(q.shape[1])]
    if times is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = np.concatenate([np.full((chain.n, 1), np.nan), moved / np.diff(times)], axis=1)
        top = np.array([np.inf if joint.velocity_limit is None else joint.velocity_limit for joint in chain.owner])
        over = np.abs(rates) > top[:, None]
        too_fast = [[chain.names[i] for i in np.flatnonzero(over[:, k])] for k in range(q.shape[1])]
    return PathFacts(step, changed, rates, too_fast)
