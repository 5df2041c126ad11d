"""`dyn ik` and the Jacobian half of `dyn fk` at the command line: published figures, files of targets, statuses."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from arms import PANDA, SAMPLES, UR5
from command import caller

PLANAR_2R, PLANAR_3R = SAMPLES / "planar_2r.urdf", SAMPLES / "planar_3r.urdf"
ARM_6R, ARM_7R = SAMPLES / "arm_6r.urdf", SAMPLES / "arm_7r.urdf"
SHARED = Path(__file__).parent.parent.parent / "shared" / "cases"


@pytest.fixture
def dyn(capsys):
    """Run `dyn` in this process; JSON unless a format is named."""
    return caller(capsys, json_unless_named=True)


# published figures ---------------------------------------------------------------------------------------------------


def test_both_solutions_of_the_planar_arm(dyn):
    answer = dyn("ik", PLANAR_2R, "--target", "0.212028,0.244889,0", "--all", "--degrees")
    solutions = [each["q"] for each in answer.result()["solutions"]]
    assert [[round(x, 4) for x in q] for q in sorted(solutions)] == [[30.0001, 44.9999], [68.2271, -44.9999]]
    assert {each["branch"] for each in answer.result()["solutions"]} == {"elbow+", "elbow-"}


def test_out_of_reach_with_its_numbers(dyn):
    answer = dyn("ik", PLANAR_2R, "--target", "0.40,0,0")
    result = answer.result()
    assert answer.status == 1
    assert (result["converged"], result["reason"]) == (False, "unreachable")
    assert "D = 1.625, 1 - D² = -1.640625" in result["detail"]
    assert "0.05 to 0.35 m" in result["detail"]
    assert result["position_error"] == pytest.approx(0.05, rel=1e-9)
    assert "unreachable" in answer.err


@pytest.mark.parametrize(
    ("bend", "det", "values", "condition"),
    [
        (90, "0.0300000", ["0.269451", "0.111337"], "2.4"),
        (45, "0.0212132", ["0.351840", "0.060292"], "5.8"),
        (10, "0.0052094", ["0.379341", "0.013733"], "27.6"),
        (2, "0.0010470", ["0.380731", "0.002750"], "138.5"),
        (0, "0.0000000", ["0.380789", "0.000000"], None),
    ],
)
def test_table_of_singular_values(dyn, bend, det, values, condition):
    result = dyn(
        "fk", PLANAR_2R, "--q", f"30,{bend}", "--degrees", "--frame", "tip", "--jacobian", "tip", "--axes", "xy"
    ).result()
    assert f"{result['det']:.7f}" == det
    assert [f"{value:.6f}" for value in result["singular_values"]] == values
    assert (None if result["condition"] is None else f"{result['condition']:.1f}") == condition
    assert result["manipulability"] == pytest.approx(abs(result["det"]), abs=1e-15)


@pytest.mark.parametrize(
    ("method", "damping", "step", "moved"),
    [
        ("pinv", None, "0.626520", "1.0000"),
        ("dls", 0.001, "0.409784", "0.7585"),
        ("dls", 0.005, "0.044071", "0.5113"),
        ("dls", 0.01, "0.011702", "0.5077"),
        ("dls", 0.05, "0.001394", "0.4992"),
    ],
)
def test_one_step_of_a_millimetre_near_the_straight_arm(dyn, method, damping, step, moved):
    options = ["--method", method, *([] if damping is None else ["--damping", damping])]
    start = f"{math.radians(30)!r},{math.radians(1)!r}"
    answer = dyn(
        "ik", PLANAR_2R, "--q", start, "--delta", "0.001,0,0", *options, "--max-iter", 1, "--restarts", 0, "--trace"
    )
    (row,) = answer.result()["trace"]
    assert f"{row['step']:.6f}" == step
    assert f"{1000 * row['J_step']:.4f}" == moved
    assert row["damping"] == (damping or 0.0)
    assert np.linalg.norm(row["dq"]) == pytest.approx(row["step"], rel=1e-15)


def test_six_steps_of_the_three_link_arm_and_its_null_space(dyn):
    answer = dyn(
        *("ik", PLANAR_3R, "--target", "0.30,0.20,0", "--q", "0.1,0.5,0", "--method", "dls", "--damping", 0.05),
        *("--null", "vector=1,1,1"),
    )
    result = answer.result()
    assert result["iterations"] == 6
    assert [f"{math.degrees(x):.4f}" for x in result["q"]] == ["-7.5005", "67.2642", "15.0619"]
    assert [f"{x:.6f}" for x in result["null_step"]] == ["0.038069", "-0.231649", "0.463807"]
    q, step = np.array(result["q"]), np.array(result["null_step"])
    tips = [
        dyn(
            "fk",
            PLANAR_3R,
            "--frame",
            "tip",
            "--q",
            ",".join(map(repr, (q + k * step / np.linalg.norm(step)).tolist())),
        )
        for k in (0.0, 0.05, 0.025)
    ]
    here, whole, half = (np.array(tip.result()["frames"]["tip"]["position"]) for tip in tips)
    assert f"{1000 * np.linalg.norm(whole - here):.6f}" == "0.059555"
    assert np.linalg.norm(half - here) == pytest.approx(np.linalg.norm(whole - here) / 4, rel=0.02)


def test_one_damped_step_by_hand(dyn, tmp_path):
    """K09, at the command line."""
    model = SHARED / "K09" / "model.urdf"
    if not model.exists():
        pytest.skip("the shared cases are not here")
    answer = dyn(
        *("ik", model, "--q", "0,0.01", "--delta", "0.1,0,0", "--method", "dls", "--damping", 0.1, "--max-iter", 1),
        *("--restarts", 0, "--trace"),
    )
    assert answer.result()["trace"][0]["dq"] == pytest.approx([0.0197201850017177, -0.0400389775602165], abs=1e-9)


# answers -------------------------------------------------------------------------------------------------------------


def test_eight_solutions_of_an_arm_with_a_spherical_wrist(dyn):
    result = dyn("ik", ARM_6R, "--target", "0.3,0.1,0.35,1,0,0,0", "--all", "--no-limits").result()
    assert len(result["solutions"]) == 8
    assert len({each["branch"] for each in result["solutions"]}) == 8
    distances = [each["distance"] for each in result["solutions"]]
    assert distances == sorted(distances)
    for each in result["solutions"]:
        assert each["position_error"] < 1e-12
        pose = dyn("fk", ARM_6R, "--frame", "tool", "--q", ",".join(map(repr, each["q"]))).result()["frames"]["tool"]
        assert pose["position"] == pytest.approx([0.3, 0.1, 0.35], abs=1e-12)
        assert pose["quaternion"] == pytest.approx([1, 0, 0, 0], abs=1e-12)


@pytest.mark.parametrize(("model", "frame"), [(UR5, "tool0"), (PANDA, "panda_hand"), (ARM_7R, "tool")])
def test_poses_of_fk_are_found_again_and_the_error_is_that_of_the_numbers_printed(dyn, model, frame, tmp_path):
    poses, answers = tmp_path / "poses.csv", tmp_path / "answers.csv"
    assert dyn("fk", model, "--samples", 20, "--seed", 3, "--frame", frame, "-o", poses).status == 0
    assert dyn("ik", model, "--frame", frame, "--targets", poses, "--independent", "-o", answers).status == 0
    assert dyn("fk", model, "--frame", frame, "--states", answers, "-o", tmp_path / "again.csv").status == 0
    wanted, found = (
        np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding=None)
        for path in (poses, tmp_path / "again.csv")
    )
    printed = np.genfromtxt(answers, delimiter=",", names=True, dtype=None, encoding=None)
    distance = np.sqrt(sum((wanted[c] - found[c]) ** 2 for c in "xyz"))
    np.testing.assert_allclose(distance, printed["position_error"], atol=1e-12)
    assert printed["position_error"].max() < 1e-6


def test_tool_and_partial_targets(dyn):
    target = "0.6,0.1,0.5,0.7071067811865476,0,0.7071067811865476,0"
    result = dyn("ik", ARM_7R, "--target", target, "--axes", "xyzrp", "--tool", "0,0,0.1").result()
    assert result["converged"]
    q = ",".join(map(repr, result["q"]))
    pose = dyn("fk", ARM_7R, "--frame", "tool", "--tool", "0,0,0.1", "--q", q).result()["frames"]["tool"]
    assert pose["position"] == pytest.approx([0.6, 0.1, 0.5], abs=2e-6)
    assert np.array(pose["rotation"])[:, 2] == pytest.approx([1.0, 0.0, 0.0], abs=2e-6)


def test_orientation_alone_and_rpy_in_degrees(dyn):
    result = dyn("ik", ARM_6R, "--target-rpy", "20,30,-40", "--degrees").result()
    assert result["converged"]
    assert result["position_error"] is None
    q = ",".join(map(repr, result["q"]))
    R = np.array(dyn("fk", ARM_6R, "--frame", "tool", "--q", q, "--degrees").result()["frames"]["tool"]["rotation"])
    roll = math.atan2(R[2, 1], R[2, 2])
    pitch = math.asin(-R[2, 0])
    yaw = math.atan2(R[1, 0], R[0, 0])
    assert np.degrees([roll, pitch, yaw]) == pytest.approx([20, 30, -40], abs=1e-4)


def test_null_criteria_keep_the_target_and_raise_the_criterion(dyn):
    base = ("ik", ARM_7R, "--target", "0.35,0.1,0.5,0,0,1,0")
    plain = dyn(*base).result()
    better = dyn(*base, "--null", "manipulability").result()
    assert better["converged"]
    assert better["manipulability"] > 1.02 * plain["manipulability"]
    posture = dyn(*base, "--null", "posture=joint1=0.4").result()
    assert posture["converged"]
    assert posture["q"][0] == pytest.approx(0.4, abs=1e-4)
    middle = dyn(*base, "--null", "limits").result()
    assert middle["converged"]
    assert np.linalg.norm(middle["q"]) <= np.linalg.norm(plain["q"]) + 1e-9


def test_degrees_in_and_out(dyn):
    radians = dyn("ik", PLANAR_2R, "--target", "0.2,0.2,0", "--q", "0.3,0.4").result()["q"]
    degrees = dyn(
        "ik", PLANAR_2R, "--target", "0.2,0.2,0", "--degrees", "--q", f"{math.degrees(0.3)},{math.degrees(0.4)}"
    )
    assert degrees.json()["model"]["angle_unit"] == "deg"
    assert np.radians(degrees.result()["q"]) == pytest.approx(radians, rel=1e-9)


def test_a_seed_fixes_the_answer(dyn):
    base = ("ik", PANDA, "--frame", "panda_hand", "--target", "0.4,-0.3,0.3,0,1,0,0")
    assert dyn(*base, "--seed", 4).out == dyn(*base, "--seed", 4).out


# paths ---------------------------------------------------------------------------------------------------------------


def test_a_path_has_no_flips(dyn):
    """K13: elbow down throughout, from each answer to the next."""
    model, targets = SHARED / "K13" / "model.urdf", SHARED / "K13" / "targets.csv"
    if not model.exists():
        pytest.skip("the shared cases are not here")
    results = dyn("ik", model, "--targets", targets, "--q", "-0.3,1.5").results()
    assert all(result["converged"] for result in results)
    assert all(result["q"][1] > 0 for result in results)
    assert results[0]["step"] is None
    assert max(result["step"] for result in results[1:]) < 0.0391
    assert results[-1]["q"] == pytest.approx([-0.0594576816274093, 2.40318007889204], abs=1e-9)
    assert not any(result["branch_changed"] for result in results)
    assert {result["branch"] for result in results} == {"elbow+"}


@pytest.mark.parametrize(
    "columns", ["x,y,z", "x,y,z,qw,qx,qy,qz", "roll,pitch,yaw,z,y,x", "qw,qx,qy,qz", "none3", "none6", "none7"]
)
def test_layouts_of_targets(dyn, tmp_path, columns):
    """One pose, said in several ways."""
    values = {"x": 0.35, "y": 0.1, "z": 0.4, "roll": 0.3, "pitch": -0.2, "yaw": 0.5}
    c, s = (
        {k: math.cos(values[k] / 2) for k in ("roll", "pitch", "yaw")},
        {k: math.sin(values[k] / 2) for k in ("roll", "pitch", "yaw")},
    )
    values |= {
        "qw": c["roll"] * c["pitch"] * c["yaw"] + s["roll"] * s["pitch"] * s["yaw"],
        "qx": s["roll"] * c["pitch"] * c["yaw"] - c["roll"] * s["pitch"] * s["yaw"],
        "qy": c["roll"] * s["pitch"] * c["yaw"] + s["roll"] * c["pitch"] * s["yaw"],
        "qz": c["roll"] * c["pitch"] * s["yaw"] - s["roll"] * s["pitch"] * c["yaw"],
    }
    names = {"none3": "x,y,z", "none6": "x,y,z,roll,pitch,yaw", "none7": "x,y,z,qw,qx,qy,qz"}.get(columns, columns)
    lines = [",".join(repr(values[name]) for name in names.split(","))]
    path = tmp_path / "targets.csv"
    path.write_text("\n".join(lines if columns.startswith("none") else [names, *lines]) + "\n")
    result = dyn("ik", ARM_7R, "--targets", path).result()
    assert result["converged"]
    pose = dyn("fk", ARM_7R, "--frame", "tool", "--q", ",".join(map(repr, result["q"]))).result()["frames"]["tool"]
    if "x" in names.split(","):
        assert pose["position"] == pytest.approx([0.35, 0.1, 0.4], abs=2e-6)
    if "q" in names or "roll" in names:
        wanted = [values[k] for k in ("qw", "qx", "qy", "qz")]
        assert pose["quaternion"] == pytest.approx(wanted, abs=2e-6)


def test_times_give_speeds_and_name_joints_that_are_too_fast(dyn, tmp_path):
    path = tmp_path / "targets.csv"
    path.write_text("t,x,y,z\n0,0.3,0,0\n0.001,0.25,0.1,0\n1.0,0.25,0.11,0\n")
    results = dyn("ik", PLANAR_2R, "--targets", path, "--q", "0.3,0.6").results()
    assert results[0]["rates"] == {"shoulder": None, "elbow": None}
    moved = np.array(results[1]["q"]) - np.array(results[0]["q"])
    assert list(results[1]["rates"].values()) == pytest.approx((moved / 0.001).tolist(), rel=1e-9)
    assert results[1]["too_fast"]
    assert not results[2]["too_fast"]
    assert results[1]["kept"] == {"t": 0.001}


def test_a_row_that_is_none_leaves_the_path_as_it_was(dyn, tmp_path):
    path = tmp_path / "targets.csv"
    path.write_text("x,y,z\n0.3,0,0\n,0.1,0\n0.29,0.01,0\n")
    answer = dyn("ik", PLANAR_2R, "--targets", path, "--q", "0.3,0.6")
    first, none, last = answer.results()
    assert answer.status == 1
    assert none["invalid"] is True
    assert none["q"] is None
    assert "targets.csv:3" in answer.err
    assert last["step"] == pytest.approx(np.abs(np.array(last["q"]) - np.array(first["q"])).max(), rel=1e-12)


def test_long_paths_in_blocks_are_the_same_path(dyn, tmp_path, monkeypatch):
    """Blocks of a reader are no seams: step and branch look across them."""
    angles = np.linspace(0.2, 1.4, 300)
    path = tmp_path / "targets.jsonl"
    path.write_text(
        "".join(json.dumps({"x": 0.25 * math.cos(a), "y": 0.25 * math.sin(a), "z": 0.0}) + "\n" for a in angles)
    )
    results = dyn("ik", PLANAR_2R, "--targets", path, "--q", "-0.5,1.4").results()
    assert len(results) == 300
    steps = [result["step"] for result in results]
    assert steps[0] is None
    assert max(steps[1:]) < 0.01


def test_summary_counts_and_extremes(dyn, tmp_path):
    path = tmp_path / "targets.csv"
    path.write_text("x,y,z\n0.3,0,0\n0.25,0.1,0\n0.5,0,0\n")
    answer = dyn("ik", PLANAR_2R, "--targets", path, "--summary")
    summary = answer.json()["summary"]
    assert (summary["rows"], summary["converged"]) == (3, 2)
    assert summary["joints"]["answer"]["position_error"]["max"] == pytest.approx(0.15, rel=1e-6)
    assert answer.status == 1


def test_csv_has_the_promised_columns(dyn, tmp_path):
    answer = dyn("ik", PLANAR_2R, "--target", "0.3,0,0", "-f", "csv")
    header = ["q_shoulder", "q_elbow", "converged", "position_error", "orientation_error", "iterations", "reason"]
    assert answer.rows()[0] == header
    path = tmp_path / "targets.csv"
    path.write_text("time,x,y,z\n0,0.3,0,0\n")
    rows = dyn("ik", PLANAR_2R, "--targets", path, "-f", "csv").rows()
    assert rows[0] == ["time", *header, "step", "branch_changed"]


# refusals ------------------------------------------------------------------------------------------------------------

TWO_HANDS = """<robot name="two_hands"><link name="base"/><link name="torso"/><link name="l_hand"/><link name="r_hand"/>
<joint name="yaw" type="continuous"><parent link="base"/><child link="torso"/><axis xyz="0 0 1"/></joint>
<joint name="l" type="continuous"><parent link="torso"/><child link="l_hand"/><origin xyz="0 0.3 0.5"/></joint>
<joint name="r" type="continuous"><parent link="torso"/><child link="r_hand"/><origin xyz="0 -0.3 0.5"/></joint></robot>
"""


def test_the_frame_is_chosen_by_the_user_where_there_are_several_leaves(dyn, tmp_path):
    """K15."""
    model = tmp_path / "hands.urdf"
    model.write_text(TWO_HANDS)
    several = dyn("ik", model, "--target", "0,0.3,0.5", "-f", "csv")
    assert several.status == 2
    assert "l_hand" in several.err
    assert "r_hand" in several.err
    unknown = dyn("ik", model, "--target", "0,0.3,0.5", "--frame", "nonsense", "-f", "csv")
    assert unknown.status == 2
    assert "torso" in unknown.err
    assert dyn("ik", model, "--target", "0,0.3,0.5", "--frame", "l_hand").result()["converged"]
    assert "only leaf" in dyn("ik", PLANAR_2R, "--target", "0.3,0,0").err


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ([], 2, ["--target"]),
        (["--target", "0.3,0,nan"], 2, ["nan", "not a number"]),
        (["--target", "0.3,0"], 2, ["2 numbers", "3 or 7"]),
        (["--target", "0.3,0,0", "--delta", "0,0,1"], 2, ["--target and --delta"]),
        (["--target", "0.3,0,0,2,0,0,0"], 2, ["norm 2"]),
        (["--target", "0.3,0,0", "--axes", "xyq"], 2, ["xyzrpw"]),
        (["--target", "0.3,0,0", "--axes", "xyw"], 2, ["no orientation", "'w'"]),
        (["--target-rpy", "0,0,0", "--axes", "x"], 2, ["no position", "'x'"]),
        (["--target-rpy", "0,0,0", "--target-quat", "1,0,0,0"], 2, ["two orientations"]),
        (["--target", "0.3,0,0,1,0,0,0", "--target-rpy", "0,0,0"], 2, ["an orientation already"]),
        (["--target", "0.3,0,0", "--rate", "10"], 2, ["--rate belongs to --targets"]),
        (["--target", "0.3,0,0", "--null", "joy"], 2, ["no criterion", "manipulability"]),
        (["--target", "0.3,0,0", "--null", "posture=elbo=1"], 2, ["'elbo'", "'elbow'"]),
        (["--target", "0.3,0,0", "--null", "vector=1,2,3"], 2, ["2 numbers", "shoulder, elbow"]),
        (["--target", "0.3,0,0", "--branch", "left"], 2, ["no branch", "elbow+"]),
        (["--target", "0.3,0,0", "--branch", "wrist+"], 2, ["no branch", "elbow+"]),
        (["--target", "0.3,0,0", "--method", "newton"], 2, ["newton"]),
        (["--target", "0.3,0,0", "--frame", "base"], 2, ["no joint moves"]),
        (["--target-rpy", "0,0,0", "--method", "analytic"], 2, ["no closed form"]),
        (["--target", "0.3,0,0", "--q", "1,2,3"], 4, ["2"]),
    ],
)
def test_what_is_asked_wrongly_is_refused_with_what_to_try(dyn, options, status, words):
    answer = dyn("ik", PLANAR_2R, *options, "-f", "csv")
    assert answer.status == status
    assert not answer.out
    for word in words:
        assert word in answer.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,y,z,foo\n1,2,3,4\n", ["foo", "--keep"]),
        ("x,y\n1,2\n", ["'z'"]),
        ("1,2,3,4,5\n", ["5 numbers", "3, 4, 6 or 7"]),
        ("x,y,z,qw,qx,qy,qz\n0.3,0,0,1,1,0,0\n", [":2", "norm 1.41421"]),
        ("x,y,z\n0.3,zero,0\n", [":2", "zero"]),
    ],
)
def test_files_that_hold_no_targets_are_refused(dyn, tmp_path, text, words):
    path = tmp_path / "targets.csv"
    path.write_text(text)
    answer = dyn("ik", PLANAR_2R, "--targets", path, "-f", "csv")
    assert answer.status == 4
    for word in words:
        assert word in answer.err


def test_crossed_limits_are_refused(dyn, tmp_path):
    model = tmp_path / "crossed.urdf"
    text = PLANAR_2R.read_text()
    model.write_text(text.replace('lower="', 'lower="5', 1))
    answer = dyn("ik", model, "--target", "0.3,0,0", "-f", "csv")
    assert answer.status == 3
    assert "lower" in answer.err


def test_help_says_that_collisions_are_not_checked(dyn):
    words = " ".join(dyn("ik", "--help", "-f", "csv").out.split())
    assert "collides with itself or the world is NOT checked" in words


def test_fk_reports_on_both_parts_of_a_jacobian(dyn):
    result = dyn("fk", ARM_6R, "--jacobian", "tool", "--frame", "tool", "--q", "0.3,0.2,-0.4,0.5,0,0.2").result()
    J = np.array(result["J"])
    for name, rows in (("linear", J[:3]), ("angular", J[3:])):
        assert result[name]["singular_values"] == pytest.approx(
            np.linalg.svd(rows, compute_uv=False).tolist(), rel=1e-12
        )
        assert result[name]["manipulability"] == pytest.approx(math.sqrt(np.linalg.det(rows @ rows.T)), rel=1e-10)
    whole = dyn("fk", ARM_6R, "--jacobian", "tool", "--axes", "xyzrpw", "--q", "0.3,0.2,-0.4,0.5,0,0.2").result()
    assert whole["singularity"]["joints"] == ["wrist_roll", "wrist_yaw"]
    assert whole["condition"] is None or whole["condition"] > 1e12
