"""Tendons, actuators and springs: what they add to M, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
import pytest
from mjcf_text import BALL, agree, mjcf, refusal

from dyncli.algorithms.crba import crba
from dyncli.build import build_tree
from dyncli.description import RobotDescription
from dyncli.formats.load import parse_description

WORLD = f"""<body name="A"><joint name="a" axis="0 1 0" ref="10" springref="-20"/><geom size=".1" pos=".5 0 0"/>
<site name="s1" pos=".3 0 .2"/><body name="B" pos="1 0 0"><joint name="b" axis="0 1 1"/><geom size=".1" pos=".5 0 0"/>
<site name="s2" pos=".3 .1 0"/></body></body>
<body name="F" pos="0 0 3"><joint name="f" type="free"/>{BALL}</body><body><joint name="k" type="ball"/>{BALL}</body>
<site name="w" pos="0 0 1"/><site name="w2" pos="1 1 1"/><geom name="round" type="cylinder" size=".1 .3" pos=".5 0 .5"/>
<geom name="square" type="box" size=".1 .3 .1" pos=".5 0 .5"/>"""


def path(attributes: str = "", name: str = "t", around: str = "") -> str:
    """A spatial tendon past three sites, or around a geom."""
    middle = around or '<site site="s1"/>'
    return f'<tendon><spatial name="{name}" {attributes}><site site="w"/>{middle}<site site="s2"/></spatial></tendon>'


def fixed(attributes: str = "", name: str = "t") -> str:
    terms = '<joint joint="a" coef="1"/><joint joint="b" coef="-3"/>'
    return f'<tendon><fixed name="{name}" {attributes}>{terms}</fixed></tendon>'


def same_mass_matrix(rest: str) -> RobotDescription:
    """Our description, after M at a random state was found to be MuJoCo's."""
    robot = agree(WORLD, rest)
    model = mujoco.MjModel.from_xml_string(mjcf(WORLD, rest))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(4)
    data.qpos = rng.normal(size=model.nq)
    mujoco.mj_normalizeQuat(model, data.qpos)
    mujoco.mj_forward(model, data)
    expected = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, expected)
    assert np.array(crba(build_tree(robot), list(data.qpos))) == pytest.approx(expected, abs=1e-11 * expected.max())
    return robot


@pytest.mark.parametrize(
    "rest",
    [
        '<actuator><motor joint="a" gear="3" armature=".1"/></actuator>',
        '<option><flag actuation="disable"/></option><actuator><position jointinparent="a" armature=".1"/></actuator>',
        '<actuator><motor joint="f" gear="1 2 3 4 5 6" armature=".1"/></actuator>',
        '<actuator><motor joint="k" gear="2" armature=".3"/></actuator>',
        fixed('armature=".2"'),
        path('armature=".9"'),
        path() + '<actuator><motor tendon="t" gear="3" armature=".1"/></actuator>',
        fixed() + '<actuator><motor tendon="t" gear="3" armature=".1"/></actuator>',
        (
            '<tendon><spatial armature="2"><pulley divisor="3"/><site site="w"/><site site="s1"/>'
            '<pulley divisor="2"/><site site="s2"/><site site="w2"/></spatial></tendon>'
        ),
        '<actuator><motor joint="a" armature="-.001"/><motor site="s1"/></actuator>',
        '<actuator><adhesion body="A" ctrlrange="0 1"/></actuator>',
    ],
)
def test_armature_adds_to_the_mass_matrix_what_it_adds_in_mujoco(rest: str) -> None:
    same_mass_matrix(rest)


@pytest.mark.parametrize("given", ["", 'springlength=".1"', 'springlength=".1 .4"', 'springlength="-1"'])
@pytest.mark.parametrize("tendon", [fixed, path])
def test_a_spring_is_slack_between_the_lengths_given_or_at_that_of_the_robot_at_rest(
    tendon: Callable[[str], str], given: str
) -> None:
    rest = tendon(f'stiffness="1 2" damping="3 0 1" {given}')
    (transmission,) = agree(WORLD, rest).transmissions
    model = mujoco.MjModel.from_xml_string(mjcf(WORLD, rest))
    assert transmission.spring_range == pytest.approx(model.tendon_lengthspring[0], rel=1e-12)
    assert transmission.stiffness == (1.0, 2.0)
    assert transmission.damping == (3.0, 0.0, 1.0)


def test_springs_by_time_constant_depend_on_the_inertia_of_the_drawn_robot() -> None:
    world = WORLD.replace('name="a"', 'name="a" springdamper=".1 .7"').replace(
        'name="k"', 'name="k" springdamper="1 2"'
    )
    agree(world.replace('name="f"', 'name="f" springdamper=".3 1"'))
    agree(world, fixed('armature=".2"'))
    assert "both must be positive" in refusal(f'<body><joint springdamper="0 1"/>{BALL}</body>')[0]


def test_switches_turn_springs_dampers_and_then_gravity_compensation_off() -> None:
    body = f'<body gravcomp="1"><joint name="j" stiffness="1" damping="2"/>{BALL}</body>'
    tendon = '<tendon><fixed stiffness="1" damping="2"><joint joint="j" coef="1"/></fixed></tendon>'

    def passive(switches: str) -> tuple[bool, bool, bool]:
        text = mjcf(body, f"<option><flag {switches}/></option>{tendon}")
        robot = parse_description(text.encode(), "m.xml")
        joint, sums = robot.joints[0], robot.transmissions
        assert bool(joint.stiffness) == any(each.stiffness for each in sums)
        assert bool(joint.damping) == any(each.damping for each in sums)
        return bool(joint.stiffness), bool(joint.damping), bool(robot.links[1].gravity_compensation)

    assert passive("") == (True, True, True)
    assert passive('spring="disable"') == (False, True, True)
    assert passive('damper="disable"') == (True, False, True)
    assert passive('spring="disable" damper="disable"') == (False, False, False)


def test_the_damper_of_an_actuator_counts_with_the_square_of_its_gear() -> None:
    rest = '<actuator><motor joint="a" gear="3" damping="2 1 .5"/></actuator>'
    (transmission,) = agree(WORLD, rest).transmissions
    assert transmission.damping == (18.0, 9.0, 4.5)
    model = mujoco.MjModel.from_xml_string(mjcf(WORLD, rest))
    data = mujoco.MjData(model)
    data.qvel[0] = v = -0.5
    mujoco.mj_forward(model, data)
    assert data.qfrc_passive[0] == pytest.approx(-(18.0 * v + 9.0 * v * abs(v) + 4.5 * v**3))


def test_tendons_bend_around_geoms_wherever_these_end_up() -> None:
    around = '<geom geom="round" sidesite="w2"/>'
    motor = '<actuator><motor tendon="t" gear="3" damping="2"/></actuator>'
    for compiler in ("", '<compiler fusestatic="true" alignfree="true"/>'):
        robot = agree(WORLD, compiler + path('stiffness="1"', around=around) + motor)
        assert [each.damping for each in robot.transmissions] == [(), (18.0,)]
        for transmission in robot.transmissions:
            start, _ = transmission.path
            assert start.around is not None
            assert (start.around.shape, start.around.radius, start.around.side) == (
                "cylinder",
                0.1,
                ("world", (1, 1, 1)),
            )


def test_a_geom_of_a_fused_body_is_bent_around_where_it_was() -> None:
    fused = f'<body pos="0 0 1"><joint/>{BALL}<site name="p" pos="1 0 0"/><body pos="0 0 2"><geom name="g" size=".1"/>'
    world = f'{fused}<site name="r"/></body></body><site name="o"/>'
    inside = '<site site="o"/><geom geom="g" sidesite="r"/><site site="p"/>'
    rest = f'<compiler fusestatic="true"/><tendon><spatial stiffness="1">{inside}</spatial></tendon>'
    (transmission,) = agree(world, rest).transmissions
    around = transmission.path[0].around
    assert around is not None
    assert around.placement.translation == (0.0, 0.0, 2.0)
    assert around.side == (around.link, (0.0, 0.0, 2.0))


def test_a_geom_fitted_to_a_mesh_that_is_not_read_is_told() -> None:
    mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
    world = WORLD.replace("<site name", '<geom name="fit" type="sphere" mesh="m" mass="0"/><site name', 1)
    around = '<geom geom="fit"/>'
    motor = '<actuator><motor name="m" tendon="t" damping="2"/></actuator>'
    assert not agree(world, mesh + path(around=around)).findings
    robot = agree(world, mesh + path('stiffness="1"', around=around) + motor)
    assert robot.transmissions == ()
    (finding,) = robot.findings
    assert "'t' around a geom fitted to a mesh" in finding.message
    assert "actuator 'm'" in robot.ignored[0]


@pytest.mark.parametrize(
    ("rest", "word"),
    [
        ('<tendon><spatial><site site="w"/></spatial></tendon>', "at least two"),
        ('<tendon><spatial><site site="w"/><site site="zz"/></spatial></tendon>', "'zz'"),
        ('<tendon><spatial><site site="w"/><site site="w"/></spatial></tendon>', "twice"),
        ('<tendon><spatial><site site="w"/><pulley divisor="2"/><site site="s1"/></spatial></tendon>', "alone"),
        (
            '<tendon><spatial><site site="w"/><site site="s1"/><pulley divisor="2"/><pulley divisor="3"/>'
            '<site site="w"/><site site="s1"/></spatial></tendon>',
            "a pulley follows",
        ),
        ('<tendon><spatial><site site="w"/><site site="s1"/><pulley divisor="2"/></spatial></tendon>', "ends"),
        ('<tendon><spatial><pulley divisor="0"/><site site="w"/><site site="s1"/></spatial></tendon>', "divisor"),
        ('<tendon><spatial><site site="w"/><geom geom="round"/></spatial></tendon>', "between two sites"),
        ('<tendon><spatial><site site="w"/><geom geom="square"/><site site="s1"/></spatial></tendon>', "'square'"),
        (path('armature="1"', around='<geom geom="round"/>'), "cannot have armature"),
        (
            path(around='<geom geom="round"/>') + '<actuator><motor tendon="t" armature="1"/></actuator>',
            "cannot have armature",
        ),
        (path(around='<geom geom="round" sidesite="zz"/>'), "'zz'"),
        ("<tendon><fixed/></tendon>", "names no joint"),
        ('<tendon><fixed><joint joint="k" coef="1"/></fixed></tendon>', "hinge or a slide"),
        ('<tendon><fixed><joint joint="a" coef="1"/><joint joint="a" coef="1"/></fixed></tendon>', "twice"),
        ('<tendon><fixed><joint joint="zz" coef="1"/></fixed></tendon>', "'zz'"),
        (fixed('armature="-1"'), "negative"),
        (fixed('stiffness="1" springlength=".3 .1"'), "springlength"),
        (fixed() + path(), "'t'"),
        ("<actuator><motor/></actuator>", "what it drives"),
        ('<actuator><motor joint="zz"/></actuator>', "'zz'"),
        ('<actuator><motor site="s1" armature="1"/></actuator>', "on a joint or tendon"),
        ('<actuator><motor joint="a" site="s1" armature="1"/></actuator>', "on a joint or tendon"),
        ('<actuator><motor name="m" joint="a"/><motor name="m" joint="b"/></actuator>', "'m'"),
    ],
)
def test_wrong_transmissions_are_refused(rest: str, word: str) -> None:
    assert word in refusal(WORLD, rest)[0]


def test_what_refers_to_a_replicated_joint_is_replicated_with_it() -> None:
    copies = f'<replicate count="2" sep="-"><body><joint name="j"/>{BALL}</body></replicate>'
    world = f'{copies}<body><joint name="o"/>{BALL}</body>'
    one = '<fixed name="t"><joint joint="j" coef="2"/></fixed>'
    two = '<fixed name="u" armature="1"><joint joint="j-0" coef="1"/><joint joint="o" coef="1"/></fixed>'
    rest = f'<tendon>{one}{two}</tendon><actuator><motor name="m" tendon="t" armature="1"/></actuator>'
    robot = agree(world, rest)
    assert [(each.name, each.terms) for each in robot.transmissions] == [
        ("u", (("j-0", 0, 1.0), ("o", 0, 1.0))),
        ("m-0", (("j-0", 0, 2.0),)),
        ("m-1", (("j-1", 0, 2.0),)),
    ]
    mixed = '<tendon><fixed><joint joint="j" coef="2"/><joint joint="o" coef="1"/></fixed></tendon>'
    assert "'j'" in refusal(world, mixed)[0]
