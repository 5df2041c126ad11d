"""What a redundant arm does with the freedom that is left: exact projection, and secondary criteria.

Float-only. The projector comes from singular values, not from a damped inverse, so that a step in the null space
changes the task in second order only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from dyncli.algorithms.ik.chain import Array
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.problem import Problem
from dyncli.algorithms.ik.singularity import SINGULAR
from dyncli.algorithms.ik.solver import solve

Criterion = Callable[[Array], Array]
"""Values (B,) of chain coordinates (coordinates, B): the larger the better."""

_DIFFERENCE = 1e-6
_FIRST_STEP, _SMALLEST_STEP, _LARGEST_STEP = 0.1, 1e-7, 0.5
_MOST_STEPS = 200
_FLAT = 1e-7
"""A projected gradient below this share of the whole one (or of 1) ends the ascent."""


def project(J: Array, v: Array) -> Array:
    """The part of v (n,) that J (m, n) does not see: (1 - J⁺ J) v."""
    _, values, Vt = np.linalg.svd(J)
    rank = int((values > SINGULAR * values[0]).sum()) if values.size else 0
    rows = Vt[:rank]
    return np.asarray(v - rows.T @ (rows @ v))


def middle_of_limits(problem: Problem) -> Criterion:
    """Away from the limits: minus the mean square of the distances from their middle, in half ranges."""
    chain = problem.chain
    bounded = np.isfinite(chain.lower) & np.isfinite(chain.upper) & (chain.upper > chain.lower)
    at = chain.coordinate_of_dof[bounded]
    middle = 0.5 * (chain.lower + chain.upper)[bounded, None]
    half = 0.5 * (chain.upper - chain.lower)[bounded, None]

    def value(q: Array) -> Array:
        return np.asarray(-(((q[at] - middle) / half) ** 2).sum(axis=0))

    return value


def manipulability(problem: Problem, target: Targets) -> Criterion:
    """Away from singularities: the logarithm of the product of the singular values."""

    def value(q: Array) -> Array:
        at = problem.chain.kinematics(q)
        J = target.take(np.zeros(q.shape[1], dtype=np.intp)).error(at).J
        values = np.linalg.svd(J.transpose(2, 0, 1), compute_uv=False)
        return np.asarray(np.log(np.maximum(values, 1e-300)).sum(axis=1))

    return value


def posture(problem: Problem, wanted: Mapping[int, float]) -> Criterion:
    """Towards positions of some degrees of freedom (index in the chain -> rad or m)."""
    at = problem.chain.coordinate_of_dof[list(wanted)]
    place = np.array(list(wanted.values()))[:, None]

    def value(q: Array) -> Array:
        return np.asarray(-((q[at] - place) ** 2).sum(axis=0))

    return value


def improve(problem: Problem, target: Targets, q: Array, criterion: Criterion) -> tuple[Array, int]:
    """Climb the criterion among the solutions for one target, from the solution q (coordinates, 1).

    Each step goes along the projected gradient and is put back on the target by Newton's method; it counts only if it
    converges within the limits and raises the criterion. Returns the coordinates and the number of steps.
    """
    chain = problem.chain
    best = float(criterion(q)[0])
    step, steps = _FIRST_STEP, 0
    for _ in range(_MOST_STEPS):
        gradient = _gradient(problem, q, criterion)
        along = project(target.error(chain.kinematics(q)).J[:, :, 0], gradient)
        along = _inside(problem, q, along)
        length = float(np.linalg.norm(along))
        if length <= _FLAT * max(1.0, float(np.linalg.norm(gradient))):
            break
        while step >= _SMALLEST_STEP:
            moved = chain.step(q, (step / length) * along[:, None])
            run = solve(chain, target, moved, problem.settings)
            value = float(criterion(run.q)[0])
            if run.converged[0] and value > best:
                break
            step *= 0.5
        else:
            break
        q, best, steps, step = run.q, value, steps + 1, min(2.0 * step, _LARGEST_STEP)
    return q, steps


def _gradient(problem: Problem, q: Array, criterion: Criterion) -> Array:
    """Central differences (n,) along the degrees of freedom."""
    n = problem.chain.n
    h = _DIFFERENCE * np.eye(n)
    around = np.repeat(q, n, axis=1)
    ahead, behind = problem.chain.step(around, h), problem.chain.step(around, -h)
    return np.asarray((criterion(ahead) - criterion(behind)) / (2.0 * _DIFFERENCE))


def _inside(problem: Problem, q: Array, along: Array) -> Array:
    """The direction without what leads out of a bound that a joint stands on."""
    held = problem.bounds.held(q, along[:, None])[:, 0]
    return np.where(held, 0.0, along)
