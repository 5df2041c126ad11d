"""Equivalent trees for programs: aligned frames and base parameters give the numbers of the plain recursion."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from trees import inertial, random_state, random_tree

from dyncli.algorithms.aba import aba
from dyncli.algorithms.align import aligned
from dyncli.algorithms.crba import crba
from dyncli.algorithms.kinematics import body_poses, frame_pose
from dyncli.algorithms.lump import lumped
from dyncli.algorithms.newton_euler import newton_euler
from dyncli.algorithms.passive import passive_forces
from dyncli.algorithms.rnea import rnea
from dyncli.algorithms.wrenches import Wrench
from dyncli.build import build_tree
from dyncli.description import JointDescription, LinkDescription, RobotDescription
from dyncli.joints import rotation_about
from dyncli.scalars.program import record
from dyncli.spatial import IDENTITY, IDENTITY3, ZERO_INERTIA, Transform, TurnAboutX, TurnAboutZ

SEEDS = range(8)
CONVENTIONS = ("mujoco", "pinocchio")


def close(actual, expected, rtol=1e-11):
    expected = np.asarray(expected)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol * max(1e-3, np.abs(expected).max(initial=0.0)))


@pytest.fixture(params=[(seed, convention) for seed in SEEDS for convention in CONVENTIONS], scope="module")
def robot(request):
    seed, convention = request.param
    tree = random_tree(seed, 8, convention, mimic=seed % 2 == 0, armature=seed % 3 == 0)
    return tree, random_state(tree, seed)


def test_aligned_frames_keep_every_pose(robot):
    tree, (q, *_) = robot
    turned = aligned(tree)
    poses, turned_poses = body_poses(tree, q), body_poses(turned, q)
    assert turned.frames.keys() == tree.frames.keys()
    for name, frame in tree.frames.items():
        expected, actual = frame_pose(frame, poses), frame_pose(turned.frames[name], turned_poses)
        close(actual.rotation, expected.rotation)
        close(actual.translation, expected.translation)


def test_aligned_joints_are_elementary_steps(robot):
    tree, _ = robot
    for body in aligned(tree).bodies:
        if body.joint.type.name in ("revolute", "continuous", "prismatic"):
            assert body.joint.axis == (0.0, 0.0, 1.0)
            assert body.placement is IDENTITY
        elif body.inertia is ZERO_INERTIA:
            assert isinstance(body.placement, (TurnAboutX, TurnAboutZ))


def test_dynamics_of_the_aligned_tree_are_the_same(robot):
    tree, (q, v, a, tau) = robot
    turned = aligned(tree)
    close(rnea(turned, q, v, a), rnea(tree, q, v, a))
    close(crba(turned, q), crba(tree, q))
    close(passive_forces(turned, q, v), passive_forces(tree, q, v))
    if not tree.couples:
        close(aba(turned, q, v, tau)[0], aba(tree, q, v, tau)[0], rtol=1e-9)


def test_lumped_parameters_keep_forces_and_mass(robot):
    tree, (q, v, a, tau) = robot
    base = lumped(aligned(tree))
    close(rnea(base, q, v, a), rnea(tree, q, v, a))
    close(crba(base, q), crba(tree, q))
    if not tree.couples:
        close(aba(base, q, v, tau)[0], aba(tree, q, v, tau)[0], rtol=1e-9)


def test_a_turning_joint_is_left_with_seven_parameters(robot):
    tree, _ = robot
    for body in lumped(aligned(tree)).bodies:
        if body.joint.type.name in ("revolute", "continuous"):
            xx, yy, zz, *_ = body.inertia.rotational
            assert body.inertia.mass == 0.0
            assert body.inertia.moment[2] == 0.0
            assert xx + yy == pytest.approx(zz, rel=1e-12)


def test_vector_form_equals_spatial_form(robot):
    tree, (q, v, a, _) = robot
    frame = next(frame for frame in reversed(tree.frames.values()) if frame.body >= 0)
    wrenches = (
        Wrench(frame, True, (1.0, -2.0, 0.5), (0.1, 0.0, -0.3)),
        Wrench(frame, False, (0.4, 0.0, 3.0), (0.0, 0.2, 0.0)),
    )
    close(newton_euler(tree, q, v, a, wrenches=wrenches), rnea(tree, q, v, a, wrenches=wrenches))
    for options in ({}, {"v": v}, {"a": a}, {"v": v, "a": a, "gravity": False}):
        close(newton_euler(tree, q, **options), rnea(tree, q, **options))


def test_axes_that_are_nearly_parallel_keep_their_origin_near():
    # an axis that a file writes as 1.5708 for a right angle crosses its neighbour's normal a hundred kilometres away
    placement = Transform(rotation_about((1.0, 0.0, 0.0), 3.7e-6), (0.3, 0.2, 0.1))
    links = [LinkDescription("base")] + [LinkDescription(f"l{k}", inertial(random.Random(k))) for k in range(3)]
    joints = [
        JointDescription(f"j{k}", "revolute", links[k].name, f"l{k}", placement, axis=(0.0, 0.0, 1.0)) for k in range(3)
    ]
    tree = build_tree(RobotDescription("tilted", "urdf", "", tuple(links), tuple(joints), gravity=(0.0, 0.0, -9.81)))
    q, v, a, _ = random_state(tree, 1)
    base = lumped(aligned(tree))
    assert max(abs(x) for body in base.bodies for x in body.placement.translation) < 1.0
    close(rnea(base, q, v, a), rnea(tree, q, v, a))


@pytest.mark.parametrize("axis", [(1e-7, 0.0, -1.0), (0.0, -3e-9, -1.0), (1e-8, 1e-8, 1.0), (-1.0, 0.0, -0.0)])
def test_axes_near_the_poles_are_as_exact_as_others(axis):
    norm = math.hypot(*axis)
    unit = tuple(component / norm for component in axis)
    links = [LinkDescription("base")] + [LinkDescription(f"l{k}", inertial(random.Random(k))) for k in range(3)]
    placement = Transform(rotation_about((0.6, 0.0, 0.8), 0.4), (0.3, 0.2, 0.1))
    joints = [JointDescription(f"j{k}", "revolute", links[k].name, f"l{k}", placement, axis=unit) for k in range(3)]
    tree = build_tree(RobotDescription("poles", "urdf", "", tuple(links), tuple(joints), gravity=(0.0, 0.0, -9.81)))
    q, v, a, _ = random_state(tree, 2)
    close(rnea(lumped(aligned(tree)), q, v, a), rnea(tree, q, v, a), rtol=1e-13)


def test_turns_about_an_axis_take_the_short_way_to_the_same_matrices():
    s, c = math.sin(0.7), math.cos(0.7)
    symmetric = (1.0, 2.0, 3.5, 0.3, -0.2, 0.4)
    matrix = ((1.0, 2.0, -3.0), (0.5, -1.0, 4.0), (2.0, 0.1, 0.7))
    for turn in (TurnAboutZ.of(s, c), TurnAboutX.of(s, c)):
        plain = Transform(turn.rotation, turn.translation)
        close(turn.rotate_symmetric(symmetric), plain.rotate_symmetric(symmetric), rtol=1e-14)
        close(turn.rotate_matrix(matrix), plain.rotate_matrix(matrix), rtol=1e-14)


def puma_type():
    """Six joints by standard Denavit-Hartenberg rows (alpha, a, d), with ten full inertial parameters a link."""
    rows = [
        (math.pi / 2, 0.0, 0.0),
        (0.0, 0.4318, 0.0),
        (-math.pi / 2, 0.0203, 0.15),
        (math.pi / 2, 0.0, 0.4318),
        (-math.pi / 2, 0.0, 0.0),
    ]
    numbers = random.Random(560)
    placements = [Transform(IDENTITY3, (0.0, 0.0, 0.0))]
    placements += [Transform(rotation_about((1.0, 0.0, 0.0), alpha), (a, 0.0, d)) for alpha, a, d in rows]
    links = [LinkDescription("base")] + [LinkDescription(f"l{k}", inertial(numbers)) for k in range(6)]
    joints = [
        JointDescription(f"j{k}", "revolute", links[k].name, f"l{k}", placement, axis=(0.0, 0.0, 1.0))
        for k, placement in enumerate(placements)
    ]
    return build_tree(RobotDescription("puma", "urdf", "", tuple(links), tuple(joints), gravity=(0.0, 0.0, -9.81)))


def test_operations_of_a_puma_type_arm_against_a_symbolic_code_generator():
    base = lumped(aligned(puma_type()))
    names = [f"x{k}" for k in range(18)]
    inverse = record(lambda x: newton_euler(base, x[:6], x[6:12], x[12:]), names).count()
    mass = record(lambda x: [entry for row in crba(base, x) for entry in row], names[:6]).count()
    # SymPyBotics: 494 and 402, 400 and 325
    assert inverse["mul"] <= 0.7 * 494
    assert inverse["add"] <= 0.7 * 402
    assert mass["mul"] <= 0.7 * 400
    assert mass["add"] <= 0.7 * 325
