"""Kinetic and potential energy."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.algorithms.kinematics import body_poses, body_velocities, joint_transforms, subspaces
from dyncli.algorithms.transmissions import armature_entries, gradient
from dyncli.spatial import Scalar, add3, dot3, rotate, scale3
from dyncli.tree import Tree


def kinetic_energy(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """Sum of vᵀ I v / 2 over the bodies and of the rotors' share (armature), J. O(n)."""
    total: Scalar = 0.0
    velocities = body_velocities(tree, joint_transforms(tree, q), subspaces(tree, q), v)
    for body, vi in zip(tree.bodies, velocities, strict=True):
        if vi is not None:
            total = total + 0.5 * vi.dot(body.inertia.times(vi))
    for k, armature in enumerate(tree.armature):
        if armature:
            total = total + 0.5 * armature * v[k] * v[k]
    for transmission in tree.transmissions:
        if transmission.armature:
            for k, l, entry in armature_entries(tree, transmission, gradient(tree, transmission, q)):  # noqa: E741
                total = total + 0.5 * entry * v[k] * v[l]
    return total


def potential_energy(tree: Tree, q: Sequence[Scalar]) -> Scalar:
    """-m gᵀp summed over the moving bodies, J: zero at the world's origin. Springs are not in it. O(n)."""
    total: Scalar = 0.0
    for body, pose in zip(tree.bodies, body_poses(tree, q), strict=True):
        weighted = add3(scale3(body.inertia.mass, pose.translation), rotate(pose.rotation, body.inertia.moment))
        total = total - dot3(tree.gravity, weighted)
    return total
