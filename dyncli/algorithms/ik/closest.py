"""The closest place to a target that is not reached: Newton's method on half the squared error.

Float-only, batch last. The steps of `solver` leave out the curvature of the error itself, which is all that matters
where an error remains: they creep towards the closest place, while these square the distance to it.
"""

from __future__ import annotations

import numpy as np

from dyncli.algorithms.ik.chain import Array, Bools, Chain, Indices
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.limits import Bounds

_STEPS = 40
_DIFFERENCE = 1e-5
_LONGEST_STEP = 0.5
_SHORTER = 0.25
_FLAT = 1e-9
"""Curvatures count as at least this share of the largest."""
_SMALLEST = 1e-12
_STANDSTILL = 1e-10
"""A lane ends when its step is shorter (rad, m), or was shortened below this share."""


def closest(chain: Chain, bounds: Bounds, targets: Targets, q: Array) -> tuple[Array, Array]:
    """Coordinates (coordinates, B) where the error is least near q, and half its square there (B,)."""
    best = bounds.enter(q)
    error = targets.error(chain.kinematics(best))
    cost = 0.5 * error.total**2
    share = np.ones(len(cost))
    going = np.arange(len(cost))
    for _ in range(_STEPS):
        if not len(going):
            break
        here, some = best[:, going], targets.take(going)
        downhill = _downhill(chain, some, here)
        held = bounds.held(here, downhill)
        dq = _newton_step(np.where(held, 0.0, downhill), _curvature(chain, some, here, held))
        dq *= share[going] * np.minimum(1.0, _LONGEST_STEP / np.maximum(np.abs(dq).max(axis=0), _LONGEST_STEP))
        moved = bounds.enter(chain.step(here, dq))
        ahead = 0.5 * some.error(chain.kinematics(moved)).total ** 2
        better = ahead < cost[going]
        won = going[better]
        best[:, won], cost[won] = moved[:, better], ahead[better]
        share[going] = np.where(better, 1.0, _SHORTER * share[going])
        length = np.abs(dq).max(axis=0)
        going = going[(length > _STANDSTILL) & (share[going] > _STANDSTILL)]
    return best, cost


def _downhill(chain: Chain, targets: Targets, q: Array) -> Array:
    """Minus the gradient (n, B) of half the squared error."""
    error = targets.error(chain.kinematics(q))
    return np.asarray(np.einsum("rib,rb->ib", error.J, error.e))


def _curvature(chain: Chain, targets: Targets, q: Array, held: Bools) -> Array:
    """Second derivatives (B, n, n) of half the squared error by central differences; held joints stand apart."""
    n, count = chain.n, q.shape[1]
    around = np.tile(q, 2 * n)
    steps = np.repeat(np.concatenate([np.eye(n), -np.eye(n)], axis=1) * _DIFFERENCE, count, axis=1)
    everywhere: Indices = np.tile(np.arange(count), 2 * n)
    slope = _downhill(chain, targets.take(everywhere), chain.step(around, steps)).reshape(n, 2, n, count)
    H = (slope[:, 1] - slope[:, 0]) / (2.0 * _DIFFERENCE)
    H = 0.5 * (H + H.transpose(1, 0, 2))
    free = ~(held[:, None] | held[None, :])
    return np.where(free, H, np.eye(n)[:, :, None]).transpose(2, 0, 1)


def _newton_step(downhill: Array, H: Array) -> Array:
    """|H|⁻¹ times the downhill direction: away from saddles as well as towards minima."""
    curvatures, directions = np.linalg.eigh(H)
    size = np.abs(curvatures)
    size = np.maximum(size, np.maximum(_FLAT * size.max(axis=1, keepdims=True), _SMALLEST))
    along = np.einsum("bik,ib->bk", directions, downhill) / size
    return np.asarray(np.einsum("bik,bk->ib", directions, along))
