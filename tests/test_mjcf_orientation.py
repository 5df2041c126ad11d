"""Orientations: five ways to write them, in degrees or radians, and how poses compose."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mjcf_text import BALL, agree, refusal

from dyncli.formats.mjcf.orientation import Pose, along_z, multiply, unit
from dyncli.spatial import quaternion_to_matrix, rotate

FINITE = st.floats(-10.0, 10.0, allow_nan=False)
VECTOR = st.tuples(FINITE, FINITE, FINITE).filter(lambda v: math.hypot(*v) > 1e-3)
QUATERNION = st.tuples(FINITE, FINITE, FINITE, FINITE).filter(lambda q: math.hypot(*q) > 1e-3).map(unit)


@pytest.mark.parametrize(
    "orientation",
    [
        'quat="1 2 3 4"',
        'axisangle="1 0 2 75"',
        'euler="30 40 50"',
        'xyaxes="1 0.1 0 0.5 1 0.2"',
        'xyaxes="-1 0.1 0 0.5 -1 0.2"',
        'xyaxes="0 0 1 -1 0 0"',
        'zaxis="1 0.5 -0.3"',
        'zaxis="0 0 -1"',
        'zaxis="0 0 3"',
    ],
)
def test_every_kind_is_read_as_by_mujoco(orientation: str) -> None:
    free = f'<body pos="1 2 3" {orientation}><freejoint/>{BALL}</body>'
    agree(free + f'<body {orientation}><joint axis="1 2 3"/><geom type="box" size=".1 .2 .3" {orientation}/></body>')


@pytest.mark.parametrize("sequence", ["xyz", "XYZ", "zyx", "zXz", "xYz", "YXY"])
def test_letters_of_eulerseq_name_moving_axes_or_fixed_ones_in_capitals(sequence: str) -> None:
    agree(f'<body euler="30 40 50"><freejoint/>{BALL}</body>', f'<compiler eulerseq="{sequence}"/>')


def test_angles_are_degrees_unless_the_compiler_says_radian_whichever_comes_last() -> None:
    world = f'<body euler="0 .5 1" zaxis=""><joint range="-1 1" ref=".3"/>{BALL}</body>'
    agree(world)
    agree(world, '<compiler angle="radian"/>')
    agree(world, '<compiler angle="radian"/><compiler eulerseq="zyx"/>')
    agree(world, '<compiler angle="radian"/><compiler angle="degree"/>')


@pytest.mark.parametrize(
    "orientation", ['quat="0 0 0 0"', 'zaxis="0 0 0"', 'axisangle="0 0 0 1"', 'xyaxes="1 0 0 2 0 0"']
)
def test_what_has_no_direction_is_refused(orientation: str) -> None:
    kind = orientation.partition("=")[0]
    assert kind in refusal(f'<body name="b" {orientation}/>')[0]


@given(QUATERNION, QUATERNION, VECTOR)
def test_products_of_quaternions_turn_as_one_after_the_other(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float], v: tuple[float, float, float]
) -> None:
    both = rotate(quaternion_to_matrix(*multiply(a, b)), v)
    assert both == pytest.approx(rotate(quaternion_to_matrix(*a), rotate(quaternion_to_matrix(*b), v)), abs=1e-12)


@given(VECTOR, QUATERNION, VECTOR)
def test_a_pose_and_its_inverse_cancel(
    position: tuple[float, float, float],
    quaternion: tuple[float, float, float, float],
    point: tuple[float, float, float],
) -> None:
    pose = Pose(position, quaternion)
    there = pose.transform().point_to_parent(point)
    assert pose.inverse().transform().point_to_parent(there) == pytest.approx(point, abs=1e-12)
    assert pose.then(pose.inverse()).position == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)


@given(VECTOR)
def test_the_smallest_turn_takes_z_onto_the_direction(v: tuple[float, float, float]) -> None:
    length = math.hypot(*v)
    assert rotate(quaternion_to_matrix(*along_z(v)), (0.0, 0.0, length)) == pytest.approx(v, abs=1e-9 * length)
