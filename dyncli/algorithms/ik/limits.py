"""Steps within joint limits: an active set that lets go again, and whole turns before clamping.

Float-only, batch last.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dyncli.algorithms.ik.chain import TURN, Array, Bools, Chain, Indices
from dyncli.structs import struct

_PASSES = 1
"""How often a step is solved again without the joints it drove into a bound."""


@struct
class Bounds:
    """Limits of a chain's degrees of freedom as columns (n, 1); infinite where there is none, or none is to be kept."""

    lower: Array
    upper: Array
    wraps: Bools
    at: Indices

    @staticmethod
    def of(chain: Chain, *, keep: bool = True) -> Bounds:
        """The chain's limits, or none at all."""
        lower, upper = chain.lower[:, None], chain.upper[:, None]
        if not keep:
            lower, upper = np.full_like(lower, -np.inf), np.full_like(upper, np.inf)
        return Bounds(lower, upper, chain.wraps, chain.coordinate_of_dof)

    @property
    def any(self) -> bool:
        """Whether anything is bounded."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def held(self, q: Array, downhill: Array) -> Bools:
        """Degrees of freedom (n, B) that stand at a bound and would be driven out of it."""
        p = q[self.at]
        return np.asarray(((p <= self.lower) & (downhill < 0.0)) | ((p >= self.upper) & (downhill > 0.0)))

    def outside(self, p: Array) -> Bools:
        """Which entries of p (n, B) are beyond their bound."""
        return np.asarray((p < self.lower) | (p > self.upper))

    def stop(self, p: Array) -> Bools:
        """Which entries of p (n, B) are beyond their bound and no whole turn leads back."""
        beyond = self.outside(p)
        return beyond & self.outside(self._turned_inside(p, beyond)) if beyond.any() else beyond

    def contain(self, q: Array) -> Bools:
        """Lanes (B,) of which every coordinate is within its bounds."""
        return np.asarray(~self.outside(q[self.at]).any(axis=0))

    def enter(self, q: Array) -> Array:
        """q (coordinates, B) with what is outside turned by whole turns into the limits, or put on the nearer bound."""
        p = q[self.at]
        beyond = self.outside(p)
        if not beyond.any():
            return q
        entered = q.copy()
        entered[self.at] = np.clip(self._turned_inside(p, beyond), self.lower, self.upper)
        return entered

    def _turned_inside(self, p: Array, beyond: Bools) -> Array:
        """p with whole turns added where it is `beyond` a bound and they lead inside; unchanged elsewhere."""
        dof, lane = np.nonzero(beyond & self.wraps[:, None])
        value, low, high = p[dof, lane], self.lower[dof, 0], self.upper[dof, 0]
        turns = np.where(value < low, np.ceil((low - value) / TURN), -np.ceil((value - high) / TURN))
        turned = value + TURN * turns
        inside = (turned >= low) & (turned <= high)
        result = p.copy()
        result[dof[inside], lane[inside]] = turned[inside]
        return result

    def nearest_turn(self, q: Array, start: Array) -> Array:
        """q with the whole turns that bring each angle nearest to `start` and leave it within its bounds."""
        p, origin = q[self.at], start[self.at]
        turns = np.round((origin - p) / TURN)
        low = np.ceil((self.lower - p) / TURN)
        high = np.floor((self.upper - p) / TURN)
        nearest = p + TURN * np.clip(turns, low, np.maximum(low, high))
        chosen = q.copy()
        chosen[self.at] = np.where(self.wraps[:, None] & (high >= low) & ~self.outside(nearest), nearest, p)
        return chosen


def bounded_step(
    bounds: Bounds, q: Array, J: Array, e: Array, solve: Callable[[Array, Array, Bools | None], Array]
) -> Array:
    """A step (n, B) that stays within bounds: joints it drives into one go just there, and the others make up for it.

    `solve(J, e, lanes)` gives the step of some lanes (a mask, None: all). Joints that the error drives out of a bound
    they stand on are held first; each step decides that anew, so none is held for good.
    """
    if not bounds.any:
        return solve(J, e, None)
    held = bounds.held(q, np.einsum("rib,rb->ib", J, e))
    dq = solve(_without(J, held), e, None)
    dq[held] = 0.0
    p = q[bounds.at]
    for _ in range(_PASSES):
        stopped = ~held & bounds.stop(p + dq)
        lanes: Bools = np.asarray(stopped.any(axis=0))
        if not lanes.any():
            break
        held = held | stopped
        dq = np.where(stopped, np.clip(p + dq, bounds.lower, bounds.upper) - p, dq)
        fixed, part = held[:, lanes], J[:, :, lanes]
        taken = np.where(fixed, dq[:, lanes], 0.0)
        rest = e[:, lanes] - np.einsum("rib,ib->rb", part, taken)
        dq[:, lanes] = np.where(fixed, taken, solve(_without(part, fixed), rest, lanes))
    return dq


def _without(J: Array, held: Bools) -> Array:
    """J with the columns of held joints zero."""
    if not held.any():
        return J
    free = J.copy()
    free[:, held] = 0.0
    return free
