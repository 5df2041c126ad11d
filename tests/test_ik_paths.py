"""Following paths and using the null space, without the command line."""

import math

import numpy as np
import pytest
from arms import POSITION, SAMPLES, UR5, column, loaded, planar, point, poses_at, problem, random_q

from dyncli.algorithms.ik.nullspace import improve, manipulability, middle_of_limits, posture, project
from dyncli.algorithms.ik.path import follow, path_facts, sides
from dyncli.algorithms.ik.verdict import judge


@pytest.mark.parametrize(("path", "frame"), [(SAMPLES / "arm_6r.urdf", "tool"), (UR5, "tool0")])
def test_a_smooth_path_is_followed_on_its_branch(path, frame):
    asked = problem(loaded(path), frame)
    t = np.linspace(0.0, 2.0, 120)
    truth = np.array([0.4 + 0.3 * np.sin(t + k) for k in range(6)])
    truth[1] -= 1.0
    targets = poses_at(asked.chain, truth)
    answers = follow(asked, targets, truth[:, :1])
    np.testing.assert_allclose(answers.q, truth, atol=1e-6)
    verdicts = judge(asked, targets, answers)
    assert verdicts.converged.all()
    side = sides(asked, verdicts.branches, verdicts.jacobian)
    facts = path_facts(asked, answers.q, answers.restarts, side, t)
    assert not facts.branch_changed.any()
    assert math.isnan(facts.step[0])
    np.testing.assert_allclose(facts.step[1:], np.abs(np.diff(answers.q, axis=1)).max(axis=0))
    np.testing.assert_allclose(facts.rates[:, 1:], np.diff(answers.q, axis=1) / np.diff(t))
    assert not answers.restarts.any()


def test_an_unavoidable_flip_is_told():
    """The elbow-up arm meets its limit on the way: from there on only elbow down reaches the path."""
    tree = planar(1.0, 1.0, limit=2.0)
    asked = problem(tree, rows=POSITION)
    angles = np.linspace(0.9, -2.4, 60)
    targets = point(*[(1.5 * math.cos(a), 1.5 * math.sin(a), 0.0) for a in angles])
    bend = math.acos((1.5**2 - 2.0) / 2.0)
    start = column(angles[0] + bend / 2, -bend)
    answers = follow(asked, targets, start)
    verdicts = judge(asked, targets, answers)
    facts = path_facts(asked, answers.q, answers.restarts, sides(asked, verdicts.branches, verdicts.jacobian), None)
    changed = np.flatnonzero(facts.branch_changed)
    assert verdicts.converged[:-1].all() or len(changed) >= 1
    for k in changed:
        assert facts.step[k] > 0.3
    for k in set(range(1, 60)) - set(changed.tolist()):
        assert facts.step[k] < 0.3


def test_projection_is_exact_and_idempotent():
    rng = np.random.default_rng(0)
    for m, n in ((2, 3), (6, 7), (3, 3), (3, 2)):
        J, v = rng.normal(size=(m, n)), rng.normal(size=n)
        free = project(J, v)
        np.testing.assert_allclose(J @ free, 0.0, atol=1e-14)
        np.testing.assert_allclose(project(J, free), free, atol=1e-14)
        np.testing.assert_allclose(free @ (v - free), 0.0, atol=1e-13)


def test_criteria_end_where_their_projected_gradient_vanishes():
    asked = problem(loaded(SAMPLES / "arm_7r.urdf"), "tool")
    q = 0.6 * random_q(asked.chain, 1, 3)
    target = poses_at(asked.chain, q)
    for criterion in (middle_of_limits(asked), manipulability(asked, target), posture(asked, {1: 0.2, 4: -0.3})):
        before = criterion(q)[0]
        ended, steps = improve(asked, target, q, criterion)
        assert criterion(ended)[0] > before
        assert steps > 1
        error = target.error(asked.chain.kinematics(ended))
        assert error.total[0] < 2e-6
        assert asked.bounds.contain(ended)[0]
        # no small step among the solutions raises it any more
        J = error.J[:, :, 0]
        free = np.linalg.svd(J)[2][-1]
        nearby = [criterion(ended + s * 1e-2 * free[:, None])[0] for s in (-1, 1)]
        assert max(nearby) < criterion(ended)[0] + 1e-3


def test_a_whole_turn_is_no_step_of_a_path():
    tree = planar(1.0, 1.0)  # no limits: the arm goes round and round
    asked = problem(tree, rows=POSITION)
    angles = np.linspace(0.0, 6 * math.pi, 400)
    targets = point(*[(1.2 * math.cos(a), 1.2 * math.sin(a), 0.0) for a in angles])
    bend = math.acos((1.2**2 - 2.0) / 2.0)
    answers = follow(asked, targets, column(-bend / 2, bend))
    assert np.abs(np.diff(answers.q, axis=1)).max() < 0.1
    assert answers.q[0, -1] == pytest.approx(6 * math.pi - bend / 2, abs=1e-6)


def test_rows_out_of_reach_are_followed_as_close_as_can_be():
    """A path that leaves the workspace for a while and comes back: no flips, the true distance, and the word for it."""
    asked = problem(planar(1.0, 1.0, limit=3.1), rows=POSITION)
    x = np.concatenate([np.linspace(1.2, 2.3, 40), np.linspace(2.3, 1.2, 40)])
    targets = point(*[(value, 0.2, 0.0) for value in x])
    bend = math.acos((1.2**2 + 0.2**2 - 2.0) / 2.0)
    answers = follow(asked, targets, column(math.atan2(0.2, 1.2) - bend / 2, bend))
    verdicts = judge(asked, targets, answers)
    away = np.maximum(np.hypot(x, 0.2) - 2.0, 0.0)
    np.testing.assert_allclose(verdicts.position, away, atol=2e-6)
    assert {verdicts.reasons[k] for k in np.flatnonzero(away > 1e-3)} == {"unreachable"}
    assert verdicts.converged[away == 0.0].all()
    assert np.abs(np.diff(answers.q, axis=1)).max() < 0.5
