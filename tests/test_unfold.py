"""Joints unfolded into simpler ones give the numbers of the whole joint, and their zeros show in the program."""

from __future__ import annotations

import numpy as np
import pytest
from trees import random_state, random_tree

from dyncli.algorithms.aba import aba
from dyncli.algorithms.crba import crba
from dyncli.algorithms.kinematics import body_poses, frame_pose
from dyncli.algorithms.rnea import rnea
from dyncli.algorithms.unfold import unfolded
from dyncli.joints import all_joint_types
from dyncli.scalars.program import record


def close(actual, expected):
    expected = np.asarray(expected)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12 * np.abs(expected).max(initial=1e-3))


@pytest.mark.parametrize("kind", all_joint_types(), ids=lambda kind: f"{type(kind).__name__}")
def test_coordinates_and_velocities_stay_in_order(kind):
    simpler = [part for part, _ in kind.unfolded((0.0, 0.0, 1.0))]
    assert sum(part.nq for part in simpler) == kind.nq
    assert sum(part.nv for part in simpler) == kind.nv


@pytest.mark.parametrize("seed", range(4))
def test_the_unfolded_robot_is_the_same_robot(seed):
    tree = random_tree(seed, 8, "mujoco", armature=seed % 2 == 0)
    other = unfolded(tree)
    q, v, a, tau = random_state(tree, seed)
    assert len(other.bodies) > len(tree.bodies)
    close(rnea(other, q, v, a), rnea(tree, q, v, a))
    close(crba(other, q), crba(tree, q))
    close(aba(other, q, v, tau)[0], aba(tree, q, v, tau)[0])
    poses, moved = body_poses(tree, q), body_poses(other, q)
    for name, frame in tree.frames.items():
        close(frame_pose(other.frames[name], moved).translation, frame_pose(frame, poses).translation)


def test_the_slides_of_a_floating_joint_do_not_see_each_other():
    tree = random_tree(1, 3, "mujoco", types=("floating", "revolute"))
    program = record(lambda q: [entry for row in crba(unfolded(tree), q) for entry in row], tree.coordinates)
    zeros = set(program.structural_zeros())
    assert {i * tree.nv + j for i in range(3) for j in range(3) if i != j} <= zeros
