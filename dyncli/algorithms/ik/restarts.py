"""From one start to an answer: the run from there, then other starts side by side, and the nearest of what they find.

Float-only, batch last. The run from the start counts first, and without restarts alone. Where it fails, the solutions
of a closed form come next (`adaptive`), then random starts in rounds that double, until a round finds something.
All targets share one list of random starts, so that a target's answer does not depend on those beside it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dyncli.algorithms.ik.chain import Array, Bools, Indices
from dyncli.algorithms.ik.closed_form import all_solutions
from dyncli.algorithms.ik.closest import closest
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.linear import NormalEquations
from dyncli.algorithms.ik.problem import RUN_BEFORE_OTHERS, Problem
from dyncli.algorithms.ik.settings import Settings
from dyncli.algorithms.ik.solver import End, Runs, solve
from dyncli.structs import replace, struct

_FIRST_ROUND = 4
_FOR_HOPELESS = 12
"""Starts for a target that is proved out of reach: enough to find the closest place."""
_LANES = 4096
"""Lanes run at once: enough to spread the cost of a call, few enough for the memory."""
_RESTART_PATIENCE = 5
_ROUNDING = 1e-9
"""By so much (rad or m) may an answer be beyond a limit and be put back on it, before the verdict."""
_TOUCH = 1e-3
"""A step that polishes an answer moves no joint by more (rad or m)."""
_EXACT, _EXACT_STEPS = 1e-12, 50
_SAME = 1e-4
"""Answers whose joints differ by less (rad or m) are one."""


@struct
class Answers:
    """The best found for each of T targets.

    `q` (coordinates, T): angles on the turn nearest to the start. `found`: whether a run says it arrived (the verdict
    on the numbers is `verdict.judge`'s). `iterations`: of the run that gave q; `restarts`: further starts that were
    run; `end`: how the run ended (`solver.End`).
    """

    q: Array
    found: Bools
    iterations: Indices
    restarts: Indices
    end: NDArray[np.int8]


def find(problem: Problem, targets: Targets, start: Array) -> Answers:
    """Answers for targets from `start` (coordinates, T).

    Raises UsageError if a closed form is asked for where there is none.
    """
    best = _Best(problem, start)
    if problem.analytic or problem.branch:
        best.take_closed_form(targets)
        best.take_runs(targets, best.open(), start[:, best.open()], 1, problem.settings)
        return best.answers()
    best.take_runs(targets, best.open(), start, 1, problem.first_run)
    if problem.form is not None and problem.settings.method == "adaptive" and problem.restarts:
        best.take_closed_form(targets)
    hopeless = best.unsolvable | problem.out_of_reach(targets, best.open())
    first, size = 0, _FIRST_ROUND
    while first < problem.restarts:
        last = min(first + size, problem.restarts)
        going = best.open()
        if first >= _FOR_HOPELESS:
            going = going[~hopeless[going]]
        if not len(going):
            break
        best.restart(targets, going, problem.starts[:, first:last])
        first, size = last, 2 * size
    if problem.settings.method == "adaptive" and problem.restarts:
        best.settle(targets)
    return polished(problem, targets, best.answers())


def polished(problem: Problem, targets: Targets, answers: Answers) -> Answers:
    """The answers with one more Newton step where it brings them nearer still: it squares a small error.

    The fixed methods are left as they ended.
    """
    chain = problem.chain
    if problem.settings.method != "adaptive" or not answers.found.any():
        return answers
    error = targets.error(chain.kinematics(answers.q))
    dq = NormalEquations.of(error.J).factor(np.zeros(targets.count)).step(error.e)
    moved = chain.step(answers.q, dq)
    ahead = targets.error(chain.kinematics(moved))
    better = answers.found & (np.abs(dq).max(axis=0) <= _TOUCH) & (ahead.total < error.total)
    if problem.settings.limits:
        better &= problem.bounds.contain(moved)
    return replace(answers, q=np.where(better, moved, answers.q))


def every_answer(problem: Problem, target: Targets, start: Array) -> Array:
    """Every distinct solution (coordinates, k) found for one target from `start` (coordinates, 1), nearest first.

    Complete where `problem.is_complete`; else what the run from the start and all restarts find.
    """
    if problem.form is not None:
        solutions = all_solutions(problem.chain, problem.form, target, start, problem.settings.tol)
        q = solutions.q[:, solutions.found[:, 0], 0]
    else:
        starts = np.concatenate([start, problem.starts], axis=1)
        settings = replace(problem.settings, patience=None)
        runs = _run(problem, target.take([0] * starts.shape[1]), starts, settings)
        q = runs.q[:, runs.converged]
        # close to the limit of the digits, so that one solution found twice is one
        exact = replace(settings, tol=_EXACT, max_iter=_EXACT_STEPS, kicks=0)
        q = _run(problem, target.take([0] * q.shape[1]), q, exact).q
    q = _turned(problem, q, np.repeat(start, q.shape[1], axis=1))
    q = q[:, problem.bounds.contain(q)]
    order = _distance(problem, q, np.repeat(start, q.shape[1], axis=1)).argsort(kind="stable")
    kept: list[Array] = []
    for k in order:
        if all(np.abs(_apart(problem, q[:, k : k + 1], other)).max() > _SAME for other in kept):
            kept.append(q[:, k : k + 1])
    return np.concatenate(kept, axis=1) if kept else q[:, :0]


class _Best:
    """The best of each target so far."""

    def __init__(self, problem: Problem, start: Array) -> None:
        self.problem, self.start = problem, start
        count = start.shape[1]
        self.q = start.copy()
        self.cost = np.full(count, np.inf)
        self.found = np.zeros(count, dtype=bool)
        self.iterations = np.zeros(count, dtype=np.intp)
        self.restarts = np.zeros(count, dtype=np.intp)
        self.end = np.full(count, End.ITERATIONS, dtype=np.int8)
        self.unsolvable = np.zeros(count, dtype=bool)

    def open(self) -> Indices:
        """Targets without an answer yet."""
        return np.flatnonzero(~self.found)

    def answers(self) -> Answers:
        """What was found, each angle on its nearest turn."""
        q = _turned(self.problem, self.q, self.start)
        return Answers(q, self.found, self.iterations, self.restarts, self.end)

    def restart(self, targets: Targets, at: Indices, starts: Array) -> None:
        """Run the targets `at` from each of the `starts`, a few thousand lanes at once."""
        each = starts.shape[1]
        settings = self.problem.settings
        settings = replace(
            settings, kicks=0, patience=_RESTART_PATIENCE, max_iter=min(settings.max_iter, RUN_BEFORE_OTHERS)
        )
        for block in np.array_split(at, max(1, -(-len(at) * each // _LANES))):
            self.take_runs(targets, block, np.tile(starts, len(block)), each, settings)
        self.restarts[at] += each

    def take_runs(self, targets: Targets, at: Indices, starts: Array, each: int, settings: Settings) -> None:
        """Run `each` starts for every target of `at` (those of one target side by side) and keep what is better."""
        if not len(at):
            return
        problem = self.problem
        runs = _run(problem, targets.take(np.repeat(at, each)), starts, settings)
        size, lanes = len(at), np.arange(len(at))
        good, cost = runs.converged.reshape(size, each), runs.cost.reshape(size, each)
        distance = _distance(problem, runs.q, np.repeat(self.start[:, at], each, axis=1)).reshape(size, each)
        by_distance = np.where(good, distance, np.inf)
        chosen = np.where(good.any(axis=1, keepdims=True), by_distance, cost).argmin(axis=1)
        better = good[lanes, chosen] | (cost[lanes, chosen] < self.cost[at])
        won, run = at[better], (lanes * each + chosen)[better]
        self.q[:, won] = runs.q[:, run]
        self.cost[won] = runs.cost[run]
        self.found[won] = runs.converged[run]
        self.iterations[won] = runs.iterations[run]
        self.end[won] = runs.end[run]

    def settle(self, targets: Targets) -> None:
        """Bring open targets to the closest place near the best found, which may be the target after all."""
        at = self.open()
        if not len(at):
            return
        problem, some = self.problem, targets.take(at)
        self.q[:, at], self.cost[at] = closest(problem.chain, problem.bounds, some, self.q[:, at])
        error = some.error(problem.chain.kinematics(self.q[:, at]))
        there = (error.position <= problem.settings.tol) & (error.orientation <= problem.settings.tol)
        self.found[at] = there
        self.end[at] = np.where(there, End.CONVERGED, self.end[at])

    def take_closed_form(self, targets: Targets) -> None:
        """Give open targets the nearest solution of the closed form within the limits and on the branch asked for."""
        problem, at = self.problem, self.open()
        form = problem.closed_form()
        start = self.start[:, at]
        if not len(at):
            return
        solutions = all_solutions(problem.chain, form, targets.take(at), start, problem.settings.tol)
        n, branches, size = solutions.q.shape
        origin = np.tile(start, branches)
        q = _turned(problem, np.nan_to_num(solutions.q).reshape(n, -1), origin)
        fits = solutions.found.reshape(-1) & problem.bounds.contain(q)
        if problem.branch:
            fits &= problem.on_branch(q)
        distance = np.where(fits, _distance(problem, q, origin), np.inf).reshape(branches, size)
        chosen = distance.argmin(axis=0)
        solved = np.isfinite(distance.min(axis=0))
        won = at[solved]
        self.q[:, won] = q.reshape(n, branches, size)[:, chosen, np.arange(size)][:, solved]
        self.cost[won], self.found[won], self.iterations[won] = 0.0, True, 0
        self.end[won] = End.CONVERGED
        self.unsolvable[at] = ~solved & problem.is_complete


def _run(problem: Problem, targets: Targets, starts: Array, settings: Settings) -> Runs:
    """`solver.solve` on a few thousand lanes at a time."""
    count = starts.shape[1]
    if count <= _LANES:
        return solve(problem.chain, targets, starts, settings)
    parts = [
        solve(problem.chain, targets.take(slice(k, k + _LANES)), starts[:, k : k + _LANES], settings)
        for k in range(0, count, _LANES)
    ]
    return Runs(
        np.concatenate([part.q for part in parts], axis=1),
        np.concatenate([part.cost for part in parts]),
        np.concatenate([part.iterations for part in parts]),
        np.concatenate([part.end for part in parts]),
    )


def _turned(problem: Problem, q: Array, start: Array) -> Array:
    """q on the turns nearest to the start; what is beyond a limit by rounding alone is put on it."""
    turned = problem.bounds.nearest_turn(q, start)
    entered = problem.bounds.enter(turned)
    return np.where(np.abs(entered - turned) <= _ROUNDING, entered, turned)


def _apart(problem: Problem, q: Array, start: Array) -> Array:
    return problem.chain.difference(start, _turned(problem, q, start))


def _distance(problem: Problem, q: Array, start: Array) -> Array:
    """Largest change of a joint from the start (B,), on the nearest turns; the norm decides between equals."""
    apart = _apart(problem, q, start)
    return np.asarray(np.abs(apart).max(axis=0) + 1e-9 * np.sqrt((apart * apart).sum(axis=0)))
