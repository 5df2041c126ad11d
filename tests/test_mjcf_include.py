"""Includes, and where files named in an MJCF are looked for."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest
from mjcf_text import BALL, agree_on_file

from dyncli.errors import ModelError
from dyncli.formats.load import load_description

BODY = f'<body name="b"><joint name="j"/>{BALL}</body>'


def write(folder: Path, files: dict[str, str]) -> Path:
    """The files in a folder; the first one is returned."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / next(iter(files))


def refused_by_both(path: Path) -> list[str]:
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(path))
    with pytest.raises(ModelError) as caught:
        load_description(path)
    return caught.value.lines()


def test_children_of_any_root_take_the_place_of_an_include_at_any_level(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        {
            "main.xml": '<mujoco><include file="d.xml"/><worldbody><include file="parts\\b.xml"/></worldbody></mujoco>',
            "d.xml": '<x><compiler angle="radian"/><default><joint armature="3"/></default></x>',
            "parts/b.xml": '<whatever model="no"><body euler="0 0 1"><include file="leaf.xml"/></body></whatever>',
            "parts/leaf.xml": f"<y>{BODY}</y>",
        },
    )
    robot = agree_on_file(main)
    assert robot.joints[-1].armature == 3.0
    assert robot.links[-1].path == str(tmp_path / "parts/leaf.xml")


def test_the_folder_of_the_main_file_comes_before_that_of_the_including_one(tmp_path: Path) -> None:
    files = {
        "main.xml": '<mujoco><include file="sub/one.xml"/></mujoco>',
        "sub/one.xml": '<x><include file="two.xml"/></x>',
        "sub/two.xml": f"<x><worldbody>{BODY}</worldbody></x>",
        "two.xml": f"<x><worldbody>{BODY}<body/></worldbody></x>",
    }
    assert len(agree_on_file(write(tmp_path, files)).links) == 3


@pytest.mark.parametrize(
    ("include", "word"),
    [
        ('<include file="none.xml"/>', "no such file"),
        ("<include/>", "names no file"),
        ('<include file="b.xml"><body/></include>', "has children"),
        ('<include file="b.xml"/><include file="./b.xml"/>', "second time"),
        ('<include file="main.xml"/>', "second time"),
        ('<include file="self.xml"/>', "second time"),
        ('<include file="long.xml"/>', "cannot be read"),
        ('<include file="empty.xml"/>', "brings in nothing"),
        ('<include file="broken.xml"/>', "not well-formed"),
        ('<include file="folder"/>', "folder"),
    ],
)
def test_wrong_includes_are_refused(tmp_path: Path, include: str, word: str) -> None:
    (tmp_path / "folder").mkdir()
    main = write(
        tmp_path,
        {
            "main.xml": f"<mujoco><worldbody>{include}</worldbody></mujoco>",
            "b.xml": f"<x>{BODY}</x>",
            "self.xml": '<x><include file="self.xml"/></x>',
            "empty.xml": "<x/>",
            "long.xml": f'<x><include file="{"l" * 400}.xml"/></x>',
            "broken.xml": "<x><body></x>",
        },
    )
    assert any(word in line for line in refused_by_both(main))


def test_a_fault_in_an_included_file_is_told_with_that_file_and_line(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        {
            "main.xml": '<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>',
            "part.xml": '<x>\n\n<body name="b"><joint colour="red"/></body></x>',
        },
    )
    (line,) = refused_by_both(main)
    assert line.startswith(f"{tmp_path / 'part.xml'}:3:")


def test_nothing_outside_the_restricted_folder_is_read(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        {
            "in/main.xml": '<mujoco><worldbody><include file="../b.xml"/></worldbody></mujoco>',
            "b.xml": f"<x>{BODY}</x>",
        },
    )
    assert len(agree_on_file(main).links) == 2
    with pytest.raises(ModelError, match="outside"):
        load_description(main, restrict=tmp_path / "in")
