"""`dyn compare`: rows, JSON, notices, two formats."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from dyncli.cli.main import run

SAMPLES = Path(__file__).parent.parent / "sample_models"
ARM = (SAMPLES / "planar_2r.urdf").read_text()


@pytest.fixture
def compare(tmp_path, monkeypatch, capsysbinary):
    """Runs `dyn compare a.urdf b.urdf` on two texts; gives the status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(a: str, b: str, *options: str) -> tuple[int, str, str]:
        (tmp_path / "a.urdf").write_text(a)
        (tmp_path / "b.urdf").write_text(b)
        with pytest.raises(SystemExit) as left:
            run(["compare", "a.urdf", "b.urdf", *options])
        out, err = capsysbinary.readouterr()
        return int(left.value.code or 0), out.decode(), err.decode()

    return call


def masses(text: str, factor: float) -> str:
    """The URDF with its last mass times `factor`."""
    before, middle, after = text.rpartition('<mass value="')
    value, quote, rest = after.partition('"')
    return before + middle + repr(float(value) * factor) + quote + rest


def test_rows_hold_values_and_parts(compare):
    status, out, _ = compare(ARM, masses(ARM, 2.0), "-f", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert status == 0
    assert [row["kind"] for row in rows] == ["mass", "total", "total"]
    assert float(rows[0]["b"]) == 2.0 * float(rows[0]["a"])
    assert float(rows[0]["mass_matrix"]) == float(rows[2]["mass_matrix"]) > 0.0


def test_json_keys(compare):
    _, out, _ = compare(ARM, masses(ARM, 2.0), "-f", "json", "--poses", "3")
    document = json.loads(out)
    (result,) = document["results"]
    assert document["command"] == "compare"
    assert result["poses"] == 3
    assert result["differences"][0]["mass_matrix"] == result["mass_matrix"]["whole"]
    assert result["mass_matrix"]["below_tolerance"]["greatest"] == 0.0


def test_a_tolerance_hides_what_is_smaller(compare):
    _, out, _ = compare(ARM, masses(ARM, 1.0001), "-f", "json", "--tolerance", "0.001")
    (result,) = json.loads(out)["results"]
    assert result["differences"] == []
    assert result["mass_matrix"]["below_tolerance"] == result["mass_matrix"]["whole"]


def test_a_joint_of_one_robot_alone_is_told(compare):
    name = json.loads(compare(ARM, ARM, "-f", "json")[1])["model"]["dofs"][1]
    welded = ARM.replace(f'<joint name="{name}" type="revolute"', f'<joint name="{name}" type="fixed"')
    _, out, err = compare(ARM, welded, "-f", "json")
    assert json.loads(out)["results"][0]["only_in_a"] == [name]
    assert f"only A has the joints {name!r}" in err


def test_no_poses_is_a_usage_error(compare):
    assert compare(ARM, ARM, "--poses", "0")[0] == 2
