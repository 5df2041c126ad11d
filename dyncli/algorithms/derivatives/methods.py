"""Every derivative by every method: what the command `derivs` and a Python user ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from dyncli.algorithms.derivatives.automatic import along, by_dual_numbers, by_reverse_sweep, recorded
from dyncli.algorithms.derivatives.closed_forms import (
    forward_dynamics_jacobian,
    inverse_dynamics_jacobian,
    transition_jacobian,
)
from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.maps import ManifoldMap, forward_dynamics, inverse_dynamics, transition
from dyncli.algorithms.derivatives.numeric import NUMERIC_METHODS, STEPS
from dyncli.algorithms.derivatives.steps import bracket
from dyncli.algorithms.factor import Matrix
from dyncli.scalars.program import Program
from dyncli.spatial import Scalar
from dyncli.structs import struct

METHODS = ("analytic", "dual", "reverse", "complex", "central", "forward")
SUBJECTS = ("rnea", "fd", "step", "continuous")

Scalars = Sequence[Scalar]


@struct
class Derivative:
    """What is differentiated and how.

    `of`: one of SUBJECTS; `method`: one of METHODS. `step`: of the numeric methods, None for the usual one. `dt` (s)
    and `integrator` (`steps.INTEGRATORS`) belong to `of="step"`.
    """

    dynamics: Dynamics
    of: str = "rnea"
    method: str = "analytic"
    step: float | None = None
    dt: float = 1e-3
    integrator: str = "semi-implicit"

    @cached_property
    def map(self) -> ManifoldMap:
        """The function: inverse dynamics, forward dynamics (also for `continuous`) or one step."""
        if self.of == "rnea":
            return inverse_dynamics(self.dynamics)
        if self.of == "step":
            return transition(self.dynamics, self.dt, self.integrator)
        return forward_dynamics(self.dynamics)

    @cached_property
    def program(self) -> Program:
        """The function's straight-line program, which the reverse sweep walks."""
        return recorded(self.map)

    @property
    def used_step(self) -> float | None:
        """The step that a numeric method takes, None for the others."""
        return (self.step or STEPS[self.method]) if self.method in STEPS else None

    def jacobian(self, q: Scalars, v: Scalars, x: Scalars) -> Matrix:
        """The whole Jacobian: nv (a step: 2 nv) x 3 nv. `x`: accelerations for `rnea`, else tau."""
        if self.method == "analytic":
            return self._closed_form(q, v, x)
        if self.method == "dual":
            return by_dual_numbers(self.map, q, v, x)
        if self.method == "reverse":
            return by_reverse_sweep(self.map, self.program, q, v, x)
        differentiate: Callable[..., Matrix] = NUMERIC_METHODS[self.method]
        return differentiate(self.map, q, v, x, self.used_step)

    def blocks(self, q: Scalars, v: Scalars, x: Scalars) -> dict[str, Matrix]:
        """The Jacobian as the named matrices of the command line: dtau_dq..., or A and B."""
        n = self.dynamics.tree.nv
        J = self.jacobian(q, v, x)
        if self.of == "step":
            return {"A": [row[: 2 * n] for row in J], "B": [row[2 * n :] for row in J]}
        parts = [[row[k : k + n] for row in J] for k in (0, n, 2 * n)]
        if self.of == "continuous":
            return continuous(self.dynamics, v, parts)
        return dict(zip(NAMES[self.of], parts, strict=True))

    def along(self, q: Scalars, v: Scalars, x: Scalars, direction: tuple[Scalars, Scalars, Scalars]) -> list[Scalar]:
        """The Jacobian times a direction (dq, dv, dx; nv each), in one pass of dual numbers, whatever the method."""
        rates = along(self.map, q, v, x, direction)
        if self.of != "continuous":
            return rates
        turned = bracket(self.dynamics.tree, v, direction[0])
        return [*(dv - y for dv, y in zip(direction[1], turned, strict=True)), *rates]

    def _closed_form(self, q: Scalars, v: Scalars, x: Scalars) -> Matrix:
        if self.of == "rnea":
            return inverse_dynamics_jacobian(self.dynamics, q, v, x)
        if self.of == "step":
            return transition_jacobian(self.dynamics, self.dt, self.integrator, q, v, x)
        return forward_dynamics_jacobian(self.dynamics, q, v, x)


NAMES = {"rnea": ("dtau_dq", "dtau_dqd", "dtau_dqdd"), "fd": ("dqdd_dq", "dqdd_dqd", "dqdd_dtau")}


def continuous(dynamics: Dynamics, v: Scalars, parts: Sequence[Matrix]) -> dict[str, Matrix]:
    """A (2 nv x 2 nv) and B (2 nv x nv) of d/dt (dq, dv) = A (dq, dv) + B dtau, dq in the tangent space at q(t).

    The upper left block is -ad_v: zero for vector joints, -[w]x for a ball.
    """
    tree, n = dynamics.tree, dynamics.tree.nv
    units = [[1.0 if i == k else 0.0 for i in range(n)] for k in range(n)]
    turned = [bracket(tree, v, unit) for unit in units]
    above = [[*(-turned[j][i] for j in range(n)), *units[i]] for i in range(n)]
    below = [[*dq, *dv] for dq, dv in zip(parts[0], parts[1], strict=True)]
    return {"A": [*above, *below], "B": [*([0.0] * n for _ in range(n)), *map(list, parts[2])]}
