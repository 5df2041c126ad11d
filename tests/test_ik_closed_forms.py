"""Closed forms: every solution is one, the true one is among them, and random starts find none beside them."""

import math

import numpy as np
import pytest
from arms import SAMPLES, UR5, X, Y, Z, column, loaded, planar, point, poses_at, problem, random_q, serial, turned

from dyncli.algorithms.ik.chain import TURN
from dyncli.algorithms.ik.closed_form import all_solutions
from dyncli.algorithms.ik.error import ALL_ROWS
from dyncli.algorithms.ik.restarts import every_answer, find
from dyncli.algorithms.ik.two_angles import linear_angle, product, quadratic_angle
from dyncli.errors import UsageError
from dyncli.structs import replace


def oblique(seed):
    """Six axes in general directions, the last three through one point."""
    rng = np.random.default_rng(seed)

    def unit():
        v = rng.normal(size=3)
        return tuple(v / np.linalg.norm(v))

    first = [{"axis": unit(), "at": tuple(rng.uniform(-0.4, 0.4, 3))} for _ in range(3)]
    wrist = [{"axis": unit()} for _ in range(3)]
    wrist[0]["at"] = tuple(rng.uniform(-0.4, 0.4, 3))
    return serial([*first, *wrist], tuple(rng.uniform(-0.1, 0.1, 3)), rotation=turned(unit(), 0.7))


ARMS = {
    "sample 6R": lambda: (loaded(SAMPLES / "arm_6r.urdf"), "tool"),
    "UR5": lambda: (loaded(UR5), "tool0"),
    "shoulder offset": lambda: (
        serial(
            [
                {"axis": Z},
                {"axis": Y, "at": (0.15, 0.02, 0.4)},
                {"axis": Y, "at": (0.0, 0.1, 0.6)},
                {"axis": X, "at": (0.1, 0.0, 0.1)},
                {"axis": Y, "at": (0.5, 0.0, 0.0)},
                {"axis": X},
            ],
            (0.1, 0.0, 0.02),
        ),
        "tip",
    ),
    "first two parallel": lambda: (
        serial(
            [
                {"axis": Z},
                {"axis": Z, "at": (0.4, 0, 0)},
                {"axis": Y, "at": (0.3, 0, 0)},
                {"axis": X, "at": (0.3, 0, 0)},
                {"axis": Y},
                {"axis": X},
            ],
            (0.1, 0.0, 0.0),
        ),
        "tip",
    ),
    "first two meet": lambda: (
        serial(
            [
                {"axis": Z},
                {"axis": Y, "at": (0, 0, 0.3)},
                {"axis": X, "at": (0.1, 0.2, 0.3)},
                {"axis": Z, "at": (0, 0, 0.3)},
                {"axis": X},
                {"axis": Z},
            ],
            (0.0, 0.0, 0.1),
        ),
        "tip",
    ),
    "offset fifth axis": lambda: (
        serial(
            [
                {"axis": Z},
                {"axis": Y, "at": (0.0, 0.1, 0.1)},
                {"axis": tuple(-x for x in Y), "at": (0.4, 0.0, 0.0)},
                {"axis": Y, "at": (0.4, 0.02, 0.0)},
                {"axis": Z, "at": (0.0, 0.1, 0.05)},
                {"axis": Y, "at": (0.03, 0.1, 0.1)},
            ],
            (0.0, 0.1, 0.0),
        ),
        "tip",
    ),
    **{f"oblique {seed}": lambda seed=seed: (oblique(seed), "tip") for seed in range(4)},
}


@pytest.fixture(scope="module", params=ARMS, ids=ARMS.keys())
def arm(request):
    tree, frame = ARMS[request.param]()
    return problem(tree, frame, limits=False)


def apart(q, other):
    """Largest difference of a joint, whole turns aside."""
    d = q - other
    return np.abs(d - TURN * np.round(d / TURN)).max(axis=0)


def test_every_solution_is_one_and_the_true_one_is_among_them(arm):
    truth = random_q(arm.chain, 200, 5)
    targets = poses_at(arm.chain, truth)
    solutions = all_solutions(arm.chain, arm.form, targets, np.zeros((6, 1)), 1e-6)
    distance = np.full(solutions.found.shape, np.inf)
    for branch in range(8):
        found = solutions.found[branch]
        error = targets.error(arm.chain.kinematics(solutions.q[:, branch]))
        assert error.position[found].max(initial=0.0) < 1e-10
        assert error.orientation[found].max(initial=0.0) < 1e-10
        distance[branch] = np.where(found, apart(solutions.q[:, branch], truth), np.inf)
    assert (distance.min(axis=0) < 1e-6).all()


def test_the_closed_form_itself_is_exact_before_polishing(arm):
    targets = poses_at(arm.chain, random_q(arm.chain, 50, 6))
    raw = arm.form.candidates(targets, np.zeros((6, 1)))
    exists = np.isfinite(raw).all(axis=0)
    assert exists.any(axis=0).all()
    for branch in range(8):
        error = targets.error(arm.chain.kinematics(np.nan_to_num(raw[:, branch])))
        assert error.total[exists[branch]].max(initial=0.0) < 1e-7  # double roots lose half the digits


def test_random_starts_find_no_solution_that_the_closed_form_lacks(arm):
    """The numeric solver knows nothing of the structure: what it finds must be on the list."""
    truth = random_q(arm.chain, 6, 7)
    for k in range(truth.shape[1]):
        target = poses_at(arm.chain, truth[:, k : k + 1])
        listed = every_answer(arm, target, np.zeros((6, 1)))
        blind = replace(problem(arm.chain.tree, arm.chain.frame.name, limits=False, restarts=60), use_form=False)
        for found in every_answer(blind, target, np.zeros((6, 1))).T:
            assert apart(listed, found[:, None]).min() < 1e-4
        assert 1 <= listed.shape[1] <= 8


@pytest.mark.parametrize(("path", "frame"), [(SAMPLES / "arm_6r.urdf", "tool"), (UR5, "tool0")])
def test_eight_solutions_have_eight_names(path, frame):
    asked = problem(loaded(path), frame, limits=False)
    targets = poses_at(asked.chain, random_q(asked.chain, 60, 9))
    eights = 0
    for k in range(targets.count):
        q = every_answer(asked, targets.take([k]), np.zeros((6, 1)))
        labels = asked.form.labels(asked.chain.kinematics(q))
        assert len(set(labels)) == len(labels)
        eights += len(labels) == 8
    assert eights > 20


ROUNDED = {
    "wrist": [
        {"axis": Z},
        {"axis": Z, "rotation": turned(X, -1.5708), "at": (0, 0, 0.3)},
        {"axis": Z, "at": (0.4, 0, 0)},
        {"axis": Z, "rotation": turned(X, -1.5708), "at": (0.0, 0.3, 0)},
        {"axis": Z, "rotation": turned(X, 1.5708), "at": (1e-5, 0, 0)},
        {"axis": Z, "rotation": turned(X, -1.5708), "at": (0, 2e-5, 0)},
    ],
    "parallel": [
        {"axis": Z},
        {"axis": Z, "rotation": turned(X, -1.5708), "at": (0, 0, 0.1)},
        {"axis": Z, "rotation": turned(Y, 4e-6), "at": (0.4, 0, 0)},
        {"axis": Z, "rotation": turned(X, 4e-6), "at": (0.4, 0, 0.1)},
        {"axis": Z, "rotation": turned(X, -1.5708), "at": (0, 0.1, 0)},
        {"axis": Z, "rotation": turned(X, 1.5708), "at": (0, 0, 0.1)},
    ],
}


@pytest.mark.parametrize("joints", ROUNDED.values(), ids=ROUNDED.keys())
def test_rounded_axes_are_recognised_and_the_answer_polished(joints):
    """A few millionths off: the solutions are those of the file as it is, and no proof follows from finding none."""
    asked = problem(serial(joints, (0, 0, 0.1)), limits=False)
    assert 1e-6 < asked.form.deviation < 1e-4
    assert not asked.is_complete
    truth = random_q(asked.chain, 50, 1)
    targets = poses_at(asked.chain, truth)
    solutions = all_solutions(asked.chain, asked.form, targets, np.zeros((6, 1)), 1e-6)
    errors = np.array([targets.error(asked.chain.kinematics(solutions.q[:, k])).total for k in range(8)])
    assert errors[solutions.found].max() < 1e-10
    distance = np.array([np.where(solutions.found[k], apart(solutions.q[:, k], truth), 9.0) for k in range(8)])
    assert (distance.min(axis=0) < 1e-6).all()


def test_general_arms_have_no_closed_form():
    rng = np.random.default_rng(0)
    axes = rng.normal(size=(6, 3))
    joints = [{"axis": tuple(a / np.linalg.norm(a)), "at": tuple(rng.uniform(-0.3, 0.3, 3))} for a in axes]
    asked = problem(serial(joints, (0.1, 0, 0)), limits=False)
    assert asked.form is None
    with pytest.raises(UsageError, match="no closed form"):
        asked.closed_form()


def test_a_wrist_two_millimetres_off_is_none():
    joints = [{"axis": Z}, {"axis": Y, "at": (0, 0, 0.4)}, {"axis": Y, "at": (0, 0, 0.4)}]
    joints += [{"axis": Z, "at": (0, 0, 0.2)}, {"axis": Y, "at": (0.002, 0, 0.2)}, {"axis": Z, "at": (0.002, 0, 0)}]
    assert problem(serial(joints, (0, 0, 0.1))).form is None


def test_at_the_wrist_singularity_the_free_joint_keeps_its_start():
    """Only the sum of joints 4 and 6 is determined there: of the continuum joint 4 keeps its start."""
    asked = problem(loaded(SAMPLES / "arm_6r.urdf"), "tool")
    truth = column(0.3, 0.2, -0.4, 0.5, 0.0, 0.2)
    start = column(0.3, 0.2, -0.4, 0.9, 0.0, 0.1)
    target = poses_at(asked.chain, truth)
    solutions = all_solutions(asked.chain, asked.form, target, start, 1e-6)
    q = solutions.q[:, solutions.found[:, 0], 0]
    nearest = q[:, apart(q, start).argmin()]
    assert nearest[3] == pytest.approx(0.9, abs=1e-6)
    assert nearest[3] + nearest[5] == pytest.approx(0.7, abs=1e-6)


# the planar arm ------------------------------------------------------------------------------------------------------


def test_planar_arm_by_the_law_of_cosines():
    asked = problem(planar(0.2, 0.15, limit=math.pi), rows=(0, 1, 2))
    rng = np.random.default_rng(2)
    for _ in range(50):
        r, angle = rng.uniform(0.0501, 0.3499), rng.uniform(-3, 3)
        target = point((r * math.cos(angle), r * math.sin(angle), 0.0))
        q = every_answer(asked, target, column(0.0, 0.0))
        bend = math.acos((r * r - 0.2**2 - 0.15**2) / (2 * 0.2 * 0.15))
        assert sorted(q[1]) == pytest.approx([-bend, bend], abs=1e-9)
        for q1, q2 in q.T:
            at = (0.2 * math.cos(q1) + 0.15 * math.cos(q1 + q2), 0.2 * math.sin(q1) + 0.15 * math.sin(q1 + q2))
            assert at == pytest.approx(target.position[:2, 0], abs=1e-12)


def test_planar_arm_anywhere_in_space():
    """Tilted plane, axes against each other, offsets along the axes."""
    tilt = turned((0.6, 0.0, 0.8), 0.9)
    joints = [
        {"axis": Z, "rotation": tilt, "at": (0.1, 0.2, 0.3)},
        {"axis": tuple(-z for z in Z), "at": (0.3, 0.1, 0.07)},
    ]
    asked = problem(serial(joints, (0.2, -0.05, 0.02)), rows=(0, 1, 2), limits=False)
    truth = random_q(asked.chain, 40, 3)
    targets = poses_at(asked.chain, truth, (0, 1, 2))
    solutions = all_solutions(asked.chain, asked.form, targets, np.zeros((2, 1)), 1e-6)
    assert (solutions.found.sum(axis=0) == 2).all()
    distance = np.array([apart(solutions.q[:, k], truth) for k in range(2)])
    assert (distance.min(axis=0) < 1e-7).all()


def test_the_branch_asked_for_is_given():
    tree = planar(1.0, 1.0, limit=3.1)
    for sign, label in ((1.0, "elbow+"), (-1.0, "elbow-")):
        asked = problem(tree, rows=(0, 1, 2))
        asked = replace(asked, branch=(label,))
        answer = find(asked, point((1.0, 1.0, 0.0)), column(0.3, -sign * 0.3))
        assert answer.found[0]
        assert answer.q[1, 0] == pytest.approx(sign * math.pi / 2, abs=1e-9)


# equations -----------------------------------------------------------------------------------------------------------


def test_linear_equation_has_its_roots():
    rng = np.random.default_rng(1)
    x = rng.uniform(-3, 3, 100)
    a, b = rng.normal(size=(2, 100))
    found = linear_angle(np.array([-(a * np.cos(x) + b * np.sin(x)), a, b]))
    assert np.abs(np.exp(1j * found) - np.exp(1j * x)).min(axis=0).max() < 1e-7
    assert np.isnan(linear_angle(np.array([[2.0], [1.0], [0.0]]))).all()


def test_quadratic_equation_has_its_roots():
    rng = np.random.default_rng(2)
    x, y = rng.uniform(-3, 3, (2, 200))
    a, b, c, d = rng.normal(size=(4, 200))
    first = np.array([-(a * np.cos(x) + b * np.sin(x)), a, b])
    second = np.array([-(c * np.cos(y) + d * np.sin(y)), c, d])
    found = quadratic_angle(product(first, second))
    for root in (x, y):
        assert np.nanmin(np.abs(np.exp(1j * found) - np.exp(1j * root)), axis=0).max() < 1e-6


def test_quadratic_equation_without_its_second_harmonic():
    found = quadratic_angle(np.array([[-0.5], [1.0], [0.0], [0.0], [0.0]]))
    assert sorted(found[np.isfinite(found)]) == pytest.approx([-math.pi / 3, math.pi / 3])


def test_rows_other_than_a_full_pose_have_no_6r_form():
    assert problem(loaded(UR5), "tool0", rows=(0, 1, 2)).form is None
    assert problem(loaded(UR5), "tool0", rows=ALL_ROWS).form is not None
