"""Robots of a given structure with generic numbers: no zero, no one and no two alike in axes, placements, inertias."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from dyncli.joints import joint_type, rotation_about
from dyncli.spatial import IDENTITY, Inertia, Transform, Vector3
from dyncli.structs import replace
from dyncli.tree import Body, Frame, Joint, Tree

SEED = 1


def with_generic_numbers(tree: Tree) -> Tree:
    """The same tree and joint types with generic axes, placements, inertias and gravity.

    What a robot has or has not (armature, offsets of mimic, frames that coincide with their bodies) stays so.
    """
    rng = random.Random(SEED)
    return replace(
        tree,
        gravity=_vector(rng),
        bodies=tuple(_body(body, rng) for body in tree.bodies),
        frames={name: _frame(frame, rng) for name, frame in tree.frames.items()},
        armature=tuple(_positive(rng) if armature else 0.0 for armature in tree.armature),
    )


def generic_tree(parents: Sequence[int]) -> Tree:
    """A robot of revolute joints: body i hangs on body parents[i] < i, or on the world (-1)."""
    rng = random.Random(SEED)
    revolute = joint_type("revolute", "pinocchio")
    bodies = []
    for i, parent in enumerate(parents):
        joint = Joint(f"joint{i + 1}", revolute, (0.0, 0.0, 1.0), i, i, (0.0,))
        bodies.append(_body(Body(f"link{i + 1}", parent, joint, IDENTITY, _inertia(rng)), rng))
    names = tuple(body.joint.name for body in bodies)
    return Tree(
        name="generic",
        format="urdf",
        convention="pinocchio",
        gravity=_vector(rng),
        bodies=tuple(bodies),
        frames={body.link: Frame(body.link, "link", i, IDENTITY) for i, body in enumerate(bodies)},
        coordinates=names,
        dofs=names,
        armature=(0.0,) * len(bodies),
        fixed_inertia=_inertia(rng),
    )


def regular_parents(n: int, branching: int) -> list[int]:
    """Parents of a tree of n bodies, one on the world, in which each body carries `branching` others (1: a chain)."""
    return [(i - 1) // branching if i else -1 for i in range(n)]


def _body(body: Body, rng: random.Random) -> Body:
    joint = body.joint
    return replace(
        body,
        joint=replace(joint, axis=_direction(rng), reference=_positive(rng) if joint.reference else 0.0),
        placement=_pose(rng),
        inertia=_inertia(rng),
        link_placement=_pose(rng) if body.link_placement != IDENTITY else IDENTITY,
    )


def _frame(frame: Frame, rng: random.Random) -> Frame:
    return frame if frame.body < 0 or frame.placement == IDENTITY else replace(frame, placement=_pose(rng))


def _pose(rng: random.Random) -> Transform:
    return Transform(rotation_about(_direction(rng), rng.uniform(0.5, 2.5)), _vector(rng))


def _inertia(rng: random.Random) -> Inertia:
    """Mass on six points in general position: a physical inertia."""
    points = [(_positive(rng), _vector(rng)) for _ in range(6)]

    def moment(i: int, j: int) -> float:
        return math.fsum(m * p[i] * p[j] for m, p in points)

    x, y, z = (math.fsum(m * p[i] for m, p in points) for i in range(3))
    xx, yy, zz = moment(0, 0), moment(1, 1), moment(2, 2)
    return Inertia(
        math.fsum(m for m, _ in points),
        (x, y, z),
        (yy + zz, xx + zz, xx + yy, -moment(0, 1), -moment(0, 2), -moment(1, 2)),
    )


def _positive(rng: random.Random) -> float:
    return rng.uniform(0.1, 0.9)


def _vector(rng: random.Random) -> Vector3:
    return (rng.uniform(-0.9, 0.9), rng.uniform(-0.9, 0.9), rng.uniform(-0.9, 0.9))


def _direction(rng: random.Random) -> Vector3:
    x, y, z = rng.gauss(0.0, 1.0), rng.gauss(0.0, 1.0), rng.gauss(0.0, 1.0)
    norm = math.sqrt(x * x + y * y + z * z)
    return (x / norm, y / norm, z / norm)
