"""The error of a pose, Jacobians on batches, and the logarithm of rotations up to half a turn."""

import math

import numpy as np
import pytest
from arms import PANDA, SAMPLES, loaded, poses_at, random_q, turned
from trees import random_state, random_tree

from dyncli.algorithms.ik.chain import Chain
from dyncli.algorithms.ik.error import ALL_ROWS, Targets, left_jacobian_inverse, rotation_log
from dyncli.algorithms.kinematics import body_poses, frame_pose, jacobian

AXES = [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (1 / 3, 2 / 3, -2 / 3), (0.6, -0.8, 0.0)]
ANGLES = [0.0, 1e-12, 1e-9, 1e-4, 0.5, 2.0, 3.0, math.pi - 1e-6, math.pi - 1e-10]


@pytest.mark.parametrize("axis", AXES)
def test_the_logarithm_gives_axis_and_angle(axis):
    R = np.stack([turned(axis, angle) for angle in ANGLES], axis=2)
    for k, angle in enumerate(ANGLES):
        np.testing.assert_allclose(
            rotation_log(R)[:, k], np.array(axis) * angle, rtol=0, atol=2e-15 + 4e-9 * (angle > 3.14)
        )


@pytest.mark.parametrize("axis", AXES)
def test_at_half_a_turn_the_logarithm_is_an_axis_of_length_pi(axis):
    a = np.array(axis)
    R = 2.0 * np.outer(a, a) - np.eye(3)  # exactly half a turn, no rounded sine
    phi = rotation_log(R[:, :, None])[:, 0]
    assert np.linalg.norm(phi) == pytest.approx(math.pi, rel=1e-14)
    assert abs(phi @ a) == pytest.approx(math.pi, rel=1e-14)


def test_the_rate_of_the_rotation_vector_is_its_derivative():
    rng = np.random.default_rng(3)
    for angle in (1e-5, 1e-2, 0.7, 1.6, 3.0):
        phi = rng.normal(size=3)
        phi *= angle / np.linalg.norm(phi)
        R = turned(tuple(phi / angle), angle)
        J = left_jacobian_inverse(phi[:, None])[:, :, 0]
        for k in range(3):
            axis = tuple(np.eye(3)[k])
            h = 1e-6
            ahead, behind = (rotation_log((turned(axis, s * h) @ R)[:, :, None])[:, 0] for s in (1, -1))
            np.testing.assert_allclose(J[:, k], (ahead - behind) / (2 * h), atol=3e-9)


@pytest.mark.parametrize("convention", ["mujoco", "pinocchio"])
@pytest.mark.parametrize("seed", range(6))
def test_batches_are_the_recursion_with_every_joint_type(convention, seed):
    tree = random_tree(seed, 9, convention, mimic=True, bushiness=0.2)
    frame = tree.frames["link9"]
    q, *_ = random_state(tree, seed)
    chain = Chain(tree, frame, q, free_base=True)
    own = np.array(q)[chain.coordinates, None]
    for count in (1, 7):  # on floats, and as a batch
        at = chain.kinematics(np.repeat(own, count, axis=1))
        pose = frame_pose(frame, body_poses(tree, q))
        np.testing.assert_allclose(at.position[:, -1], pose.translation, rtol=0, atol=1e-13)
        np.testing.assert_allclose(at.rotation[:, :, -1], pose.rotation, rtol=0, atol=1e-13)
        J = np.array(jacobian(tree, q, frame))
        np.testing.assert_allclose(at.jacobian[:, :, -1], J[:, chain.dofs], rtol=0, atol=1e-12)
        assert not np.delete(J, chain.dofs, axis=1).any()


@pytest.mark.parametrize("rows", [ALL_ROWS, (0, 1, 2), (3, 4, 5), (0, 2, 3, 4), (4,), (1, 5)])
def test_the_jacobian_of_the_error_is_its_derivative(rows):
    """Central differences of e along each joint, also where much of the free rotation is left to turn."""
    tree = loaded(PANDA)
    chain = Chain(tree, tree.frames["panda_hand"], tree.neutral)
    q, other = random_q(chain, 12, 1), random_q(chain, 12, 2)
    targets = poses_at(chain, other, rows)
    if len([row for row in rows if row >= 3]) == 3:
        targets = poses_at(
            chain, q + 1e-9, rows
        )  # of the whole rotation vector J is the derivative near the target only
    J = targets.error(chain.kinematics(q)).J
    h = 1e-6
    for k in range(chain.n):
        dq = np.zeros_like(q)
        dq[k] = h
        ahead, behind = (targets.error(chain.kinematics(chain.step(q, s * dq))).e for s in (1, -1))
        np.testing.assert_allclose(-(ahead - behind) / (2 * h), J[:, k], atol=2e-8)


def test_errors_of_position_and_orientation_are_apart():
    tree = loaded(SAMPLES / "arm_6r.urdf")
    chain = Chain(tree, tree.frames["tool"], tree.neutral)
    q = random_q(chain, 1, 0)
    at = chain.kinematics(q)
    moved = at.position + np.array([[0.03], [0.0], [0.04]])
    spun = (turned((0.0, 1.0, 0.0), 0.25) @ at.rotation[:, :, 0])[:, :, None]
    error = Targets(moved, spun).error(at)
    assert error.position[0] == pytest.approx(0.05, rel=1e-12)
    assert error.orientation[0] == pytest.approx(0.25, rel=1e-12)
    only_x = Targets(moved, spun, (0,)).error(at)
    assert only_x.position[0] == pytest.approx(0.03, rel=1e-12)
    assert only_x.orientation[0] == 0.0


def test_frozen_coordinates_are_those_of_the_start():
    tree = loaded(SAMPLES / "tree_12.urdf")
    q = random_state(tree, 4)[0]
    chain = Chain(tree, tree.frames["left_forearm"], q)
    whole = chain.embedded(np.array(q)[chain.coordinates, None] + 0.1)
    others = [k for k in range(tree.nq) if k not in chain.coordinates]
    assert len(others) == tree.nq - chain.n
    np.testing.assert_array_equal(whole[others, 0], np.array(q)[others])
