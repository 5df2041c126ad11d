"""From a file or bytes to a description: which reader runs, and xacro on request only."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from urdf_text import INERTIA, read, refusal

from dyncli.errors import MissingExtraError, ModelError, UsageError
from dyncli.formats.load import load_description, parse_description


@pytest.mark.parametrize(
    ("text", "word"), [("<sdf/>", "SDFormat"), ("<foo/>", "foo"), ("<mujocoinclude/>", "includes")]
)
def test_another_root_is_named_with_what_is_supported(text: str, word: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_description(text.encode(), "x")
    assert all(part in caught.value.lines()[0] for part in (word, "<robot>", "<mujoco>"))


XACRO = 'name="r" xmlns:xacro="http://ros.org/wiki/xacro"'


@pytest.mark.parametrize(
    "body",
    [
        '<link name="a"/>',
        '<xacro:property name="p" value="${1}"/><link name="a"/>',
        '<xacro:macro name="m"><link name="${x}"/></xacro:macro><link name="a"/>',
        '<gazebo><xacro:x y="${z}"/></gazebo><link name="a"/>',
    ],
)
def test_traces_of_xacro_without_a_part_are_no_reason_to_refuse(body: str) -> None:
    assert [link.name for link in read(body, XACRO).links] == ["a"]


@pytest.mark.parametrize(
    "body",
    [
        '<xacro:include filename="x"/>',
        '<link name="a"/>\n<xacro:arm prefix="left"/>',
        '<link name="a"><inertial><origin xyz="$(optenv X 0) 0 0"/><mass value="1"/></inertial></link>',
        '<link name="${prefix}a"/>',
        '<link name="a"><xacro:inertia m="1"/></link>',
    ],
)
@pytest.mark.parametrize("name", [XACRO, 'name="r"'], ids=["declared", "undeclared"])
def test_unexpanded_xacro_is_refused_with_the_option_that_expands_it(name: str, body: str) -> None:
    (line,) = refusal(body, name)
    assert all(word in line for word in ("xacro", "--xacro", f"r.urdf:{2 + body.count(chr(10))}"))


ROBOT_WITH_ARGUMENT = (
    f'<robot {XACRO}><xacro:arg name="mass" default="2"/><xacro:property name="half" value="0.5"/>'
    '<link name="a"><inertial><origin xyz="${half/2} 0 0"/><mass value="$(arg mass)"/>'
    f"{INERTIA}</inertial></link></robot>"
).encode()


def test_xacro_is_expanded_on_request_with_its_arguments() -> None:
    pytest.importorskip("xacro")
    for arguments, mass in (({}, 2.0), ({"mass": "7"}, 7.0)):
        inertial = parse_description(ROBOT_WITH_ARGUMENT, xacro=True, xacro_args=arguments).links[0].inertial
        assert inertial is not None
        assert inertial.mass == mass
        assert inertial.placement.translation == (0.25, 0.0, 0.0)


def test_includes_of_xacro_are_found_beside_the_file(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    (tmp_path / "robot.xacro").write_text(f'<robot {XACRO}><xacro:include filename="part.xacro"/></robot>')
    (tmp_path / "part.xacro").write_text(f'<robot {XACRO}><link name="a"/></robot>')
    description = load_description(tmp_path / "robot.xacro", xacro=True)
    assert [link.name for link in description.links] == ["a"]
    assert description.path == str(tmp_path / "robot.xacro")


@pytest.mark.parametrize("body", ['<link name="${nothing}"/>', '<xacro:include filename="missing"/>', "<xacro:m/>"])
def test_what_xacro_cannot_expand_is_one_line(body: str) -> None:
    pytest.importorskip("xacro")
    with pytest.raises(ModelError) as caught:
        parse_description(f"<robot {XACRO}>{body}</robot>".encode(), "r.xacro", xacro=True)
    assert len(caught.value.lines()) == 1
    assert "r.xacro" in caught.value.lines()[0]


def test_xacro_missing_or_with_restrict_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--restrict"):
        parse_description(ROBOT_WITH_ARGUMENT, xacro=True, restrict=tmp_path)
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(MissingExtraError, match="xacro"):
        parse_description(ROBOT_WITH_ARGUMENT, xacro=True)


def test_a_file_is_loaded_from_a_path_and_through_a_descriptor(tmp_path: Path) -> None:
    path = tmp_path / "r.anything"
    path.write_text('<robot name="r"><link name="a"/></robot>')
    assert load_description(path).path == str(path)
    with path.open("rb") as stream:
        assert load_description(f"/dev/fd/{stream.fileno()}").name == "r"
