"""Jacobians from the analytic derivatives, in the shape that the other methods give them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dyncli.algorithms.derivatives.accelerations import (
    ForwardDerivatives,
    damped_derivatives,
    forward_derivatives,
)
from dyncli.algorithms.derivatives.analytic import rnea_derivatives
from dyncli.algorithms.derivatives.automatic import by_dual_numbers, in_directions
from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.maps import ManifoldMap
from dyncli.algorithms.derivatives.seeds import velocities_of_rates
from dyncli.algorithms.derivatives.steps import step
from dyncli.algorithms.factor import Matrix
from dyncli.scalars.dual import Directions, Dual
from dyncli.spatial import Scalar
from dyncli.tree import Tree

Scalars = Sequence[Scalar]


def inverse_dynamics_jacobian(dynamics: Dynamics, q: Scalars, v: Scalars, a: Scalars) -> Matrix:
    """d tau / d(q, v, a), nv x 3 nv."""
    by = rnea_derivatives(dynamics.tree, q, v, a, wrenches=dynamics.wrenches, passive=dynamics.passive)
    return side_by_side(by.dq, by.dv, by.da)


def forward_dynamics_jacobian(dynamics: Dynamics, q: Scalars, v: Scalars, tau: Scalars) -> Matrix:
    """d qdd / d(q, v, tau), nv x 3 nv."""
    by = forward_derivatives(dynamics, q, v, tau)
    return side_by_side(by.dq, by.dv, by.dtau)


def transition_jacobian(dynamics: Dynamics, h: float, integrator: str, q: Scalars, v: Scalars, tau: Scalars) -> Matrix:
    """d(q⁺, v⁺) / d(q, v, tau), 2 nv x 3 nv.

    The step is taken on dual numbers, but where it calls the dynamics their closed form is applied, so that what dual
    numbers cost is the kinematics of the integrator alone.
    """

    def derivatives(q: Scalars, v: Scalars, tau: Scalars) -> ForwardDerivatives:
        if integrator == "implicit":
            return damped_derivatives(dynamics, q, v, tau, h)
        return forward_derivatives(dynamics, q, v, tau)

    acceleration = _chained(dynamics.tree, derivatives)

    def function(q: Scalars, v: Scalars, tau: Scalars) -> Scalars:
        after = step(dynamics.tree, acceleration, q, v, tau, h, integrator)
        return [*after.q, *after.v]

    of = ManifoldMap(dynamics.tree, function, moves=True)
    one_state = all(isinstance(y, float) for part in (q, v, tau) for y in part)
    return in_directions(of, q, v, tau) if one_state else by_dual_numbers(of, q, v, tau)


def side_by_side(*blocks: Matrix) -> Matrix:
    """Blocks of equal height as one matrix."""
    return [[entry for row in rows for entry in row] for rows in zip(*blocks, strict=True)]


def _chained(
    tree: Tree, derivatives: Callable[[Scalars, Scalars, Scalars], ForwardDerivatives]
) -> Callable[[Scalars, Scalars, Scalars], list[Scalar]]:
    """An acceleration on dual numbers whose tangents follow from the closed form by the chain rule."""

    def acceleration(q: Scalars, v: Scalars, tau: Scalars) -> list[Scalar]:
        values = [[x.value for x in part] for part in (q, v, tau)]
        by = derivatives(values[0], values[1], values[2])
        rates = [x.tangent for x in q]
        if rates and isinstance(rates[0], Directions):
            turned = [velocities_of_rates(tree, values[0], rate) for rate in zip(*rates, strict=True)]
            along_q = [Directions(row) for row in zip(*turned, strict=True)]
        else:
            along_q = velocities_of_rates(tree, values[0], rates)
        tangents = [*along_q, *(x.tangent for x in v), *(x.tangent for x in tau)]
        rows = side_by_side(by.dq, by.dv, by.dtau)
        return [Dual(value, _combination(row, tangents)) for value, row in zip(by.qdd, rows, strict=True)]

    return acceleration


def _combination(row: Scalars, tangents: Sequence[Any]) -> Any:
    """The sum of entries times tangents."""
    total = tangents[0] * row[0]
    for entry, tangent in zip(row[1:], tangents[1:], strict=True):
        total = total + tangent * entry
    return total
