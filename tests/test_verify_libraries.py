"""Agreement with other libraries: numbers, the habits of each, and why where there is none.

Pinocchio and MuJoCo are always there. The others are skipped where they are missing, unless the environment says
DYN_REQUIRE_LIBRARIES, as it does in CI; RBDL is never required, since its bindings do not build everywhere.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from trees import random_description

from dyncli.algorithms.crba import crba
from dyncli.algorithms.forward import forward_dynamics
from dyncli.algorithms.rnea import rnea
from dyncli.build import ModelOptions
from dyncli.errors import MissingExtraError, UsageError
from dyncli.formats.load import parse_description
from dyncli.robot import Robot, load_robot
from dyncli.structs import replace
from dyncli.verify.agreement import agree, agreements
from dyncli.verify.peers import PEERS, peer_class
from dyncli.verify.peers.base import Peer, about_center, suited

SAMPLES = Path(__file__).parent.parent / "sample_models"
MODULES = {
    "pinocchio": "pinocchio",
    "mujoco": "mujoco",
    "drake": "pydrake",
    "rbdl": "pyrbdl",
    "modern-robotics": "modern_robotics",
    "roboticstoolbox": "roboticstoolbox",
    "casadi": "casadi",
}
REQUIRED = set(MODULES) - {"rbdl"} if os.environ.get("DYN_REQUIRE_LIBRARIES") else {"pinocchio", "mujoco"}


def libraries(*names: str):
    """Parameters for the libraries of these names (all of them if none is given)."""
    return [
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                name not in REQUIRED and find_spec(MODULES[name]) is None, reason=f"{name} is not installed"
            ),
        )
        for name in names or MODULES
    ]


FORCES = dict.fromkeys(MODULES, ("bias", "tau")) | {"rbdl": ("fk",)}
"""What beside M each library is compared in."""
LEGS = """<robot name="r"><link name="base"/><link name="z"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.02" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="a"><inertial><origin xyz="0 0.2 0.1"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
<joint name="z_first" type="continuous"><parent link="base"/><child link="z"/><axis xyz="0 1 0"/></joint>
<joint name="a_second" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0 1 0" rpy="0.3 0.2 0.1"/>
<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="3"/></joint></robot>"""


@pytest.fixture
def legs(tmp_path):
    """Two joints on one base, named against the alphabet's order, one continuous, one damped."""

    def make(izz: str = "0.015") -> Robot:
        path = tmp_path / "legs.urdf"
        path.write_text(LEGS.format(izz=izz))
        return load_robot(path)

    return make


def test_every_library_has_an_adapter_that_is_tested():
    assert list(PEERS) == list(MODULES)


@pytest.mark.parametrize("model", ["arm_6r.urdf", "tree_12.urdf", "rail_gripper.urdf", "arm_6r.xml"])
@pytest.mark.parametrize("name", libraries())
def test_sample_robots_agree(name, model):
    found = agree(load_robot(SAMPLES / model), name, samples=2, seed=0)
    assert not found.unavailable
    assert found.beyond == []
    assert {"M", "zeros of M", *FORCES[name]} <= set(found.errors)
    assert found.errors["M"] < 4e-15
    assert found.errors.get("tau", 0.0) < 4e-15


@pytest.mark.parametrize("name", libraries("pinocchio", "mujoco", "drake"))
def test_floating_robots_agree(name):
    found = agree(load_robot(SAMPLES / "quadruped.urdf", ModelOptions(root="floating")), name, samples=2, seed=0)
    assert not found.unavailable
    assert found.beyond == []
    assert "qdd" in found.errors


@pytest.mark.parametrize("name", libraries("pinocchio", "mujoco"))
def test_random_trees_with_balls_and_floating_joints_agree(name):
    types = ("revolute", "continuous", "prismatic", "ball", "fixed")
    description = random_description(5, n=9, types=types, armature=True)
    found = agree(Robot(description, ModelOptions()), name, samples=2, seed=0)
    assert found.loaded_by == "dyn's tree" or found.unavailable
    assert found.beyond == []
    assert not found.unavailable


@pytest.mark.parametrize("name", libraries("pinocchio", "mujoco", "drake", "casadi"))
def test_rotor_inertia_agrees(name):
    found = agree(geared(), name, samples=2, seed=0)
    assert found.beyond == []
    assert not any("armature" in reason for reason in found.why)


@pytest.mark.parametrize("name", libraries())
def test_order_of_siblings_continuous_joints_and_damping(name, legs):
    """Joints are found by name; a joint on a circle is one angle; damping is no part of qdd."""
    found = agree(legs(), name, samples=2, seed=0)
    assert not found.unavailable
    assert found.beyond == []
    assert name == "rbdl" or "qdd" in found.errors


def test_pinocchio_reads_a_urdf_itself_and_counts_on_a_circle(legs):
    robot, _ = suited(legs(), peer_class("pinocchio"))
    peer = peer_class("pinocchio")(robot)
    assert peer.loaded_by == "its URDF reader"
    assert peer._model.nq == robot.nq + 1
    assert peer._model.names[1] == "a_second"
    M = peer.mass([0.3, -0.4])
    assert np.array_equal(M, M.T)


@pytest.mark.parametrize("name", libraries("roboticstoolbox"))
@pytest.mark.parametrize("model", ["arm_6r.urdf", "tree_12.urdf"])
def test_robotics_toolbox_reads_a_urdf_itself(name, model):
    found = agree(load_robot(SAMPLES / model), name, samples=2, seed=0)
    assert found.loaded_by == "its URDF reader"
    assert found.why == ()


SENSOR = """<link name="{name}"><inertial><origin xyz="0.1 0 0.2"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.02" izz="0.015" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{name}_mount" type="fixed"><parent link="a"/><child link="{name}"/><origin xyz="0.1 0.2 0.3"/></joint>"""
ONE, TWO = SENSOR.format(name="one"), SENSOR.format(name="two")
BEYOND_ONE = """<link name="tip"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.02" izz="0.015" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="tip_turns" type="continuous"><parent link="one"/><child link="tip"/><origin xyz="0 0.1 0.2"/></joint>"""


@pytest.mark.parametrize("name", libraries("roboticstoolbox"))
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('xyz="1 0 0"', 'xyz="0.6 0 0.8"', "the axis of 'a_second'"),
        ('xyz="1 0 0"', 'xyz="-1 0 0"', "the axis of 'a_second'"),
        ('<limit lower="-1" upper="1" effort="1" velocity="1"/>', "", "refuses the file"),
        ("</robot>", f"{ONE}{TWO}</robot>", "welded to 'a'"),
        ("</robot>", f"{ONE}{BEYOND_ONE}</robot>", "welded to 'a'"),
        ("</robot>", f"{ONE}</robot>", ""),
        ("</robot>", f"{ONE}{TWO}</robot>".replace('parent link="a"', 'parent link="base"'), ""),
    ],
    ids=[
        *("oblique axis", "negative axis", "no limit", "two welds on a link", "a joint beyond a weld", "one weld"),
        "two welds on the base",
    ],
)
def test_robotics_toolbox_is_given_the_tree_where_it_would_take_the_file_for_another(tmp_path, name, old, new, reason):
    path = tmp_path / "legs.urdf"
    path.write_text(LEGS.format(izz="0.015").replace(old, new))
    found = agree(load_robot(path), name, samples=2, seed=0)
    assert found.beyond == []
    assert "qdd" in found.errors
    assert found.loaded_by == ("dyn's tree" if reason else "its URDF reader")
    assert reason in " ".join(found.why)


def test_the_inverse_derivatives_of_mujoco_come_transposed():
    robot, _ = suited(load_robot(SAMPLES / "arm_6r.urdf"), peer_class("mujoco"))
    peer = peer_class("mujoco")(robot)
    q, v, a = [0.1, -0.4, 0.7, 0.2, -0.9, 0.3], [0.5] * 6, [-0.3] * 6
    peer._set(q, v)
    peer._data.qacc[:] = a
    raw = np.zeros((6, 6))
    peer._mj.mjd_inverseFD(peer._model, peer._data, 1e-6, False, raw, None, None, None, None, None, None)
    ours = peer.torque_derivatives(q, v, a)["dtau_dq"]
    assert np.allclose(raw.T, ours, atol=1e-6)
    assert not np.allclose(raw, ours, atol=1e-3)


@pytest.mark.parametrize("name", libraries("drake"))
def test_drake_replaces_a_tensor_that_no_body_can_have(name, legs):
    found = agree(legs(izz="5"), name, samples=2, seed=0)
    assert found.beyond
    assert found.explained
    assert any("replaces the inertia of 'z'" in reason for reason in found.why)


class Altered(Peer):
    """A library that takes the robot for another one: dyn's own recursions on a changed tree."""

    name = "altered"
    package = "altered"
    change = staticmethod(lambda tree: tree)

    @classmethod
    def version(cls):
        return "0"

    @classmethod
    def takes_armature(cls, tree):
        return True

    def mass(self, q):
        return np.array(crba(self.change(self.tree), q))

    def torques(self, q, v, a):
        return np.array(rnea(self.change(self.tree), q, v, a))

    def accelerations(self, q, v, tau):
        return np.array(forward_dynamics(self.change(self.tree), q, v, tau)[0])

    def inertias(self):
        return {body.joint.name: about_center(body) for body in self.change(self.tree).bodies}


def explained_by(monkeypatch, change, robot):
    monkeypatch.setattr(Altered, "change", staticmethod(change))
    monkeypatch.setattr("dyncli.verify.agreement.peer_class", lambda name: Altered)
    found = agree(robot, "altered", samples=2, seed=0)
    assert found.beyond
    return found


def geared() -> Robot:
    """The arm with rotor inertia on every joint."""
    robot = load_robot(SAMPLES / "arm_6r.urdf")
    joints = tuple(replace(joint, armature=0.02) for joint in robot.description.joints)
    return Robot(replace(robot.description, joints=joints, path="geared"), robot.options)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda tree: replace(tree, armature=(0.0,) * tree.nv), "leaves the armature out"),
        (lambda tree: replace(tree, gravity=tuple(-x for x in tree.gravity)), "turns gravity"),
        (
            lambda tree: replace(
                tree, bodies=(replace(tree.bodies[0], inertia=tree.bodies[1].inertia), *tree.bodies[1:])
            ),
            "replaces the inertia of",
        ),
    ],
)
def test_a_difference_of_the_models_is_found_out(monkeypatch, change, reason):
    found = explained_by(monkeypatch, change, geared())
    assert found.explained
    assert found.passed
    assert any(reason in why for why in found.why)


def test_a_difference_that_nothing_explains_fails(monkeypatch):
    def moved(tree):
        first = tree.bodies[1]
        X = first.placement
        placement = X._replace(translation=(X.translation[0] + 0.01, *X.translation[1:]))
        return replace(tree, bodies=(tree.bodies[0], replace(first, placement=placement), *tree.bodies[2:]))

    found = explained_by(monkeypatch, moved, geared())
    assert not found.explained
    assert not found.passed
    assert "no known difference" in found.why[-1]


def test_a_library_that_is_missing_is_told_or_refused(monkeypatch):
    def missing():
        raise ImportError("no such module")

    monkeypatch.setattr(peer_class("casadi"), "version", missing)
    robot = load_robot(SAMPLES / "planar_2r.urdf")
    assert agree(robot, "casadi", samples=1, seed=0).unavailable == "is not installed"
    with pytest.raises(MissingExtraError, match="casadi"):
        agreements(robot, ["casadi"], samples=1, seed=0)


def test_an_unknown_library_is_named_with_the_nearest():
    with pytest.raises(UsageError) as caught:
        agreements(load_robot(SAMPLES / "planar_2r.urdf"), ["pinochio"], samples=1, seed=0)
    assert "'pinocchio'" in caught.value.hint


def test_what_a_library_cannot_hold_is_left_out_with_a_word():
    robot = load_robot(SAMPLES / "quadruped.urdf", ModelOptions(root="floating"))
    found = agree(robot, "casadi", samples=1, seed=0)
    assert found.unavailable in ("has no floating joints", "is not installed")
    assert found.passed


def test_a_massless_robot_that_mujoco_refuses():
    text = LEGS.format(izz="0.015").replace('<mass value="2"/>', '<mass value="0"/>')
    found = agree(Robot(parse_description(text.encode()), ModelOptions()), "mujoco", samples=1, seed=0)
    assert found.unavailable.startswith("refuses the robot")
