"""Names to coordinates: inline values, keyframes, samples, and the columns of a file."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from robots import floating, free_body, gripper, joint, robot, two_joints

from dyncli.build import build_tree
from dyncli.errors import StateError, UsageError
from dyncli.readers import open_table
from dyncli.states import Remarks, echo_vectors, inline_state, sample_states, table_states

RNEA = ("q", "qd", "qdd")
FD = ("q", "qd", "tau")
DEGREE = math.pi / 180


def q_of(tree, text, **options):
    return inline_state(tree, {"q": text}, **options).q


def remarks_of(tree, texts, **options):
    remarks = Remarks()
    inline_state(tree, texts, remarks=remarks, **options)
    return remarks


def message(error) -> str:
    return "\n".join(error.value.lines())


# inline -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "q"),
    [
        ("0.1,0.2", [0.1, 0.2]),
        ("0.1 0.2", [0.1, 0.2]),
        (" .1, 2e-1 ", [0.1, 0.2]),
        ("elbow=0.4", [0.0, 0.4]),
        ("elbow=0.4, shoulder=-1", [-1.0, 0.4]),
        ('"elbow"=0.4', [0.0, 0.4]),
        ("neutral", [0.0, 0.0]),
        ("mid", [0.0, 1.0]),
    ],
)
def test_inline_positions(text, q):
    assert q_of(two_joints(), text) == q


def test_what_is_not_given_is_neutral_or_nothing():
    state = inline_state(two_joints(), {"qd": "elbow=2", "tau": None})
    assert (state.q, state.qd, state.qdd, state.tau) == ([0.0, 0.0], [0.0, 2.0], None, None)


@pytest.mark.parametrize("name", ["a=b", "arm:1@tip", "left.arm/x", "joint 2", "x,y"])
def test_the_last_equals_sign_separates_and_names_may_hold_nearly_anything(name):
    tree = build_tree(robot(joint(name), joint("other", parent=f"{name}_link")))
    quoted = f'"{name}"' if "," in name else name
    assert q_of(tree, f"other=1,{quoted}=0.5") == [0.5, 1.0]


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("0.1", StateError, ["1 value", "expected 2", "shoulder, elbow"]),
        ("0.1,0.2,0.3", StateError, ["3 values", "expected 2", "shoulder, elbow"]),
        ("", StateError, ["0 values"]),
        ("nan,0", StateError, ["nan", "finite"]),
        ("elbow=inf", StateError, ["'elbow'", "inf"]),
        ("elbw=1", UsageError, ["'elbw'", "'elbow'"]),
        ("q_elbow=1", UsageError, ["'q_elbow'", "'elbow'"]),
        ("elbow=x", UsageError, ["'x'", "'elbow'", "not a number"]),
        ("elbow=", UsageError, ["'elbow'"]),
        ("elbow=1_0", UsageError, ["'1_0'"]),
        ("0,abc", UsageError, ["'abc'", "not a number", "shoulder, elbow"]),
        ("0.1,elbow=2", UsageError, ["'0.1'", "NAME=VALUE"]),
        ("elbow=1,elbow=2", UsageError, ["'elbow'", "twice"]),
        ('"elbow=1', UsageError, ["quote"]),
        ("key:home", UsageError, ["'home'", "no named keyframes"]),
        ("@nowhere.csv", StateError, ["nowhere.csv", "No such file"]),
    ],
)
def test_inline_errors_say_what_and_where(text, error, words):
    with pytest.raises(error) as caught:
        q_of(two_joints(), text)
    for word in ["--q", *words] if "@" not in text and "key:" not in text and "quote" not in words else words:
        assert word in message(caught)


def test_words_for_positions_are_no_words_for_velocities():
    with pytest.raises(UsageError, match="for q only"):
        inline_state(two_joints(), {"qd": "mid"})
    assert inline_state(two_joints(), {"qd": "neutral"}).qd == [0.0, 0.0]


def test_degrees_turn_angles_only():
    tree = gripper()
    state = inline_state(tree, {"q": "0.5,90,0.01", "qd": "wrist=180,rail=1", "tau": "1,2,3"}, degrees=True)
    assert state.q == pytest.approx([0.5, math.pi / 2, 0.01], abs=0, rel=1e-15)
    assert state.qd == pytest.approx([1.0, math.pi, 0.0])
    assert state.tau == [1.0, 2.0, 3.0]


def test_quaternions_by_name_in_either_convention_and_unit_afterwards():
    named = "root.qw=0.6,root.qx=0.8,leg=1"
    assert q_of(floating("pinocchio"), named) == pytest.approx([0, 0, 0, 0.8, 0, 0, 0.6, 1])
    assert q_of(floating("mujoco"), named) == pytest.approx([0, 0, 0, 0.6, 0.8, 0, 0, 1])
    q = q_of(floating("mujoco"), "0,0,0,0.6001,0.8,0,0,1")
    assert math.hypot(*q[3:7]) == pytest.approx(1.0, abs=1e-15)
    with pytest.raises(StateError, match=r"'root'.*norm 1.41421"):
        q_of(floating("mujoco"), "0,0,0,1,1,0,0,0")


def test_several_coordinates_are_not_said_by_the_joint_alone():
    with pytest.raises(UsageError, match=r"root\.x, root\.y"):
        q_of(floating(), "root=1")


def test_mimicking_and_locked_joints_are_compared():
    tree = gripper(lock={"wrist": 0.5})
    assert remarks_of(tree, {"q": "left=0.04,right=-0.03,wrist=0.5"}) == Remarks()
    (warning,) = remarks_of(tree, {"q": "left=0.04,right=0.04"}).warnings
    assert "'right' mimics 'left' and is -0.03, not 0.04" in warning
    (warning,) = remarks_of(tree, {"q": "wrist=30"}, degrees=True).warnings
    assert "'wrist' is locked and is 28.6479, not 30" in warning


def test_positions_outside_the_limits_are_noticed():
    (warning,) = remarks_of(two_joints(), {"q": "60,0"}).warnings
    assert "shoulder 60 (limits [-2, 2])" in warning
    assert "--degrees" in warning
    assert remarks_of(two_joints(), {"q": "60,0"}, degrees=True).warnings == []
    (warning,) = remarks_of(two_joints(), {"q": "180,0"}, degrees=True).warnings
    assert "shoulder 180 (limits [-114.592, 114.592])" in warning
    assert remarks_of(two_joints(), {"q": "2,2.5"}).warnings == []


def test_keyframes_in_both_conventions_and_with_a_locked_joint():
    texts = {"q": "key:home", "qd": "key:home"}
    state = inline_state(free_body(), texts)
    assert state.q == [1, 2, 3, 0.6, 0.8, 0, 0, 0, 0, 1, 0, 0.5]
    assert state.qd == list(range(10))
    state = inline_state(free_body(convention="pinocchio"), texts)
    assert state.q == [1, 2, 3, 0.8, 0, 0, 0.6, 0, 1, 0, 0, 0.5]
    # half-angle cosine 0.6, sine 0.8 about x: cos -0.28, sin 0.96; Rᵀ (0, 1, 2)
    assert state.qd == pytest.approx([0, -0.28 + 0.96 * 2, -0.96 - 0.28 * 2, 3, 4, 5, 6, 7, 8, 9])
    state = inline_state(free_body(lock={"hip": None}), texts)
    assert state.q == [1, 2, 3, 0.6, 0.8, 0, 0, 0.5]
    assert state.qd == [0, 1, 2, 3, 4, 5, 9]


def test_keyframes_that_are_unknown_or_too_short():
    with pytest.raises(UsageError, match="'hom'") as caught:
        q_of(free_body(), "key:hom")
    assert "'home'" in message(caught)
    with pytest.raises(StateError, match="2 numbers, expected 12"):
        q_of(free_body(), "key:short")


def test_file_as_inline_value(tmp_path):
    (tmp_path / "s.csv").write_text("qd_elbow,qd_shoulder,elbow,shoulder\n3,4,1,2\n9,9,9,9\n")
    (tmp_path / "s.json").write_text('{"q": [0.25, 0.5]}')
    (tmp_path / "list.yaml").write_text("[1e-1, 2e-1]")
    state = inline_state(two_joints(), {"q": f"@{tmp_path / 's.csv'}", "qd": f"@{tmp_path / 's.csv'}"})
    assert (state.q, state.qd) == ([2.0, 1.0], [4.0, 3.0])
    assert q_of(two_joints(), f"@{tmp_path / 's.json'}") == [0.25, 0.5]
    assert inline_state(two_joints(), {"tau": f"@{tmp_path / 'list.yaml'}"}).tau == [0.1, 0.2]
    with pytest.raises(StateError, match="no tau"):
        inline_state(two_joints(), {"tau": f"@{tmp_path / 's.json'}"})


def test_one_state_needs_no_numpy(tmp_path):
    (tmp_path / "s.csv").write_text("elbow,shoulder\n1,2\n")
    code = (
        "import sys; from robots import gripper, two_joints; from dyncli.states import inline_state;"
        "inline_state(two_joints(), {'q': 'elbow=1', 'qd': 'random', 'tau': '1,2'});"
        f"inline_state(two_joints(), {{'q': '@{tmp_path / 's.csv'}'}});"
        "assert 'numpy' not in sys.modules and 'yaml' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent, timeout=60)


# samples ----------------------------------------------------------------------------------------------------------


def joined(blocks):
    blocks = list(blocks)
    assert [block.first for block in blocks] == np.cumsum([0, *(block.count for block in blocks)])[:-1].tolist()
    return [np.concatenate(columns) for columns in zip(*((*b.q, *b.qd, *b.qdd, *b.tau) for b in blocks), strict=True)]


@pytest.mark.parametrize("tree", [two_joints(), gripper(), floating(), free_body()], ids=lambda tree: str(tree.nq))
def test_samples_do_not_depend_on_blocks_or_on_how_many(tree):
    whole = joined(sample_states(tree, 50, 3))
    parts = joined(sample_states(tree, 50, 3, block_rows=7))
    fewer = joined(sample_states(tree, 20, 3))
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))
    assert all(np.array_equal(a[:20], b) for a, b in zip(whole, fewer, strict=True))
    assert not np.array_equal(whole[0], joined(sample_states(tree, 50, 4))[0])


@pytest.mark.parametrize("seed", [0, 1, -5, 2**70 + 3])
def test_random_is_the_first_sample(seed):
    tree = floating()
    first = [column[0] for column in joined(sample_states(tree, 2, seed))]
    state = inline_state(tree, dict.fromkeys(("q", "qd", "qdd", "tau"), "random"), seed=seed)
    assert [*state.q, *state.qd, *state.qdd, *state.tau] == pytest.approx(first, rel=1e-14)


def test_samples_are_those_of_the_documented_generator():
    uniforms = random.Random(11)
    expected = [-2 + 4 * uniforms.random(), -0.5 + 3 * uniforms.random()]
    (block,) = sample_states(two_joints(), 1, 11, ("q",))
    assert [leaf[0] for leaf in block.q] == expected
    assert block.qd is None


def test_samples_have_the_promised_distribution():
    (block,) = sample_states(two_joints(), 20_000, 0, block_rows=20_000)
    shoulder, elbow = block.q
    assert -2 <= shoulder.min() < -1.99
    assert 1.99 < shoulder.max() <= 2
    assert -0.5 <= elbow.min() < -0.49
    assert 2.49 < elbow.max() <= 2.5
    for leaf in (*block.qd, *block.qdd, *block.tau):
        assert abs(leaf.mean()) < 0.03
        assert leaf.std() == pytest.approx(1, abs=0.03)
    (block,) = sample_states(floating(), 100, 0)
    assert np.sum(np.square(block.q[3:7]), axis=0) == pytest.approx(1.0)
    assert all(leaf.flags.c_contiguous for leaf in block.q)


# tables -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def states(tmp_path):
    def make(tree, text, needs=RNEA, name="s.csv", **options):
        (tmp_path / name).write_text(text)
        source = table_states(tree, open_table(str(tmp_path / name)), needs, **options)
        (block,) = source
        return block, source.remarks

    return make


def numbers(leaves):
    return None if leaves is None else [list(map(float, leaf)) for leaf in leaves]


def test_columns_in_any_order(states):
    block, remarks = states(two_joints(), "qd_elbow,t,elbow,qd_shoulder,q_shoulder\n1,0.10,2,3,1.5\n5,0.2,2.5,7,-1\n")
    assert numbers(block.q) == [[1.5, -1.0], [2.0, 2.5]]
    assert numbers(block.qd) == [[3.0, 7.0], [1.0, 5.0]]
    assert block.qdd is None
    assert block.tau is None
    assert block.kept == {"t": ["0.10", "0.2"]}
    assert list(block.lines) == [2, 3]
    assert remarks == Remarks()
    assert all(leaf.flags.c_contiguous and leaf.dtype == float for leaf in (*block.q, *block.qd))


def test_absent_positions_are_neutral(states):
    block, _ = states(floating("mujoco"), ",".join(f"qd_{name}" for name in floating().dofs) + "\n" + "1," * 6 + "2\n")
    assert numbers(block.q) == [[value] for value in (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)]
    assert numbers(block.qd) == [[1.0]] * 6 + [[2.0]]


@pytest.mark.parametrize("convention", ["mujoco", "pinocchio"])
def test_quaternions_say_themselves_which_is_which(states, convention):
    tree = floating(convention)
    header = "leg,root.qz,root.qy,root.qx,root.qw,root.x,root.y,root.z"
    block, _ = states(tree, f"{header}\n1,0,0,0.8,0.6,1,2,3\n")
    found = dict(zip(tree.coordinates, numbers(block.q), strict=True))
    assert found["root.qw"] == pytest.approx([0.6])
    assert found["root.qx"] == pytest.approx([0.8])
    assert found["root.z"] == [3.0]


@pytest.mark.parametrize(
    ("text", "options", "error", "words"),
    [
        ("elbow\n1\n", {}, StateError, ["missing column", "q_shoulder"]),
        ("elbow,shoulder,qd_elbow\n1,2,3\n", {}, StateError, ["qd", "missing column", "qd_shoulder", "--fill-missing"]),
        ("elbow,shoulder,wrist\n1,2,3\n", {}, StateError, ["'wrist'", "--ignore-extra", "shoulder, elbow"]),
        ("elbow,sholder\n1,2\n", {}, StateError, ["'sholder'", "'shoulder'"]),
        ("elbow,shoulder,foo,bar\n1,2,3,4\n", {}, StateError, ["'foo'", "'bar'"]),
        ("elbow,shoulder,\n1,2,\n", {}, StateError, ["''"]),
        ("elbow,q_elbow,shoulder\n1,2,3\n", {}, StateError, ["the same", "elbow", "q_elbow"]),
        ("elbow,elbow,shoulder\n1,2,3\n", {}, StateError, ["the same", "elbow"]),
        ("elbow,shoulder\n1,2\n", {"keep": ["sholder"]}, UsageError, ["--keep", "'sholder'", "'shoulder'"]),
        ("1,2\n", {"keep": ["t"]}, UsageError, ["--keep", "no header"]),
        ("1,2,3\n", {}, StateError, ["3 columns", "2 (q), 4 (q, qd), 6 (q, qd, qdd)"]),
        ("elbow,shoulder\n1,2\n", {"timed": True}, StateError, ["no time column"]),
        ("elbow,shoulder\n1,x\n", {}, StateError, [":2:", "'shoulder'", "'x'"]),
    ],
)
def test_columns_that_do_not_fit_are_named(states, text, options, error, words):
    with pytest.raises(error) as caught:
        states(two_joints(), text, **options)
    for word in words:
        assert word in message(caught)


def test_fill_missing_and_ignore_extra(states):
    block, _ = states(
        two_joints(), "elbow,qd_elbow,wrist\n1,2,x\n", fill_missing=True, ignore_extra=True, keep=["wrist"]
    )
    assert numbers(block.q) == [[0.0], [1.0]]
    assert numbers(block.qd) == [[0.0], [2.0]]
    assert block.kept == {"wrist": ["x"]}


def test_what_dyn_writes_is_skipped_with_one_notice(states):
    header = "elbow,shoulder,tau_elbow,tau_shoulder,gravity_elbow,coriolis_shoulder,qdd_elbow,qdd_shoulder"
    block, remarks = states(two_joints(), header + "\n1,2,3,4,5,6,7,8\n", ("q", "qd"))
    assert numbers(block.q) == [[2.0], [1.0]]
    (notice,) = remarks.notices
    for column in header.split(",")[2:]:
        assert column in notice


def test_time_is_no_time_where_a_joint_is_called_so(states):
    tree = build_tree(robot(joint("t"), joint("stamp_joint", parent="t_link")))
    block, _ = states(tree, "t,stamp_joint,time\n1,2,0.5\n", timed=True)
    assert numbers(block.q) == [[1.0], [2.0]]
    assert block.kept == {"time": ["0.5"]}
    assert block.time.tolist() == [0.5]


@pytest.mark.parametrize(
    ("width", "needs", "blocks"),
    [
        (2, RNEA, ("q",)),
        (4, RNEA, ("q", "qd")),
        (6, RNEA, ("q", "qd", "qdd")),
        (8, RNEA, ("q", "qd", "qdd", "tau")),
        (6, FD, ("q", "qd", "tau")),
        (8, FD, ("q", "qd", "qdd", "tau")),
        (4, ("q",), ("q", "qd")),
    ],
)
def test_without_a_header_blocks_stand_in_order(states, width, needs, blocks):
    block, remarks = states(two_joints(), ",".join(map(str, range(width))) + "\n", needs)
    expected = {name: [[2.0 * k], [2.0 * k + 1]] for k, name in enumerate(blocks)}
    for name in ("q", "qd", "qdd", "tau"):
        assert numbers(block.given(name)) == (expected.get(name) if name in needs else None)
    assert any(", ".join(blocks) in notice for notice in remarks.notices)


def test_rows_that_cannot_be_used_are_marked_and_harmless(states):
    block, _ = states(two_joints(), "elbow,shoulder,qd_elbow,qd_shoulder,tau_elbow\n,1,1,1,\n1,2,inf,1,\n1,1,1,1,\n")
    assert {k: why.split(" is ") for k, why in block.invalid.items()} == {
        0: ["column 'elbow'", "empty or nan"],
        1: ["column 'qd_elbow'", "infinite"],
    }
    assert numbers(block.q) == [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    assert numbers(block.qd) == [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]


def test_a_quaternion_that_is_none_is_refused_by_line(states):
    header = ",".join(floating("mujoco").coordinates)
    with pytest.raises(StateError, match=r"s\.csv:3: .*'root'.*norm 1.1") as caught:
        states(floating("mujoco"), f"{header}\n0,0,0,1,0,0,0,0\n0,0,0,1.1,0,0,0,0\n")
    assert "root.qw, root.qx" in message(caught)
    block, _ = states(floating("mujoco"), f"{header}\n0,0,0,1.0005,0,0,0,0\n0,0,0,nan,0,0,0,0\n")
    assert numbers(block.q)[3] == [1.0, 1.0]
    assert list(block.invalid) == [1]


def test_degrees_in_files(states):
    block, _ = states(gripper(), "rail,wrist,left,qd_rail,qd_wrist,qd_left\n1,90,0,2,180,0\n", degrees=True)
    assert numbers(block.q) == [[1.0], [pytest.approx(math.pi / 2)], [0.0]]
    assert numbers(block.qd) == [[2.0], [pytest.approx(math.pi)], [0.0]]
    q, qd = echo_vectors(gripper(), block, ("q", "qd"), degrees=True)
    assert numbers(q.leaves) == [[1.0], [pytest.approx(90.0)], [0.0]]
    assert numbers(qd.leaves) == [[2.0], [pytest.approx(180.0)], [0.0]]
    assert q.columns == ("q_rail", "q_wrist", "q_left")


def test_echo_of_what_was_not_given_is_zero(states):
    block, _ = states(two_joints(), "elbow,shoulder\n1,2\n3,-1\n")
    _, qd = echo_vectors(two_joints(), block, ("q", "qd"))
    assert numbers(qd.leaves) == [[0.0, 0.0], [0.0, 0.0]]


def test_dependent_columns_are_compared_with_one_warning(states):
    header = "rail,wrist,left,right,qd_right\n"
    assert states(gripper(), header + "0,0,0.04,-0.03,0\n0,0,0.04,-0.03,0\n")[1] == Remarks()
    _, remarks = states(gripper(), header + "0,0,0.04,-0.03,0\n0,0,0.04,0.07,0\n0,0,0.04,0.02,0.01\n")
    (warning,) = remarks.warnings
    for word in ("s.csv:3", "'right'", "'left'", "0.1", "qd_right"):
        assert word in warning
    tree = gripper(lock={"wrist": 0.5})
    _, remarks = states(tree, "rail,wrist,left,tau_wrist,qd_wrist\n0,0.75,0.01,9,0\n", FD)
    (warning,) = remarks.warnings
    assert "'wrist'" in warning
    assert "0.25" in warning
    assert "locked" in warning


def test_limits_are_counted_over_all_rows(states):
    _, remarks = states(two_joints(), "shoulder,elbow\n" + "0,0\n" * 7 + "2.5,3\n-3,0\n")
    (warning,) = remarks.warnings
    assert "shoulder in 2 of 9 states, farthest -3 (limits [-2, 2])" in warning
    assert "elbow in 1 of 9 states, farthest 3" in warning


def test_a_header_alone_gives_one_block_of_no_states(states):
    block, _ = states(two_joints(), "shoulder,elbow\n")
    assert block.count == 0
    assert numbers(block.q) == [[], []]


def test_records_and_arrays_map_like_columns(states, tmp_path):
    tree = two_joints()
    record = {"t": 0.5, "q": {"elbow": 1.0, "shoulder": 2.0}, "qd": [3.0, 4.0], "tau": [1, 1]}
    block, remarks = states(tree, json.dumps([record, record]), name="s.json")
    assert numbers(block.q) == [[2.0, 2.0], [1.0, 1.0]]
    assert numbers(block.qd) == [[3.0, 3.0], [4.0, 4.0]]
    assert block.kept == {"t": [0.5, 0.5]}
    assert "tau" in remarks.notices[0]
    for text, words in (('{"q": [1, 2, 3]}', "q has 3 values, expected 2: shoulder, elbow"), ('{"q": [1]}', "q_elbow")):
        with pytest.raises(StateError, match=words):
            states(tree, text, name="s.json")
    np.savez(tmp_path / "s.npz", q=[[1.0, 2.0]], qd=[[3.0, 4.0]], t=[7.0])
    (block,) = table_states(tree, open_table(str(tmp_path / "s.npz")), RNEA)
    assert (numbers(block.q), numbers(block.qd), block.kept) == ([[1.0], [2.0]], [[3.0], [4.0]], {"t": [7.0]})


def test_blocks_run_on_from_each_other(states, tmp_path):
    count = 400_000
    (tmp_path / "s.csv").write_text("shoulder,elbow\n" + "".join(f"{k}e-5,0.5\n" for k in range(count)))
    blocks = list(table_states(two_joints(), open_table(str(tmp_path / "s.csv")), ("q",)))
    assert len(blocks) > 1
    assert np.concatenate([block.q[0] for block in blocks]).tolist() == [float(f"{k}e-5") for k in range(count)]
    assert [block.first for block in blocks] == np.cumsum([0, *(block.count for block in blocks)])[:-1].tolist()
