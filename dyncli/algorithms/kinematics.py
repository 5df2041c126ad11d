"""Poses, velocities and Jacobians."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.spatial import (
    Motion,
    Scalar,
    Transform,
    Vector3,
    add3,
    cross3,
    multiply3,
    rotate,
    rotate_back,
    subtract3,
    transpose3,
)
from dyncli.tree import Frame, Tree


def joint_transforms(tree: Tree, q: Sequence[Scalar]) -> list[Transform]:
    """Pose of each body in its parent body at q. O(n)."""
    return [tree.joint_transform(i, q) for i in range(len(tree.bodies))]


def body_poses(tree: Tree, q: Sequence[Scalar]) -> list[Transform]:
    """Pose of each body in the world at q. O(n)."""
    poses: list[Transform] = []
    for X, parent in zip(joint_transforms(tree, q), tree.parents, strict=True):
        poses.append(X if parent < 0 else poses[parent].then(X))
    return poses


def frame_pose(frame: Frame, poses: Sequence[Transform]) -> Transform:
    """Pose of a frame in the world, from the poses of the bodies."""
    return frame.placement if frame.body < 0 else poses[frame.body].then(frame.placement)


def jacobian(tree: Tree, q: Sequence[Scalar], frame: Frame) -> list[list[Scalar]]:
    """Geometric Jacobian of a frame: 6 x nv, rows linear then angular velocity of its origin, world axes.

    Maps v to the frame's velocity (m/s, rad/s). O(depth of the frame).
    Source: Featherstone section 2.12 and 6.6; the sum runs over the ancestors of the frame's body.
    """
    poses = body_poses(tree, q)
    return jacobian_at(tree, q, poses, frame.body, frame_pose(frame, poses).translation)


def jacobian_at(
    tree: Tree, q: Sequence[Scalar], poses: Sequence[Transform], body: int, point: Vector3
) -> list[list[Scalar]]:
    """Jacobian (6 x nv, as `jacobian`) of a world point carried by a body, from poses already at hand."""
    J: list[list[Scalar]] = [[0.0] * tree.nv for _ in range(6)]
    for i in tree.ancestors(body):
        joint = tree.bodies[i].joint
        for k, column in zip(joint.dofs, tree.subspace(i, q), strict=True):
            along = poses[i].motion_to_parent(column)
            linear = add3(along.linear, cross3(along.angular, point))
            for row, entry in enumerate((*linear, *along.angular)):
                J[row][k] = J[row][k] + (joint.multiplier * entry if joint.multiplier != 1.0 else entry)
    return J


def combine(columns: Sequence[Motion], v: Sequence[Scalar]) -> Motion | None:
    """S v: the motion of a joint's subspace at velocity v; None for a joint without degrees of freedom."""
    total: Motion | None = None
    for column, component in zip(columns, v, strict=True):
        part = column.times(component)
        total = part if total is None else total.plus(part)
    return total


def carried(X: Transform, m: Motion | None) -> Motion | None:
    """A parent's motion in child coordinates; None stays None (the parent does not move)."""
    return None if m is None else X.motion_to_child(m)


def sum_of(a: Motion | None, b: Motion | None) -> Motion | None:
    """a + b, where None stands for no motion."""
    if a is None or b is None:
        return b if a is None else a
    return a.plus(b)


def body_velocities(
    tree: Tree, transforms: Sequence[Transform], S: Sequence[Sequence[Motion]], v: Sequence[Scalar]
) -> list[Motion | None]:
    """Velocity of each body in its own coordinates; None for one that nothing moves. O(n)."""
    velocities: list[Motion | None] = []
    for body, X, columns in zip(tree.bodies, transforms, S, strict=True):
        parent = velocities[body.parent] if body.parent >= 0 else None
        velocities.append(sum_of(carried(X, parent), combine(columns, body.joint.velocity(v))))
    return velocities


def subspaces(tree: Tree, q: Sequence[Scalar]) -> list[tuple[Motion, ...]]:
    """Columns of each body's motion subspace in body coordinates."""
    return [tree.subspace(i, q) for i in range(len(tree.bodies))]


def complete_branches(tree: Tree) -> list[list[int]]:
    """For each body met in turn, the bodies whose descendants have then all been met: inwards, or none."""
    waiting = [0] * len(tree.bodies)
    for parent in tree.parents:
        if parent >= 0:
            waiting[parent] += 1
    complete: list[list[int]] = []
    for i in range(len(tree.bodies)):
        done: list[int] = []
        while i >= 0 and not waiting[i]:
            done.append(i)
            i = tree.parents[i]
            if i >= 0:
                waiting[i] -= 1
        complete.append(done)
    return complete


def center_of_mass(tree: Tree, q: Sequence[Scalar]) -> tuple[Scalar, Vector3]:
    """Total mass (kg) and centre of mass (m, world) of all links, those welded to the world included.

    Of a robot without mass the centre is the world's origin.
    """
    mass, moment = tree.fixed_inertia.mass, tree.fixed_inertia.moment
    for body, pose in zip(tree.bodies, body_poses(tree, q), strict=True):
        inertia = body.inertia
        mass = mass + inertia.mass
        carried = tuple(inertia.mass * r for r in pose.translation)
        moment = add3(moment, add3(rotate(pose.rotation, inertia.moment), (carried[0], carried[1], carried[2])))
    if not mass:
        return 0.0, (0.0, 0.0, 0.0)
    return mass, (moment[0] / mass, moment[1] / mass, moment[2] / mass)


def relative_pose(of: Transform, seen_from: Transform) -> Transform:
    """Pose of one frame in another, both given in the world."""
    back = seen_from.rotation
    return Transform(
        multiply3(transpose3(back), of.rotation), rotate_back(back, subtract3(of.translation, seen_from.translation))
    )
