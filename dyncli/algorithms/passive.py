"""Passive forces: damping, springs, gravity compensation, tendons, Coulomb friction.

All have tau's sign: what the motor must add because of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyncli import scalars
from dyncli.algorithms.rnea import rnea
from dyncli.algorithms.transmissions import length_and_gradient
from dyncli.spatial import ZERO_INERTIA, Scalar
from dyncli.structs import replace
from dyncli.tree import Joint, Tree


def passive_forces(
    tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar] | None, *, friction: bool = False
) -> list[Scalar]:
    """Forces (nv; N m, N) of dampers, springs, gravity compensation and tendons, and with `friction` Coulomb's. O(n).

    Dampers and springs may be polynomials, see `damper` and `spring`.
    """
    tau: list[Scalar] = [0.0] * tree.nv
    for body in tree.bodies:
        joint = body.joint
        if is_passive(joint) or (friction and joint.friction):
            joint.add_force(tau, joint_force(joint, q, v, friction=friction))
    add_tendon_forces(tree, tau, q, v)
    if any(body.compensated for body in tree.bodies):
        weight = rnea(compensated(tree), q)
        tau = [x - y if passive else x for x, y, passive in zip(tau, weight, weight_is_passive(tree), strict=True)]
    return tau


def is_passive(joint: Joint) -> bool:
    """Whether a joint has a spring or a damper."""
    return bool(joint.stiffness or joint.damping)


def joint_force(
    joint: Joint, q: Sequence[Scalar], v: Sequence[Scalar] | None, *, friction: bool = False
) -> Sequence[Scalar]:
    """Resistance of one joint's own spring, damper and friction (its nv; N m, N), out of the robot's q and v."""
    force: list[Scalar] = [0.0] * joint.type.nv
    position = q[joint.index_q : joint.index_q + joint.type.nq]
    if joint.stiffness:
        force = _plus(force, _spring(joint, q))
    if v is not None and (joint.damping or (friction and joint.friction)):
        moved = joint.type.to_joint_axes(position, joint.velocity(v))
        if joint.damping:
            force = _plus(force, [damper(joint.damping, x) for x in moved])
        if friction and joint.friction:
            force = _plus(force, [joint.friction * scalars.sign(x) for x in moved])
    return joint.type.from_joint_axes(position, force)


def damper(coefficients: Sequence[float], v: Scalar) -> Scalar:
    """c1 v + c2 v|v| + c3 v³, for as many coefficients as there are."""
    powers = (v, v * scalars.absolute(v), v * v * v) if len(coefficients) > 1 else (v,)
    return _weighted(coefficients, powers)


def spring(coefficients: Sequence[float], x: Scalar) -> Scalar:
    """k1 x + k2 x² + k3 x³ of a signed deflection x, for as many coefficients as there are."""
    powers = (x, x * x, x * x * x) if len(coefficients) > 1 else (x,)
    return _weighted(coefficients, powers)


def vector_spring(coefficients: Sequence[float], x: Sequence[Scalar]) -> list[Scalar]:
    """(k1 + k2 |x| + k3 |x|²) x of a deflection that is a vector: a turn, or a shift in space."""
    if len(coefficients) == 1:
        return [coefficients[0] * component for component in x]
    square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    factor = _weighted(coefficients, (1.0, scalars.sqrt(square), square))
    return [factor * component for component in x]


def _weighted(coefficients: Sequence[float], powers: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for c, power in zip(coefficients, powers, strict=False):
        if c:
            total = total + c * power
    return total


def _spring(joint: Joint, q: Sequence[Scalar]) -> list[Scalar]:
    """Resistance of a joint's spring along each of its degrees of freedom."""
    if joint.type.nq == 1:
        rest_position = joint.spring_reference[0] if joint.spring_reference else 0.0
        return [spring(joint.stiffness, joint.own_position(q) - rest_position)]
    rest = joint.spring_reference or joint.neutral
    x = joint.type.deflection(rest, joint.position(q))
    if joint.type.quaternion_at is None:
        return [spring(joint.stiffness, component) for component in x]
    return [force for k in range(0, len(x), 3) for force in vector_spring(joint.stiffness, x[k : k + 3])]


def add_tendon_forces(tree: Tree, tau: list[Scalar], q: Sequence[Scalar], v: Sequence[Scalar] | None) -> None:
    """Add the resistance of every tendon's spring and damper."""
    for tendon in tree.transmissions:
        if not tendon.stiffness and not (tendon.damping and v is not None):
            continue
        now, J = length_and_gradient(tree, tendon, q)
        tension: Scalar = 0.0
        if tendon.stiffness:
            low, high = tendon.spring_range
            tension = tension + spring(tendon.stiffness, _beyond(now, low, high))
        if tendon.damping and v is not None:
            rate: Scalar = 0.0
            for k, entry in J.items():
                rate = rate + entry * v[k]
            tension = tension + damper(tendon.damping, rate)
        for k, entry in J.items():
            tau[k] = tau[k] + entry * tension


def _beyond(x: Scalar, low: float, high: float) -> Scalar:
    """How far x is outside [low, high]: x - high above, x - low below, 0 inside."""
    above, below = x - high, x - low
    return 0.5 * (above + scalars.absolute(above)) + 0.5 * (below - scalars.absolute(below))


def compensated(tree: Tree) -> Tree:
    """The tree with the share of each mass that `gravcomp` carries: its gravity torque is what is compensated."""
    bodies = tuple(replace(body, inertia=body.compensated or ZERO_INERTIA) for body in tree.bodies)
    return replace(tree, bodies=bodies)


def weight_is_passive(tree: Tree) -> list[bool]:
    """For each degree of freedom whether gravity compensation is a passive force there, or its motor's work."""
    return [not tree.bodies[i].joint.motor_carries_weight for i in tree.dof_body]


def _plus(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    return [x + y for x, y in zip(a, b, strict=True)]
