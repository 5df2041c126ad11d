"""The schema of MJCF: what there is, what it may hold, and that all that is wrong is told at once."""

from __future__ import annotations

import re

import mujoco
import pytest
from mjcf_text import BALL, agree, joint, our_refusal, refusal

from dyncli.formats.mjcf.schema import Grammar, load_grammar

_ROW = re.compile(r"(?P<indent> *)(?P<tag>\(world\)body|\w+) \((?P<cardinality>.)\)\s*(?P<attributes>.*)")


def mujoco_schema() -> dict[tuple[str, ...], tuple[str, set[str]]]:
    """Path of tags -> cardinality and attributes, out of the schema that MuJoCo prints."""
    rows: dict[tuple[str, ...], tuple[str, set[str]]] = {}
    path: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        row = _ROW.fullmatch(line)
        if row and len(row["indent"]) < 15:
            tag = row["tag"].replace("(world)", "")
            path = [*path[: len(row["indent"]) // 3], tag]
            rows[tuple(path)] = (row["cardinality"], set(row["attributes"].split()))
        elif line.strip():
            rows[tuple(path)][1].update(line.split())
    return rows


def our_grammar(path: tuple[str, ...]) -> Grammar:
    grammar = load_grammar()
    for tag in path[1:]:
        parent = grammar.children["worldbody"] if tag == "body" and grammar is load_grammar() else grammar
        grammar = parent.children[tag]
    return grammar


def test_elements_and_attributes_are_those_of_mujoco() -> None:
    rows = mujoco_schema()
    assert len(rows) > 150
    for path, (cardinality, attributes) in rows.items():
        grammar = our_grammar(path)
        assert set(grammar.attributes) == attributes, path
        assert grammar.cardinality == cardinality, path


@pytest.mark.parametrize(
    ("attributes", "word"),
    [
        ('pos="1 2"', "3 numbers"),
        ('pos="1 2 3 4"', "found 4"),
        ('pos="1,2,3"', "no number"),
        ('pos="1 2 3x"', "3x"),
        ('group="1.5"', "integer"),
        ('group="99999999999"', "integer"),
        ('type="weld"', "free, ball, slide, hinge"),
        ('limited="yes"', "true, false, auto"),
        ('damping="1 2 3 4"', "1 to 3"),
        ('colour="red"', "unknown attribute"),
        ('actuatorgravcomp="1"', "true, false"),
        ('range="1"', "2 numbers"),
    ],
)
def test_wrong_attributes_are_refused(attributes: str, word: str) -> None:
    (line,) = refusal(f'<body name="b"><joint {attributes}/>{BALL}</body>')
    assert word in line
    assert line.startswith("m.xml:4: <joint>")


@pytest.mark.parametrize("text", ["+1 1e-1 .5", " 1\n2\t3 ", "1. -.5 0"])
def test_numbers_may_be_written_in_any_usual_way(text: str) -> None:
    agree(f'<body><joint pos="{text}"/>{BALL}</body>')


def test_an_empty_list_of_numbers_stands_for_none() -> None:
    agree(f'<body pos=""><joint axis="" range=""/>{BALL}</body>')


def test_nan_and_hexadecimal_numbers_are_refused_though_mujoco_takes_them() -> None:
    for text in ("1 nan 0", "0x1 0 0", "inf 0 0"):
        assert "is no number" in our_refusal(f'<body pos="{text}"/>')[0]


def test_a_range_may_be_infinite() -> None:
    agree(f'<body><joint range="-inf 1"/>{BALL}</body>')
    assert joint('range="-inf inf"').lower is None


@pytest.mark.parametrize(
    ("world", "rest", "word"),
    [
        ("<body><wheel/></body>", "", "<wheel>"),
        ("<body><geom><joint/></geom></body>", "", "<joint>"),
        ("", "<motors/>", "<motors>"),
        ('<body><inertial pos="0 0 0" mass="1"/><inertial pos="0 0 0" mass="1"/></body>', "", "inertial"),
        ('<body><inertial pos="0 0 0"/></body>', "", "'mass'"),
        ('<body quat="1 0 0 0" euler="1 2 3"/>', "", "only one of"),
        ("<replicate><body/></replicate>", "", "'count'"),
        ("", '<equality><connect name="c"/></equality>', "one of site1 with site2"),
        ("", '<equality><weld body1="a" body2="b" site1="c"/></equality>', "only one of"),
        ("", '<sensor><touch name="t"/></sensor>', "'site'"),
        ("", '<compiler coordinate="global"/>', "global"),
        ("", '<compiler eulerseq="xy"/>', "eulerseq"),
        ('<body euler="1 2 3"/>', '<compiler eulerseq="xyw"/>', "eulerseq"),
        ("", '<option apirate="10"/>', "apirate"),
    ],
)
def test_wrong_structure_is_refused(world: str, rest: str, word: str) -> None:
    assert any(word in line for line in refusal(world, rest))


def test_frames_take_any_attribute_as_in_mujoco_but_say_so() -> None:
    robot = agree('<frame gravcomp="1" shape="round"><body name="b"/></frame>')
    (finding,) = robot.findings
    assert finding.code == "unknown-attribute"
    assert "'shape'" in finding.message


def test_everything_wrong_is_told_at_once_with_its_line() -> None:
    lines = refusal('<body name="b">\n<joint colour="red"/>\n<geom size="x"/>\n<wheel/></body>')
    assert {line.split(" ")[0] for line in lines} == {"m.xml:5:", "m.xml:6:", "m.xml:7:"}


def test_what_is_wrong_is_told_in_the_order_of_the_file() -> None:
    lines = refusal('<body colour="red">\n<geom size="x"/></body>\n<body shape="round"/>')
    assert [line.split(" ")[0] for line in lines] == ["m.xml:4:", "m.xml:5:", "m.xml:6:"]


def test_inside_frames_and_replicates_what_has_no_effect_is_a_warning_as_mujoco_lets_it_pass() -> None:
    inside = f'<body colour="red"><joint shape="round"><site/></joint>{BALL}</body>'
    for around in ("frame", 'replicate count="2"'):
        robot = agree(f"<{around}>{inside}</{around.split()[0]}>")
        assert {finding.severity for finding in robot.findings} == {"warning"}
        assert len(robot.findings) == 3
    assert "unknown" in refusal("<frame><body><wheel/></body></frame>")[0]


@pytest.mark.parametrize(
    ("rest", "word"),
    [
        ('<contact><exclude body1="a" body2="b"/></contact>', "no body 'b'"),
        ('<contact><pair geom1="g" geom2="h"/></contact>', "no geom"),
        ('<sensor><touch site="s"/></sensor>', "no site 's'"),
        ('<sensor><framepos objtype="xbody" objname="b"/></sensor>', "no body 'b'"),
        ('<sensor><jointpos joint="k"/></sensor>', "no joint 'k'"),
    ],
)
def test_names_must_be_right_where_they_have_no_part_in_the_dynamics_too(rest: str, word: str) -> None:
    assert word in refusal(f'<body name="a"><joint name="j"/>{BALL}</body>', rest)[0]
