"""Which names may stand twice: MuJoCo and our reader allow and refuse the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from mjcf_text import BALL, agree, agree_on_file, refusal


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


BEFORE, AFTER = body("o") + copies(body("x")), copies(body("x")) + body("o")
NESTED = body("o") + copies(copies(body("x")))
MIDDLE = copies(body("o") + copies(body("x")))
TERMS = '<joint joint="jo" coef="2"/><joint joint="jx" coef="3"/>'


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        (BEFORE, {"t-0": ("jo", "jx-0"), "t-1": ("jo", "jx-1")}),
        (body("o", copies(body("x"))), {"t-0": ("jo", "jx-0"), "t-1": ("jo", "jx-1")}),
        (NESTED, {f"t-{i}-{j}": ("jo", f"jx-{i}-{j}") for i in (0, 1) for j in (0, 1)}),
        (MIDDLE, {f"t-{i}-{j}": (f"jo-{j}", f"jx-{i}-{j}") for i in (0, 1) for j in (0, 1)}),
    ],
)
def test_what_is_copied_may_refer_to_what_stands_before_the_copies(
    world: str, expected: dict[str, tuple[str, str]]
) -> None:
    robot = agree(world, f'<tendon><fixed name="t" stiffness="1">{TERMS}</fixed></tendon>')
    found = {each.name: tuple(name for name, _, _ in each.terms) for each in robot.transmissions}
    assert found == expected


def test_names_that_inner_copies_have_already_may_be_copied_again() -> None:
    both = '<joint joint="jx-0" coef="1"/><joint joint="jx-1" coef="1"/>'
    robot = agree(copies(copies(body("x"))), f'<tendon><fixed name="t" stiffness="1">{both}</fixed></tendon>')
    found = [[name for name, _, _ in each.terms] for each in robot.transmissions]
    assert found == [["jx-0-0", "jx-1-0"], ["jx-0-1", "jx-1-1"]]


def test_names_of_attached_models_are_copied_with_them_and_are_apart_from_those_around(tmp_path: Path) -> None:
    child = f'<mujoco model="c"><worldbody>{body("x", copies(body("y")))}</worldbody></mujoco>'
    (tmp_path / "c.xml").write_text(child)
    tendon = '<joint joint="p_jx" coef="1"/><joint joint="jo" coef="1"/>'
    attached = '<attach model="c" body="x" prefix="p_"/>'
    (tmp_path / "m.xml").write_text(
        f'<mujoco><asset><model name="c" file="c.xml"/></asset><worldbody>{body("o")}{body("q_y")}{copies(attached)}'
        f'{attached.replace("p_", "q_")}</worldbody><tendon><fixed stiffness="1">{tendon}</fixed></tendon></mujoco>'
    )
    robot = agree_on_file(tmp_path / "m.xml")
    found = [[name for name, _, _ in each.terms] for each in robot.transmissions]
    assert found == [["p_jx-0", "jo"], ["p_jx-1", "jo"]]


@pytest.mark.parametrize("world", [AFTER, copies(body("x")) + copies(body("o"))])
def test_it_may_not_refer_to_what_comes_later_or_is_copied_elsewhere(world: str) -> None:
    assert "there is no joint" in refusal(world, f"<tendon><fixed>{TERMS}</fixed></tendon>")[0]
    assert "there is no body" in refusal(world, '<equality><weld body1="x" body2="o"/></equality>')[0]


@pytest.mark.parametrize(
    "rest",
    [
        '<equality><weld body1="x" body2="o"/></equality>',
        '<equality><joint joint1="jo" joint2="jx"/></equality>',
        '<tendon><spatial><site site="p"/><geom geom="g" sidesite="q"/><site site="r"/></spatial></tendon>',
        '<tendon><spatial><site site="p"/><geom geom="g" sidesite="q"/><site site="q"/></spatial></tendon>',
        '<tendon><spatial><site site="p"/><geom geom="h" sidesite="r"/><site site="q"/></spatial></tendon>',
        (
            '<tendon><spatial name="t"><site site="p"/><geom geom="h" sidesite="r"/><site site="q"/></spatial></tendon>'
            '<actuator><motor name="m" tendon="t"/></actuator><sensor><actuatorpos actuator="m"/></sensor>'
        ),
    ],
)
def test_what_ties_copies_to_the_rest_is_left_out_and_told(rest: str) -> None:
    held = '<site name="p" pos="1 0 0"/><site name="r" pos="0 1 0"/>' + GEOM
    copied = copies(body("x", '<site name="q"/><geom name="h" size=".1"/>'))
    robot = agree(held + body("o") + copied, rest)
    assert [finding.code for finding in robot.findings] == ["mixed-copies"]
