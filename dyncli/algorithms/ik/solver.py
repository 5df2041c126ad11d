"""Newton-like iterations on a batch of starts, each with its own target.

Float-only, batch last. Every step solves J dq = e by least squares, damped as `damping` says, within limits as `limits`
says. Where steps are taken back (`adaptive`), the error may rise for a while as long as it stays below the worst of the
last few: runs then leave narrow valleys that a monotone descent is caught in.
Source of that rule: L. Grippo, F. Lampariello, S. Lucidi, A nonmonotone line search technique for Newton's method
(1986).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from dyncli.algorithms.ik.chain import Array, Bools, Chain, Indices
from dyncli.algorithms.ik.damping import damping_of
from dyncli.algorithms.ik.error import PoseError, Targets
from dyncli.algorithms.ik.limits import Bounds, bounded_step
from dyncli.algorithms.ik.settings import Settings
from dyncli.algorithms.ik.singularity import generic_rank
from dyncli.structs import struct

_MEMORY = 5
_FALL = 0.9
_STATIONARY = 1e-13
"""A step that promises to lower the squared error by less than this share leads nowhere."""
_KICK = 0.2
"""Size (rad, m) of the push off a place where the error has no slope."""
_PROGRESS = 1e-6
"""A push is repeated only if the one before lowered the squared error by this share."""


class End(IntEnum):
    """Why a run ended."""

    CONVERGED = 0
    STATIONARY = 1
    ITERATIONS = 2


@struct
class Runs:
    """How B runs ended.

    `q`: chain coordinates (coordinates, B), the closest found where a run did not converge; `cost`: half the squared
    error there; `end`: an `End` each.
    """

    q: Array
    cost: Array
    iterations: Indices
    end: NDArray[np.int8]

    @property
    def converged(self) -> Bools:
        """Which runs reached their target."""
        return np.asarray(self.end == End.CONVERGED)


@struct
class Step:
    """One iteration of one lane, for a trace: error and Jacobian before it, the step dq (n,), the lambda it had."""

    at: PoseError
    dq: Array
    damping: float


def solve(
    chain: Chain,
    targets: Targets,
    start: Array,
    settings: Settings,
    *,
    observe: Callable[[Step], None] | None = None,
) -> Runs:
    """Run B lanes from `start` (coordinates, B) towards their targets, until each has converged or gets no closer.

    A lane's result does not depend on the lanes beside it, but for rounding. `observe` is told every step of the first
    lane.
    """
    with np.errstate(all="ignore"):  # a wild undamped step may overflow: such a lane never counts as converged
        lanes = _Lanes(chain, targets, start, settings)
        for iteration in range(settings.max_iter):
            lanes.retire(iteration)
            if not lanes.count:
                return lanes.results
            lanes.advance(observe)
        lanes.retire(settings.max_iter)
        lanes.give_up()
    return lanes.results


class _Lanes:
    """The lanes still running, side by side; those that end are written to the results and dropped."""

    def __init__(self, chain: Chain, targets: Targets, start: Array, settings: Settings) -> None:
        self.chain, self.targets, self.settings = chain, targets, settings
        self.bounds = Bounds.of(chain, keep=settings.limits)
        count = start.shape[1]
        self.lane = np.arange(count)
        self.q = self.bounds.enter(start)
        self.at = targets.error(chain.kinematics(self.q))
        self.cost = _cost(self.at)
        self.recent = np.repeat(self.cost[None], _MEMORY, axis=0)
        self.best_q, self.best_cost = self.q, self.cost
        self.best_before = np.repeat(self.cost[None], settings.patience or 1, axis=0)
        self.stuck = np.zeros(count, dtype=bool)
        self.kicks = np.zeros(count, dtype=np.intp)
        self.cost_before_kick = np.full(count, np.inf)
        rank = min(self.at.J.shape[:2])
        self.damping = damping_of(settings, rank, self.cost, guided=generic_rank(chain, targets.rows) == rank)
        pushes = np.random.default_rng(settings.seed).standard_normal((chain.n, settings.kicks))
        self.pushes = _KICK * np.append(pushes, np.zeros((chain.n, 1)), axis=1)
        self.results = Runs(
            self.q.copy(),
            self.cost.copy(),
            np.full(count, settings.max_iter),
            np.full(count, End.ITERATIONS, dtype=np.int8),
        )

    @property
    def count(self) -> int:
        """Lanes still running."""
        return len(self.lane)

    def retire(self, iteration: int) -> None:
        """Write down and drop the lanes that have converged or are stuck."""
        tol = self.settings.tol
        converged = (self.at.position <= tol) & (self.at.orientation <= tol)
        self._write(converged, End.CONVERGED, iteration, self.q, self.cost)
        ended = self.stuck & ~converged
        self._write(ended, End.STATIONARY, iteration, self.best_q, self.best_cost)
        going = ~(converged | ended)
        if not going.all():
            self._keep(going)

    def give_up(self) -> None:
        """Write down the lanes that ran out of iterations."""
        everywhere = np.ones(self.count, dtype=bool)
        self._write(everywhere, End.ITERATIONS, self.settings.max_iter, self.best_q, self.best_cost)

    def _write(self, which: Bools, end: End, iteration: int, q: Array, cost: Array) -> None:
        if which.any():
            lanes, results = self.lane[which], self.results
            results.q[:, lanes] = q[:, which]
            results.cost[lanes] = cost[which]
            results.iterations[lanes] = iteration
            results.end[lanes] = end

    def _keep(self, going: Bools) -> None:
        self.targets = self.targets.take(np.flatnonzero(going))
        self.at = PoseError(*(part[..., going] for part in self.at))
        self.damping.keep(going)
        self.lane, self.q, self.cost, self.recent = (
            self.lane[going],
            self.q[:, going],
            self.cost[going],
            self.recent[:, going],
        )
        self.best_q, self.best_cost = self.best_q[:, going], self.best_cost[going]
        self.best_before = self.best_before[:, going]
        self.stuck, self.kicks = self.stuck[going], self.kicks[going]
        self.cost_before_kick = self.cost_before_kick[going]

    def advance(self, observe: Callable[[Step], None] | None) -> None:
        """One step of every lane."""
        dq = bounded_step(self.bounds, self.q, self.at.J, self.at.e, self.damping.step)
        longest = self.settings.largest_step
        if math.isfinite(longest):
            dq = dq * np.minimum(1.0, longest / np.maximum(np.abs(dq).max(axis=0), longest))
        kicked = self._kick(dq)
        if kicked.any():
            dq = np.where(kicked, self.pushes[:, self.kicks - 1], dq)
        if observe is not None and self.lane[0] == 0:
            observe(Step(PoseError(*(part[..., :1] for part in self.at)), dq[:, 0], math.sqrt(self.damping.squared[0])))
        q = self.bounds.enter(self.chain.step(self.q, dq))
        self._judge(q, self.targets.error(self.chain.kinematics(q)), kicked)

    def _kick(self, dq: Array) -> Bools:
        """Lanes to push off a place where no step lowers the error; lanes that came back to it are stuck."""
        gain = (np.einsum("rib,ib->rb", self.at.J, dq) * self.at.e).sum(axis=0)
        still = (gain <= _STATIONARY * 2.0 * self.cost) | self.damping.hopeless()
        again = self.cost < (1.0 - _PROGRESS) * self.cost_before_kick
        kicked = still & again & (self.kicks < self.settings.kicks)
        self.stuck = still & ~kicked
        self.kicks = self.kicks + kicked
        self.cost_before_kick = np.where(kicked, self.cost, self.cost_before_kick)
        return np.asarray(kicked)

    def _judge(self, q: Array, at: PoseError, kicked: Bools) -> None:
        """Take the step to q where it is good, or where this method takes every step."""
        cost = _cost(at)
        good = cost < self.recent.max(axis=0)
        taken = good | kicked if self.damping.takes_back else np.ones_like(good)
        back = ~taken
        if back.any():
            q[:, back], cost[back] = self.q[:, back], self.cost[back]
            for new, old in zip(at, self.at, strict=True):
                new[..., back] = old[..., back]
        self.q, self.cost, self.at = q, cost, at
        self.recent = np.where(kicked, self.cost, np.concatenate([self.recent[1:], self.cost[None]]))
        self.damping.judge(taken, self.cost)
        better = self.cost < self.best_cost
        self.best_q = q if better.all() else np.where(better, q, self.best_q)
        self.best_cost = np.where(better, self.cost, self.best_cost)
        if self.settings.patience is not None:
            self.stuck |= self.best_cost > _FALL * self.best_before[0]
            fallen = np.concatenate([self.best_before[1:], self.best_cost[None]])
            self.best_before = np.where(kicked, np.inf, fallen)


def _cost(at: PoseError) -> Array:
    return np.asarray(0.5 * (at.e * at.e).sum(axis=0))
