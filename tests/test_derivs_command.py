"""`dyn derivs` at the command line: keys and layout, options, refusals, the tables of methods and steps."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dyncli.cli.main import run
from dyncli.plots.loglog import svg, text

SAMPLES = Path(__file__).parent.parent / "sample_models"
ARM = SAMPLES / "arm_6r.urdf"
STATE = ("--q", "0.3,0.4,-0.5,0.6,0.7,0.8", "--qd", "1,2,-1,0.5,0.3,0.2")
BALANCED = ("--qdd", "1,1,1,1,1,1")

STICKY = """<?xml version="1.0"?>
<robot name="sticky">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="lift" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 -1 0"/>
    <limit lower="-3.1" upper="3.1" effort="200" velocity="20"/><dynamics damping="0.6" friction="0.1"/></joint>
</robot>
"""


class Answer:
    """What one run of the command line gave."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    def result(self) -> dict:
        return json.loads(self.out)["results"][0]


@pytest.fixture
def dyn(capsys):
    def call(*arguments: object) -> Answer:
        with pytest.raises(SystemExit) as ended:
            run([str(argument) for argument in arguments])
        streams = capsys.readouterr()
        return Answer(int(ended.value.code or 0), streams.out, streams.err)

    return call


@pytest.fixture
def sticky(tmp_path):
    path = tmp_path / "sticky.urdf"
    path.write_text(STICKY)
    return path


KEYS = {
    ("--of", "rnea"): {"dtau_dq": (6, 6), "dtau_dqd": (6, 6), "dtau_dqdd": (6, 6)},
    ("--of", "fd"): {"dqdd_dq": (6, 6), "dqdd_dqd": (6, 6), "dqdd_dtau": (6, 6)},
    ("--of", "step", "--dt", "0.01"): {"A": (12, 12), "B": (12, 6)},
    ("--of", "continuous"): {"A": (12, 12), "B": (12, 6)},
}


@pytest.mark.parametrize("options", KEYS, ids=lambda options: options[1])
@pytest.mark.parametrize("method", ["analytic", "dual", "reverse", "complex", "central", "forward"])
def test_keys_and_shapes(dyn, options, method):
    result = dyn("derivs", ARM, *STATE, *options, "--method", method, "-f", "json").result()
    assert {name: np.shape(block) for name, block in result.items()} == KEYS[options]


def test_csv_names_matrix_row_and_column(dyn):
    lines = dyn("derivs", ARM, *STATE, "-f", "csv").out.splitlines()
    assert lines[0] == "matrix,state,row,waist,shoulder,elbow,wrist_roll,wrist_pitch,wrist_yaw"
    assert [line.split(",")[:3] for line in lines[1:3]] == [["dtau_dq", "0", "waist"], ["dtau_dq", "0", "shoulder"]]
    assert len(lines) == 1 + 3 * 6
    lines = dyn("derivs", ARM, *STATE, "--of", "step", "--dt", 0.01, "-f", "csv").out.splitlines()
    assert lines[0].startswith("matrix,state,row,q_waist") and lines[0].endswith("tau_wrist_yaw")
    assert len(lines) == 1 + 12 + 12


def test_the_header_says_the_tangent_space_method_and_step(dyn):
    said = dyn("derivs", SAMPLES / "quadruped.urdf", "--root", "floating", "--method", "central", "-f", "table").out
    assert "tangent space (18)" in said
    assert "root: rotation vectors in body axes, displacements in body axes" in said
    assert "method central, step 6e-06" in said


def test_rows_of_a_file_are_answered_like_single_states(dyn, tmp_path):
    path = tmp_path / "states.npz"
    rng = np.random.default_rng(1)
    states = {name: rng.normal(size=(3, 6)) for name in ("q", "qd", "tau")}
    np.savez(path, **states)
    together = json.loads(dyn("derivs", ARM, "--of", "fd", "--states", path, "-f", "json").out)["results"]
    for k, result in enumerate(together):
        inline = [f"--{name}=" + ",".join(map(repr, block[k].tolist())) for name, block in states.items()]
        single = dyn("derivs", ARM, "--of", "fd", *inline, "-f", "json").result()
        for name, block in single.items():
            np.testing.assert_allclose(result[name], block, atol=1e-10 * np.abs(block).max())


@pytest.mark.parametrize("of", ["rnea", "fd", "step"])
def test_the_engine_gives_the_numbers_of_the_direct_run(dyn, of, monkeypatch):
    options = ("--of", of, *(("--dt", 0.01) if of == "step" else ()), "--samples", 4, "-f", "json")
    found = {}
    for mode in ("direct", "program"):
        monkeypatch.setenv("DYN_ENGINE", mode)
        found[mode] = json.loads(dyn("derivs", SAMPLES / "quadruped.urdf", "--root", "floating", *options).out)[
            "results"
        ]
    for ours, theirs in zip(*found.values(), strict=True):
        for name, block in ours.items():
            np.testing.assert_allclose(theirs[name], block, atol=1e-9 * np.abs(block).max())


def test_large_answers_are_given_in_short_blocks(dyn, monkeypatch):
    options = ("derivs", ARM, "--samples", 7, "--echo", "-f", "csv")
    together = dyn(*options).out
    monkeypatch.setattr("dyncli.tasks.base.MOST_NUMBERS", 1)
    monkeypatch.setattr("dyncli.tasks.base.LEAST_STATES", 3)
    cut = dyn(*options).out
    assert len(together.splitlines()) == 1 + 7 * 18
    for ours, theirs in zip(cut.splitlines()[1:], together.splitlines()[1:], strict=True):
        assert ours.split(",")[:3] == theirs.split(",")[:3]
        np.testing.assert_allclose(*(np.array(line.split(",")[3:], float) for line in (ours, theirs)), atol=1e-12)


def test_wrenches_and_damping_are_differentiated(dyn, sticky):
    plain = dyn("derivs", sticky, "--q", 0.4, "-f", "json").result()
    damped = dyn("derivs", sticky, "--q", 0.4, "--passive", "-f", "json").result()
    assert damped["dtau_dqd"][0][0] - plain["dtau_dqd"][0][0] == pytest.approx(0.6, rel=1e-12)
    still = dyn("derivs", sticky, "--q", 0.4, "--wrench", "arm@local:1,2,3,0,0,0", "-f", "json").result()
    assert still["dtau_dq"] == plain["dtau_dq"]
    pushed = dyn("derivs", sticky, "--q", 0.4, "--wrench", "arm@world:0,0,0,1,2,3", "-f", "json").result()
    assert pushed["dtau_dq"] == plain["dtau_dq"]


def test_a_wrench_fixed_in_the_world_sees_its_frame_move(dyn):
    wrench = ("--wrench", "tool@world:3,-2,5,0.1,0.2,0.3")
    analytic = dyn("derivs", ARM, *STATE, *wrench, "-f", "json").result()
    stepped = dyn("derivs", ARM, *STATE, *wrench, "--method", "complex", "-f", "json").result()
    without = dyn("derivs", ARM, *STATE, "-f", "json").result()
    np.testing.assert_allclose(analytic["dtau_dq"], stepped["dtau_dq"], atol=1e-13)
    assert np.abs(np.subtract(analytic["dtau_dq"], without["dtau_dq"])).max() > 0.5


def test_friction_is_named_and_counts_as_constant(dyn, sticky):
    said = dyn("derivs", sticky, "--passive", "--qd", 1, "-f", "json")
    assert said.status == 0
    assert "friction is not differentiable" in said.err and "lift" in said.err
    assert said.result()["dtau_dqd"][0][0] == pytest.approx(0.6, rel=1e-12)
    assert dyn("derivs", sticky, "--passive", "--strict").status != 0


def test_a_direction_is_one_vector(dyn):
    J = dyn("derivs", ARM, *STATE, *BALANCED, "-f", "json").result()
    result = dyn(
        "derivs", ARM, *STATE, *BALANCED, "--direction", "dq=1,2,3,4,5,6,dqd=elbow=0.5,waist=2", "-f", "json"
    ).result()
    wanted = np.array(J["dtau_dq"]) @ [1, 2, 3, 4, 5, 6] + np.array(J["dtau_dqd"]) @ [2, 0, 0.5, 0, 0, 0]
    np.testing.assert_allclose(result["dtau"], wanted, rtol=1e-12)
    step = dyn("derivs", ARM, *STATE, "--of", "step", "--dt", 0.1, "--direction", "dtau=waist=1", "-f", "json").result()
    assert {name: len(vector) for name, vector in step.items()} == {"dq": 6, "dqd": 6}


def test_compare_puts_every_method_beside_the_complex_step(dyn):
    methods = dyn("derivs", ARM, *STATE, *BALANCED, "--compare", "-f", "json").result()["methods"]
    assert list(methods) == ["analytic", "dual", "reverse", "complex", "central", "forward"]
    for name, report in methods.items():
        assert report["seconds"] > 0.0 and report["operations"] > 100
        worst = max(report["errors"].values())
        assert worst < {"central": 1e-8, "forward": 1e-5}.get(name, 1e-14)
    assert methods["analytic"]["operations"] < methods["reverse"]["operations"] < methods["dual"]["operations"]


def test_sweep_finds_the_v_of_differences_and_the_flat_line_of_the_complex_step(dyn, tmp_path):
    picture = tmp_path / "sweep.svg"
    answer = dyn("derivs", ARM, *STATE, *BALANCED, "--sweep", "--plot", picture, "-f", "json")
    rows = answer.result()["sweep"]
    assert [row["step"] for row in rows] == pytest.approx([*(10.0**-k for k in range(1, 16)), 1e-30])
    forward = {row["step"]: row["forward"]["dtau_dq"] for row in rows if "forward" in row}
    best = min(forward, key=forward.get)
    assert 1e-9 < best < 1e-6
    assert forward[0.1] > 1e4 * forward[best] < forward[min(forward)]
    assert rows[-1]["complex"]["dtau_dq"] < 1e-15 and "forward" not in rows[-1]
    assert picture.read_text().startswith("<svg") and picture.read_text().count("<polyline") == 3
    drawn = dyn("derivs", ARM, *STATE, *BALANCED, "--sweep", "-f", "table").out
    assert "f forward   c central   o complex" in drawn


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--of", "step"), "--dt"),
        (("--dt", "0.1"), "belongs to --of step"),
        (("--of", "step", "--dt", "-1"), "greater than 0"),
        (("--step", "1e-3"), "belongs to the methods"),
        (("--method", "complex", "--step", "1e-160"), "underflows"),
        (("--plot", "x.svg"), "--sweep"),
        (("--sweep", "--plot", "x.gif"), ".svg or .png"),
        (("--compare", "--sweep"), "two tables"),
        (("--direction", "dq=1,2"), "expected 6"),
        (("--direction", "up=1"), "does not begin"),
        (("--direction", "dtau=1,0,0,0,0,0"), "no dtau"),
        (("--direction", "dq=elbw=1"), "elbow"),
        (("--direction", "dq=nan,0,0,0,0,0"), "not a number"),
    ],
)
def test_a_wrong_command_line_says_what_is_wrong(dyn, options, words):
    answer = dyn("derivs", ARM, *options)
    assert answer.status == 2
    assert words in answer.err
    assert answer.out == ""


def test_a_singular_mass_matrix_is_told_not_computed_with(dyn, tmp_path):
    path = tmp_path / "light.urdf"
    path.write_text(STICKY.replace('<mass value="2"/>', '<mass value="0"/>').replace("0.01", "0"))
    for method in ("analytic", "dual", "complex", "central"):
        answer = dyn("derivs", path, "--of", "fd", "--method", method)
        assert answer.status == 5, answer.err
        assert "lift" in answer.err
    assert dyn("derivs", path, "--of", "rnea").status == 0


def test_a_robot_that_cannot_move_has_empty_matrices(dyn, tmp_path):
    path = tmp_path / "rock.urdf"
    path.write_text('<robot name="rock"><link name="rock"/></robot>')
    for method in ("analytic", "dual", "reverse", "complex", "central", "forward"):
        answer = dyn("derivs", path, "--method", method, "-f", "json")
        assert (answer.status, answer.result()) == (0, {"dtau_dq": [], "dtau_dqd": [], "dtau_dqdd": []})


def test_pictures_escape_names_and_survive_a_single_point():
    curves = {"a<b": [(1e-3, 1e-5)], "forward": [(1e-3, 2e-5), (1e-2, 1e-4)]}
    assert "a&lt;b" in svg(curves, x_label="x", y_label="y", title="<&>")
    assert "a a<b" in text(curves, x_label="x", y_label="y")
    assert svg({}, x_label="x", y_label="y", title="none").endswith("</svg>\n")
