"""Identities of spatial algebra, on this robot's own transforms and inertias."""

from __future__ import annotations

from collections.abc import Iterator

from dyncli.algorithms.kinematics import joint_transforms
from dyncli.spatial import Inertia, Motion, Transform
from dyncli.verify.subject import Check, Subject, greatest

U = Motion((0.3, -0.7, 0.2), (1.1, 0.4, -0.9))
W = Motion((-0.5, 0.1, 0.8), (0.2, -1.3, 0.6))
"""Two motions that nothing singles out, rad/s and m/s."""


def spatial_algebra(subject: Subject) -> Iterator[Check]:
    """X X⁻¹ = 1, X carries the cross product, power and kinetic energy are the same in every frame."""
    errors: dict[str, list[float]] = {"X Xinv = 1": [], "X (u x w) = Xu x Xw": [], "power in two frames": []}
    for sample in subject.samples:
        for X, body in zip(joint_transforms(subject.tree, sample.q), subject.tree.bodies, strict=True):
            errors["X Xinv = 1"].append(_apart(X.motion_to_parent(X.motion_to_child(U)), U))
            carried = X.motion_to_child(U).cross(X.motion_to_child(W))
            errors["X (u x w) = Xu x Xw"].append(_apart(X.motion_to_child(U.cross(W)), carried))
            errors["power in two frames"].append(_power(X, body.inertia))
    for name, found in errors.items():
        yield Check(name, greatest(found), 3e-15)


def _apart(a: Motion, b: Motion) -> float:
    scale = greatest((*b.angular, *b.linear, 1.0))
    return greatest(x - y for x, y in zip((*a.angular, *a.linear), (*b.angular, *b.linear), strict=True)) / scale


def _power(X: Transform, inertia: Inertia) -> float:
    """uᵀ I w in the body's frame and in its parent's, over the size of the terms."""
    in_child = X.motion_to_child(U).dot(inertia.times(X.motion_to_child(W)))
    in_parent = U.dot(inertia.to_parent(X).times(W))
    moved = inertia.to_parent(X)
    size = moved.mass + greatest(moved.moment) + greatest(moved.rotational)
    return abs(in_child - in_parent) / (size * 4.0) if size else 0.0
