"""Which names may stand twice: MuJoCo and our reader allow and refuse the same."""

from __future__ import annotations

import pytest
from mjcf_text import BALL, agree, refusal


def body(name: str, inside: str = "", joint: str = "") -> str:
    return f'<body name="{name}"><joint name="{joint or "j" + name}"/>{BALL}{inside}</body>'


def copies(inside: str, count: int = 2, separator: str = "-") -> str:
    return f'<replicate count="{count}" sep="{separator}">{inside}</replicate>'


GEOM, SITE, FRAME = '<geom name="g" size=".1"/>', '<site name="s"/>', '<frame name="f"/>'
HELD = body("a") + body("b") + '<site name="s"/><site name="t"/>' + GEOM + '<geom name="h" size=".1"/>'
TENDON = '<tendon><fixed name="p"><joint joint="ja" coef="1"/></fixed></tendon>'


@pytest.mark.parametrize(
    "world",
    [
        copies(body("x")) + body("x"),
        copies(body("x"), 1) + body("x"),
        copies(body("x")) + copies(body("x"), separator="_"),
        copies(body("x"), 2) + copies(body("x"), 11),
        copies(copies(body("x")) + body("x")),
        copies(GEOM) + GEOM,
        copies(SITE) + SITE,
        copies(FRAME) + FRAME,
        copies(body("x", body("y"))) + body("y"),
        copies(body("x", joint="k")) + body("y", joint="k"),
        copies(body("x")) + "</worldbody><worldbody>" + body("x"),
    ],
)
def test_a_name_is_free_again_once_its_copies_have_theirs(world: str) -> None:
    agree(world)


@pytest.mark.parametrize(
    ("world", "word"),
    [
        (body("x") + copies(body("x")), "'x' is to be copied"),
        (GEOM + copies(GEOM), "'g' is to be copied"),
        (SITE + copies("<frame>" + SITE + "</frame>"), "'s' is to be copied"),
        (body("x", copies(body("y", joint="jx"))), "'jx' is to be copied"),
        (body("x", copies(body("x", joint="q"))), "'x' is to be copied"),
        (copies(body("x") + copies(body("x"))), "'x' is to be copied"),
        (copies(copies(body("x")) + body("x-0", joint="k")), "'x-0-0'"),
        (body("x-0") + copies(body("x")), "'x-0'"),
        (copies(body("x")) + body("x-0", joint="q"), "'x-0'"),
        (copies(body("x")) + copies(body("x")), "'x-0'"),
        (copies(GEOM + GEOM), "'g-0'"),
        (FRAME + FRAME, "'f'"),
    ],
)
def test_a_name_to_be_copied_must_be_new(world: str, word: str) -> None:
    assert word in refusal(world)[0]


@pytest.mark.parametrize(
    ("one", "other"), [("jx", "jx-0"), ("jx", "jx"), ("jx", "jy")], ids=["copy", "twice", "uncopied"]
)
def test_a_tendon_that_stands_for_copies_takes_its_name_as_written(one: str, other: str) -> None:
    world = copies(body("x")) + body("y")
    tendons = (f'<fixed name="t"><joint joint="{joint}" coef="1"/></fixed>' for joint in (one, other))
    assert "'t'" in refusal(world, f"<tendon>{''.join(tendons)}</tendon>")[0]


@pytest.mark.parametrize(
    "equality",
    [
        '<weld body1="a" body2="a"/>',
        '<connect body1="a" body2="a" anchor="0 0 0" active="false"/>',
        '<weld body1="world"/>',
        '<weld body1="world" body2="world"/>',
        '<connect body1="world" anchor="0 0 0"/>',
        '<weld site1="s" site2="s"/>',
        '<joint joint1="ja" joint2="ja"/>',
        '<tendon tendon1="p" tendon2="p"/>',
    ],
)
def test_a_constraint_that_holds_a_thing_to_itself_is_refused(equality: str) -> None:
    assert "to itself" in refusal(HELD, f"{TENDON}<equality>{equality}</equality>")[0]


@pytest.mark.parametrize(
    "rest",
    [
        '<equality><weld body1="a" body2="world"/><weld body1="world" body2="b"/></equality>',
        '<equality><weld body1="a"/><weld body1="a"/></equality>',
        '<equality><weld site1="s" site2="t"/><joint joint1="ja"/><tendon tendon1="p"/></equality>',
        '<contact><pair geom1="g" geom2="g"/><pair geom1="g" geom2="h"/><pair geom1="h" geom2="g"/></contact>',
        '<contact><exclude body1="a" body2="a"/><exclude body1="a" body2="b"/></contact>',
        '<contact><exclude name="q" body1="a" body2="b"/><pair name="q" geom1="g" geom2="h"/></contact>',
        '<custom><numeric name="q" data="1"/><text name="q" data="t"/></custom>',
        '<actuator><motor name="p" joint="ja"/></actuator>',
    ],
)
def test_other_things_may_be_named_twice(rest: str) -> None:
    agree(HELD, TENDON + rest)


@pytest.mark.parametrize(
    "rest",
    [
        '<custom><numeric name="q" data="1"/><numeric name="q" data="1"/></custom>',
        '<contact><exclude name="q" body1="a" body2="b"/><exclude name="q" body1="b" body2="a"/></contact>',
        '<sensor><jointpos name="q" joint="ja"/><jointvel name="q" joint="ja"/></sensor>',
    ],
)
def test_names_within_a_section_are_of_one_each(rest: str) -> None:
    assert "'q'" in refusal(HELD, rest)[0]
