"""Arms put together by hand, and the pieces that tests of inverse kinematics share."""

from __future__ import annotations

import sysconfig
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dyncli.algorithms.ik.chain import Chain
from dyncli.algorithms.ik.error import ALL_ROWS, Targets
from dyncli.algorithms.ik.problem import Problem
from dyncli.algorithms.ik.settings import Settings
from dyncli.build import ModelOptions, build_tree
from dyncli.description import JointDescription, LinkDescription, MimicDescription, RobotDescription
from dyncli.formats.load import load_description
from dyncli.joints import rotation_about
from dyncli.spatial import IDENTITY3, Transform
from dyncli.tree import Tree

SAMPLES = Path(__file__).parent.parent / "sample_models"
SHARE = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data", "robots")
UR5 = SHARE / "ur_description" / "urdf" / "ur5_robot.urdf"
PANDA = SHARE / "panda_description" / "urdf" / "panda.urdf"
POSITION = (0, 1, 2)
X, Y, Z = IDENTITY3


def turned(axis: tuple[float, float, float], angle: float) -> np.ndarray:
    """A rotation matrix."""
    return np.array(rotation_about(axis, angle))


def serial(joints: Sequence[dict], tip: tuple[float, float, float], rotation=IDENTITY3) -> Tree:
    """A chain of joints (type, at, axis, lower, upper, mimic = (joint, multiplier, offset)) to a link `tip`."""
    described, links = [], [LinkDescription("base")]
    for k, said in enumerate(joints, start=1):
        mimic = said.get("mimic")
        described.append(
            JointDescription(
                f"j{k}",
                said.get("type", "revolute"),
                links[-1].name,
                f"l{k}",
                placement=Transform(said.get("rotation", IDENTITY3), said.get("at", (0.0, 0.0, 0.0))),
                axis=said.get("axis", Z),
                lower=said.get("lower"),
                upper=said.get("upper"),
                mimic=None if mimic is None else MimicDescription(*mimic),
            )
        )
        links.append(LinkDescription(f"l{k}"))
    described.append(JointDescription("end", "fixed", links[-1].name, "tip", placement=Transform(rotation, tip)))
    links.append(LinkDescription("tip"))
    return build_tree(RobotDescription("arm", "urdf", "", tuple(links), tuple(described)), ModelOptions())


def planar(*lengths: float, limit: float | None = None) -> Tree:
    """Parallel revolute joints about z with links along x."""
    ends = {} if limit is None else {"lower": -limit, "upper": limit}
    joints = [{"at": (length, 0.0, 0.0), **ends} for length in (0.0, *lengths[:-1])]
    return serial(joints, (lengths[-1], 0.0, 0.0))


def loaded(path: Path) -> Tree:
    """The tree of a file."""
    return build_tree(load_description(path), ModelOptions())


def problem(tree: Tree, frame: str = "tip", rows=ALL_ROWS, start=None, restarts: int = 124, **settings) -> Problem:
    """What is asked of a frame."""
    chain = Chain(tree, tree.frames[frame], tree.neutral if start is None else start)
    return Problem(chain, tuple(rows), Settings(**settings), restarts)


def point(*positions: Sequence[float], rows=POSITION) -> Targets:
    """Targets of positions alone."""
    place = np.array(positions, dtype=float).T
    return Targets(place, np.repeat(np.eye(3)[:, :, None], place.shape[1], axis=2), tuple(rows))


def poses_at(chain: Chain, q: np.ndarray, rows=ALL_ROWS) -> Targets:
    """The poses of the frame at chain coordinates (coordinates, T), as targets."""
    at = chain.kinematics(q)
    return Targets(at.position.copy(), at.rotation.copy(), tuple(rows))


def random_q(chain: Chain, count: int, seed: int) -> np.ndarray:
    """Random coordinates within the limits."""
    return chain.random(np.random.default_rng(seed).random((chain.uniforms, count)))


def column(*q: float) -> np.ndarray:
    """One lane of coordinates."""
    return np.array(q, dtype=float)[:, None]
