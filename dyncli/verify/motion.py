"""Checks of inverse and forward dynamics: parts, routes, power, momentum, energy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dyncli.algorithms.coriolis import coriolis_matrix
from dyncli.algorithms.crba import crba
from dyncli.algorithms.energy import kinetic_energy, potential_energy
from dyncli.algorithms.forward import METHODS, forward_dynamics, route
from dyncli.algorithms.kinematics import body_poses, body_velocities, joint_transforms, subspaces
from dyncli.algorithms.rnea import link_forces, rnea
from dyncli.scalars.dual import Dual, tangent_of
from dyncli.spatial import ZERO_FORCE, Force
from dyncli.tree import Tree
from dyncli.verify.subject import Check, Sample, Subject, deviation, flat, greatest, times


def inverse_dynamics(subject: Subject) -> Iterator[Check]:
    """tau is the sum of its parts, and M qdd + h."""
    tree = subject.tree
    sums, products, coriolis = [], [], []
    for sample, M in zip(subject.samples, subject.masses, strict=True):
        tau = rnea(tree, sample.q, sample.v, sample.a)
        gravity = rnea(tree, sample.q)
        velocity = rnea(tree, sample.q, sample.v, gravity=False)
        inertia = rnea(tree, sample.q, a=sample.a, gravity=False)
        scale = greatest((*gravity, *velocity, *inertia))
        total = [g + c + i for g, c, i in zip(gravity, velocity, inertia, strict=True)]
        sums.append(deviation(tau, total, scale))
        bias = rnea(tree, sample.q, sample.v)
        by_mass = [x + h for x, h in zip(times(M, sample.a), bias, strict=True)]
        products.append(deviation(tau, by_mass, scale))
        by_matrix = times(coriolis_matrix(tree, sample.q, sample.v), sample.v)
        coriolis.append(deviation(by_matrix, velocity, max(scale, greatest(velocity))))
    yield Check("tau = gravity + coriolis + inertia", greatest(sums), subject.bound(5e-15))
    yield Check("tau = M qdd + h", greatest(products), subject.bound(5e-15))
    yield Check("C qd = coriolis", greatest(coriolis), subject.bound(1e-14))


def forward(subject: Subject) -> Iterator[Check]:
    """All routes give one acceleration, and inverse dynamics gives it back; where M is regular."""
    if not subject.is_regular:
        return
    tree = subject.tree
    routes = [method for method in METHODS if route(tree, method) == method]
    apart: dict[str, list[float]] = {method: [] for method in routes if method != "crba"}
    back = []
    for sample in subject.samples:
        found = {method: forward_dynamics(tree, sample.q, sample.v, sample.tau, method=method)[0] for method in routes}
        for method, errors in apart.items():
            errors.append(deviation(found[method], found["crba"]))
        tau = rnea(tree, sample.q, sample.v, sample.a)
        back.append(deviation(forward_dynamics(tree, sample.q, sample.v, tau)[0], sample.a))
    for method, errors in apart.items():
        yield Check(f"FD by {method} = by crba", greatest(errors), subject.bound(1e-13, solved=True))
    yield Check("FD(ID(qdd)) = qdd", greatest(back), subject.bound(1e-12, solved=True))


def energy(subject: Subject) -> Iterator[Check]:
    """qdᵀ tau = dE/dt, gravity torque = dV/dq, Ṁ - 2C skew: derivatives by dual numbers along the motion."""
    tree = subject.tree
    powers, gradients, skews = [], [], []
    for sample in subject.samples:
        q, v = moving(tree, sample)
        tau = rnea(tree, sample.q, sample.v, sample.a)
        terms = [x * y for x, y in zip(sample.v, tau, strict=True)]
        rate = float(tangent_of(kinetic_energy(tree, q, v) + potential_energy(tree, q)))
        powers.append(abs(rate - sum(terms)) / (sum(map(abs, terms)) or 1.0))
        gravity = rnea(tree, sample.q)
        slopes = [float(tangent_of(potential_energy(tree, along))) for along in directions(tree, sample.q)]
        weight = greatest(tree.gravity) * sum(abs(body.inertia.mass) for body in tree.bodies)
        gradients.append(deviation(slopes, gravity, max(greatest(gravity), 1e-3 * weight)))
        rates = [[float(tangent_of(entry)) for entry in row] for row in crba(tree, q)]
        C = coriolis_matrix(tree, sample.q, sample.v)
        skew = [[rate - 2.0 * c for rate, c in zip(*rows, strict=True)] for rows in zip(rates, C, strict=True)]
        scale = greatest((*flat(rates), *flat(C)))
        skews.append(deviation(flat(skew), [-x for x in flat([list(row) for row in zip(*skew, strict=True)])], scale))
    yield Check("qdᵀ tau = dE/dt", greatest(powers), subject.bound(2e-14))
    yield Check("gravity torque = dV/dq", greatest(gradients), subject.bound(2e-14))
    yield Check("Ṁ - 2C is skew", greatest(skews), subject.bound(2e-14))


def momentum(subject: Subject) -> Iterator[Check]:
    """The wrench on the base is the rate of the robot's momentum, all in world coordinates."""
    tree = subject.tree
    errors = []
    for sample in subject.samples:
        q, v = moving(tree, sample)
        rate = [float(tangent_of(x)) for x in _components(total_momentum(tree, q, v))]
        transforms = joint_transforms(tree, sample.q)
        forces = link_forces(tree, sample.q, sample.v, sample.a, transforms, gravity=False)
        on_base = [transforms[i].force_to_parent(forces[i]) for i, body in enumerate(tree.bodies) if body.parent < 0]
        total = ZERO_FORCE
        for force in on_base:
            total = total.plus(force)
        scale = greatest(x for force in on_base for x in _components(force))
        errors.append(deviation(rate, _components(total), scale))
    yield Check("momentum rate = base wrench", greatest(errors), subject.bound(1e-14))


def total_momentum(tree: Tree, q: Sequence[Any], v: Sequence[Any]) -> Force:
    """Momentum of the moving bodies about the world's origin, world axes; rotors are not in it."""
    total = ZERO_FORCE
    velocities = body_velocities(tree, joint_transforms(tree, q), subspaces(tree, q), v)
    for body, pose, vi in zip(tree.bodies, body_poses(tree, q), velocities, strict=True):
        if vi is not None:
            total = total.plus(pose.force_to_parent(body.inertia.times(vi)))
    return total


def moving(tree: Tree, sample: Sample) -> tuple[list[Any], list[Any]]:
    """q and v as dual numbers whose tangents are their rates along the motion of a sample."""
    q: list[Any] = []
    for joint in tree.joints:
        own = sample.q[joint.index_q : joint.index_q + joint.nq]
        rates = joint.type.position_rate(own, sample.v[joint.index_v : joint.index_v + joint.nv])
        q += map(Dual, own, rates)
    return q, list(map(Dual, sample.v, sample.a))


def directions(tree: Tree, q: Sequence[float]) -> Iterator[list[Any]]:
    """For each degree of freedom q as dual numbers that move along it."""
    for joint in tree.joints:
        own = slice(joint.index_q, joint.index_q + joint.nq)
        for tangent in joint.type.tangent(q[own]):
            yield [*q[: own.start], *map(Dual, q[own], tangent), *q[own.stop :]]


def _components(force: Force) -> list[Any]:
    return [*force.angular, *force.linear]
