"""The command line: exit statuses, streams, formats and messages, in process and as a few real processes."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from command import caller

SAMPLES = Path(__file__).parent.parent / "sample_models"
ARM = str(SAMPLES / "arm_6r.urdf")

TWO_LINKS = """<?xml version="1.0"?>
<robot name="two">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.3 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.2 0 0"/><mass value="0.5"/>
    <inertia ixx="0.005" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 -1 0"/>
    <limit lower="-3.1" upper="3.1" effort="20" velocity="5"/><dynamics damping="0.6" friction="0.1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
    <origin xyz="0.6 0 0"/><axis xyz="0 -1 0"/>
    <limit lower="-3.1" upper="3.1" effort="20" velocity="5"/><dynamics damping="0.3"/></joint>
</robot>
"""


@pytest.fixture
def dyn(capsys):
    """Run `dyn` in this process."""
    return caller(capsys)


@pytest.fixture
def model(tmp_path) -> Path:
    path = tmp_path / "two.urdf"
    path.write_text(TWO_LINKS)
    return path


def process(*arguments: object, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "dyncli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


# states in ------------------------------------------------------------------------------------------------------


def gravity_torque(q1: float, q2: float) -> list[float]:
    both = 0.5 * 9.81 * 0.2 * math.cos(q1 + q2)
    return [9.81 * (1 * 0.3 + 0.5 * 0.6) * math.cos(q1) + both, both]


def test_states_of_any_line_ending_read_the_same(dyn, model, tmp_path):
    text = "shoulder,elbow\n0.4,0.7\n0,0\n"
    for name, data in {
        "lf": text,
        "crlf": text.replace("\n", "\r\n"),
        "no_last": text[:-1],
        "blank": text + "\n\n",
    }.items():
        path = tmp_path / f"{name}.csv"
        path.write_bytes(data.encode())
        got = [[float(x) for x in row] for row in dyn("rnea", model, "--states", path, "-f", "csv").rows()[1:]]
        assert np.abs(np.array(got) - [gravity_torque(0.4, 0.7), gravity_torque(0, 0)]).max() < 1e-13


def test_columns_are_matched_by_name(dyn, model, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("t,elbow,q_shoulder\n0.5,0.7,0.4\n")
    answer = dyn("rnea", model, "--states", path, "-f", "csv")
    assert answer.rows()[0] == ["t", "tau_shoulder", "tau_elbow"]
    assert answer.rows()[1][0] == "0.5"
    assert [float(x) for x in answer.rows()[1][1:]] == pytest.approx(gravity_torque(0.4, 0.7), rel=1e-13)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("shoulder\n0\n", ["elbow"]),
        ("shoulder,elbow,wrist\n0,0,0\n", ["wrist"]),
        ("shoulder,elbow\n0,0\n1\n", ["s.csv:3"]),
        ("shoulder,elbow\n0,x1\n", ["s.csv:2", "x1"]),
        ("", ["no header"]),
        ("shoulder,elbw\n0,0\n", ["elbw", "elbow"]),
    ],
)
def test_states_that_do_not_fit_are_status_4(dyn, model, tmp_path, text, words):
    path = tmp_path / "s.csv"
    path.write_text(text)
    answer = dyn("rnea", model, "--states", path, "-f", "csv")
    assert answer.status == 4
    assert not answer.out
    assert all(word in answer.err for word in words), answer.err


def test_a_header_alone_is_zero_rows(dyn, model, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("shoulder,elbow\n")
    answer = dyn("rnea", model, "--states", path, "-f", "csv")
    assert (answer.status, answer.out.strip()) == (0, "tau_shoulder,tau_elbow")


def test_a_row_without_an_answer_is_empty_named_and_status_1(dyn, model, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("shoulder,elbow\n0,0\n,0\nnan,1\n0.4,0.7\n")
    answer = dyn("rnea", model, "--states", path, "-f", "json")
    assert answer.status == 1
    results = answer.json()["results"]
    assert results[1]["tau"] is None
    assert results[2]["invalid"] is True
    assert results[3]["tau"] == pytest.approx(gravity_torque(0.4, 0.7), rel=1e-13)
    assert "s.csv:3" in answer.err
    assert "s.csv:4" in answer.err
    assert dyn("rnea", model, "--states", path, "-f", "csv").rows()[2] == ["", ""]


def test_degrees_go_in_and_out(dyn, model):
    rad = dyn("rnea", model, "--q", f"{math.radians(60)!r},0.2", "-f", "json").result()["tau"]
    deg = dyn("rnea", model, "--degrees", "--q", f"60,{math.degrees(0.2)!r}", "-f", "json")
    assert deg.result()["tau"] == pytest.approx(rad, rel=1e-12)
    assert deg.json()["model"]["angle_unit"] == "deg"
    qdd = dyn("fd", model, "-f", "json").result()["qdd"]
    assert dyn("fd", model, "--degrees", "-f", "json").result()["qdd"] == pytest.approx(np.degrees(qdd), rel=1e-12)


def test_q_outside_the_limits_is_told_once(dyn, model):
    answer = dyn("rnea", model, "--q", "60,0", "-f", "csv")
    assert answer.status == 0
    assert "60" in answer.err
    assert "-3.1, 3.1" in answer.err
    assert "--degrees" in answer.err
    assert dyn("rnea", model, "--q", "60,0", "--strict").status == 4


def test_samples_are_the_same_for_the_same_seed(dyn):
    one = dyn("rnea", ARM, "--samples", 5, "--seed", 3, "-f", "csv").out
    assert one == dyn("rnea", ARM, "--samples", 5, "--seed", 3, "-f", "csv").out
    assert one != dyn("rnea", ARM, "--samples", 5, "--seed", 4, "-f", "csv").out


# results out ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "yaml", "npz"])
def test_rnea_and_fd_chain_through_every_format(dyn, tmp_path, suffix):
    tau, back = (tmp_path / f"{name}.{suffix}" for name in ("tau", "back"))
    assert dyn("rnea", ARM, "--samples", 4, "--echo", "-o", tau).status == 0
    assert dyn("fd", ARM, "--states", tau, "--echo", "-o", back).status == 0
    first = dyn("rnea", ARM, "--samples", 4, "--echo", "-f", "json").json()["results"]
    again = dyn("rnea", ARM, "--states", back, "--echo", "-f", "json").json()["results"]
    for before, after in zip(first, again, strict=True):
        largest = np.abs(before["qdd"]).max()
        assert np.abs(np.subtract(after["qdd"], before["qdd"])).max() < 1e-12 * largest


def test_numbers_read_back_to_the_same_double(dyn):
    arguments = ("rnea", ARM, "--samples", 3)
    as_json = dyn(*arguments, "-f", "json").json()["results"]
    as_csv = dyn(*arguments, "-f", "csv").rows()[1:]
    assert [[float(x) for x in row] for row in as_csv] == [result["tau"] for result in as_json]


def test_an_output_file_appears_whole_or_not_at_all(dyn, model, tmp_path):
    bad = tmp_path / "s.csv"
    bad.write_text("shoulder,elbow\n" + "0,0\n" * 10 + "0,x\n")
    out = tmp_path / "out.csv"
    assert dyn("rnea", model, "--states", bad, "-o", out).status == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.csv", "two.urdf"]


def test_infinite_condition_is_null(dyn, tmp_path):
    path = tmp_path / "massless.urdf"
    path.write_text(
        TWO_LINKS.replace('<mass value="0.5"/>', '<mass value="0"/>')
        .replace("0.005", "0")
        .replace('iyy="0.01" izz="0.01"', 'iyy="0" izz="0"')
    )
    result = dyn("mass", path, "--spectrum", "-f", "json").result()
    assert result["condition"] is None
    assert result["M"][1][1] == 0


def test_split_adds_up_and_reactions_hold_the_weight(dyn):
    result = dyn("rnea", ARM, "--samples", 1, "--split", "--reactions", "--passive", "-f", "json").result()
    parts = np.sum([result[name] for name in ("gravity", "coriolis", "inertia", "passive")], axis=0)
    assert parts == pytest.approx(result["tau"], rel=1e-12, abs=1e-13)
    at_rest = dyn("rnea", ARM, "--reactions", "-f", "json").result()["reactions"]
    total = dyn("info", ARM, "-f", "json").result()["total_mass"]
    assert at_rest["root"]["force"] == pytest.approx([0, 0, 9.81 * total], abs=1e-12)
    waist = at_rest["waist"]
    assert waist["drive"] == pytest.approx(waist["moment"][2], abs=1e-14)
    assert set(at_rest["root"]) == {"force", "moment"}


def test_mass_parts(dyn):
    result = dyn(
        "mass", ARM, "--q", "0.1,0.5,-0.6,0.2,0.8,0.3", "--qd", "1,1,1,1,1,1", "--inverse", "--factor", "--spectrum",
        "--energy", "--coriolis", "--task", "tool@0,0,2", "-f", "json",
    ).result()  # fmt: skip
    M, Minv, L = (np.array(result[name]) for name in ("M", "Minv", "L"))
    assert np.abs(M @ Minv - np.eye(6)).max() < 1e-11
    assert np.abs(L.T @ L - M).max() < 1e-15
    assert result["condition"] == pytest.approx(np.linalg.cond(M), rel=1e-9)
    assert result["kinetic"] == pytest.approx(0.5 * M.sum(), rel=1e-12)
    tau = dyn("rnea", ARM, "--q", "0.1,0.5,-0.6,0.2,0.8,0.3", "--qd", "1,1,1,1,1,1", "--split", "-f", "json").result()
    assert np.array(result["C"]).sum(axis=1) == pytest.approx(tau["coriolis"], rel=1e-11, abs=1e-13)
    J = np.array(dyn("fk", ARM, "--q", "0.1,0.5,-0.6,0.2,0.8,0.3", "--jacobian", "tool", "-f", "json").result()["J"])
    task = np.array(result["task_inertia"])
    assert np.abs(task @ J @ Minv @ J.T - np.eye(6)).max() < 1e-8
    assert result["effective_mass"] == pytest.approx(1 / (J @ Minv @ J.T)[2, 2], rel=1e-9)


def test_summary_sizes_a_motor(dyn, model, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("t,shoulder,elbow\n0,0,0\n1,1.5,0\n2,3.1,0\n")
    summary = dyn("rnea", model, "--states", path, "--summary", "-f", "json").json()["summary"]
    tau = summary["joints"]["shoulder"]["tau"]
    assert tau["max"] == pytest.approx(gravity_torque(0, 0)[0], rel=1e-13)
    assert (tau["max_row"], tau["max_time"], tau["min_row"]) == (0, "0", 2)
    assert tau["effort_share"] == pytest.approx(max(tau["max"], -tau["min"]) / 20, rel=1e-13)
    assert dyn("rnea", model, "--states", path, "--summary", "-f", "csv").rows()[1][0] == "shoulder"


# model options ---------------------------------------------------------------------------------------------------


def test_a_locked_joint_leaves_q_and_keeps_its_mass(dyn, model):
    answer = dyn("rnea", model, "--lock", "elbow=0.7", "--q", "0.4", "-f", "json")
    assert answer.json()["model"]["dofs"] == ["shoulder"]
    assert answer.result()["tau"] == pytest.approx(gravity_torque(0.4, 0.7)[:1], rel=1e-13)
    in_degrees = dyn("rnea", model, "--degrees", "--lock", f"elbow={math.degrees(0.7)!r}", "--q", math.degrees(0.4))
    assert in_degrees.status == 0


def test_payload_gravity_and_floating_root(dyn, model):
    base = dyn("rnea", model, "-f", "json").result()["tau"]
    more = dyn("rnea", model, "--payload", "fore:1.5,0.4,0,0", "-f", "json").result()["tau"]
    assert np.subtract(more, base) == pytest.approx([1.5 * 9.81, 1.5 * 9.81 * 0.4], rel=1e-12)
    flipped = dyn("rnea", model, "--gravity", "0,0,9.81", "-f", "json").result()["tau"]
    assert flipped == pytest.approx(np.negative(base), rel=1e-13)
    floating = dyn("rnea", model, "--root", "floating", "-f", "json")
    assert floating.json()["model"]["nv"] == 8
    assert floating.json()["model"]["coordinates"][3] == "root.qx"
    assert floating.result()["tau"][2] == pytest.approx(1.5 * 9.81, rel=1e-13)
    mujoco = dyn("rnea", model, "--root", "floating", "--convention", "mujoco", "-f", "json")
    assert mujoco.json()["model"]["coordinates"][3] == "root.qw"


def test_passive_is_the_same_choice_in_rnea_and_fd(dyn, model):
    state = ("--q", "0.4,0.7", "--qd", "1.2,-0.8")
    without = dyn("rnea", model, *state, "-f", "json")
    assert "damping" in without.err
    tau = dyn("rnea", model, *state, "--passive", "-f", "json").result()["tau"]
    assert np.subtract(tau, without.result()["tau"]) == pytest.approx([0.6 * 1.2 + 0.1, -0.3 * 0.8], rel=1e-12)
    damped = np.subtract(tau, [0.1, 0.0])  # friction is left out of fd
    answer = dyn("fd", model, *state, "--passive", "--tau", ",".join(map(repr, damped.tolist())), "-f", "json")
    assert answer.result()["qdd"] == pytest.approx([0, 0], abs=1e-12)
    assert "friction" in answer.err


def test_wrench_needs_its_axes(dyn, model):
    answer = dyn("rnea", model, "--wrench", "fore:0,0,10,0,0,0")
    assert answer.status == 2
    assert "@world" in answer.err
    assert "@local" in answer.err
    lifted = dyn("rnea", model, "--wrench", "fore@world:0,0,10,0,0,0", "-f", "json").result()["tau"]
    pressed = dyn("rnea", model, "--tip-wrench", "fore@world:0,0,-10,0,0,0", "-f", "json").result()["tau"]
    assert lifted == pressed
    assert lifted[0] == pytest.approx(gravity_torque(0, 0)[0] - 6.0, rel=1e-12)


# errors -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("rnea",), 2, ["MODEL"]),
        (("rnee", "x.urdf"), 2, ["rnee", "rnea"]),
        (("rnea", "{model}", "--no-such"), 2, ["--no-such"]),
        (("rnea", "{model}", "--q", "0.1,abc"), 2, ["abc"]),
        (("rnea", "{model}", "--q", "elbw=1"), 2, ["elbw", "elbow"]),
        (("rnea", "{model}", "--q", "0.1,nan"), 4, ["nan"]),
        (("rnea", "{model}", "--q", "0.1"), 4, ["shoulder", "elbow"]),
        (("rnea", "missing.urdf"), 3, ["missing.urdf"]),
        (("rnea", "{model}", "--states", "missing.csv"), 4, ["missing.csv"]),
        (("fk", "{model}", "--frame", "for"), 2, ["fore"]),
        (("rnea", "{model}", "--lock", "elbw"), 2, ["elbow"]),
        (("rnea", "{model}", "--payload", "fre:1"), 2, ["fore"]),
        (("rnea", "{model}", "--payload", "fore:x"), 2, ["x"]),
        (("rnea", "{model}", "-o", "out.xyz"), 2, ["xyz"]),
        (("rnea", "{model}", "--states", "s.csv", "--q", "0,0"), 2, ["--q", "--states"]),
        (("rnea", "-", "--states", "-"), 2, ["standard input"]),
    ],
)
def test_errors_have_their_status_and_say_what_was_wrong(dyn, model, arguments, status, words):
    answer = dyn(*(argument.format(model=model) for argument in arguments))
    assert answer.status == status, answer.err
    assert not answer.out
    assert all(word in answer.err for word in words), answer.err
    assert "Traceback" not in answer.err


def test_errors_are_json_where_json_was_asked_for(dyn):
    answer = dyn("rnea", "missing.urdf", "-f", "json")
    assert json.loads(answer.err)["error"]["exit_status"] == 3
    answer = dyn("rnea", ARM, "--no-such", "--format=json")
    assert json.loads(answer.err)["error"]["exit_status"] == 2


def test_a_singular_mass_matrix_names_the_joint(dyn, tmp_path):
    path = tmp_path / "pointer.urdf"
    path.write_text(
        TWO_LINKS.replace(
            "</robot>",
            """<link name="tip"/><joint name="aim" type="continuous">
        <parent link="fore"/><child link="tip"/></joint></robot>""",
        )
    )
    for method in ("aba", "crba", "sparse"):
        answer = dyn("fd", path, "--method", method, "-f", "csv")
        assert answer.status == 5
        assert "'aim'" in answer.err
        assert not answer.out
    assert dyn("mass", path, "--inverse").status == 5


def test_strict_makes_warnings_errors(dyn, model):
    path = Path(model)
    path.write_text(TWO_LINKS.replace('<limit lower="-3.1" upper="3.1" effort="20" velocity="5"/>', "", 1))
    warned = dyn("info", path)
    assert warned.status == 0
    assert "shoulder" in warned.err
    assert dyn("info", path, "--strict").status == 3
    assert not dyn("info", path, "--quiet").err


def test_info_lists_joints_in_file_order_with_what_they_have(dyn, model):
    result = dyn("info", model, "-f", "json").result()
    assert [joint["name"] for joint in result["joints"]] == ["shoulder", "elbow"]
    assert result["joints"][0]["damping"] == 0.6
    assert result["joints"][0]["effort"] == 20
    assert result["total_mass"] == pytest.approx(1.5, rel=1e-15)
    degrees = dyn("info", model, "--degrees", "-f", "json").result()["joints"][0]
    assert degrees["upper"] == pytest.approx(math.degrees(3.1), rel=1e-15)
    for option in ((), ("--tree",), ("--bodies",), ("--joints",)):
        text = dyn("info", model, *option, "-f", "table")
        assert text.status == 0
        assert "shoulder" in text.out or "upper" in text.out


# real processes ----------------------------------------------------------------------------------------------------


def test_model_and_states_from_standard_input(model):
    assert process("rnea", "-", "-f", "csv", input=TWO_LINKS).stdout.splitlines()[0] == "tau_shoulder,tau_elbow"
    done = process("rnea", model, "--states", "-", "-f", "csv", input="0.4,0.7\n0,0\n")
    assert [float(x) for x in done.stdout.splitlines()[1].split(",")] == pytest.approx(
        gravity_torque(0.4, 0.7), rel=1e-13
    )


def test_a_closed_pipe_ends_quietly(model, tmp_path):
    states = tmp_path / "s.csv"
    states.write_text("shoulder,elbow\n" + "0.1,0.2\n" * 200_000)
    command = f"{sys.executable} -m dyncli rnea {model} --states {states} --quiet | head -1"
    for buffered in ("", "1"):
        environment = {**os.environ, "PYTHONUNBUFFERED": buffered}
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, env=environment)
        assert done.stdout == "tau_shoulder,tau_elbow\n"
        assert done.stderr == ""


def test_the_first_row_of_an_endless_input_comes_at_once(model):
    command = [sys.executable, "-m", "dyncli", "rnea", str(model), "--states", "-", "-f", "csv"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        running.stdin.write("shoulder,elbow\n0.4,0.7\n")
        running.stdin.flush()
        start = time.monotonic()
        assert running.stdout.readline() == "tau_shoulder,tau_elbow\n"
        assert running.stdout.readline()
        assert time.monotonic() - start < 20  # it came before the input ended, on however slow a machine
        running.stdin.close()
        assert running.wait(30) == 0


def test_python_m_and_version():
    assert process("--version").stdout.startswith("dyn, version")
    assert process("rnea", "--help").returncode == 0


def test_the_shell_completes_commands_joints_and_frames(model):
    def completed(*words: str) -> list[str]:
        environment = {**os.environ, "_DYN_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["dyn", *words])}
        environment["COMP_CWORD"] = str(len(words))
        done = subprocess.run(
            [sys.executable, "-m", "dyncli"], capture_output=True, text=True, timeout=60, env=environment, check=True
        )
        return [line.split(",", 1)[1] for line in done.stdout.split()]

    assert completed("rn") == ["rnea"]
    assert completed("fk", str(model), "--frame", "fo") == ["fore"]
    assert completed("rnea", str(model), "--lock", "e") == ["elbow"]
    assert completed("rnea", "missing.urdf", "--lock", "e") == []
