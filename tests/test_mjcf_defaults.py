"""Default classes: what an element gets that it does not say itself."""

from __future__ import annotations

import pytest
from mjcf_text import BALL, agree, refusal


def arm(joint: str, around: str = "") -> str:
    return f'<body name="b"{around}><joint name="j" {joint}/>{BALL}</body>'


NESTED = (
    '<default><joint armature="1" damping="1"/><default class="a"><joint damping="2"/>'
    '<default class="aa"><joint damping="3" type="slide"/></default></default></default>'
)


@pytest.mark.parametrize(
    ("joint", "around", "armature", "damping"),
    [
        ("", "", 1.0, 1.0),
        ('class="a"', "", 1.0, 2.0),
        ('class="aa"', "", 1.0, 3.0),
        ("", ' childclass="a"', 1.0, 2.0),
        ('class="main"', ' childclass="aa"', 1.0, 1.0),
        ('class="a" damping="9"', "", 1.0, 9.0),
    ],
)
def test_own_attribute_then_class_then_childclass_then_main(
    joint: str, around: str, armature: float, damping: float
) -> None:
    found = agree(arm(joint, around), NESTED).joints[0]
    assert (found.armature, found.damping) == (armature, (damping,))


def test_childclass_holds_for_descendants_until_another_one_and_frames_carry_it() -> None:
    inner = f'<frame childclass="aa"><body><joint/>{BALL}</body></frame><body>{BALL}<joint axis="0 1 0"/></body>'
    robot = agree(f'<body childclass="a"><joint/>{BALL}{inner}</body>', NESTED)
    assert [joint.damping for joint in robot.joints] == [(2.0,), (3.0,), (2.0,)]


@pytest.mark.parametrize(
    "rest",
    [
        '<default><joint armature="1"/></default><default><joint damping="2"/></default>',
        '<default><default class="a"><joint damping="2"/></default><joint armature="1"/></default>',
        '<default class="main"><joint armature="1"/><default class="a"/></default>',
        '<default><default class="a"><joint damping="2"/></default></default><default><joint armature="1"/></default>',
    ],
)
def test_sections_and_elements_come_in_any_order(rest: str) -> None:
    agree(arm(""), rest)
    if 'class="a"' in rest:
        agree(arm('class="a"'), rest)


def test_a_shorter_list_replaces_the_first_numbers_of_a_longer_one() -> None:
    rest = '<default><geom type="box" size=".1 .2 .3"/><joint damping="1 2 3"/></default>'
    robot = agree('<body><joint damping="5"/><geom size=".4"/></body>', rest)
    assert robot.joints[0].damping == (5.0, 2.0, 3.0)
    assert robot.links[1].geometries[0].size == (0.4, 0.2, 0.3)


@pytest.mark.parametrize("own", ['quat="0 1 0 0"', 'euler="0 0 40"', 'axisangle="1 0 0 30"', 'zaxis="1 0 0"'])
def test_an_orientation_replaces_one_of_another_kind(own: str) -> None:
    for inherited in ('quat="1 1 0 0"', 'euler="10 20 30"', 'zaxis="0 1 0"'):
        geom = f'<geom type="box" size=".1 .2 .3" {own}/>'
        agree(f"<body><joint/>{geom}</body>", f"<default><geom {inherited}/></default>")


def test_free_joints_take_defaults_when_they_are_joints_and_none_as_freejoint() -> None:
    rest = '<default><joint armature="2" damping="1"/></default>'
    robot = agree(f"<body><freejoint/>{BALL}</body><body><joint type='free'/>{BALL}</body>", rest)
    assert [joint.armature for joint in robot.joints] == [0.0, 2.0]


def test_mass_beats_density_also_from_a_class() -> None:
    agree('<body><joint/><geom size=".1" density="10"/></body>', '<default><geom mass="2"/></default>')


def test_actuators_of_all_kinds_share_the_defaults_of_a_class() -> None:
    rest = (
        '<default><motor armature="2"/><default class="a"><general gear="3"/></default></default>'
        '<actuator><velocity class="a" joint="j"/></actuator>'
    )
    (transmission,) = agree(arm(""), rest).transmissions
    assert transmission.armature == 18.0


@pytest.mark.parametrize(
    ("world", "rest", "word"),
    [
        (arm('class="zz"'), "", "'zz'"),
        ('<body childclass="zz"/>', "", "'zz'"),
        ('<frame childclass="zz"/>', "", "'zz'"),
        ("", '<default class="x"/>', "'x'"),
        ("", "<default><default/></default>", "needs a class name"),
        ("", '<default><default class="a"/><default class="a"/></default>', "'a' is there already"),
        ("", '<default><default class="main"/></default>', "'main' is there already"),
    ],
)
def test_wrong_classes_are_refused(world: str, rest: str, word: str) -> None:
    assert word in refusal(world, rest)[0]
