"""`dyn ik --echo`: targets before the answers, so that the output is a file of targets and of states."""

import math

import pytest
from arms import SAMPLES
from command import caller

PLANAR_2R, ARM_7R = SAMPLES / "planar_2r.urdf", SAMPLES / "arm_7r.urdf"


@pytest.fixture
def dyn(capsys):
    """Run `dyn` in this process; JSON unless a format is named."""
    return caller(capsys, json_unless_named=True)


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "npz", "yaml"])
def test_echoed_targets_are_read_again(dyn, tmp_path, suffix):
    """What --echo writes is a file of the same targets, whatever stands beside them."""
    path, echoed = tmp_path / "targets.csv", tmp_path / f"echoed.{suffix}"
    path.write_text("t,x,y,z,roll,pitch,yaw\n0,0.35,0.1,0.4,0.3,-0.2,0.5\n1,9,0,0,0,0,0\n")
    first = dyn("ik", ARM_7R, "--targets", path, "--independent").results()
    assert dyn("ik", ARM_7R, "--targets", path, "--echo", "-o", echoed).status == 1
    again = dyn("ik", ARM_7R, "--targets", echoed, "--independent", "--echo")
    assert "columns that are not needed are skipped" in again.err
    assert [[each[axis] for axis in "xyz"] for each in again.results()] == [[0.35, 0.1, 0.4], [9.0, 0.0, 0.0]]
    for one, other in zip(first, again.results(), strict=True):
        assert other["converged"] == one["converged"]
        assert other["q"] == pytest.approx(one["q"], abs=1e-6)


def test_echo_puts_what_the_target_gives_before_the_answer(dyn):
    def header(*options: str) -> str:
        return ",".join(dyn("ik", PLANAR_2R, *options, "--echo", "-f", "csv").rows()[0])

    position, turn = "x,y,z", "qw,qx,qy,qz"
    assert header("--target", "0.3,0,0").startswith(f"{position},q_shoulder")
    assert header("--target", "0.3,0,0", "--target-rpy", "0,0,1", "--axes", "xy").startswith(f"{position},{turn},q_")
    assert header("--target-rpy", "0,0,1").startswith(f"{turn},q_shoulder")
    assert header("--target", "0.3,0,0", "--all").startswith(f"solution,{position},q_shoulder")
    moved = dyn("ik", PLANAR_2R, "--q", "0,1.5707963267948966", "--delta", "0.01,0,0", "--echo").results()[0]
    assert [moved[name] for name in "xyz"] == pytest.approx([0.21, 0.15, 0.0], abs=1e-12)
    assert "qw" not in moved
    half = dyn("ik", PLANAR_2R, "--target-rpy", "0,0,60", "--degrees", "--echo").results()[0]
    wanted = [math.cos(math.pi / 6), 0.0, 0.0, 0.5]
    assert [half[name] for name in ("qw", "qx", "qy", "qz")] == pytest.approx(wanted, abs=1e-12)


def test_echo_chains_into_the_commands_on_states(dyn, tmp_path):
    path, echoed = tmp_path / "targets.csv", tmp_path / "echoed.csv"
    path.write_text("x,y,z\n0.3,0,0\n0.25,0.1,0\n")
    assert dyn("ik", PLANAR_2R, "--targets", path, "--q", "0.3,0.6", "--echo", "-o", echoed).status == 0
    poses = dyn("fk", PLANAR_2R, "--states", echoed, "--frame", "tip").results()
    assert [each["frames"]["tip"]["position"][:2] for each in poses] == [
        pytest.approx(wanted, abs=2e-6) for wanted in ([0.3, 0.0], [0.25, 0.1])
    ]


def test_a_row_that_is_none_is_echoed_empty(dyn, tmp_path):
    path = tmp_path / "targets.csv"
    path.write_text("x,y,z\n0.3,0,0\n,0.1,0\n")
    rows = dyn("ik", PLANAR_2R, "--targets", path, "--q", "0.3,0.6", "--echo", "-f", "csv").rows()
    assert rows[1][:3] == ["0.3", "0.0", "0.0"]
    assert set(rows[2]) == {""}
