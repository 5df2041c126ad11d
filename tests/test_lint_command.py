"""`dyn lint`: files and folders, formats, selection, exit status."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

import dyncli
from dyncli.cli.main import run
from dyncli.lint import RULES
from dyncli.lint.catalogue import CATALOGUE

LIMIT = '<limit lower="1" upper="-1" effort="0" velocity="2"/>'
ARM = f"""<robot name="arm"><link name="base"/><link name="fore"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx="0.001" iyy="0.0134" izz="0.0136" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="lift" type="revolute"><parent link="base"/><child link="fore"/>{LIMIT}</joint></robot>"""
SOUND = ARM.replace(LIMIT, '<limit lower="-1" upper="1" effort="5" velocity="2"/>')


@pytest.fixture
def lint(tmp_path, monkeypatch, capsysbinary):
    """Runs `dyn lint` in a folder of its own; gives the status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            run(["lint", *arguments])
        out, err = capsysbinary.readouterr()
        return int(left.value.code or 0), out.decode(), err.decode()

    call.folder = tmp_path
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "sound.urdf").write_text(SOUND)
    return call


def findings(text: str) -> list[dict]:
    (result,) = json.loads(text)["results"]
    return result["findings"]


def test_an_error_is_status_1_and_a_sound_file_0(lint):
    assert lint("arm.urdf", "-f", "json")[0] == 1
    status, out, _ = lint("sound.urdf", "-f", "json")
    assert (status, findings(out)) == (0, [])


def test_a_warning_is_status_0_but_with_strict(lint):
    assert lint("arm.urdf", "--ignore", "limit-reversed")[0] == 0
    assert lint("arm.urdf", "--ignore", "limit-reversed", "--strict")[0] == 1


def test_json_names_code_severity_element_line_message_and_hint(lint):
    _, out, _ = lint("arm.urdf", "-f", "json")
    reversed_limit, effort = findings(out)
    assert reversed_limit | {"hint": ""} == {
        "code": "limit-reversed",
        "severity": "error",
        "element": '<limit> in <joint name="lift">',
        "file": "arm.urdf",
        "line": 3,
        "message": "limit lower 1 is greater than upper -1",
        "hint": "",
    }
    assert effort["code"] == "zero-effort"
    assert json.loads(out)["model"]["dofs"] == ["lift"]


def test_csv_has_a_finding_a_row(lint):
    _, out, _ = lint("arm.urdf", "-f", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert [(row["file"], row["line"], row["code"]) for row in rows] == [
        ("arm.urdf", "3", "limit-reversed"),
        ("arm.urdf", "3", "zero-effort"),
    ]


def test_text_has_place_code_message_and_advice(lint):
    _, out, _ = lint("arm.urdf", "-f", "table")
    assert 'arm.urdf:3: error limit-reversed <limit> in <joint name="lift">\n' in out
    assert out.endswith("1 error, 1 warning, 0 notes\n")


def test_sarif_points_at_the_line(lint):
    status, out, _ = lint("arm.urdf", "-f", "sarif")
    (log,) = json.loads(out)["runs"]
    assert status == 1
    first = log["results"][0]
    assert first["level"] == "error"
    assert log["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"] == "limit-reversed"
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "arm.urdf"}, "region": {"startLine": 3}}


def test_the_suffix_of_the_output_says_sarif(lint):
    lint("arm.urdf", "-o", "found.sarif")
    assert json.loads((lint.folder / "found.sarif").read_text())["version"] == "2.1.0"


def test_select_and_ignore(lint):
    assert [found["code"] for found in findings(lint("arm.urdf", "-f", "json", "--select", "zero-effort")[1])] == [
        "zero-effort"
    ]
    assert findings(lint("arm.urdf", "-f", "json", "--ignore", "zero-effort,limit-reversed")[1]) == []


def test_an_unknown_code_is_a_usage_error_that_names_the_nearest(lint):
    status, _, err = lint("arm.urdf", "--select", "zero-efort")
    assert status == 2
    assert "'zero-effort'" in err


def test_a_folder_is_searched_for_robots(lint):
    folder = lint.folder / "robots" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.urdf").write_text(ARM)
    (folder / "b.XML").write_text(SOUND)
    (folder / "package.xml").write_text("<package/>")
    (folder / "notes.txt").write_text("<robot/>")
    status, out, err = lint("robots", "-f", "json")
    assert status == 1
    counted = json.loads(out)["results"][0]["files"]
    assert [file["file"] for file in counted] == ["robots/deep/a.urdf", "robots/deep/b.XML"]
    assert "1 file" in err


def test_a_folder_without_robots_is_a_model_error(lint):
    (lint.folder / "empty").mkdir()
    assert lint("empty")[0] == 3


def test_a_file_that_does_not_load_is_findings(lint):
    (lint.folder / "loop.urdf").write_text('<robot name="r"><link name="a"/><link name="a"/></robot>')
    status, out, _ = lint("loop.urdf", "-f", "json")
    assert status == 1
    assert [found["code"] for found in findings(out)] == ["duplicate-link"]
    assert json.loads(out)["results"][0]["files"][0]["loads"] is False


def test_a_file_of_another_format_is_a_finding(lint):
    (lint.folder / "world.sdf").write_text("<sdf/>")
    assert [found["code"] for found in findings(lint("world.sdf", "-f", "json")[1])] == ["unknown-format"]


def test_a_file_that_is_no_xml_is_a_model_error_alone_and_a_finding_among_others(lint):
    (lint.folder / "hello.urdf").write_text("hello")
    assert lint("hello.urdf")[0] == 3
    status, out, _ = lint("hello.urdf", "sound.urdf", "-f", "json")
    assert status == 1
    assert [found["code"] for found in findings(out)] == ["not-xml"]


def test_several_files_are_counted_apart(lint):
    files = json.loads(lint("arm.urdf", "sound.urdf", "-f", "json")[1])["results"][0]["files"]
    assert [(file["errors"], file["warnings"]) for file in files] == [(1, 1), (0, 0)]


def test_standard_input(lint, monkeypatch):
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ARM.encode())))
    assert lint("-", "-f", "json")[0] == 1


def test_codes_lists_the_catalogue(lint):
    status, out, _ = lint("--codes")
    assert status == 0
    assert all(code in out for code in CATALOGUE)


def test_every_code_of_readers_and_rules_is_in_the_catalogue():
    """Codes as they stand in the source: the first argument of findings, or the one behind the path."""
    package = Path(dyncli.__file__).parent
    said = re.compile(
        r"""(?:note|warning|error|fatal|finding|Finding|_refusal|_finding)\(\s*(?:(?:path|model),\s*)?"([a-z-]+)\""""
    )
    sources = [*(package / "formats").rglob("*.py"), *(package / "lint").rglob("*.py")]
    codes = {code for path in sources for code in said.findall(path.read_text())}
    assert len(codes) > 60
    assert codes <= set(CATALOGUE)


def test_every_rule_says_what_it_looks_for():
    assert all(rule.__doc__ for rule in RULES)
