"""Random robots with every joint type: the subject of the identities in the tests."""

from __future__ import annotations

import math
import random

from dyncli.build import ModelOptions, build_tree
from dyncli.description import (
    InertialDescription,
    JointDescription,
    LinkDescription,
    MimicDescription,
    RobotDescription,
)
from dyncli.joints import rotation_about
from dyncli.spatial import Transform
from dyncli.tree import Tree

JOINT_TYPES = ("revolute", "continuous", "prismatic", "planar", "ball", "floating", "fixed")


def unit(rng: random.Random) -> tuple[float, float, float]:
    """A random direction."""
    x, y, z = (rng.gauss(0, 1) for _ in range(3))
    norm = math.sqrt(x * x + y * y + z * z)
    return (x / norm, y / norm, z / norm)


def pose(rng: random.Random, size: float = 0.4) -> Transform:
    """A random pose."""
    return Transform(rotation_about(unit(rng), rng.uniform(-3, 3)), tuple(rng.uniform(-size, size) for _ in range(3)))


def inertial(rng: random.Random) -> InertialDescription:
    """Mass and tensor of a random cloud of points: always physical."""
    mass = rng.uniform(0.5, 3)
    points = [[rng.gauss(0, 0.1) for _ in range(3)] for _ in range(6)]
    m = mass / len(points)
    xx, yy, zz = (m * sum(p[i] ** 2 for p in points) for i in range(3))
    tensor = (
        yy + zz,
        xx + zz,
        xx + yy,
        *(-m * sum(p[i] * p[j] for p in points) for i, j in ((0, 1), (0, 2), (1, 2))),
    )
    return InertialDescription(mass, pose(rng, 0.2), tensor)


def random_description(
    seed: int,
    n: int = 8,
    types: tuple[str, ...] = JOINT_TYPES,
    *,
    bushiness: float = 0.5,
    mimic: bool = False,
    armature: bool = False,
    fmt: str = "mjcf",
) -> RobotDescription:
    """A robot of n joints, offset on both sides; with probability `bushiness` one starts a new branch."""
    rng = random.Random(seed)
    links = [LinkDescription("base", inertial(rng))]
    joints: list[JointDescription] = []
    for k in range(1, n + 1):
        parent = f"link{k - 1}" if k > 1 and rng.random() > bushiness else links[rng.randrange(k)].name
        kind = types[(k - 1) % len(types)] if k <= len(types) else rng.choice(types)
        drivers = [j.name for j in joints if j.type in ("revolute", "continuous", "prismatic")]
        follows = mimic and kind in ("revolute", "prismatic") and drivers and rng.random() < 0.5
        joints.append(
            JointDescription(
                f"joint{k}",
                kind,
                parent,
                f"link{k}",
                placement=pose(rng),
                child_offset=pose(rng, 0.1),
                axis=unit(rng),
                reference=rng.uniform(-1, 1) if kind in ("revolute", "prismatic") and fmt == "mjcf" else 0.0,
                armature=rng.uniform(0.1, 1) if armature else 0.0,
                mimic=MimicDescription(rng.choice(drivers), rng.uniform(-2, 2), rng.uniform(-1, 1))
                if follows
                else None,
            )
        )
        links.append(LinkDescription(f"link{k}", inertial(rng)))
    return RobotDescription(
        f"random{seed}", fmt, "", tuple(links), tuple(joints), gravity=(rng.gauss(0, 5), rng.gauss(0, 5), -9.81)
    )


def random_tree(seed: int, n: int = 8, convention: str = "mujoco", **options: object) -> Tree:
    """The tree of a random robot."""
    return build_tree(random_description(seed, n, **options), ModelOptions(convention=convention))  # type: ignore[arg-type]


def random_state(tree: Tree, seed: int) -> tuple[list[float], list[float], list[float], list[float]]:
    """q, v, a, tau of plain floats; q valid (unit quaternions)."""
    rng = random.Random(seed)
    q: list[float] = []
    for joint in tree.joints:
        q += joint.type.from_uniform([rng.random() for _ in range(joint.type.uniforms)], joint.lower, joint.upper)
    return q, *([rng.gauss(0, 1) for _ in range(tree.nv)] for _ in range(3))
