"""Verdicts: unreachable only where it is proved, the nearest place, and reasons that are true."""

import math

import numpy as np
import pytest
from arms import (
    POSITION,
    SAMPLES,
    UR5,
    X,
    Y,
    Z,
    column,
    loaded,
    planar,
    point,
    poses_at,
    problem,
    random_q,
    serial,
    turned,
)

from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.path_geometry import path_of
from dyncli.algorithms.ik.reach import reach_of
from dyncli.algorithms.ik.restarts import find
from dyncli.algorithms.ik.singularity import report, sample_jacobians
from dyncli.algorithms.ik.verdict import jacobian_reports, judge


def ask(asked, target, start):
    """The verdict on one target."""
    verdicts = judge(asked, target, find(asked, target, start))
    return verdicts, verdicts.reasons[0], verdicts.details[0]


# reach ---------------------------------------------------------------------------------------------------------------


def test_reach_of_the_planar_arm():
    reach = problem(planar(0.2, 0.15), rows=POSITION).reach
    assert (reach.inner, reach.outer) == pytest.approx((0.05, 0.35), abs=1e-14)
    assert "0.05 to 0.35" in reach.in_words()


TREES = {
    "UR5": lambda: (loaded(UR5), "tool0"),
    "6R": lambda: (loaded(SAMPLES / "arm_6r.urdf"), "tool"),
    "7R": lambda: (loaded(SAMPLES / "arm_7r.urdf"), "tool"),
    "rail": lambda: (loaded(SAMPLES / "rail_gripper.urdf"), "grasp"),
    "planar": lambda: (planar(0.5, 0.2, 0.1), "tip"),
    "scara": lambda: (
        serial(
            [{}, {"at": (0.4, 0, 0)}, {"type": "prismatic", "at": (0.3, 0, 0.2), "lower": -0.2, "upper": 0.1}],
            (0.05, 0.0, -0.1),
        ),
        "tip",
    ),
    "ball": lambda: (serial([{"type": "ball"}, {"axis": Y, "at": (0.4, 0.1, 0.0)}], (0.3, 0.0, 0.0)), "tip"),
    "pan and tilt": lambda: (serial([{"axis": Z}, {"axis": Y, "at": (0.1, 0.0, 0.3)}], (0.2, 0.0, 0.0)), "tip"),
    "slides": lambda: (
        serial(
            [
                {"type": "prismatic", "axis": X, "lower": -1.0, "upper": 2.0},
                {"type": "prismatic", "axis": (0.6, 0.8, 0.0), "lower": 0.0, "upper": 1.0},
            ],
            (0.0, 0.0, 0.3),
        ),
        "tip",
    ),
}


@pytest.mark.parametrize("make", TREES.values(), ids=TREES.keys())
def test_bounds_never_exclude_what_is_reached(make):
    """A proof must be one: of thousands of poses the arm does take none is called out of reach."""
    tree, frame = make()
    asked = problem(tree, frame)
    at = asked.chain.kinematics(random_q(asked.chain, 4000, 1))
    for rows in ([0, 1, 2], [0, 1], [2], [1, 2]):
        assert not asked.reach.position_excess(at.position, rows).any()
    assert not asked.reach.orientation_excess(at.rotation, [0, 1, 2]).any()


@pytest.mark.parametrize("make", TREES.values(), ids=TREES.keys())
def test_bounds_are_lower_bounds_of_the_distance(make):
    tree, frame = make()
    asked = problem(tree, frame)
    rng = np.random.default_rng(2)
    taken = asked.chain.kinematics(random_q(asked.chain, 1500, 3))
    for _ in range(40):
        place = rng.uniform(-1.5, 1.5, 3)
        nearest = np.linalg.norm(taken.position - place[:, None], axis=0).min()
        assert asked.reach.position_excess(place[:, None], [0, 1, 2])[0] <= nearest + 1e-9
        axis = rng.normal(size=3)
        R = turned(tuple(axis / np.linalg.norm(axis)), rng.uniform(0, 3))
        angles = np.arccos(np.clip((np.einsum("ij,ijb->b", R, taken.rotation) - 1) / 2, -1, 1))
        assert asked.reach.orientation_excess(R[:, :, None], [0, 1, 2])[0] <= angles.min() + 1e-6


def test_bounds_of_a_planar_arm_are_tight():
    asked = problem(planar(0.5, 0.2, 0.1), rows=POSITION)
    for place, out in (((0.9, 0.0, 0.0), 0.1), ((0.1, 0.0, 0.0), 0.1), ((0.5, 0.0, 0.3), 0.3), ((1.1, 0.0, 0.4), 0.5)):
        assert asked.reach.position_excess(np.array(place)[:, None], [0, 1, 2])[0] == pytest.approx(out, abs=1e-12)
    tilted = turned(X, 0.3)[:, :, None]
    assert asked.reach.orientation_excess(tilted, [0, 1, 2])[0] == pytest.approx(0.3, abs=1e-12)


def test_axes_of_a_prismatic_path_stretch_the_reach_by_their_travel_only_within_limits():
    tree = serial([{}, {"type": "prismatic", "axis": X, "lower": 0.0, "upper": 0.3}], (0.5, 0.0, 0.0))
    path = path_of(problem(tree).chain)
    assert reach_of(path).outer == pytest.approx(0.8)
    assert reach_of(path).inner == pytest.approx(0.5)
    assert math.isinf(reach_of(path, limits=False).outer)


# reasons -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", [0.0, 0.7, 2.5, -2.0])
@pytest.mark.parametrize(("distance", "away"), [(0.40, 0.05), (0.351, 0.001), (2.0, 1.65), (0.03, 0.02)])
def test_unreachable_for_the_planar_arm_with_the_true_distance(direction, distance, away):
    asked = problem(planar(0.2, 0.15, limit=math.pi), rows=POSITION)
    target = point((distance * math.cos(direction), distance * math.sin(direction), 0.0))
    verdicts, reason, detail = ask(asked, target, column(0.3, 0.4))
    assert not verdicts.converged[0]
    assert reason == "unreachable"
    assert verdicts.position[0] == pytest.approx(away, rel=0.01)
    assert f"{away:.6g} m out of reach" in detail


def test_the_numbers_of_the_closed_form_are_told():
    asked = problem(planar(0.2, 0.15, limit=math.pi), rows=POSITION)
    _, reason, detail = ask(asked, point((0.40, 0.0, 0.0)), column(0.1, 0.1))
    assert reason == "unreachable"
    assert "D = 1.625" in detail
    assert "-1.640625" in detail
    assert "0.05 to 0.35" in detail


def test_closest_place_of_a_three_link_arm():
    asked = problem(planar(0.2, 0.15, 0.1, limit=math.pi), rows=POSITION)
    for angle in np.linspace(-3, 3, 9):
        target = point((0.6 * math.cos(angle), 0.6 * math.sin(angle), 0.0))
        verdicts, reason, _ = ask(asked, target, column(0.1, 0.5, 0.2))
        assert reason == "unreachable"
        assert verdicts.position[0] == pytest.approx(0.15, rel=0.01)


def test_targets_in_millimetres_are_recognised():
    """K17."""
    asked = problem(planar(1.0, 1.0, limit=3.1), rows=POSITION)
    verdicts, reason, detail = ask(asked, point((1200.0, 500.0, 0.0)), column(0.1, 0.1))
    assert reason == "unreachable"
    assert "reach" in detail
    assert "millimetres" in detail
    assert verdicts.position[0] == pytest.approx(1298.0, rel=1e-6)


def test_targets_beyond_limits_name_the_joint():
    """K03: (-1, 1) needs j1 = pi/2 or pi."""
    tree = serial(
        [{"lower": -0.5, "upper": 0.5}, {"at": (1.0, 0, 0), "lower": -2.5, "upper": 2.5}],
        (1.0, 0.0, 0.0),
    )
    asked = problem(tree, rows=POSITION)
    verdicts, reason, detail = ask(asked, point((-1.0, 1.0, 0.0)), column(0.0, 0.1))
    assert reason == "limits"
    assert "j1 would be at" in detail
    assert "j2" not in detail
    assert verdicts.within[0]
    at = asked.chain.kinematics(verdicts.q)
    assert np.linalg.norm(at.position[:, 0] - [-1, 1, 0]) == pytest.approx(verdicts.position[0], rel=1e-12)


def test_verdicts_of_a_hundred_targets_are_true():
    """K03: if converged then |fk(q) - target| <= tol and lower <= q <= upper, and fk(q) gives the error."""
    tree = serial(
        [{"lower": -0.5, "upper": 0.5}, {"at": (1.0, 0, 0), "lower": -2.5, "upper": 2.5}],
        (1.0, 0.0, 0.0),
    )
    asked = problem(tree, rows=POSITION)
    rng = np.random.default_rng(0)
    targets = point(*np.column_stack([rng.uniform(-2.2, 2.2, (100, 2)), np.zeros(100)]))
    verdicts = judge(asked, targets, find(asked, targets, np.zeros((2, 100))))
    distance = np.linalg.norm(asked.chain.kinematics(verdicts.q).position - targets.position, axis=0)
    np.testing.assert_allclose(distance, verdicts.position, rtol=1e-9, atol=1e-15)
    for k in np.flatnonzero(verdicts.converged):
        assert distance[k] <= 1e-6
        assert (asked.chain.lower <= verdicts.q[:, k]).all()
        assert (verdicts.q[:, k] <= asked.chain.upper).all()
    assert 5 < verdicts.converged.sum() < 60
    assert {"unreachable", "limits"} == {r for r in verdicts.reasons if r}


def test_a_full_pose_that_the_closed_form_excludes_is_unreachable():
    """The wrist of an UR5 stays 0.1 m off the first axis: a tool pointing down cannot stand closer to it."""
    asked = problem(loaded(UR5), "tool0")
    down = np.diag([1.0, -1.0, -1.0])
    target = Targets(column(0.02, 0.0, 0.5), down[:, :, None])
    assert asked.reach.position_excess(target.position, [0, 1, 2])[0] == 0.0
    verdicts, reason, detail = ask(asked, target, np.full((6, 1), 0.2))
    assert reason == "unreachable"
    assert "closed form" in detail
    assert verdicts.position[0] + verdicts.orientation[0] > 1e-3
    assert f"{verdicts.position[0]:.6g} m" in detail


def test_tilted_targets_of_a_planar_arm_are_unreachable_by_their_tilt():
    asked = problem(planar(0.2, 0.15, 0.1))
    target = Targets(column(0.3, 0.1, 0.0), turned(X, 0.25)[:, :, None])
    _, reason, detail = ask(asked, target, column(0.1, 0.5, 0.2))
    assert reason == "unreachable"
    assert "0.25 rad" in detail


def test_too_few_joints():
    tree = serial([{"axis": Z}, {"axis": Y, "at": (0, 0, 0.3)}, {"axis": Z, "at": (0.2, 0, 0.2)}], (0.2, 0.0, 0.1))
    asked = problem(tree, restarts=8)
    truth = column(0.3, 0.5, 0.2)
    reached = poses_at(asked.chain, truth)
    assert ask(asked, reached, truth + 0.1)[0].converged[0]
    moved = Targets(reached.position * 0.97, reached.rotation)
    _, reason, detail = ask(asked, moved, truth)
    assert reason == "too few joints"
    assert "--axes" in detail


def test_out_of_iterations():
    asked = problem(loaded(SAMPLES / "arm_7r.urdf"), "tool", restarts=0, max_iter=2, limits=False)
    target = poses_at(asked.chain, random_q(asked.chain, 1, 1))
    verdicts, reason, detail = ask(asked, target, random_q(asked.chain, 1, 2))
    assert not verdicts.converged[0]
    assert reason == "iterations"
    assert "2 iterations" in detail


def test_an_end_at_a_singularity_is_called_so():
    """A general arm of four joints stretched towards a point just out of its reach, which no bound can prove."""
    rng = np.random.default_rng(4)
    axes = rng.normal(size=(4, 3))
    joints = [{"axis": tuple(a / np.linalg.norm(a)), "at": tuple(rng.uniform(-0.3, 0.3, 3))} for a in axes]
    asked = problem(serial(joints, (0.2, 0.1, 0.0)), rows=POSITION, restarts=20)
    place = np.array([2.0, 0.0, 0.0])
    while asked.reach.position_excess(place[:, None], [0, 1, 2])[0] > 0.0:
        place *= 0.999
    verdicts, reason, detail = ask(asked, point(place), np.full((4, 1), 0.3))
    assert not verdicts.converged[0]
    assert reason == "singular"
    assert "singularity" in detail


def test_nothing_is_called_unreachable_without_proof():
    """The same arm and point: no bound says so, so the word must not be used."""
    asked = problem(loaded(SAMPLES / "arm_7r.urdf"), "tool", restarts=4)
    at = asked.chain.kinematics(np.zeros((7, 1)))
    for lift in (-1e-4, -1e-3):
        target = Targets(at.position + np.array([[0.05], [0.0], [lift]]), at.rotation)
        verdicts, reason, _ = ask(asked, target, np.full((7, 1), 0.1))
        proved = asked.reach.position_excess(target.position, [0, 1, 2])[0] > 0.0
        assert verdicts.converged[0] or (reason == "unreachable") == proved


# singularities -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("degrees", "det", "s1", "s2", "condition"),
    [
        (90, 0.0300000, 0.269451, 0.111337, 2.4),
        (45, 0.0212132, 0.351840, 0.060292, 5.8),
        (10, 0.0052094, 0.379341, 0.013733, 27.6),
        (2, 0.0010470, 0.380731, 0.002750, 138.5),
        (0, 0.0, 0.380789, 0.0, None),
    ],
)
def test_singular_values_of_the_planar_arm(degrees, det, s1, s2, condition):
    asked = problem(planar(0.2, 0.15), rows=(0, 1))
    J = asked.chain.kinematics(column(math.radians(30), math.radians(degrees))).jacobian[:2]
    found = jacobian_reports(asked, J)
    assert found.det[0] == pytest.approx(det, abs=6e-8)
    assert found.det[0] == pytest.approx(0.2 * 0.15 * math.sin(math.radians(degrees)), abs=1e-15)
    assert found.singular_values[0] == pytest.approx([s1, s2], abs=6e-7)
    assert found.manipulability[0] == pytest.approx(abs(det), abs=6e-8)
    if condition is None:
        assert found.condition[0] is None
        assert found.singularities[0].joints == ("j1", "j2")
        assert found.singularities[0].lost == pytest.approx({"x": math.cos(math.radians(30)), "y": 0.5})
    else:
        assert found.condition[0] == pytest.approx(condition, abs=0.06)
        assert found.singularities[0] is None


def test_wrist_singularity_names_the_two_joints_in_line():
    asked = problem(loaded(SAMPLES / "arm_6r.urdf"), "tool")
    names = asked.chain.names
    J = asked.chain.kinematics(column(0.3, 0.2, -0.4, 0.5, 0.0, 0.2)).jacobian
    singular = jacobian_reports(asked, J).singularities[0]
    assert singular.joints == (names[3], names[5])
    bent = asked.chain.kinematics(column(0.3, 0.2, -0.4, 0.5, 0.4, 0.2)).jacobian
    assert jacobian_reports(asked, bent).singularities[0] is None


def test_what_is_singular_everywhere_is_not_reported():
    """A planar arm never moves out of its plane: that is no singularity of a pose."""
    asked = problem(planar(0.2, 0.15, 0.1), rows=POSITION)
    J = asked.chain.kinematics(column(0.3, 0.5, 0.2)).jacobian[:3]
    found = report(J, sample_jacobians(asked.chain, POSITION), asked.chain.names, POSITION)
    assert found.condition[0] is None
    assert found.singularities[0] is None
    straight = asked.chain.kinematics(column(0.3, 0.0, 0.0)).jacobian[:3]
    assert report(straight, sample_jacobians(asked.chain, POSITION), asked.chain.names, POSITION).singularities[0]


def test_fewer_joints_than_rows_measure_the_joints():
    asked = problem(planar(0.2, 0.15), rows=POSITION)
    J = asked.chain.kinematics(column(0.3, 0.7)).jacobian[:3]
    found = jacobian_reports(asked, J)
    assert found.manipulability[0] == pytest.approx(math.sqrt(np.linalg.det(J[:, :, 0].T @ J[:, :, 0])), rel=1e-12)
    assert found.det is None
