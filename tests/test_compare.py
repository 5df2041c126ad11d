"""`compare`: frames that are a mere choice make no difference, and the parts add up to the whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from trees import random_description

import dyncli.compare as comparing
from dyncli.algorithms.crba import crba
from dyncli.algorithms.rnea import rnea
from dyncli.build import ModelOptions
from dyncli.compare import compare, sample_poses
from dyncli.compare.answer import result_of
from dyncli.compare.differences import rotation_between
from dyncli.compare.matched import match
from dyncli.formats.load import parse_description
from dyncli.robot import Robot, load_robot
from dyncli.spatial import IDENTITY3, ZERO3, Transform
from dyncli.structs import replace

SAMPLES = Path(__file__).parent.parent / "sample_models"
LIMIT = '<limit lower="-2" upper="2" effort="5" velocity="2"/>'


def arm(
    *,
    mass: str = "1.5",
    com: str = "0.2 0 0.01",
    izz: str = "0.03",
    offset: str = "0.4 0 0",
    rpy: str = "0 0 0",
    axis: str = "0 1 0",
    limit: str = LIMIT,
    tool: str = "0.3 0 0",
) -> Robot:
    """Two links and a tool; the options concern the second one."""
    text = f"""<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.2 0.02 0"/><mass value="2"/>
<inertia ixx="0.002" iyy="0.02" izz="0.021" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
<link name="fore"><inertial><origin xyz="{com}"/><mass value="{mass}"/>
<inertia ixx="0.015" iyy="0.02" izz="{izz}" ixy="0" ixz="0.001" iyz="0"/></inertial></link><link name="tool"/>
<joint name="lift" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0.6 0.8"/>{LIMIT}</joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="{offset}" rpy="{rpy}"/>
<axis xyz="{axis}"/>{limit}</joint>
<joint name="flange" type="fixed"><parent link="fore"/><child link="tool"/><origin xyz="{tool}"/></joint></robot>"""
    return Robot(parse_description(text.encode()), ModelOptions())


def only(a: Robot, b: Robot):
    """The one difference and its effect, which is the whole change."""
    found = compare(a, b)
    (effect,) = found.effects
    for change, whole in zip((effect.mass_matrix, effect.gravity_torque), found.whole, strict=True):
        assert change.greatest == pytest.approx(whole.greatest, rel=1e-12, abs=1e-14)
    return effect


def test_a_robot_does_not_differ_from_itself():
    found = compare(arm(), arm())
    assert found.effects == ()
    assert found.whole[0].greatest == found.whole[1].greatest == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_matched_frames_leave_the_dynamics_alone(seed):
    robot = Robot(random_description(seed, mimic=True, armature=True), ModelOptions())
    framed, tree = match(robot, robot).a, robot.tree
    q = sample_poses(tree, 3, seed)
    for k in range(3):
        state = [float(values[k]) for values in q]
        expected, found = np.array(crba(tree, state)), np.array(crba(framed, state))
        assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
        assert rnea(framed, state) == pytest.approx(rnea(tree, state), rel=1e-11, abs=1e-11)


def test_a_mass_changes_both_and_is_told_with_both_values():
    effect = only(arm(), arm(mass="1.8"))
    assert (effect.difference.kind, effect.difference.element) == ("mass", "link 'fore'")
    assert (effect.difference.a, effect.difference.b) == (1.5, 1.8)
    assert effect.mass_matrix.greatest > 0.0
    assert effect.gravity_torque.greatest > 0.0


def test_a_tensor_changes_the_mass_matrix_alone():
    effect = only(arm(), arm(izz="0.031"))
    assert effect.difference.kind == "inertia"
    assert effect.mass_matrix.greatest > 0.0
    assert effect.gravity_torque.greatest < 1e-14


def test_a_link_length_is_a_joint_origin_with_the_weight_it_moves():
    """The elbow 0.1 m farther out: 1.5 kg hang on 0.1 m more, along an axis of which 0.6 is level."""
    effect = only(arm(), arm(offset="0.5 0 0"))
    assert (effect.difference.kind, effect.difference.attribute) == ("origin", "position")
    assert effect.gravity_torque.at == ("lift",)
    assert effect.gravity_torque.greatest == pytest.approx(1.5 * 9.81 * 0.1 * 0.6, rel=1e-6)


def test_an_axis_and_a_turned_origin():
    assert only(arm(), arm(axis="0 0.8 0.6")).difference.kind == "axis"
    turned = only(arm(), arm(rpy="0 0 0.1")).difference
    assert (turned.attribute, turned.b) == ("rotation vector", pytest.approx([0.0, 0.0, 0.1]))


def test_limits_and_frames_have_no_part_in_the_dynamics():
    weak = '<limit lower="-1" upper="2" effort="4" velocity="2"/>'
    found = compare(arm(), arm(limit=weak, tool="0.31 0 0"))
    assert [(e.difference.kind, e.difference.attribute) for e in found.effects] == [
        ("limit", "lower"),
        ("drive", "effort"),
        ("frame", "position"),
    ]
    assert all(effect.mass_matrix is None for effect in found.effects)
    assert found.whole[0].greatest == 0.0


def test_a_joint_frame_that_is_chosen_otherwise_is_no_difference_of_the_dynamics():
    """The elbow's frame half a turn about x, its axis, centre of mass and tensor with it: only link frames differ."""
    turned = arm(rpy=f"{np.pi} 0 0", axis="0 -1 0", com="0.2 0 -0.01")
    found = compare(arm(), replace_product(turned))
    assert {effect.difference.kind for effect in found.effects} == {"frame"}
    assert found.whole[0].greatest < 1e-14


def replace_product(robot: Robot) -> Robot:
    """The robot with ixz of the forearm negated, as half a turn about x wants it."""
    links = []
    for link in robot.description.links:
        if link.name == "fore":
            xx, yy, zz, xy, xz, yz = link.inertial.tensor
            link = replace(link, inertial=replace(link.inertial, tensor=(xx, yy, zz, xy, -xz, yz)))
        links.append(link)
    return Robot(replace(robot.description, links=tuple(links)), robot.options)


def test_parts_add_up_to_the_whole(monkeypatch):
    a, b = arm(), arm(mass="1.8", com="0.25 0 0.02", izz="0.04", offset="0.5 0 0.1", rpy="0.1 0 0.2", axis="0 1 0.1")
    steps = []
    original = comparing._changes
    monkeypatch.setattr(comparing, "_changes", lambda *them: steps.append(them[1:3]) or original(*them))
    found = compare(a, b)
    assert len(found.effects) == 6
    *parts, whole, rest = [(after[0] - before[0], after[1] - before[1]) for before, after in steps]
    for quantity in (0, 1):
        total = sum(part[quantity] for part in parts) + rest[quantity]
        assert np.abs(total - whole[quantity]).max() < 1e-14
        assert np.abs(rest[quantity]).max() < 1e-14


def test_the_last_tree_is_b():
    a, b = arm(), arm(mass="1.8", offset="0.5 0 0.1")
    q = [0.3, -0.8]
    matched = match(a, b)
    tree = matched.a
    for effect in compare(a, b).effects:
        tree = effect.difference.step(tree)
    assert rnea(tree, q) == pytest.approx(rnea(b.tree, q), rel=1e-12)


def test_a_joint_that_only_one_robot_has_is_named_and_welded():
    fixed = arm()
    joints = tuple(
        replace(joint, type="fixed") if joint.name == "elbow" else joint for joint in fixed.description.joints
    )
    found = compare(arm(), Robot(replace(fixed.description, joints=joints), fixed.options))
    assert (found.matched.only_a, found.matched.only_b) == (("elbow",), ())
    assert found.effects == ()
    assert found.whole[0].greatest < 1e-14


def test_joints_on_other_joints_are_named_and_not_compared():
    robot = load_robot(SAMPLES / "planar_3r.urdf")
    names = [joint.name for joint in robot.description.joints if joint.type != "fixed"]
    swapped = dict(zip(names, [names[1], names[0], *names[2:]], strict=True))
    joints = tuple(replace(joint, name=swapped.get(joint.name, joint.name)) for joint in robot.description.joints)
    found = compare(robot, Robot(replace(robot.description, joints=joints), robot.options))
    assert set(names[:2]) <= set(found.matched.moved)
    assert found.whole is None


@pytest.mark.parametrize("name", ["arm_6r", "tree_12", "quadruped", "planar_3r"])
def test_a_urdf_and_its_mjcf_have_the_same_dynamics(name):
    """Two formats, two readers, frames of their own: only what one of them cannot say may differ."""
    b = load_robot(SAMPLES / f"{name}.xml")
    floating = any(joint.type == "floating" for joint in b.description.joints)
    a = load_robot(SAMPLES / f"{name}.urdf", ModelOptions(root="floating" if floating else None))
    found = compare(a, b, tolerance=1e-9)
    assert (found.matched.only_a, found.matched.only_b) == ((), ())
    assert [effect.difference for effect in found.effects if effect.mass_matrix] == []
    assert found.whole[0].relative < 1e-12
    assert found.whole[1].relative < 1e-12


def test_a_joint_that_follows_in_one_robot_alone_is_compared_as_free():
    found = compare(load_robot(SAMPLES / "rail_gripper.urdf"), load_robot(SAMPLES / "rail_gripper.xml"))
    ((name, drivers),) = found.matched.ties.items()
    assert (name, drivers) == ("right_finger_slide", ("left_finger_slide", None))
    tie = found.effects[0].difference
    assert (tie.kind, tie.attribute, tie.a, tie.b) == ("mimic", "follows", "left_finger_slide", None)
    assert found.whole[0].relative < 1e-12


def test_rows_and_values_agree():
    found = compare(arm(), arm(mass="1.8"))
    result = result_of(found)
    (difference,) = result.values["differences"]
    assert difference["mass_matrix"]["greatest"] == found.whole[0].greatest
    assert [row[0] for row in result.sheet.rows] == ["mass", "total", "total"]
    assert all(len(row) == len(result.sheet.columns) for row in result.sheet.rows)


@pytest.mark.parametrize("angle", [1e-9, 0.5, np.pi - 1e-9, np.pi])
def test_rotation_between(angle):
    cosine, sine = np.cos(angle), np.sin(angle)
    turned = Transform(((1.0, 0.0, 0.0), (0.0, cosine, -sine), (0.0, sine, cosine)), ZERO3)
    x, y, z = rotation_between(Transform(IDENTITY3, ZERO3), turned)
    assert abs(x) == pytest.approx(angle, rel=1e-8)
    assert (y, z) == pytest.approx((0.0, 0.0), abs=1e-12)
