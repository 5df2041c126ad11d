"""From bodies to the description: names, chains of joints, statics, keyframes, counts, and what is ignored."""

from __future__ import annotations

import mujoco
import pytest
from mjcf_text import BALL, agree, joint, link, mjcf, read, refusal

from dyncli.description import RobotDescription


def codes(robot: RobotDescription) -> list[str]:
    return [finding.code for finding in robot.findings]


def test_unnamed_bodies_are_numbered_and_unnamed_joints_called_after_them() -> None:
    robot = agree(
        f'<body name="body2"><joint/>{BALL}<body><joint name="body3"/>{BALL}<body><joint/><joint axis="1 0 0"/>{BALL}'
        "</body></body></body><body/>"
    )
    assert [each.name for each in robot.links if not each.virtual] == ["world", "body2", "body2#2", "body3", "body4"]
    assert [each.name for each in robot.joints] == ["body2", "body3", "body3#2", "body3#3", "body4"]
    assert [each.named for each in robot.joints] == [False, True, False, False, False]


def test_several_joints_of_a_body_are_a_chain_with_massless_links_between() -> None:
    robot = agree(
        f'<body name="b" pos="1 0 0"><joint name="x" type="slide"/><joint name="h" pos="0 1 0"/>{BALL}</body>'
    )
    slide, hinge = robot.joints
    middle = link(robot, slide.child)
    assert (slide.parent, hinge.parent, hinge.child) == ("world", middle.name, "b")
    assert middle.virtual
    assert middle.inertial is None
    assert slide.placement.translation == (1.0, 0.0, 0.0)
    assert hinge.placement.translation == (0.0, 1.0, 0.0)
    assert hinge.child_offset.translation == (0.0, -1.0, 0.0)


@pytest.mark.parametrize(
    "joints",
    [
        ["hinge"] * 3,
        ["slide", "slide", "slide", "hinge", "hinge", "hinge"],
        ["slide", "ball"],
        ["ball", "slide"],
        ["hinge", "ball"],
    ],
)
def test_joints_that_go_together(joints: list[str]) -> None:
    agree(
        "<body>" + "".join(f'<joint type="{kind}" pos=".1 0 .2" axis="1 2 3"/>' for kind in joints) + BALL + "</body>"
    )


@pytest.mark.parametrize(
    ("world", "word"),
    [
        (f'<body><joint type="ball"/><joint/>{BALL}</body>', "ball joint"),
        (f'<body><joint type="free"/><joint type="slide"/>{BALL}</body>', "7 degrees of freedom"),
        (f"<body>{BALL}<body><freejoint/>{BALL}</body></body>", "top level"),
        (f'<body mocap="true"><joint/>{BALL}</body>', "mocap"),
        (f'<body><body mocap="true">{BALL}</body></body>', "mocap"),
        (f'<body><joint axis="0 0 0"/>{BALL}</body>', "axis"),
        (f'<body><joint range="2 1" limited="true"/>{BALL}</body>', "empty"),
        (f'<body><joint type="ball" range="1 2"/>{BALL}</body>', "starts at 0"),
    ],
)
def test_joints_that_cannot_be_are_refused(world: str, word: str) -> None:
    assert any(word in line for line in refusal(world))


@pytest.mark.parametrize(
    "attributes",
    [
        'range="-90 45" ref="30" springref="60" stiffness="2"',
        'type="slide" range="-.9 .45" ref=".3" springref=".6" stiffness="2"',
        'range="1 -1"',
        'range="0 0"',
        'range="-1 1" limited="false"',
        'type="ball" range="0 20"',
        'type="free" range="0 1" armature="2"',
        'damping="3 1 .5" stiffness="2 1 .5" frictionloss=".4" armature=".1"',
        'frictionloss="-1"',
        'axis="1 2 -3" pos=".1 .2 .3"',
        'actuatorgravcomp="true"',
    ],
)
@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_attributes_of_joints(attributes: str, angle: str) -> None:
    agree(f'<body pos="1 2 3" euler=".1 .2 .3"><joint {attributes}/>{BALL}</body>', f'<compiler angle="{angle}"/>')


def test_limits_need_their_switch_without_autolimits() -> None:
    rest = '<compiler autolimits="false"/>'
    assert "limited" in refusal(f'<body><joint range="-1 1"/>{BALL}</body>', rest)[0]
    agree(f'<body><joint range="-1 1" limited="true"/>{BALL}</body>', rest)


def test_the_force_that_all_actuators_of_a_joint_may_have_is_its_effort_limit() -> None:
    assert joint('actuatorfrcrange="-2 3"').effort == 3.0
    assert joint('actuatorfrcrange="-2 3" actuatorfrclimited="false"').effort is None


def test_static_and_mocap_bodies_are_fixed_at_their_pose() -> None:
    robot = agree(
        f'<body name="s" pos="1 0 0" euler="0 0 90">{BALL}<body name="m" pos="1 0 0"><joint/>{BALL}</body></body>'
        f'<body name="t" mocap="true" pos="0 0 1">{BALL}</body>'
    )
    assert [(each.name, each.type) for each in robot.joints] == [("s", "fixed"), ("m", "continuous"), ("t", "fixed")]
    assert robot.counts["nmocap"] == 1


def fused(name: str, inside: str = "", joint: str = "") -> str:
    return f'<body name="{name}" pos="1 0 0" euler="0 0 9">{joint}{BALL}<site name="s{name}"/>{inside}</body>'


@pytest.mark.parametrize(
    ("world", "rest", "names"),
    [
        (fused("s", fused("a", "", "<joint/>")) + fused("t"), "", ["a"]),
        (
            fused("m", fused("s", fused("a", "", "<joint/>")), "<joint/>") + fused("b", "", "<joint/>"),
            "",
            ["m", "a", "b"],
        ),
        (fused("s", "<body><freejoint/><geom size='.1'/></body>"), "", ["body1"]),
        (
            fused("s", fused("a", "", "<joint/>")),
            '<sensor><framepos objtype="body" objname="s"/></sensor>',
            ["s", "a"],
        ),
        (fused("s", fused("a", "", "<joint/>")), '<contact><exclude body1="s" body2="a"/></contact>', ["s", "a"]),
        (fused("s").replace("<body ", '<body fuse="false" '), "", ["s"]),
        (fused("s").replace("<body ", '<body mocap="true" '), "", ["s"]),
        (fused("m", fused("s").replace("<body ", '<body gravcomp="1" '), "<joint/>"), "", ["m", "s"]),
    ],
)
def test_fusestatic_leaves_out_what_does_not_move_by_itself(world: str, rest: str, names: list[str]) -> None:
    robot = agree(world, '<compiler fusestatic="true" settotalmass="9"/>' + rest)
    assert [each.name for each in robot.links[1:]] == names


@pytest.mark.parametrize("geoms", ["", '<geom mass="0" size=".2"/>', '<geom size=".2"/>'])
@pytest.mark.parametrize("bound", ["", 'boundmass=".5"', 'boundinertia=".1"', 'boundmass=".5" boundinertia=".1"'])
@pytest.mark.parametrize("from_geoms", ["auto", "true"])
def test_fusestatic_with_bounds_keeps_what_summing_up_geoms_would_lose(from_geoms: str, bound: str, geoms: str) -> None:
    world = f'<body name="p"><joint/>{BALL}<body name="c" pos="0 0 1">{geoms}</body></body>'
    agree(world, f'<compiler fusestatic="true" inertiafromgeom="{from_geoms}" {bound}/>')


@pytest.mark.parametrize("share", ["", 'gravcomp=".5"', 'gravcomp="1"'])
@pytest.mark.parametrize("inside", [BALL, "", '<geom size=".1" mass="0"/>', f'<body gravcomp="1">{BALL}</body>'])
def test_a_carried_share_of_the_weight_keeps_bodies_apart_only_where_there_is_mass(inside: str, share: str) -> None:
    for own in (BALL, ""):
        world = f'<body {share}><joint/>{own}<body gravcomp=".5">{inside}</body>{BALL}</body>'
        agree(world, '<compiler fusestatic="true"/>')


def test_boundinertia_alone_counts_in_the_motion() -> None:
    world = f'<body name="p"><joint/><body name="c">{BALL}</body><body name="d"/></body>'
    for fuses in ("true", "false"):
        agree(world, f'<compiler boundinertia=".1" fusestatic="{fuses}"/>')
    points = f'<body fuse="false"><joint/>{BALL}<body fuse="false"><body pos="1 0 0"/></body></body>'
    assert "too small" in refusal(points, '<compiler boundmass=".1" fusestatic="true"/>')[0]


def test_free_bodies_start_at_the_drawn_pose_through_all_frames() -> None:
    free = f'<body pos="1 2 3" euler="10 20 30"><freejoint/>{BALL}</body>'
    agree(f'<frame pos="0 0 1" euler="0 0 90"><frame euler="5 6 7">{free}</frame></frame>')


@pytest.mark.parametrize(
    "option",
    [
        '<option gravity="1 -2 -3.5"/>',
        '<option gravity="1 2 3"><flag gravity="disable"/></option>',
        '<option><flag gravity="disable"/></option><option timestep=".1"><flag contact="disable"/></option>',
        '<option><flag gravity="disable"/></option><option><flag gravity="enable"/></option>',
        '<option integrator="RK4" timestep=".01" solver="CG"/>',
    ],
)
def test_gravity_and_its_switch(option: str) -> None:
    agree(f"<body><joint/>{BALL}</body>", option)


def test_keyframes_are_kept_and_wrong_lengths_told_without_stopping_the_rest() -> None:
    world = f'<body><joint name="j"/>{BALL}<body><joint name="k" type="ball"/>{BALL}</body></body>'
    keys = '<key name="home" qpos="1 1 0 0 0"/><key qvel="1 2 3 4"/><key name="bad" qpos=".1 .2"/>'
    robot = agree(world, f"<keyframe>{keys}</keyframe>")
    home, second, _ = robot.keyframes
    assert (home.name, home.qpos, home.qvel) == ("home", (1.0, 1.0, 0.0, 0.0, 0.0), None)
    assert (second.name, second.qvel) == ("key1", (1.0, 2.0, 3.0, 4.0))
    (finding,) = robot.findings
    assert (finding.code, finding.severity, finding.fatal) == ("keyframe-length", "error", False)
    assert all(word in finding.text() for word in ("bad", "2 numbers", "needs 5", "j, k (4)"))
    assert "'a'" in refusal("", '<keyframe><key name="a"/><key name="a"/></keyframe>')[0]


def test_quaternions_of_keyframes_are_normalised() -> None:
    world = f'<body><freejoint/>{BALL}<body><joint/><joint type="ball"/>{BALL}</body></body>'
    keys = '<key qpos="1 2 3 .7 0 0 .7 .5 0 0 0 2"/><key qpos="1 2 3 0 0 0 0 .5 1 1 0 0"/>'
    theirs = mujoco.MjModel.from_xml_string(mjcf(world, f"<keyframe>{keys}</keyframe>"))
    for key, expected in zip(agree(world, f"<keyframe>{keys}</keyframe>").keyframes, theirs.key_qpos, strict=True):
        assert key.qpos == pytest.approx(expected, abs=1e-15)


def test_constraints_that_are_not_used_are_counted_and_named() -> None:
    world = f'<body name="A"><joint name="a"/>{BALL}</body><body name="B"><joint name="b"/>{BALL}</body>'
    rest = (
        '<equality><connect name="pin" body1="A" body2="B" anchor="0 0 0"/><joint joint1="a" joint2="b"/>'
        '<weld name="off" body1="A" active="false"/></equality>'
    )
    robot = agree(world, rest)
    assert codes(robot) == ["loop-ignored", "coupling-ignored"]
    loop, coupling = (finding.message for finding in robot.findings)
    assert "1 loop constraint is not used" in loop
    assert "'pin'" in loop
    assert "off" not in loop
    assert "joint of a and b" in coupling
    assert set(robot.ignored) >= {loop, coupling}
    assert "'zz'" in refusal(world, '<equality><joint joint1="zz"/></equality>')[0]


@pytest.mark.parametrize(
    ("world", "rest", "code"),
    [
        ("", '<option density="1000"/>', "fluid-ignored"),
        ("", '<option wind="1 0 0"/>', "fluid-ignored"),
        ('<flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="1"/>', "", "flex-ignored"),
        ("", '<tendon><fixed frictionloss="1"><joint joint="a" coef="1"/></fixed></tendon>', "friction-ignored"),
    ],
)
def test_what_would_change_the_motion_is_told_once_a_kind(world: str, rest: str, code: str) -> None:
    robot = read(f'<body name="A"><joint name="a"/>{BALL}{world}</body>', rest)
    assert codes(robot) == [code]
    assert robot.findings[0].severity == "warning"
    assert robot.findings[0].message in robot.ignored


def test_contacts_and_motors_are_a_matter_of_course() -> None:
    robot = agree(f'<body><joint name="a"/>{BALL}</body>', '<actuator><motor joint="a"/></actuator>')
    assert not robot.findings
    assert len(robot.ignored) == 2


def test_actuators_of_several_inputs_count_as_often() -> None:
    world = f'<body><joint name="h"/>{BALL}<body><joint name="b" type="ball"/>{BALL}</body></body>'
    turns = '<orientation joint="b" input="quat"/><orientation joint="b"/>'
    inputs = "".join(f'<pid joint="h" input="{words}"/>' for words in ("pos", "vel ff", "pos vel ff"))
    motors = f'<motor joint="h"/><pid joint="h"/>{inputs}{turns}<dcmotor joint="h" motorconst="1" resistance="1"/>'
    assert agree(world, f"<actuator>{motors}</actuator>").counts["nu"] == 17


def test_counts_are_those_of_mujoco() -> None:
    inner = f'<body><joint name="b"/>{BALL}{BALL}</body>'
    world = f'<body name="A"><freejoint name="a"/>{BALL}<site/>{inner}</body><geom size="1"/>'
    rest = '<actuator><motor joint="b"/></actuator><equality><joint joint1="b"/></equality><keyframe><key/></keyframe>'
    counts = agree(world, rest).counts
    model = mujoco.MjModel.from_xml_string(mjcf(world, rest))
    for name in ("nq", "nv", "nbody", "njnt", "ngeom", "nsite", "ntendon", "nu", "neq", "nkey", "nsensor", "nmocap"):
        assert counts[name] == getattr(model, name), name
