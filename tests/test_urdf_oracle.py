"""Real robots: the reader against Pinocchio's, link by link, and against what the references expect of each file."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from dyncli.description import RobotDescription
from dyncli.errors import ModelError
from dyncli.formats.load import load_description
from dyncli.spatial import IDENTITY, ZERO_INERTIA, Inertia, Transform, inertia_about_center, rotate_symmetric

SHARE = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data", "robots")
SHARED = Path(__file__).resolve().parents[2] / "shared"
REAL = sorted(SHARE.rglob("*.urdf"))
NO_ROBOT = {"ur3.urdf"}
"""A xacro file of macros that someone expanded: neither a name nor a link."""
COMPARED = (
    "panda.urdf",
    "ur5_robot.urdf",
    "talos_full_v2.urdf",
    "tiago_dual.urdf",
    "icub.urdf",
    "romeo_laas_small.urdf",
    "anymal-kinova.urdf",
    "pr2.urdf",
    "bolt.urdf",
    "g1_29dof_rev_1_0.urdf",
    "human.urdf",
    "double_pendulum_continuous.urdf",
)


def named(name: str) -> Path:
    return next(path for path in REAL if path.name == name)


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_every_robot_of_the_wheel_loads(path: Path) -> None:
    if path.name in NO_ROBOT:
        with pytest.raises(ModelError, match="name"):
            load_description(path)
        return
    robot = load_description(path)
    assert len(robot.links) == len(robot.joints) + 1
    assert not any(finding.fatal or finding.line is None for finding in robot.findings)


def placements(robot: RobotDescription) -> dict[str, tuple[str, Transform]]:
    """For each link: the joint that last moves it ('universe' for none), and its pose in the frame of that joint."""
    children: dict[str, list[Any]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    placed = {robot.links[0].name: ("universe", IDENTITY)}
    pending = [robot.links[0].name]
    while pending:
        parent = pending.pop()
        mover, pose = placed[parent]
        for joint in children.get(parent, []):
            rigid = joint.type == "fixed"
            placed[joint.child] = (mover, pose.then(joint.placement)) if rigid else (joint.name, IDENTITY)
            pending.append(joint.child)
    return placed


def matrices(transform: Transform) -> list[np.ndarray]:
    return [np.array(transform.rotation), np.array(transform.translation)]


def close(ours: Any, theirs: Any) -> bool:
    largest = max(1.0, float(np.max(np.abs(theirs))))
    return bool(np.max(np.abs(np.asarray(ours) - np.asarray(theirs))) <= 1e-12 * largest)


@pytest.mark.parametrize("name", COMPARED)
def test_placements_and_inertias_are_those_of_pinocchio(name: str) -> None:
    path = named(name)
    robot = load_description(path)
    model = pin.buildModelFromUrdf(str(path))
    placed = placements(robot)

    for joint in robot.joints:
        if joint.type == "fixed":
            continue
        index = model.getJointId(joint.name)
        mover, pose = placed[joint.parent]
        assert model.names[model.parents[index]] == mover
        theirs = model.jointPlacements[index]
        for ours, other in zip(
            matrices(pose.then(joint.placement)), (theirs.rotation, theirs.translation), strict=True
        ):
            assert close(ours, other), joint.name

    for link in robot.links:
        frame = model.frames[model.getFrameId(link.name, pin.FrameType.BODY)]
        mover, pose = placed[link.name]
        assert model.names[frame.parentJoint] == mover
        theirs = frame.placement
        for ours, other in zip(matrices(pose), (theirs.rotation, theirs.translation), strict=True):
            assert close(ours, other), link.name

    moved = dict.fromkeys(model.names, ZERO_INERTIA)
    for link in robot.links:
        if link.inertial is None:
            continue
        rotation, center = link.inertial.placement
        tensor = rotate_symmetric(rotation, link.inertial.tensor)
        mover, pose = placed[link.name]
        moved[mover] = moved[mover].plus(inertia_about_center(link.inertial.mass, center, tensor).to_parent(pose))
    for index in range(1, model.njoints):
        assert close(spatial_matrix(moved[model.names[index]]), model.inertias[index].matrix()), model.names[index]


def spatial_matrix(inertia: Inertia) -> np.ndarray:
    """6x6, linear part first as Pinocchio has it."""
    m, (hx, hy, hz), (xx, yy, zz, xy, xz, yz) = inertia
    H = np.array([[0, -hz, hy], [hz, 0, -hx], [-hy, hx, 0]])
    return np.block([[m * np.eye(3), -H], [H, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])]])


@pytest.mark.parametrize("name", COMPARED)
def test_limits_are_those_of_pinocchio(name: str) -> None:
    path = named(name)
    model = pin.buildModelFromUrdf(str(path))
    for joint in load_description(path).joints:
        if joint.type not in ("revolute", "prismatic") or joint.lower is None:
            continue
        index = model.getJointId(joint.name)
        q, v = model.idx_qs[index], model.idx_vs[index]
        assert (joint.lower, joint.upper) == (model.lowerPositionLimit[q], model.upperPositionLimit[q])
        assert (joint.effort, joint.velocity) == (model.effortLimit[v], model.velocityLimit[v])


def probes() -> list[dict[str, Any]]:
    index = SHARED / "oracle" / "probes.json"
    if not index.exists():
        return []
    return [probe for probe in json.loads(index.read_text()) if probe["format"] == "urdf"]


@pytest.mark.parametrize("probe", probes(), ids=lambda probe: probe["id"])
def test_probes_load_or_are_refused_as_expected(probe: dict[str, Any]) -> None:
    path = SHARED / "oracle" / probe["path"]
    if probe["expect"] == "error":
        with pytest.raises(ModelError):
            load_description(path)
    elif probe["expect"] == "ok":
        load_description(path)


def loads() -> list[tuple[Path, dict[str, Any]]]:
    cases = sorted((SHARED / "cases").glob("U*/expected.json"))
    return [
        (case.parent / check["file"], check["expect"])
        for case in cases
        for check in json.loads(case.read_text())["checks"]
        if check["op"] == "load"
    ]


@pytest.mark.parametrize(("path", "expected"), loads(), ids=lambda value: value.stem if isinstance(value, Path) else "")
def test_cases_load_or_are_refused_with_the_words_expected(path: Path, expected: dict[str, Any]) -> None:
    if expected["outcome"] == "error":
        with pytest.raises(ModelError) as caught:
            load_description(path)
        text = "\n".join(caught.value.lines())
    else:
        text = "\n".join(finding.text() for finding in load_description(path).findings)
    for word in (*expected.get("must_mention", []), *expected.get("warning_on_stderr_mentions", [])):
        assert word in text
