"""What is differentiated: the equations of motion with the options that `rnea` and `fd` were given."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.algorithms.crba import crba
from dyncli.algorithms.derivatives.couplings import damping_matrix
from dyncli.algorithms.factor import cholesky, cholesky_solve
from dyncli.algorithms.forward import forward_dynamics
from dyncli.algorithms.passive import passive_forces
from dyncli.algorithms.rnea import rnea
from dyncli.algorithms.wrenches import Wrench
from dyncli.spatial import Scalar
from dyncli.structs import struct
from dyncli.tree import Tree


@struct
class Dynamics:
    """Inverse and forward dynamics of a tree under wrenches, with or without passive forces, over scalars of any kind.

    Coulomb friction is left out: where it is differentiable its derivative is zero.
    """

    tree: Tree
    wrenches: tuple[Wrench, ...] = ()
    passive: bool = False

    def torques(self, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]) -> list[Scalar]:
        """tau (nv) that gives the acceleration a."""
        return self._with_passive(rnea(self.tree, q, v, a, wrenches=self.wrenches), q, v)

    def accelerations(self, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
        """The acceleration (nv) that tau causes."""
        return forward_dynamics(self.tree, q, v, self._driving(q, v, tau), wrenches=self.wrenches)[0]

    def damped_accelerations(
        self, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar], h: float
    ) -> list[Scalar]:
        """Acceleration a with the dampers' force taken at v + h a to first order: (M + h D) a = tau - bias. O(n³)."""
        if not self.passive:
            return self.accelerations(q, v, tau)
        bias = rnea(self.tree, q, v, wrenches=self.wrenches)
        b = [force - h0 for force, h0 in zip(self._driving(q, v, tau), bias, strict=True)]
        return cholesky_solve(cholesky(self.damped_mass(q, v, h)), b)

    def damped_mass(self, q: Sequence[Scalar], v: Sequence[Scalar], h: float) -> list[list[Scalar]]:
        """M + h D, nv x nv."""
        D = damping_matrix(self.tree, q, v)
        return [
            [m + h * d for m, d in zip(row, damping, strict=True)]
            for row, damping in zip(crba(self.tree, q), D, strict=True)
        ]

    def _driving(self, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar]) -> Sequence[Scalar]:
        if not self.passive:
            return tau
        return [x - y for x, y in zip(tau, passive_forces(self.tree, q, v), strict=True)]

    def _with_passive(self, tau: list[Scalar], q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        if not self.passive:
            return tau
        return [x + y for x, y in zip(tau, passive_forces(self.tree, q, v), strict=True)]
