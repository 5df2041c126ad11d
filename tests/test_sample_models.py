"""The sample models: each pair of twins is one robot, its numbers are physical, its story is true.

Pinocchio reads the URDF and MuJoCo the MJCF; neither is asked about the other's file.
"""

from __future__ import annotations

import importlib
import math
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from lxml import etree

FOLDER = Path(__file__).parent.parent / "sample_models"
STEMS = ("planar_2r", "planar_3r", "cartpole", "arm_6r", "arm_7r", "rail_gripper", "tree_12", "quadruped", "humanoid")
FLOATING = ("quadruped", "humanoid")
TOLERANCE = 1e-12


@pytest.fixture(params=STEMS)
def stem(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def twins(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("generate")


def load_urdf(stem: str) -> pin.Model:
    path = str(FOLDER / f"{stem}.urdf")
    return pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if stem in FLOATING else pin.buildModelFromUrdf(path)


def load_mjcf(stem: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(FOLDER / f"{stem}.xml"))


class SameState:
    """One random state told to both libraries: joints by name, the root in each one's coordinates.

    `rates` is the matrix T with v_mujoco = T v_pinocchio, so that M_pinocchio = Tᵀ M_mujoco T.
    """

    def __init__(self, robot: pin.Model, twin: mujoco.MjModel, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.q, self.v, self.a = np.zeros(robot.nq), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        self.qpos, self.qacc_of_rates = np.zeros(twin.nq), np.zeros(twin.nv)
        self.rates = np.zeros((twin.nv, robot.nv))
        for name, joint in zip(robot.names[1:], robot.joints[1:], strict=True):
            if name == "root_joint":
                self._root(joint, twin.joint("root"), rng)
                continue
            hinge = twin.joint(name)
            angle = rng.uniform(-1.0, 1.0)
            self.qpos[hinge.qposadr[0]] = angle
            self.rates[hinge.dofadr[0], joint.idx_v] = 1.0
            self.q[joint.idx_q : joint.idx_q + joint.nq] = (
                angle if joint.nq == 1 else (math.cos(angle), math.sin(angle))
            )

    def _root(self, joint: pin.JointModel, root: object, rng: np.random.Generator) -> None:
        """Pinocchio: xyzw and body axes; MuJoCo: wxyz, the linear velocity in world axes."""
        position, quaternion = rng.normal(size=3), rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        self.q[:7] = [*position, *quaternion]
        self.qpos[:7] = [*position, quaternion[3], *quaternion[:3]]
        rotation = pin.Quaternion(*quaternion[[3, 0, 1, 2]]).matrix()
        self.rates[:3, :3], self.rates[3:6, 3:6] = rotation, np.eye(3)
        self.qacc_of_rates[:3] = rotation @ np.cross(self.v[3:6], self.v[:3])

    @property
    def qvel(self) -> np.ndarray:
        return self.rates @ self.v

    @property
    def qacc(self) -> np.ndarray:
        return self.rates @ self.a + self.qacc_of_rates


def test_the_files_are_what_their_description_gives() -> None:
    check = subprocess.run([sys.executable, FOLDER / "generate.py", "--check"], capture_output=True, text=True)
    assert check.returncode == 0, check.stderr


def test_every_file_has_its_twin_and_is_tested() -> None:
    for suffix in ("urdf", "xml"):
        assert {path.stem for path in FOLDER.glob(f"*.{suffix}")} == set(STEMS)


def test_both_libraries_load_in_silence(stem: str, capfd: pytest.CaptureFixture[str]) -> None:
    robot, twin = load_urdf(stem), load_mjcf(stem)
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""
    assert robot.nv == twin.nv


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_twins_have_the_same_mass_matrix_and_torques(stem: str, seed: int) -> None:
    robot, twin = load_urdf(stem), load_mjcf(stem)
    state = SameState(robot, twin, seed)
    mass = pin.crba(robot, robot.createData(), state.q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    tau = pin.rnea(robot, robot.createData(), state.q, state.v, state.a)
    weight = np.abs(pin.computeGeneralizedGravity(robot, robot.createData(), state.q))

    data = mujoco.MjData(twin)
    data.qpos, data.qvel = state.qpos, state.qvel
    mujoco.mj_forward(twin, data)
    twin_mass = np.zeros((twin.nv, twin.nv))
    mujoco.mj_fullM(twin, data, twin_mass)
    twin_tau = twin_mass @ state.qacc + data.qfrc_bias

    scale = np.abs(mass).max()
    assert np.abs(state.rates.T @ twin_mass @ state.rates - mass).max() <= TOLERANCE * scale
    assert np.abs(state.rates.T @ twin_tau - tau).max() <= TOLERANCE * max(scale, np.abs(tau).max(), weight.max())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_twins_place_every_link_alike(stem: str, seed: int) -> None:
    robot, twin = load_urdf(stem), load_mjcf(stem)
    state = SameState(robot, twin, seed)
    robot_data, data = robot.createData(), mujoco.MjData(twin)
    pin.framesForwardKinematics(robot, robot_data, state.q)
    data.qpos = state.qpos
    mujoco.mj_kinematics(twin, data)
    links = [frame.name for frame in robot.frames if frame.type == pin.FrameType.BODY and frame.name != "universe"]
    assert sorted(links) == sorted(twin.body(k).name for k in range(1, twin.nbody))
    for link in links:
        placement = robot_data.oMf[robot.getFrameId(link, pin.FrameType.BODY)]
        assert np.abs(data.body(link).xpos - placement.translation).max() <= TOLERANCE
        assert np.abs(data.body(link).xmat.reshape(3, 3) - placement.rotation).max() <= TOLERANCE


def test_twins_agree_on_limits_damping_and_friction(stem: str) -> None:
    twin = load_mjcf(stem)
    for joint in etree.parse(FOLDER / f"{stem}.urdf").iter("joint"):
        if joint.get("type") == "fixed":
            continue
        limit, dynamics = joint.find("limit"), joint.find("dynamics")
        twin_joint = twin.joint(joint.get("name"))
        effort = float(limit.get("effort"))
        assert effort > 0
        assert list(twin.jnt_actfrcrange[twin_joint.id]) == [-effort, effort]
        assert float(limit.get("velocity")) > 0
        assert bool(twin_joint.limited[0]) == (joint.get("type") != "continuous")
        if joint.get("type") != "continuous":
            lower, upper = float(limit.get("lower")), float(limit.get("upper"))
            assert [lower, upper] == list(twin_joint.range)
            assert lower <= 0 <= upper and lower < upper, "zero is a pose that the robot can take"
        passive = {} if dynamics is None else dict(dynamics.attrib)
        assert float(passive.get("damping", 0)) == twin.dof_damping[twin_joint.dofadr[0]]
        assert float(passive.get("friction", 0)) == twin.dof_frictionloss[twin_joint.dofadr[0]]


def test_tensors_could_belong_to_the_solids_that_are_drawn(stem: str) -> None:
    for link in etree.parse(FOLDER / f"{stem}.urdf").iter("link"):
        if link.find("inertial") is None:
            assert len(link) == 0, "a link without mass is a bare frame"
            continue
        mass = float(link.find("inertial/mass").get("value"))
        entry = {name: float(value) for name, value in link.find("inertial/inertia").attrib.items()}
        tensor = [
            [entry["ixx"], entry["ixy"], entry["ixz"]],
            [entry["ixy"], entry["iyy"], entry["iyz"]],
            [entry["ixz"], entry["iyz"], entry["izz"]],
        ]
        least, middle, greatest = np.linalg.eigvalsh(tensor)
        assert mass > 0
        assert least > 0
        assert least + middle > greatest
        assert math.sqrt(greatest / mass) < _farthest_corner(link)


def _farthest_corner(link: etree._Element) -> float:
    """How far the drawn solids reach, at most, from the link's centre of mass."""
    com = np.array(link.find("inertial/origin").get("xyz").split(), float)
    reach = 0.0
    for collision in link.iter("collision"):
        (solid,) = collision.find("geometry")
        half = {
            "box": lambda solid: np.linalg.norm(np.array(solid.get("size").split(), float)) / 2,
            "cylinder": lambda solid: math.hypot(float(solid.get("radius")), float(solid.get("length")) / 2),
            "sphere": lambda solid: float(solid.get("radius")),
        }[solid.tag](solid)
        centre = np.array(collision.find("origin").get("xyz").split(), float)
        reach = max(reach, float(np.linalg.norm(centre - com) + half))
    return reach


def test_mass_properties_are_those_mujoco_finds_for_the_solids(stem: str, twins: ModuleType) -> None:
    (robot,) = (robot for robot in (build() for build in twins.ROBOTS) if robot.name == stem)
    mjcf = importlib.import_module("twins.mjcf")
    for body in robot.root.walk():
        inertial = body.inertial
        if inertial is None:
            continue
        geoms = "".join(
            mjcf._geom(solid, "paint").replace("<geom ", f'<geom mass="{solid.mass!r}" ') for solid in body.solids
        )
        solids = mujoco.MjModel.from_xml_string(
            '<mujoco><compiler angle="radian" eulerseq="XYZ"/><asset><material name="paint"/></asset>'
            f"<worldbody><body><freejoint/>{geoms}</body></worldbody></mujoco>"
        )
        expected = _along_link_axes(solids.body_iquat[1], np.diag(solids.body_inertia[1]))
        quaternion = np.zeros(4)
        mujoco.mju_euler2Quat(quaternion, np.array(inertial.rpy, float), "XYZ")
        xx, yy, zz, xy, xz, yz = inertial.tensor
        found = _along_link_axes(quaternion, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        assert inertial.mass == pytest.approx(solids.body_mass[1], rel=1e-12)
        assert np.abs(np.array(inertial.xyz) - solids.body_ipos[1]).max() <= 0.51e-4, "rounded to 0.1 mm"
        assert np.abs(found - expected).max() <= 1e-4 * np.abs(expected).max(), "rounded to five digits"


def _along_link_axes(quaternion: np.ndarray, tensor: np.ndarray) -> np.ndarray:
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, quaternion)
    rotation = rotation.reshape(3, 3)
    return np.asarray(rotation @ tensor @ rotation.T)


@pytest.mark.parametrize("stem", [stem for stem in STEMS if stem not in FLOATING])
def test_motors_hold_the_arm_in_any_pose(stem: str) -> None:
    robot = load_urdf(stem)
    data = robot.createData()
    rng = np.random.default_rng(5)
    continuous = stem == "cartpole"
    for _ in range(300):
        q = (
            rng.uniform(-1, 1, robot.nq)
            if continuous
            else rng.uniform(robot.lowerPositionLimit, robot.upperPositionLimit)
        )
        assert (np.abs(pin.computeGeneralizedGravity(robot, data, q)) < 0.8 * robot.effortLimit).all()


def test_planar_arm_reaches_where_its_lengths_say() -> None:
    robot = load_urdf("planar_2r")
    data = robot.createData()
    q = np.radians([30.0001, 44.9999])
    pin.framesForwardKinematics(robot, data, q)
    tip = data.oMf[robot.getFrameId("tip")].translation
    expected = [0.20 * np.cos(q[0]) + 0.15 * np.cos(sum(q)), 0.20 * np.sin(q[0]) + 0.15 * np.sin(sum(q)), 0.0]
    assert tip == pytest.approx(expected, abs=1e-15)
    assert tip == pytest.approx([0.212028, 0.244889, 0.0], abs=1e-6)


@pytest.mark.parametrize(
    ("stem", "joints"),
    [
        ("arm_6r", ("wrist_roll", "wrist_pitch", "wrist_yaw")),
        ("arm_7r", ("joint1", "joint2", "joint3")),
        ("arm_7r", ("joint5", "joint6", "joint7")),
    ],
)
def test_three_axes_meet_in_one_point(stem: str, joints: tuple[str, ...]) -> None:
    twin = load_mjcf(stem)
    data = mujoco.MjData(twin)
    data.qpos = np.random.default_rng(3).uniform(-1, 1, twin.nq)
    mujoco.mj_kinematics(twin, data)
    # the point nearest to the three lines: the normal equations of its distances
    projections = [np.eye(3) - np.outer(data.joint(name).xaxis, data.joint(name).xaxis) for name in joints]
    anchors = [data.joint(name).xanchor for name in joints]
    point = np.linalg.solve(sum(projections), sum(P @ a for P, a in zip(projections, anchors, strict=True)))
    for projection, anchor in zip(projections, anchors, strict=True):
        assert np.linalg.norm(projection @ (point - anchor)) < 1e-14


def test_the_branched_tree_has_34_ancestor_pairs() -> None:
    twin = load_mjcf("tree_12")
    ancestors = [0] * twin.nv
    for dof, parent in enumerate(twin.dof_parentid):
        ancestors[dof] = 0 if parent < 0 else ancestors[parent] + 1
    assert (twin.nv, sum(ancestors)) == (12, 34)


@pytest.mark.parametrize("stem", ["tree_12", "quadruped", "humanoid"])
def test_left_and_right_are_mirror_images(stem: str) -> None:
    twin = load_mjcf(stem)
    mirror = np.array([1.0, -1.0, 1.0])
    lefts = [name for k in range(twin.nbody) if "left" in (name := twin.body(k).name)]
    assert lefts
    for name in lefts:
        left, right = twin.body(name), twin.body(name.replace("left", "right"))
        assert left.mass == right.mass
        assert np.array_equal(left.pos * mirror, right.pos)
        assert np.array_equal(left.ipos * mirror, right.ipos)
        tensor = _along_link_axes(left.iquat, np.diag(left.inertia)) * np.outer(mirror, mirror)
        assert np.allclose(tensor, _along_link_axes(right.iquat, np.diag(right.inertia)), rtol=1e-12, atol=1e-16)
        if left.jntnum[0]:
            hinge, other = twin.joint(left.jntadr[0]), twin.joint(right.jntadr[0])
            # a turn about y is its own mirror image, one about x or z changes sign
            expected = hinge.range if hinge.axis[1] else -hinge.range[::-1]
            assert np.array_equal(other.range, expected)


def test_feet_stand_on_the_ground_in_the_keyframes() -> None:
    for stem, key, feet, sole in (
        ("quadruped", "stand", ["front_left_foot", "rear_right_foot"], 0.02),
        ("humanoid", "crouch", ["left_sole", "right_sole"], 0.0),
    ):
        twin = load_mjcf(stem)
        data = mujoco.MjData(twin)
        mujoco.mj_resetDataKeyframe(twin, data, twin.key(key).id)
        mujoco.mj_kinematics(twin, data)
        for foot in feet:
            assert data.body(foot).xpos[2] - sole == pytest.approx(0, abs=1e-3)


def test_the_table_in_the_readme_is_true(stem: str) -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| `{stem}` \|[^|]*\|(.*)\|[^|]*\|$", readme, re.MULTILINE)
    assert row is not None
    joints, dof, total_mass, moving_mass = (float(cell) for cell in row.group(1).split("|"))
    twin = load_mjcf(stem)
    moving = [k for k in range(1, twin.nbody) if twin.body_weldid[k] > 0]
    assert joints == sum(twin.jnt_type != mujoco.mjtJoint.mjJNT_FREE)
    assert dof == twin.nv
    assert total_mass == pytest.approx(twin.body_mass.sum(), abs=0.005)
    assert moving_mass == pytest.approx(twin.body_mass[moving].sum(), abs=0.005)
