"""Runs on batches: reachable targets are reached, within limits, and nothing is called converged that is not."""

import math

import numpy as np
import pytest
from arms import (
    PANDA,
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

from dyncli.algorithms.ik.chain import Chain
from dyncli.algorithms.ik.error import ALL_ROWS, Targets
from dyncli.algorithms.ik.linear import NormalEquations
from dyncli.algorithms.ik.restarts import find
from dyncli.algorithms.ik.settings import Settings
from dyncli.algorithms.ik.solver import End, solve
from dyncli.algorithms.ik.verdict import judge
from dyncli.build import ModelOptions, build_tree
from dyncli.errors import ModelError
from dyncli.formats.load import load_description
from dyncli.structs import replace

ARMS = [
    (SAMPLES / "arm_6r.urdf", "tool"),
    (SAMPLES / "arm_7r.urdf", "tool"),
    (UR5, "tool0"),
    (PANDA, "panda_hand"),
    (SAMPLES / "rail_gripper.urdf", "grasp"),
]


@pytest.mark.parametrize(("path", "frame"), ARMS, ids=[path.stem for path, _ in ARMS])
def test_random_reachable_poses_are_reached_within_limits(path, frame):
    asked = problem(loaded(path), frame)
    targets = poses_at(asked.chain, random_q(asked.chain, 300, 21))
    answers = find(asked, targets, random_q(asked.chain, 300, 22))
    verdicts = judge(asked, targets, answers)
    assert verdicts.converged.mean() >= 0.999
    assert verdicts.within[verdicts.converged].all()
    error = targets.error(asked.chain.kinematics(answers.q))
    assert error.position[answers.found].max() <= 1e-6
    assert error.orientation[answers.found].max() <= 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_no_wrong_claim_on_targets_that_may_be_anywhere(seed):
    """Half of these cannot be reached: whatever is called converged must be there, and within limits."""
    rng = np.random.default_rng(seed)
    asked = problem(loaded(SAMPLES / "arm_6r.urdf"), "tool", restarts=12)
    near = poses_at(asked.chain, random_q(asked.chain, 60, seed))
    moved = Targets(near.position + rng.normal(scale=0.3, size=(3, 60)), near.rotation)
    verdicts = judge(asked, moved, find(asked, moved, random_q(asked.chain, 60, 9)))
    error = moved.error(asked.chain.kinematics(verdicts.q))
    right = (error.position <= 1e-6) & (error.orientation <= 1e-6) & verdicts.within
    np.testing.assert_array_equal(verdicts.converged, right)
    assert 0.1 < right.mean() < 0.9
    assert all(reason for reason, there in zip(verdicts.reasons, right, strict=True) if not there)


def test_a_lane_does_not_depend_on_those_beside_it():
    asked = problem(loaded(SAMPLES / "arm_6r.urdf"), "tool")
    targets = poses_at(asked.chain, random_q(asked.chain, 40, 1))
    start = random_q(asked.chain, 40, 2)
    together = find(asked, targets, start)
    for k in (0, 7, 39):
        alone = find(asked, targets.take([k]), start[:, k : k + 1])
        np.testing.assert_allclose(alone.q[:, 0], together.q[:, k], rtol=0, atol=1e-9)


def test_the_same_seed_gives_the_same_answer_and_inputs_stay_as_they_were():
    asked = problem(loaded(PANDA), "panda_hand", seed=5)
    targets = poses_at(asked.chain, random_q(asked.chain, 20, 1))
    start = random_q(asked.chain, 20, 2)
    for array in (targets.position, targets.rotation, start):
        array.setflags(write=False)
    first, second = find(asked, targets, start), find(asked, targets, start)
    np.testing.assert_array_equal(first.q, second.q)


# methods -------------------------------------------------------------------------------------------------------------


def test_one_damped_step_is_the_formula_with_lambda_squared():
    """K09: dq = Jᵀ (J Jᵀ + λ²)⁻¹ e."""
    chain = problem(planar(1.0, 1.0)).chain
    J = chain.kinematics(column(0.0, 0.01)).jacobian[:3]
    step = NormalEquations.of(J).factor(np.array([0.1**2])).step(column(0.1, 0.0, 0.0))[:, 0]
    assert step == pytest.approx([0.0197201850017177, -0.0400389775602165], abs=1e-9)
    j = J[:, :, 0]
    whole = j.T @ np.linalg.solve(j @ j.T + 0.01 * np.eye(3), [0.1, 0.0, 0.0])
    np.testing.assert_allclose(step, whole, rtol=1e-9)


@pytest.mark.parametrize("shape", [(2, 5), (5, 2), (6, 6), (6, 7), (3, 1)])
def test_damped_steps_are_those_of_the_normal_equations(shape):
    rng = np.random.default_rng(1)
    m, n = shape
    J, e = rng.normal(size=(m, n, 9)), rng.normal(size=(m, 9))
    damping = rng.uniform(0.1, 1.0, 9)
    steps = NormalEquations.of(J).factor(damping).step(e)
    for k in range(9):
        j = J[:, :, k]
        expected = np.linalg.solve(j.T @ j + damping[k] * np.eye(n), j.T @ e[:, k])
        np.testing.assert_allclose(steps[:, k], expected, rtol=0, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("method", ["dls", "pinv", "adaptive"])
def test_every_method_reaches_an_easy_target(method):
    asked = problem(loaded(SAMPLES / "arm_7r.urdf"), "tool")
    q = column(0.3, 0.5, -0.2, 1.0, 0.3, 0.6, 0.1)
    target = poses_at(asked.chain, q)
    run = solve(asked.chain, target, q + 0.1, Settings(method=method))
    assert run.converged[0]
    assert run.iterations[0] < 60


def test_singular_values_bound_the_damped_step():
    """|dq| <= |e| / 2 lambda at any pose, where the pseudoinverse asks for the impossible."""
    asked = problem(planar(0.2, 0.15), rows=POSITION)
    q = column(0.5, 1e-7)
    target = point(asked.chain.kinematics(q).position[:, 0] + [0.001, 0.0, 0.0])
    seen = []
    for method in ("pinv", "dls"):
        solve(asked.chain, target, q, Settings(method=method, max_iter=1), observe=seen.append)
    wild, damped = (np.linalg.norm(step.dq) for step in seen)
    assert wild > 1e3
    assert damped <= 0.001 / (2 * 0.05)


# singular starts, half turns -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dls", "pinv", "adaptive"])
@pytest.mark.parametrize("bent", [0.3, 0.9, 1.7])
def test_a_straight_arm_reaches_targets_on_its_own_line(method, bent):
    """The error has no slope there: without a push the arm would stand still and be called done or stuck."""
    asked = problem(planar(1.0, 1.0, limit=3.1), rows=POSITION, restarts=0, method=method)
    target = point((bent, 0.0, 0.0))
    answer = find(asked, target, column(0.0, 0.0))
    assert judge(asked, target, answer).converged[0]


def test_a_straight_spatial_arm_leaves_its_singularity():
    asked = problem(loaded(SAMPLES / "arm_7r.urdf"), "tool", restarts=0)
    start = np.zeros((7, 1))
    at = asked.chain.kinematics(start)
    target = Targets(at.position - np.array([[0.0], [0.0], [0.3]]), at.rotation)
    assert judge(asked, target, find(asked, target, start)).converged[0]


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (1 / 3, 2 / 3, -2 / 3)])
def test_half_a_turn_is_neither_nan_nor_arrived(axis):
    """K11: at half a turn the sine of the error is zero, and a solver that uses it believes itself there."""
    tree = serial([{"axis": axis, "lower": -4.0, "upper": 4.0}], (0.0, 0.0, 0.0))
    asked = problem(tree, rows=(3, 4, 5))
    a = np.array(axis)
    exact = 2.0 * np.outer(a, a) - np.eye(3)
    for R in (exact, turned(axis, math.pi)):
        target = Targets(np.zeros((3, 1)), R[:, :, None], (3, 4, 5))
        answer = find(asked, target, column(0.0))
        assert judge(asked, target, answer).converged[0]
        assert abs(answer.q[0, 0]) == pytest.approx(math.pi, abs=1e-6)


def test_yaw_goes_the_short_way_and_not_to_the_mirror_image():
    tree = serial([{"axis": Z, "lower": -4.0, "upper": 4.0}], (1.0, 0.0, 0.0))
    asked = problem(tree, rows=(3, 4, 5))
    target = Targets(np.zeros((3, 1)), turned(Z, 1.2)[:, :, None], (3, 4, 5))
    assert find(asked, target, column(-0.9)).q[0, 0] == pytest.approx(1.2, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_full_orientation_half_a_turn_away(seed):
    asked = problem(loaded(SAMPLES / "arm_7r.urdf"), "tool")
    q = random_q(asked.chain, 1, seed)
    at = asked.chain.kinematics(q)
    flipped = (at.rotation[:, :, 0] @ np.diag([-1.0, -1.0, 1.0]))[:, :, None]
    target = Targets(at.position, flipped)
    verdict = judge(asked, target, find(asked, target, q))
    error = target.error(asked.chain.kinematics(verdict.q))
    assert verdict.converged[0] == bool(error.total[0] <= 1.5e-6 and verdict.within[0])


# partial targets -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [(0, 1, 2), (3, 4, 5), (0, 1, 2, 3, 4), (0, 1), (2, 5), (3, 4), (0, 1, 2, 5), (4,)])
def test_only_the_rows_that_count_are_reached(rows):
    asked = problem(loaded(SAMPLES / "arm_6r.urdf"), "tool", rows=rows)
    targets = poses_at(asked.chain, random_q(asked.chain, 50, 31), rows)
    verdicts = judge(asked, targets, find(asked, targets, random_q(asked.chain, 50, 32)))
    assert verdicts.converged.all()
    assert (asked.form is None) or rows == ALL_ROWS


def test_free_turn_about_the_tool_axis_leaves_that_axis_on_target():
    """xyzrp: the tool's z axis points as the target's does, however the tool is turned about it."""
    rows = (0, 1, 2, 3, 4)
    asked = problem(loaded(PANDA), "panda_hand", rows=rows)
    targets = poses_at(asked.chain, random_q(asked.chain, 60, 41), rows)
    verdicts = judge(asked, targets, find(asked, targets, random_q(asked.chain, 60, 42)))
    assert verdicts.converged.all()
    at = asked.chain.kinematics(verdicts.q)
    np.testing.assert_allclose(at.rotation[:, 2], targets.rotation[:, 2], atol=2e-6)
    turn = np.einsum("ib,ib->b", at.rotation[:, 0], targets.rotation[:, 0])
    assert (turn < 0.9).mean() > 0.3  # and it did make use of its freedom


# limits, turns, kinds of joints --------------------------------------------------------------------------------------


def test_an_angle_outside_its_limits_is_tried_with_whole_turns():
    """K07: limits pi/8 to 2 pi; the target lies at -3 pi/4, which is 5 pi/4."""
    tree = serial([{"axis": Z, "lower": math.pi / 8, "upper": 2 * math.pi}], (1.0, 0.0, 0.0))
    asked = problem(tree, rows=POSITION)
    target = point((math.cos(-3 * math.pi / 4), math.sin(-3 * math.pi / 4), 0.0))
    for start in (0.5, 1.0, 3.0, 6.2):
        assert find(asked, target, column(start)).q[0, 0] == pytest.approx(5 * math.pi / 4, abs=1e-6)


@pytest.mark.parametrize("turns", [-3, -1, 0, 2, 40])
def test_continuous_joints_take_the_turn_nearest_to_the_start(turns):
    tree = serial([{"type": "continuous"}, {"type": "continuous", "at": (1.0, 0.0, 0.0)}], (1.0, 0.0, 0.0))
    asked = problem(tree, rows=POSITION)
    start = column(0.1 + 2 * math.pi * turns, 1.2 - 2 * math.pi * turns)
    target = point((1.0, 1.0, 0.0))
    answer = find(asked, target, start)
    assert judge(asked, target, answer).converged[0]
    assert np.abs(answer.q - start).max() <= math.pi


def test_restarts_of_unlimited_joints_stay_finite():
    """K05: nothing is drawn from -inf to inf, and 0 to 0 is not taken for a range."""
    tree = serial([{"type": "continuous"}, {"type": "continuous", "at": (1.0, 0.0, 0.0)}], (1.0, 0.0, 0.0))
    asked = problem(tree, rows=POSITION)
    assert np.isfinite(asked.starts).all()
    assert np.abs(asked.starts).max() <= math.pi
    assert asked.starts.std() > 1.0


def test_limits_of_a_million_turns_are_not_searched():
    """Files write 1e16 for a joint without limits: an angle drawn from all of it would have no digits left."""
    ends = {"lower": -1e16, "upper": 1e16}
    asked = problem(serial([{**ends}, {"at": (1.0, 0, 0), **ends}], (1.0, 0.0, 0.0)), rows=POSITION)
    assert np.abs(asked.starts).max() <= math.pi
    narrow = problem(planar(1.0, 1.0, limit=0.4), rows=POSITION)
    assert np.abs(narrow.starts).max() <= 0.4
    far = serial([{"lower": 50.0, "upper": 90.0}], (1.0, 0.0, 0.0))
    assert (problem(far).starts >= 50.0).all()


def test_without_restarts_the_run_from_the_start_stands_alone():
    """No second chance, not even by a closed form: the run is reported as it ended."""
    asked = problem(loaded(UR5), "tool0", restarts=0)
    targets = poses_at(asked.chain, random_q(asked.chain, 200, 3))
    starts = random_q(asked.chain, 200, 4)
    alone = find(asked, targets, starts)
    assert 0.5 < alone.found.mean() < 1.0
    assert not alone.restarts.any()
    assert find(replace(asked, restarts=124), targets, starts).found.all()


def test_no_stall_at_bounds():
    """From a corner of the box a run gets to its target, or to a place where no joint can lower the error any more."""
    ends = {"axis": Z, "lower": -1.2, "upper": 1.2}
    tree = serial([{"at": (0.0 if k == 0 else 0.5, 0.0, 0.0), **ends} for k in range(4)], (0.5, 0.0, 0.0))
    asked = problem(tree, rows=POSITION, restarts=0)
    targets = poses_at(asked.chain, np.random.default_rng(0).uniform(-1.1, 1.1, (4, 200)), POSITION)
    start = np.tile(column(1.2, -1.2, 1.2, -1.2), 200)
    answers = find(asked, targets, start)
    assert answers.found.mean() > 0.9
    error = targets.error(asked.chain.kinematics(answers.q))
    downhill = np.einsum("rib,rb->ib", error.J, error.e)
    downhill[asked.bounds.held(answers.q, downhill)] = 0.0
    assert np.abs(downhill[:, ~answers.found]).max() < 1e-4
    assert find(problem(tree, rows=POSITION), targets, start).found.all()


def test_answers_on_a_limit_are_within_it():
    asked = problem(loaded(SAMPLES / "arm_7r.urdf"), "tool")
    q = random_q(asked.chain, 30, 3)
    q[1], q[3] = asked.chain.upper[1], asked.chain.lower[3]
    targets = poses_at(asked.chain, q)
    verdicts = judge(asked, targets, find(asked, targets, q))
    assert verdicts.converged.all()
    assert (verdicts.q <= asked.chain.upper[:, None]).all()
    assert (verdicts.q >= asked.chain.lower[:, None]).all()


def test_without_limits_they_are_not_kept_but_told():
    tree = planar(1.0, 1.0, limit=0.5)
    asked = problem(tree, rows=POSITION, limits=False)
    target = point((-1.0, 1.0, 0.0))
    verdicts = judge(asked, target, find(asked, target, column(0.0, 0.1)))
    assert verdicts.converged[0]
    assert not verdicts.within[0]


def test_sliding_joints_and_followers():
    """j3 slides -0.5 times as far as j2: the driver's coordinate moves both, within the limits of both."""
    tree = serial(
        [
            {"axis": Z, "lower": -3.0, "upper": 3.0},
            {"type": "prismatic", "axis": X, "at": (0.5, 0.0, 0.0), "lower": 0.0, "upper": 1.0},
            {"type": "prismatic", "axis": Y, "lower": -0.3, "upper": 0.1, "mimic": ("j2", -0.5, 0.05)},
        ],
        (0.2, 0.0, 0.0),
    )
    asked = problem(tree, rows=(0, 1))
    assert asked.chain.n == 2
    assert asked.chain.upper[1] == pytest.approx(0.7)  # where the follower meets its own limit
    truth = np.array([[0.4, -1.0], [0.3, 0.69]])
    targets = poses_at(asked.chain, truth, (0, 1))
    verdicts = judge(asked, targets, find(asked, targets, np.zeros((2, 2))))
    assert verdicts.converged.all()
    np.testing.assert_allclose(verdicts.q[1], truth[1], atol=1e-5)


def test_ball_joints_are_stepped_on_their_manifold():
    tree = serial(
        [{"type": "ball"}, {"axis": Y, "at": (0.4, 0.0, 0.0)}, {"type": "ball", "at": (0.3, 0, 0)}], (0.1, 0, 0)
    )
    asked = problem(tree)
    targets = poses_at(asked.chain, random_q(asked.chain, 40, 6))
    start = random_q(asked.chain, 40, 7)
    verdicts = judge(asked, targets, find(asked, targets, start))
    assert verdicts.converged.all()
    np.testing.assert_allclose((verdicts.q[:4] ** 2).sum(axis=0), 1.0, rtol=1e-12)


def test_a_floating_base_stays_unless_it_is_set_free():
    path = SAMPLES / "quadruped.xml"
    tree = build_tree(load_description(path), ModelOptions())
    frame = next(name for name in tree.frames if "foot" in name)
    held = Chain(tree, tree.frames[frame], tree.neutral)
    free = Chain(tree, tree.frames[frame], tree.neutral, free_base=True)
    assert (held.n, free.n) == (3, 9)
    assert held.locked_base == ("root",)
    far = point(free.kinematics(column(*np.array(tree.neutral)[free.coordinates])).position[:, 0] + [2.0, 0.0, 0.0])
    asked = replace(problem(tree, frame, rows=POSITION), chain=free)
    start = np.array(tree.neutral)[free.coordinates, None]
    assert judge(asked, far, find(asked, far, start)).converged[0]


def test_limits_that_cross_are_refused():
    tree = serial([{"axis": Z, "lower": 1.0, "upper": -1.0}], (1.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="lower 1 > upper -1"):
        Chain(tree, tree.frames["tip"], tree.neutral)
    assert np.isinf(Chain(tree, tree.frames["tip"], tree.neutral, limits=False).lower).all()


def test_wild_numbers_never_count_as_converged():
    asked = problem(planar(1.0, 1.0), rows=POSITION, method="pinv", restarts=0, kicks=0)
    run = solve(
        asked.chain, point((1e300, 0.0, 0.0)), column(0.5, 1e-12), Settings(method="pinv", max_iter=20, kicks=0)
    )
    assert run.end[0] != End.CONVERGED
    assert np.isfinite(run.q).all()
