"""`verify`: the identities hold on robots of every joint type, and each check notices the fault it is for."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from trees import random_description

import dyncli.verify.algebra
import dyncli.verify.differentials
import dyncli.verify.fall
import dyncli.verify.mass
import dyncli.verify.motion
from dyncli.build import ModelOptions
from dyncli.formats.load import parse_description
from dyncli.robot import Robot, load_robot
from dyncli.verify import check_identities, singular_joints
from dyncli.verify.answer import result_of
from dyncli.verify.subject import Check, Subject, deviation, greatest

SAMPLES = Path(__file__).parent.parent / "sample_models"
GHOST = """<robot name="ghost"><link name="base"/><link name="upper"><inertial><origin xyz="0.3 0 0"/><mass value="1"/>
<inertia ixx="0.001" iyy="0.002" izz="0.0015" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tip"/>
<joint name="lift" type="continuous"><parent link="base"/><child link="upper"/></joint>
<joint name="aim" type="continuous"><parent link="upper"/><child link="tip"/></joint></robot>"""


def failed(checks: list[Check]) -> list[str]:
    return [check.name for check in checks if not check.passed]


@pytest.mark.parametrize(("seed", "convention"), [(0, "mujoco"), (1, "pinocchio")])
def test_identities_hold_on_every_joint_type(seed, convention):
    description = random_description(seed, mimic=True, armature=True)
    checks = check_identities(Robot(description, ModelOptions(convention=convention)), samples=1, seed=seed)
    assert len(checks) >= 29
    assert failed(checks) == []


@pytest.mark.parametrize("root", ["fixed", "floating"])
@pytest.mark.parametrize("name", ["arm_6r", "tree_12", "rail_gripper"])
def test_identities_hold_on_sample_robots(name, root):
    robot = load_robot(SAMPLES / f"{name}.urdf", ModelOptions(root=root))
    assert failed(check_identities(robot, samples=1)) == []


def off(function, factor=1.0 + 1e-9):
    """The function with the first number of its result wrong in the ninth digit."""

    def wrong(*arguments, **options):
        found = function(*arguments, **options)
        if isinstance(found, tuple):
            return (bent(found[0]), *found[1:])
        return bent(found)

    def bent(x):
        if isinstance(x, list):
            return [bent(x[0]), *x[1:]]
        return x * factor

    return wrong


@pytest.mark.parametrize(
    ("module", "function", "check"),
    [
        (dyncli.verify.mass, "mass_by_rnea", "M = columns by RNEA"),
        (dyncli.verify.mass, "sum_over_bodies", "M = sum of JᵀIJ"),
        (dyncli.verify.mass, "ltl", "M = LᵀL"),
        (dyncli.verify.mass, "mass_inverse", "M Minv = 1"),
        (dyncli.verify.motion, "crba", "Ṁ - 2C is skew"),
        (dyncli.verify.motion, "coriolis_matrix", "C qd = coriolis"),
        (dyncli.verify.motion, "kinetic_energy", "qdᵀ tau = dE/dt"),
        (dyncli.verify.motion, "potential_energy", "gravity torque = dV/dq"),
        (dyncli.verify.motion, "forward_dynamics", "FD(ID(qdd)) = qdd"),
        (dyncli.verify.fall, "potential_energy", "energy stays in a fall"),
    ],
)
def test_a_wrong_digit_is_noticed(monkeypatch, module, function, check):
    monkeypatch.setattr(module, function, off(getattr(module, function)))
    robot = load_robot(SAMPLES / "arm_6r.urdf")
    assert check in failed(check_identities(robot, samples=1))


def test_a_force_that_does_no_work_is_noticed(monkeypatch):
    """Torques wrong in a part that the parts share: only power and momentum can tell."""
    original = dyncli.verify.motion.rnea
    monkeypatch.setattr(
        dyncli.verify.motion, "rnea", lambda *them, **more: [1.001 * x for x in original(*them, **more)]
    )
    names = failed(check_identities(load_robot(SAMPLES / "arm_6r.urdf"), samples=2))
    assert {"qdᵀ tau = dE/dt", "gravity torque = dV/dq", "tau = M qdd + h"} <= set(names)


def test_a_stray_entry_of_the_mass_matrix_is_counted(monkeypatch):
    original = dyncli.verify.mass.mass_by_rnea

    def coupled(tree, q):
        M = original(tree, q)
        M[3][-1] = M[-1][3] = 1e-18
        return M

    monkeypatch.setattr(dyncli.verify.mass, "mass_by_rnea", coupled)
    checks = check_identities(load_robot(SAMPLES / "tree_12.urdf"), samples=1)
    (zeros,) = (check for check in checks if check.name.startswith("zeros"))
    assert (zeros.error, zeros.passed) == (2.0, False)


def test_derivatives_of_another_robot_are_noticed(monkeypatch):
    from dyncli.algorithms.derivatives.methods import Derivative

    original = Derivative.blocks

    def blocks(self, q, v, x):
        found = original(self, q, v, x)
        return (
            found
            if self.method == "complex"
            else {name: [[1.0001 * y for y in row] for row in M] for name, M in found.items()}
        )

    monkeypatch.setattr(Derivative, "blocks", blocks)
    names = failed(check_identities(load_robot(SAMPLES / "planar_2r.urdf"), samples=1))
    assert {"dtau/dq = complex step", "dqdd/dtau = complex step", "A of one step = complex step"} <= set(names)


def test_a_singular_robot_is_checked_as_far_as_it_goes():
    robot = Robot(parse_description(GHOST.encode()), ModelOptions())
    checks = check_identities(robot, samples=2)
    assert failed(checks) == []
    assert not any(math.isnan(check.error) for check in checks)
    assert not any("FD" in check.name or "Minv" in check.name for check in checks)
    assert singular_joints(robot) == ["aim"]


def test_a_robot_without_joints_has_nothing_to_fail():
    robot = Robot(parse_description(b'<robot name="r"><link name="a"/></robot>'), ModelOptions())
    assert failed(check_identities(robot, samples=1)) == []


def test_an_error_that_is_no_number_does_not_pass():
    assert not Check("x", math.nan, 1.0).passed
    assert math.isnan(greatest([1.0, math.nan, 2.0]))
    assert deviation([1.0, 2.0], [1.0, 4.0]) == 0.5


def test_bounds_grow_with_size_and_condition():
    small = Subject.at_random(load_robot(SAMPLES / "planar_2r.urdf").tree, 1, 0)
    large = Subject.at_random(load_robot(SAMPLES / "humanoid.urdf").tree, 1, 0)
    assert small.bound(1.0) == 1.0
    assert large.bound(1.0) == large.tree.nv / 6
    assert large.bound(1.0, solved=True) == pytest.approx(large.bound(1.0) * max(1.0, large.condition / 1e4))


def test_rows_and_values_agree():
    checks = [Check("a", 1e-16, 1e-15), Check("b", 1.0, 1e-15)]
    result = result_of(checks, [])
    assert [check["passed"] for check in result.values["checks"]] == [True, False]
    assert [row[-1] for row in result.sheet.rows] == ["ok", "FAILED"]
