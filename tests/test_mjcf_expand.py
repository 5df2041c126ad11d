"""Frames, replicates and attached models become plain bodies."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest
from mjcf_text import BALL, agree, agree_on_file, our_refusal, read, refusal
from test_mjcf_include import refused_by_both, write

from dyncli.description import RobotDescription
from dyncli.errors import ModelError
from dyncli.formats.load import load_description


def body(name: str, inside: str = "") -> str:
    own = f'<joint name="j{name}"/>{BALL}<site name="s{name}" pos="1 0 0"/>'
    return f'<body name="{name}" pos="0 0 1">{own}{inside}</body>'


def link_names(robot: RobotDescription) -> list[str]:
    return [link.name for link in robot.links[1:]]


def test_frames_move_all_that_is_in_them() -> None:
    held = (
        '<joint axis="1 0 0" pos="0 .2 0"/><geom type="box" size=".1 .05 .02" pos=".2 0 0"/>'
        '<inertial pos=".1 .2 .3" mass="2" diaginertia="1 1.2 1.4" euler="10 0 0"/><site name="s" pos="1 2 3"/>'
    )
    inner = f'<frame pos="0 0 .5" euler="10 20 0">{held}{body("b")}</frame>'
    agree(f'<frame pos="1 0 0" euler="0 0 90"><body pos="1 0 0" euler="0 20 0">{inner}</body></frame>')


def test_bodies_and_joints_keep_the_order_of_the_file() -> None:
    robot = agree(
        body("a") + f"<frame>{body('b')}</frame>" + f'<replicate count="2">{body("c")}</replicate>' + body("d")
    )
    assert link_names(robot) == ["a", "b", "c0", "c1", "d"]
    joints = '<joint name="x"/><frame><joint name="y" axis="1 0 0"/></frame><joint name="z" axis="0 1 0"/>'
    assert [joint.name for joint in agree(f"<body>{joints}{BALL}</body>").joints] == ["x", "y", "z"]


@pytest.mark.parametrize(
    "attributes",
    [
        'count="3" offset="1 0 0" euler="0 0 90"',
        'count="4" offset="1 2 3" euler="30 40 50" sep="-"',
        'count="11" offset="0 0 1"',
        'count="2" quat="0 1 0 0" pos="0 0 5"',
        'count="0"',
    ],
)
def test_a_replicate_steps_on_from_copy_to_copy(attributes: str) -> None:
    agree(f"<replicate {attributes}>{body('b')}</replicate>")
    agree(f"<body><joint/>{BALL}<replicate {attributes}><geom size='.2' pos='.4 0 0'/></replicate></body>")


def test_nested_replicates_put_the_inner_suffix_first() -> None:
    robot = agree(f'<replicate count="2" sep="o"><replicate count="2" sep="i">{body("b")}</replicate></replicate>')
    assert link_names(robot) == ["bi0o0", "bi1o0", "bi0o1", "bi1o1"]


def test_a_replicate_of_nothing_or_of_too_much_takes_no_time() -> None:
    read('<replicate count="2000000000"/>')
    nested = "<site/>"
    for _ in range(12):
        nested = f'<replicate count="1000">{nested}</replicate>'
    assert "more than" in our_refusal(nested)[0]


@pytest.mark.parametrize(
    ("world", "word"),
    [
        (body("a") + body("a"), "'a'"),
        ('<body name="world"/>', "'world'"),
        ("<joint/>", "the world has no joints"),
        ('<inertial pos="0 0 0" mass="1"/>', "the world has no inertia"),
        (f'<body>{BALL}<replicate count="2"><joint/></replicate></body>', "replicate"),
    ],
)
def test_what_cannot_be_is_refused(world: str, word: str) -> None:
    assert word in refusal(world)[0]


CHILD = f"""<mujoco model="child"><compiler angle="radian"/><option gravity="0 0 -1"/>
<default><joint armature=".2"/></default>
<worldbody><frame name="f" pos="0 3 0" euler="0 0 1.2">{body("a", body("a2"))}</frame>{body("b")}</worldbody>
<tendon><fixed name="t" armature="1"><joint joint="ja" coef="1"/><joint joint="ja2" coef="2"/></fixed></tendon>
<actuator><motor name="m" joint="ja" armature="3"/><motor name="mb" joint="jb" armature="4"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    ("attach", "names", "transmissions"),
    [
        ('<attach model="c" body="a" prefix="x_"/>', ["p", "x_a", "x_a2", "q"], ["x_t", "x_m"]),
        ('<attach model="c" frame="f" prefix="x_"/>', ["p", "x_a", "x_a2", "q"], ["x_t", "x_m"]),
        ('<attach model="c" prefix="x_"/>', ["p", "x_a", "x_a2", "x_b", "q"], ["x_t", "x_m", "x_mb"]),
        ('<attach model="c" body="b" prefix=""/>', ["p", "b", "q"], ["mb"]),
        ('<attach model="c" body="world" prefix="x"/>', ["p", "xworld", "xa", "xa2", "xb", "q"], ["xt", "xm", "xmb"]),
        (
            '<replicate count="2" offset="1 0 0" sep="-"><attach model="c" body="b" prefix="x_"/></replicate>',
            ["p", "x_b-0", "x_b-1", "q"],
            ["x_mb-0", "x_mb-1"],
        ),
        ('<frame pos="1 2 3"><attach model="c" body="b" prefix="y"/></frame>', ["p", "yb", "q"], ["ymb"]),
    ],
)
def test_an_attached_model_brings_its_settings_and_what_refers_to_it(
    tmp_path: Path, attach: str, names: list[str], transmissions: list[str]
) -> None:
    main = write(
        tmp_path,
        {
            "main.xml": '<mujoco><default><joint armature=".9"/></default>'
            '<asset><model name="c" file="sub/c.xml"/></asset>'
            f"<worldbody>{body('p', attach)}{body('q')}</worldbody></mujoco>",
            "sub/c.xml": CHILD,
        },
    )
    mujoco.set_mju_user_warning(lambda _: None)  # it warns of the two gravities
    robot = agree_on_file(main)
    assert link_names(robot) == names
    assert {transmission.name for transmission in robot.transmissions} == set(transmissions)


def test_models_attach_models(tmp_path: Path) -> None:
    inner = '<attach model="d" body="h" prefix="y_"/>'
    files = {
        "main.xml": '<mujoco><asset><model file="c.xml"/></asset>'
        '<worldbody><attach model="c" body="g" prefix="x_"/></worldbody></mujoco>',
        "c.xml": '<mujoco model="c"><asset><model name="d" file="d.xml"/></asset>'
        f"<worldbody>{body('g', inner)}</worldbody></mujoco>",
        "d.xml": f"<mujoco><worldbody>{body('h')}</worldbody></mujoco>",
    }
    assert link_names(agree_on_file(write(tmp_path, files))) == ["x_g", "x_y_h"]


def test_a_body_read_before_can_be_attached_again() -> None:
    twin = '<attach body="p" prefix="x_"/>'
    robot = agree(body("p") + body("q", twin), '<actuator><motor name="m" joint="jp" armature="2"/></actuator>')
    assert link_names(robot) == ["p", "q", "x_p"]
    assert {transmission.name for transmission in robot.transmissions} == {"m", "x_m"}
    assert "'p'" in refusal(body("q", twin) + body("p"))[0]


@pytest.mark.parametrize(
    ("attach", "word"),
    [
        ('<attach model="zz" body="a" prefix=""/>', "'zz'"),
        ('<attach model="c" body="zz" prefix=""/>', "'zz'"),
        ('<attach model="c" body="a" frame="f" prefix=""/>', "only one of"),
        ('<attach model="c" body="a"/>', "'prefix'"),
        ('<attach model="c" body="b" prefix="x"/><attach model="c" body="b" prefix="x"/>', "'xb'"),
    ],
)
def test_wrong_attachments_are_refused(tmp_path: Path, attach: str, word: str) -> None:
    main = write(
        tmp_path,
        {
            "main.xml": '<mujoco><asset><model name="c" file="c.xml"/></asset>'
            f"<worldbody>{body('p', attach)}</worldbody></mujoco>",
            "c.xml": CHILD,
        },
    )
    assert any(word in line for line in refused_by_both(main))


def test_a_model_inside_itself_is_refused_and_never_a_hang(tmp_path: Path) -> None:
    # MuJoCo 4.0.0 does not come back from this one
    main = write(tmp_path, {"main.xml": '<mujoco><asset><model name="c" file="main.xml"/></asset></mujoco>'})
    with pytest.raises(ModelError, match="inside itself"):
        load_description(main)


def test_a_chain_of_a_thousand_bodies_is_read_without_recursion() -> None:
    n = 1000
    link = f'<body pos="0 0 .1"><joint axis="0 1 0"/>{BALL}'
    robot = read(link * n + "</body>" * n)
    assert len(robot.links) == n + 1
    assert robot.joints[-1].parent == f"body{n - 1}"


def test_what_is_attached_twice_is_told_twice_with_its_final_names(tmp_path: Path) -> None:
    rest = '<equality><joint joint1="ja" joint2="jb"/></equality><actuator><motor joint="ja"/></actuator>'
    twice = '<attach model="c" prefix="x_"/><attach model="c" prefix="y_"/>'
    files = {
        "main.xml": f'<mujoco><asset><model name="c" file="c.xml"/></asset><worldbody>{twice}</worldbody></mujoco>',
        "c.xml": f"<mujoco><worldbody>{body('a')}{body('b')}</worldbody>{rest}</mujoco>",
    }
    told = " ".join(agree_on_file(write(tmp_path, files)).ignored)
    assert all(words in told for words in ("joint of x_ja and x_jb, joint of y_ja and y_jb", "2 actuators"))
