"""`dyn verify`: keys, rows, exit status."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import dyncli.verify
from dyncli.cli.main import run
from dyncli.verify.subject import Check

ARM = str(Path(__file__).parent.parent / "sample_models" / "planar_2r.urdf")


@pytest.fixture
def verify(capsysbinary):
    """Runs `dyn verify` on the planar arm; gives the status, standard output and standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            run(["verify", ARM, "--samples", "1", *arguments])
        out, err = capsysbinary.readouterr()
        return int(left.value.code or 0), out.decode(), err.decode()

    return call


def test_json_keys(verify):
    status, out, _ = verify("--against", "pinocchio,mujoco", "-f", "json")
    (result,) = json.loads(out)["results"]
    assert status == 0
    assert all(set(check) == {"name", "error", "tolerance", "passed"} for check in result["checks"])
    assert list(result["libraries"]) == ["pinocchio", "mujoco"]
    pinocchio = result["libraries"]["pinocchio"]
    assert pinocchio["version"]
    assert pinocchio["quantities"]["M"] < 4e-15
    assert pinocchio["loaded_by"] == "its URDF reader"


def test_rows(verify):
    _, out, _ = verify("--against", "none", "-f", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert {row["against"] for row in rows} == {"itself"}
    assert {row["verdict"] for row in rows} == {"ok"}


def test_a_failed_check_is_status_1(verify, monkeypatch):
    monkeypatch.setattr(dyncli.verify, "mass_budget", lambda robot: iter([Check("mass", 1.0, 0.0)]))
    status, out, _ = verify("--against", "none", "-f", "csv")
    assert status == 1
    assert "itself,mass,1.0,0.0,FAILED" in out


def test_an_unknown_library_is_a_usage_error(verify):
    status, _, err = verify("--against", "mujoko")
    assert status == 2
    assert "'mujoco'" in err


def test_a_library_that_is_missing_is_status_6(verify, monkeypatch):
    from dyncli.verify.peers import peer_class

    def missing():
        raise ImportError("no such module")

    monkeypatch.setattr(peer_class("rbdl"), "version", missing)
    status, _, err = verify("--against", "rbdl")
    assert status == 6
    assert "pip install pyrbdl" in err
