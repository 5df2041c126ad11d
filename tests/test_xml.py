"""XML that nobody vouches for: what is mended, what is refused, and how numbers are read."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyncli.errors import ModelError
from dyncli.formats import xml
from dyncli.formats.findings import Findings


def refusal(data: bytes) -> str:
    with pytest.raises(ModelError) as caught:
        xml.parse(data, "robot.urdf")
    (finding,) = caught.value.findings
    assert finding.fatal
    assert len(caught.value.lines()) == 1
    return caught.value.lines()[0]


# what real files get wrong and every robot library forgives


@pytest.mark.parametrize(
    "data",
    [
        b'<?xml version="0.0"?>\n<robot>\n<link name="arm"/></robot>',
        b'\n<?xml version="1.0"?>\n<robot><link name="arm"/></robot>',
        b'\xef\xbb\xbf<?xml version="1.0"?>\n\n<robot><link name="arm"/></robot>',
        b'\xef\xbb\xbf\n<?xml version="1.0"?>\n<robot><link name="arm"/></robot>',
        b'<!-- one -->\n\n<robot><link name="arm" drake:z="1"/></robot>',
        b'<?xml version="1.0"\n  encoding="utf-8"?>\n<robot><link name="arm"/></robot>',
    ],
)
def test_line_numbers_are_those_of_the_file(data: bytes) -> None:
    (link,) = xml.parse(data, "robot.urdf")
    assert xml.line_of(link) == 3


@pytest.mark.parametrize("start", ["", "\n"], ids=["declaration-first", "declaration-late"])
@pytest.mark.parametrize("encoding", ["utf-8", "ISO-8859-1", "windows-1252", "utf-16"])
def test_the_declared_encoding_is_honoured(encoding: str, start: str) -> None:
    text = f'{start}<?xml version="1.0" encoding="{encoding}"?><robot><link name="Gelenk_ä"/></robot>'
    (link,) = xml.parse(text.encode(encoding), "robot.urdf")
    assert link.get("name") == "Gelenk_ä"


def test_undeclared_prefixes_are_declared_whatever_stands_before_the_root() -> None:
    data = b'<?xml version="1.0"?><!-- <not:this> --><?pi <nor:this> ?><robot><drake:gear a:b="1"/><link/></robot>'
    root = xml.parse(data, "robot.urdf")
    assert [xml.tag_of(child) for child in root] == ["drake:gear", "link"]


def test_more_undeclared_prefixes_than_one_report_holds() -> None:
    data = b"<robot>" + b"<a:x/>" * 150 + b"<b:y/></robot>"
    assert xml.tag_of(xml.parse(data, "robot.urdf")[-1]) == "b:y"


def test_a_default_namespace_is_dropped_and_a_prefix_kept() -> None:
    data = b'<robot xmlns="http://a" xmlns:d="http://b"><link/><d:x/></robot>'
    root = xml.parse(data, "robot.urdf")
    assert [root.tag, *(xml.tag_of(child) for child in root)] == ["robot", "link", "d:x"]
    assert root.find("link") is not None


def test_comments_and_instructions_are_no_children() -> None:
    assert len(xml.parse(b"<robot><!-- a --><?b c?><link/></robot>", "robot.urdf")) == 1


# refusals: one line, with the place


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"", "", "empty"),
        (b" \n\t", "", "empty"),
        (b"hello", ":1", "not XML"),
        (b"<robot/>\nmore", ":2", "second root"),
        (b"<robot/>\n\n<robot/>", ":3", "second root"),
        (b"<robot>\n<link>\n</robot>", ":3", "link"),
        (b"<robot>\n&undefined;</robot>", ":2", "undefined"),
        (b"<robot><link name='a' name='b'/></robot>", ":1", "redefined"),
        (b"<robot>\xe9</robot>", ":1", 'encoding="..."'),
        (b'<?xml version="1.0" encoding="no-such"?><robot/>', ":1", "encoding"),
        (b'<!-- a --><?xml version="1.0"?><robot/>', ":1", "declaration"),
        (b"<robot>" + b"".join(b"<p%d:x/>" % k for k in range(500)) + b"</robot>", ":1", "prefix"),
        (b"<!DOCTYPE html><html><body/></html>", "", "HTML"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "", "git lfs pull"),
    ],
)
def test_what_is_not_xml_gets_one_line(data: bytes, line: str, words: str) -> None:
    message = refusal(data)
    assert message.startswith(f"robot.urdf{line}:")
    assert words in message


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE robot><robot/>",
        b'<!DOCTYPE robot [<!ENTITY m "1">]><robot><link name="&m;"/></robot>',
        b'<!-- a -->\n<!DOCTYPE robot SYSTEM "other.dtd"><robot/>',
        '<!DOCTYPE robot [<!ENTITY m "1">]><robot/>'.encode("utf-16"),
    ],
)
def test_a_document_type_is_refused(data: bytes) -> None:
    assert "document type" in refusal(data)


def test_a_document_type_in_a_comment_is_none() -> None:
    assert xml.parse(b"<!-- <!DOCTYPE robot> --><robot/>", "robot.urdf").tag == "robot"


def test_external_entities_open_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    os.mkfifo(secret)  # opening it would hang, so a timeout shows a parser that tries
    document = f'<!DOCTYPE robot [<!ENTITY s SYSTEM "{secret.as_uri()}">]><robot name="&s;">&s;</robot>'
    program = "import sys; from dyncli.formats import xml; xml.parse(sys.stdin.buffer.read(), 'r')"
    command = [sys.executable, "-c", program]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, input=document.encode(), capture_output=True, timeout=20, cwd=root)
    assert b"document type" in done.stderr


def test_an_entity_bomb_is_refused_fast() -> None:
    layers = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 12))
    assert "document type" in refusal(f'<!DOCTYPE r [<!ENTITY e0 "x">{layers}]><r a="&e11;">&e11;</r>'.encode())


def test_nesting_of_two_thousand_is_read_and_beyond_the_limit_refused() -> None:
    depth = xml.MAX_DEPTH - 50
    assert len(list(xml.parse(b"<a>" * depth + b"</a>" * depth, "robot.urdf").iter())) == depth
    message = refusal(b"<a>" * 5000 + b"</a>" * 5000)
    assert str(xml.MAX_DEPTH) in message


def test_the_limit_of_elements_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "MAX_ELEMENTS", 100)
    assert "100 elements" in refusal(b"<a>" + b"<b/>" * 100 + b"</a>")
    assert xml.parse(b"<a>" + b"<b></b>" * 99 + b"</a>", "robot.urdf").tag == "a"


def test_nothing_of_a_file_of_another_kind_is_shown() -> None:
    assert "hunter2" not in refusal(b"machine example.org password hunter2\n<a>hunter2")


# files


def complaint_about(path: Path | str, **options: object) -> str:
    with pytest.raises(ModelError) as caught:
        xml.read_file(path, **options)  # type: ignore[arg-type]
    message = caught.value.lines()[0]
    assert message.startswith(str(path))
    return message


def test_unreadable_files_are_named_with_the_reason(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "no such file" in complaint_about(tmp_path / "missing.urdf")
    assert "folder" in complaint_about(tmp_path)
    assert "regular file" in complaint_about(pipe)
    assert "regular file" in complaint_about("/dev/null")
    assert "cannot be read" in complaint_about("a\0b")
    assert "cannot be read" in complaint_about("a" * 5000)


def test_a_file_beyond_the_limit_is_refused_with_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "big.urdf"
    path.write_bytes(b"x" * 1001)
    assert "1000 bytes" in complaint_about(path, limit=1000)
    assert len(xml.read_file(path, limit=1001)) == 1001


def test_restrict_holds_against_dots_and_links(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out.xml"
    inside.mkdir()
    outside.write_text("secret")
    (inside / "link.xml").symlink_to(outside)
    (inside / "fine.xml").write_text("<a/>")
    assert "outside" in complaint_about(inside / ".." / "out.xml", restrict=inside)
    assert "outside" in complaint_about(inside / "link.xml", restrict=inside)
    assert xml.read_file(inside / "link.xml") == b"secret"
    assert xml.read_file(inside / ".." / "in" / "fine.xml", restrict=inside) == b"<a/>"


def test_a_link_to_itself_cannot_be_read(tmp_path: Path) -> None:
    loop = tmp_path / "loop.xml"
    loop.symlink_to(loop)
    assert "cannot be read" in complaint_about(loop)
    assert "cannot be read" in complaint_about(tmp_path, restrict=loop)
    assert not xml.is_there(loop)
    assert not xml.is_there(tmp_path / ("a" * 5000))


def test_a_dash_is_standard_input_only_where_a_user_said_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"<a/>")))
    assert xml.read_input("-") == b"<a/>"
    assert "no such file" in complaint_about("-")
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ModelError, match="closed"):
        xml.read_input("-")


def test_a_descriptor_may_be_a_pipe_only_where_a_user_said_it() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"<a/>")
    os.close(writing)
    path = f"/dev/fd/{reading}"
    complaint_about(path)
    assert xml.read_input(path) == b"<a/>"
    os.close(reading)
    with pytest.raises(ModelError, match="no such file"):
        xml.read_input(path)


# numbers


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_numbers_written_by_python_come_back(values: list[float]) -> None:
    assert xml.parse_floats(" \t\r\n".join(map(repr, values))) == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("+0.1", 0.1),
        (".5", 0.5),
        ("1.", 1.0),
        ("-0", 0.0),
        ("9E-06", 9e-6),
        ("1676.359E-6", 1676.359e-6),
        ("1e+2", 100),
    ],
)
def test_spellings_of_xml_schema_are_read(text: str, value: float) -> None:
    assert xml.parse_floats(f"\n {text}  ") == [value]


@pytest.mark.parametrize(
    "word", ["nan", "NaN", "inf", "-INF", "0x10", "1_000", "0,5", "-1.57.", "1e", "--1", "1d3", "heavy", "٣", "1e999"]
)
def test_other_words_are_refused_and_quoted(word: str) -> None:
    with pytest.raises(ValueError) as caught:
        xml.parse_floats(f"0 {word} 1")
    assert repr(word) in str(caught.value)


def test_a_blank_of_another_kind_parts_no_numbers() -> None:
    with pytest.raises(ValueError):
        xml.parse_floats("1\u00a02")


# words about elements


def test_an_element_is_described_by_its_name_or_the_named_one_around_it() -> None:
    root = xml.parse(b'<robot name="r"><link name="arm"><inertial><mass/></inertial></link><d:x/></robot>', "r")
    mass = root.find("link/inertial/mass")
    assert mass is not None
    assert xml.describe(mass) == '<mass> in <link name="arm">'
    assert xml.describe(root[0]) == '<link name="arm">'
    assert xml.describe(root[1]) == '<d:x> in <robot name="r">'
    assert xml.describe(xml.parse(b"<robot/>", "r")) == "<robot>"


def test_a_hostile_name_stays_on_one_line() -> None:
    text = xml.shorten("a\n\u202eb" + "c" * 1000)
    assert text.isprintable()
    assert "\n" not in text
    assert len(text) <= 60


def test_findings_are_all_raised_together() -> None:
    findings = Findings("robot.urdf")
    root = xml.parse(b'<robot name="r">\n<link name="a" x="1 2" y="1" z="w"/></robot>', "robot.urdf")
    link = root[0]
    assert findings.numbers(link, "x", 2, None) == (1.0, 2.0)
    assert findings.numbers(link, "x", range(1, 4), None) == (1.0, 2.0)
    assert findings.number(link, "y", 5.0) == 1.0
    assert findings.number(link, "absent", 5.0) == 5.0
    findings.note("fine", link, "is fine")
    findings.raise_if_fatal()
    assert findings.number(link, "z", 5.0) == 5.0
    assert findings.numbers(link, "x", 3, (0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)
    with pytest.raises(ModelError) as caught:
        findings.raise_if_fatal()
    assert [finding.code for finding in caught.value.findings] == ["fine", "bad-number", "bad-number"]
    assert caught.value.lines() == [
        'robot.urdf:2: <link name="a">: z="w": \'w\' is no number',
        'robot.urdf:2: <link name="a">: x="1 2": expected 3 numbers, found 2',
    ]
