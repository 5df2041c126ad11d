"""The functions whose Jacobians are asked for, on the manifold of states: what every method is given.

A map takes q (nq), v (nv) and a third vector x (nv: a or tau). Its value is a list of scalars, of which the first may
be coordinates on the manifold too. Its Jacobian has 3 nv columns, tangents of q, then v, then x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.seeds import velocities_of_rates
from dyncli.algorithms.derivatives.steps import difference, step
from dyncli.spatial import Scalar
from dyncli.structs import struct
from dyncli.tree import Tree

Function = Callable[[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]], Sequence[Scalar]]


@struct
class ManifoldMap:
    """A function of (q, v, x); `moves`: its value begins with nq coordinates of a position, else it is a vector."""

    tree: Tree
    function: Function
    moves: bool = False

    @property
    def rows(self) -> int:
        """Entries of the value in the tangent space."""
        return (2 if self.moves else 1) * self.tree.nv

    def tangent(self, value: Sequence[Scalar], rate: Sequence[Scalar]) -> list[Scalar]:
        """The rate of a value, in the tangent space there."""
        if not self.moves:
            return list(rate)
        nq = self.tree.nq
        return [*velocities_of_rates(self.tree, value[:nq], rate[:nq]), *rate[nq:]]

    def difference(self, start: Sequence[Scalar], end: Sequence[Scalar]) -> list[Scalar]:
        """end - start, in the tangent space."""
        nq = self.tree.nq if self.moves else 0
        turned = difference(self.tree, start[:nq], end[:nq]) if self.moves else []
        return [*turned, *(b - a for a, b in zip(start[nq:], end[nq:], strict=True))]


def inverse_dynamics(dynamics: Dynamics) -> ManifoldMap:
    """tau of (q, v, a)."""
    return ManifoldMap(dynamics.tree, dynamics.torques)


def forward_dynamics(dynamics: Dynamics) -> ManifoldMap:
    """qdd of (q, v, tau)."""
    return ManifoldMap(dynamics.tree, dynamics.accelerations)


def transition(dynamics: Dynamics, h: float, integrator: str) -> ManifoldMap:
    """The state a time h (s) after (q, v) under tau."""

    def damped(q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
        return dynamics.damped_accelerations(q, v, tau, h)

    acceleration = damped if integrator == "implicit" else dynamics.accelerations

    def function(q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
        after = step(dynamics.tree, acceleration, q, v, tau, h, integrator)
        return [*after.q, *after.v]

    return ManifoldMap(dynamics.tree, function, moves=True)
