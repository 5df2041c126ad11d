"""Small MJCFs written around the part that a test is about, and MuJoCo's word on the same text."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from dyncli.description import JointDescription, LinkDescription, RobotDescription
from dyncli.errors import ModelError
from dyncli.formats.load import load_description, parse_description
from dyncli.spatial import IDENTITY, Symmetric3, Transform, quaternion_to_matrix

BALL = '<geom size=".1"/>'
_TYPES = {0: ("floating",), 1: ("ball",), 2: ("prismatic",), 3: ("revolute", "continuous")}


def mjcf(world: str = "", rest: str = "") -> str:
    """A model with this in its worldbody; `rest` (compiler, default, tendon...) begins on line 2."""
    return f"<mujoco>\n{rest}\n<worldbody>\n{world}\n</worldbody></mujoco>"


def read(world: str = "", rest: str = "") -> RobotDescription:
    return parse_description(mjcf(world, rest).encode(), "m.xml")


def joint(inner: str, rest: str = "") -> JointDescription:
    """The joint of a model of one ball-shaped body; `inner` are its attributes."""
    return read(f'<body name="b"><joint name="j" {inner}/>{BALL}</body>', rest).joints[0]


def refusal(world: str = "", rest: str = "") -> list[str]:
    """What our reader says of a model that MuJoCo refuses too."""
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(mjcf(world, rest))
    return our_refusal(world, rest)


def our_refusal(world: str = "", rest: str = "") -> list[str]:
    with pytest.raises(ModelError) as caught:
        read(world, rest)
    return caught.value.lines()


def agree(world: str = "", rest: str = "") -> RobotDescription:
    """Our description, after it was found to be what MuJoCo makes of the same text."""
    description = read(world, rest)
    assert_same(description, mujoco.MjModel.from_xml_string(mjcf(world, rest)))
    return description


def agree_on_file(path: Path) -> RobotDescription:
    """The same for a file."""
    description = load_description(path)
    assert_same(description, mujoco.MjModel.from_xml_path(str(path)))
    return description


def full(tensor: Symmetric3) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = tensor
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def link(description: RobotDescription, name: str) -> LinkDescription:
    return next(link for link in description.links if link.name == name)


def inertia_in_body(description: LinkDescription) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and tensor about it, in the axes of the body."""
    inertial = description.inertial
    if inertial is None:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    R = np.array(inertial.placement.rotation)
    return inertial.mass, np.array(inertial.placement.translation), R @ full(inertial.tensor) @ R.T


def drawn_poses(description: RobotDescription) -> dict[str, Transform]:
    """World pose of every link as the file draws it."""
    poses = {description.links[0].name: IDENTITY}
    for each in description.joints:
        turn = IDENTITY
        if each.type == "floating":
            assert each.neutral is not None
            x, y, z, *quaternion = each.neutral
            turn = Transform(quaternion_to_matrix(*quaternion), (x, y, z))
        poses[each.child] = poses[each.parent].then(each.placement).then(turn).then(each.child_offset)
    return poses


def assert_same(ours: RobotDescription, theirs: mujoco.MjModel, tolerance: float = 1e-11) -> None:
    """Bodies, inertia, joints, sites and gravity of a description against a compiled model."""
    links = [each for each in ours.links if not each.virtual]
    moving = [each for each in ours.joints if each.type != "fixed"]
    assert len(links) == theirs.nbody == ours.counts["nbody"]
    assert len(moving) == theirs.njnt == ours.counts["njnt"]
    for count in ("nq", "nv", "ntendon", "nu", "neq", "nsensor"):
        assert ours.counts[count] == getattr(theirs, count)
    assert ours.counts["total_mass"] == pytest.approx(theirs.body_mass.sum(), rel=tolerance)
    data = mujoco.MjData(theirs)
    mujoco.mj_kinematics(theirs, data)
    poses = drawn_poses(ours)
    size = max(1.0, np.abs(data.xpos).max())
    for i, each in enumerate(links):
        _same_body(each, theirs, i, tolerance)
        assert poses[each.name].translation == pytest.approx(data.xpos[i], abs=tolerance * size)
        assert np.ravel(poses[each.name].rotation) == pytest.approx(data.xmat[i], abs=tolerance)
    for k, each in enumerate(moving):
        _same_joint(each, theirs, k, tolerance)
    _same_sites(ours, theirs, tolerance)
    _same_tendons(ours, theirs)
    no_gravity = theirs.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
    assert ours.gravity == (pytest.approx(np.zeros(3)) if no_gravity else pytest.approx(theirs.opt.gravity))


def _same_body(ours: LinkDescription, theirs: mujoco.MjModel, i: int, tolerance: float) -> None:
    name = theirs.body(i).name
    assert ours.name == name or (not name and ours.name.startswith("body"))
    mass, center, tensor = inertia_in_body(ours)
    assert mass == pytest.approx(theirs.body_mass[i], rel=tolerance)
    if mass or theirs.body_inertia[i].any():
        axes = np.array(quaternion_to_matrix(*theirs.body_iquat[i]))
        expected = axes @ np.diag(theirs.body_inertia[i]) @ axes.T
        assert center == pytest.approx(theirs.body_ipos[i], abs=tolerance)
        assert tensor == pytest.approx(expected, abs=10.0 * tolerance * max(np.abs(expected).max(), 1e-30))
    assert ours.gravity_compensation == theirs.body_gravcomp[i]


def _same_joint(ours: JointDescription, theirs: mujoco.MjModel, k: int, tolerance: float) -> None:
    name, at, dof = theirs.joint(k).name, theirs.jnt_qposadr[k], theirs.jnt_dofadr[k]
    assert not name or ours.name == name
    assert ours.named == bool(name)
    assert ours.type in _TYPES[theirs.jnt_type[k]]
    assert ours.armature == theirs.dof_armature[dof]
    assert ours.friction == max(0.0, theirs.dof_frictionloss[dof])
    damping, stiffness = ((*given, 0.0, 0.0, 0.0)[:3] for given in (ours.damping, ours.stiffness))
    assert damping == pytest.approx([theirs.dof_damping[dof], *theirs.dof_dampingpoly[dof]], rel=1e-9)
    assert stiffness == pytest.approx([theirs.jnt_stiffness[k], *theirs.jnt_stiffnesspoly[k]], rel=1e-9)
    assert ours.motor_carries_weight == theirs.jnt_actgravcomp[k]
    if ours.type == "floating":
        assert ours.neutral == pytest.approx(theirs.qpos0[at : at + 7], abs=tolerance * 10.0)
        return
    assert -np.array(ours.child_offset.translation) == pytest.approx(theirs.jnt_pos[k], abs=tolerance)
    if ours.type == "ball":
        return
    assert ours.axis == pytest.approx(theirs.jnt_axis[k], abs=tolerance)
    assert ours.reference == pytest.approx(theirs.qpos0[at], rel=tolerance)
    if ours.stiffness:
        assert ours.spring_reference == pytest.approx([theirs.qpos_spring[at]], rel=tolerance)
    if theirs.jnt_limited[k]:
        limits = [bound if np.isfinite(bound) else None for bound in theirs.jnt_range[k]]
        assert [ours.lower, ours.upper] == [bound and pytest.approx(bound, rel=tolerance) for bound in limits]
    else:
        assert (ours.lower, ours.upper) == (None, None)


def _same_sites(ours: RobotDescription, theirs: mujoco.MjModel, tolerance: float) -> None:
    sites = {site.name: site for site in ours.sites}
    for k in range(theirs.nsite):
        name = theirs.site(k).name
        if name:
            placement = sites[name].placement
            rotation = quaternion_to_matrix(*theirs.site_quat[k])
            assert placement.translation == pytest.approx(theirs.site_pos[k], abs=tolerance * 10.0)
            assert np.ravel(placement.rotation) == pytest.approx(np.ravel(rotation), abs=tolerance)


def _same_tendons(ours: RobotDescription, theirs: mujoco.MjModel) -> None:
    """Springs and dampers; lengths at rest tell of paths and what they bend around."""
    tendons = {each.name: each for each in ours.transmissions if each.kind.endswith("tendon")}
    for k in range(theirs.ntendon):
        name = theirs.tendon(k).name
        told = any(f"tendon {name!r} around a geom fitted to a mesh" in line for line in ours.ignored)
        if told or not name or not (theirs.tendon_stiffness[k] or theirs.tendon_damping[k]):
            continue
        tendon = tendons[name]
        assert tendon.stiffness[:1] == pytest.approx([theirs.tendon_stiffness[k]][: len(tendon.stiffness)])
        assert tendon.damping[:1] == pytest.approx([theirs.tendon_damping[k]][: len(tendon.damping)])
        assert tendon.spring_range == pytest.approx(theirs.tendon_lengthspring[k], rel=1e-9, abs=1e-9)
