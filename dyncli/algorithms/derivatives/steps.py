"""One step of an integrator on the manifold, from (q, v) to the state a time h later.

    explicit       v⁺ = v + h a, q⁺ = q ⊕ h v
    semi-implicit  v⁺ = v + h a, q⁺ = q ⊕ h v⁺
    implicit       as semi-implicit, a with the dampers' force taken at v⁺ to first order
    rk4            the classical scheme on the exponential coordinates u of q ⊕ u: fourth order in orientation too

q ⊕ u is `JointType.integrate`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dyncli.spatial import Scalar
from dyncli.tree import Tree

INTEGRATORS = ("semi-implicit", "explicit", "implicit", "rk4")

Acceleration = Callable[[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]], Sequence[Scalar]]
"""Acceleration (nv) at q and v under tau."""


class State(NamedTuple):
    """Position (nq) and velocity (nv)."""

    q: list[Scalar]
    v: list[Scalar]


def step(
    tree: Tree,
    acceleration: Acceleration,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    h: float,
    integrator: str,
) -> State:
    """The state a time h (s) after (q, v) under a constant tau. `implicit` is in `acceleration`, not here."""
    if integrator == "rk4":
        return _runge_kutta(tree, acceleration, q, v, tau, h)
    ahead = _moved(v, h, acceleration(q, v, tau))
    used = v if integrator == "explicit" else ahead
    return State(advanced(tree, q, [h * x for x in used]), ahead)


def advanced(tree: Tree, q: Sequence[Scalar], u: Sequence[Scalar]) -> list[Scalar]:
    """q ⊕ u: coordinates after unit time at velocity u."""
    after: list[Scalar] = []
    for joint in tree.joints:
        after += joint.type.integrate(q[joint.index_q : joint.index_q + joint.nq], joint.velocity(u))
    return after


def difference(tree: Tree, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
    """The u with q0 ⊕ u = q1."""
    u: list[Scalar] = []
    for joint in tree.joints:
        own = slice(joint.index_q, joint.index_q + joint.nq)
        u += joint.type.difference(q0[own], q1[own])
    return u


def bracket(tree: Tree, u: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """Lie bracket [u, v], joint by joint."""
    entries: list[Scalar] = []
    for joint in tree.joints:
        entries += joint.type.bracket(joint.velocity(u), joint.velocity(v))
    return entries


def _runge_kutta(
    tree: Tree, acceleration: Acceleration, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar], h: float
) -> State:
    """Source: H. Munthe-Kaas, High order Runge-Kutta methods on manifolds (1999)."""
    rates: list[Sequence[Scalar]] = [v]
    slopes: list[Sequence[Scalar]] = [acceleration(q, v, tau)]
    for share in (0.5, 0.5, 1.0):
        u = [share * h * x for x in rates[-1]]
        w = _moved(v, share * h, slopes[-1])
        slopes.append(acceleration(advanced(tree, q, u), w, tau))
        rates.append(_coordinate_rate(tree, u, w))
    return State(
        advanced(tree, q, [h * x for x in _simpson(rates)]),
        _moved(v, h, _simpson(slopes)),
    )


def _coordinate_rate(tree: Tree, u: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """Rate of the exponential coordinates at u that a velocity v means, to the order that the scheme needs."""
    once = bracket(tree, u, v)
    twice = bracket(tree, u, once)
    return [x + 0.5 * y + (1.0 / 12.0) * z for x, y, z in zip(v, once, twice, strict=True)]


def _simpson(k: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return [(1.0 / 6.0) * (a + 2.0 * (b + c) + d) for a, b, c, d in zip(*k, strict=True)]


def _moved(v: Sequence[Scalar], h: float, a: Sequence[Scalar]) -> list[Scalar]:
    return [x + h * rate for x, rate in zip(v, a, strict=True)]
