"""CasADi: dyn's recursions on CasADi's symbols, evaluated and differentiated by CasADi.

CasADi has no robots of its own: what is checked is that the recursions hold over a foreign kind of scalar, and the
analytic derivatives against an algorithmic differentiation that is not dyn's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dyncli.algorithms.aba import aba
from dyncli.algorithms.crba import crba
from dyncli.algorithms.rnea import rnea
from dyncli.robot import Robot
from dyncli.tree import Tree
from dyncli.verify.peers.base import Peer, UnavailableError, Vector

if TYPE_CHECKING:
    from dyncli.verify.peers.base import Array


class CasadiPeer(Peer):
    """Functions of CasADi made by running dyn's recursions on its symbols."""

    name = "casadi"
    package = "casadi"
    joint_types = frozenset({"revolute", "continuous", "prismatic", "fixed"})
    takes_mimic = True

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        import casadi

        if any(transmission.path or transmission.armature for transmission in self.tree.transmissions):
            raise UnavailableError("is not given robots whose tendons couple joints")
        tree = self.tree
        q, v, a = (casadi.SX.sym(name, tree.nv) for name in ("q", "v", "a"))
        listed = [[x[k] for k in range(tree.nv)] for x in (q, v, a)]
        M = casadi.vertcat(*(casadi.horzcat(*row) for row in crba(tree, listed[0])))
        tau = casadi.vertcat(*rnea(tree, *listed))
        bias = casadi.vertcat(*rnea(tree, listed[0], listed[1]))
        self._mass: Any = casadi.Function("M", [q], [M])
        self._bias: Any = casadi.Function("h", [q, v], [bias])
        self._torques: Any = casadi.Function("tau", [q, v, a], [tau])
        slopes = [casadi.jacobian(tau, x) for x in (q, v, a)]
        self._slopes: Any = casadi.Function("dtau", [q, v, a], slopes)
        self._forward: Any = None
        if not tree.couples:
            qdd = casadi.vertcat(*aba(tree, *listed)[0])
            self._forward = casadi.Function("qdd", [q, v, a], [qdd, *(casadi.jacobian(qdd, x) for x in (q, v, a))])

    @classmethod
    def takes_armature(cls, tree: Tree) -> bool:
        """Any, by dyn's own recursions."""
        return True

    @classmethod
    def version(cls) -> str:
        """Version of the wheel."""
        import casadi

        return str(casadi.__version__)

    def mass(self, q: Vector) -> Array:
        """M by CRBA."""
        return _dense(self._mass(list(q)))

    def bias(self, q: Vector, v: Vector) -> Array:
        """h by RNEA."""
        return _dense(self._bias(list(q), list(v))).ravel()

    def torques(self, q: Vector, v: Vector, a: Vector) -> Array:
        """tau by RNEA."""
        return _dense(self._torques(list(q), list(v), list(a))).ravel()

    def accelerations(self, q: Vector, v: Vector, tau: Vector) -> Array | None:
        """qdd by ABA, which holds where nothing couples branches."""
        return _dense(self._forward(list(q), list(v), list(tau))[0]).ravel() if self._forward else None

    def torque_derivatives(self, q: Vector, v: Vector, a: Vector) -> Mapping[str, Array]:
        """CasADi's Jacobians of RNEA."""
        found = self._slopes(list(q), list(v), list(a))
        return dict(zip(("dtau_dq", "dtau_dqd", "dtau_dqdd"), map(_dense, found), strict=True))

    def acceleration_derivatives(self, q: Vector, v: Vector, tau: Vector) -> Mapping[str, Array] | None:
        """CasADi's Jacobians of ABA."""
        if not self._forward:
            return None
        found = self._forward(list(q), list(v), list(tau))[1:]
        return dict(zip(("dqdd_dq", "dqdd_dqd", "dqdd_dtau"), map(_dense, found), strict=True))


def _dense(value: Any) -> Array:
    import numpy as np

    return np.array(value.full(), float)
