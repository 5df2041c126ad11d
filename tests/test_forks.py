"""Forked processes answer parts of the states: the same bytes as one process, also when one is killed; none is left."""

from __future__ import annotations

import gzip
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dyncli.forks import can_fork

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked on Linux alone")

ARM = str(Path(__file__).parent.parent / "sample_models" / "arm_6r.urdf")
JOINTS = ("waist", "shoulder", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")
COLUMNS = ["t", *(f"{block}_{name}" for block in ("q", "qd", "qdd") for name in JOINTS)]
ROWS = 3000
SMALL = """
import os
import sys
from dyncli import __main__, forks
os.environ.setdefault(*__main__.BLAS_THREADS)
from dyncli.cli.main import run
from dyncli.readers import arrays, arrow, delimited, source
delimited.LARGEST_SIZE = source.LARGEST_SIZE = 1 << 16
source._READ = 1 << 12
arrays.BLOCK_ROWS = arrow.BLOCK_ROWS = 200
started = []
forked = forks.Forks._fork
def _fork(self):
    started.append(forked(self))
    return started[-1]
forks.Forks._fork = _fork
{more}
try:
    run(sys.argv[1:])
finally:
    print(len(started), "forked", file=sys.stderr)
"""
"""`dyn` with blocks of some hundred rows; says last on standard error how many processes were forked."""


def dyn(*arguments: object, more: str = "", **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SMALL.format(more=more), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


def without_count(said: str) -> str:
    return re.sub(r"\d+ forked\n", "", said)


@pytest.fixture(scope="module")
def logs(tmp_path_factory) -> Path:
    """The same states in several formats; in the text an empty cell, comments and blank lines."""
    folder = tmp_path_factory.mktemp("logs")
    values = np.random.default_rng(0).uniform(-1.0, 1.0, (ROWS, len(COLUMNS)))
    values[:, 0] = 0.01 * np.arange(ROWS)
    lines = [",".join(map(repr, row)) for row in values.tolist()]
    lines[1200] += "\n# a pause\n\n   \n#"
    lines[1700] = lines[1700].replace(repr(float(values[1700, 3])), "")
    (folder / "log.csv").write_text("\n".join([",".join(COLUMNS), *lines]) + "\n\n")
    (folder / "log.csv.gz").write_bytes(gzip.compress((folder / "log.csv").read_bytes()))
    np.save(folder / "log.npy", values[:, 1:])
    arrays = {"t": values[:, 0], "q": values[:, 1:7], "qd": values[:, 7:13], "qdd": values[:, 13:]}
    np.savez(folder / "log.npz", **arrays)
    many = folder / "many"
    many.mkdir()
    for k in range(3):
        text = "\n".join([",".join(COLUMNS), *lines[1000 * k : 1000 * (k + 1)]])
        (many / f"{k}.csv").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("states", "options", "status"),
    [
        (["--states", "log.csv"], ["--echo", "--keep", "t"], 1),
        (["--states", "log.csv"], ["--summary", "-f", "json"], 1),
        (["--states", "log.csv", "--differentiate", "savgol:31", "--ignore-extra"], [], 1),
        (["--states", "many", "--differentiate", "central", "--ignore-extra"], [], 1),
        (["--states", "log.csv.gz"], ["-f", "jsonl"], 1),
        (["--states", "many"], [], 1),
        (["--states", "log.npy"], [], 0),
        (["--states", "log.npz", "--differentiate", "savgol:5", "--ignore-extra"], [], 0),
        (["--samples", "26000", "--seed", "4"], ["--echo"], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_same_bytes_from_any_number_of_processes(states, options, status, logs):
    arguments = ["rnea", ARM, *states, *options]
    one, three = (dyn(*arguments, "--threads", threads, cwd=logs) for threads in (1, 3))
    assert (one.returncode, three.returncode) == (status, status)
    assert "0 forked" in one.stderr
    assert "3 forked" in three.stderr
    assert one.stdout == three.stdout
    assert without_count(one.stderr) == without_count(three.stderr)
    assert len(one.stdout) > 500


def test_parquet_whose_library_has_threads_of_its_own(logs, tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    values = np.load(logs / "log.npy")
    table = pa.table(dict(zip(COLUMNS[1:], values.T, strict=True)))
    parquet.write_table(table, tmp_path / "log.parquet", row_group_size=300)
    arguments = ("rnea", ARM, "--states", tmp_path / "log.parquet", "-f", "csv")
    one, two = (dyn(*arguments, "--threads", threads) for threads in (1, 2))
    assert "2 forked" in two.stderr
    assert one.stdout == two.stdout
    assert one.stdout.count("\n") == ROWS + 1


def test_comments_alone_give_a_header(tmp_path):
    (tmp_path / "log.csv").write_text(",".join(COLUMNS) + "\n" + "# nothing\n" * 100_000)
    one, two = (dyn("rnea", ARM, "--states", tmp_path / "log.csv", "--threads", threads) for threads in (1, 2))
    assert one.stdout == two.stdout
    assert two.stdout.count("\n") == 1


def test_long_blocks_of_large_results(logs, tmp_path):
    written = []
    for threads in (1, 2):
        output = tmp_path / f"{threads}.npz"
        assert dyn("mass", ARM, "--states", "log.csv", "-o", output, "--threads", threads, cwd=logs).returncode == 1
        with np.load(output) as arrays:
            written.append({name: arrays[name] for name in arrays.files})
    assert written[0]["M"].shape == (ROWS, 6, 6)
    for name, array in written[0].items():
        np.testing.assert_array_equal(array, written[1][name])


def test_answers_that_cost_more_to_hand_over_than_to_find_are_not(logs):
    arguments = ("mass", ARM, "--states", "log.csv", "--threads", "2")
    found = dyn(*arguments, cwd=logs, more="forks._HANDING_OVER = 1.0")
    assert "0 forked" in found.stderr
    assert found.stdout == dyn(*arguments, cwd=logs).stdout


ON_THE_WAY = """
answer, parent = forks.answer_part, os.getpid()
def answer_part(answering, part, first):
    if first > {first} and os.getpid() != parent:
        {act}
    return answer(answering, part, first)
forks.answer_part = answer_part
"""
"""Something that a forked process does instead of a part's answer."""


def on_the_way(act: str, first: int = 1000) -> str:
    return ON_THE_WAY.format(first=first, act=act)


def test_the_parts_of_killed_processes_are_answered_all_the_same(logs):
    arguments = ("rnea", ARM, "--states", "log.csv", "--threads", "2")
    expected = dyn(*arguments, cwd=logs)
    found = dyn(*arguments, cwd=logs, more=on_the_way("os.kill(os.getpid(), 9)"))
    assert (found.returncode, found.stdout) == (1, expected.stdout)


def test_a_fault_in_a_process_is_told_by_the_one_that_started_it(logs):
    found = dyn("rnea", ARM, "--states", "log.csv", "--threads", "2", cwd=logs, more=on_the_way("int('broken')"))
    assert found.returncode == 70
    assert "ValueError" in found.stderr
    assert "broken" in found.stderr


def test_an_error_names_the_line_and_leaves_no_file(logs, tmp_path):
    lines = (logs / "log.csv").read_text().splitlines()
    lines[2000] = lines[2000].replace("0.", "0,", 1)
    broken = tmp_path / "broken.csv"
    broken.write_text("\n".join(lines))
    found = dyn("rnea", ARM, "--states", broken, "-o", tmp_path / "tau.csv", "--threads", "2")
    assert found.returncode == 4
    assert "broken.csv:2001: 20 values, expected 19" in found.stderr
    assert list(tmp_path.iterdir()) == [broken]


def test_times_that_go_back_between_two_parts(logs, tmp_path):
    lines = (logs / "log.csv").read_text().splitlines()
    messages = []
    for threads in (1, 2):
        for line in (170, 177, 178, 179, 180, 181, 190):  # about the end of the first part
            broken = tmp_path / "broken.csv"
            broken.write_text("\n".join([*lines[:line], lines[line + 1], lines[line], *lines[line + 2 :]]))
            how = ("--differentiate", "savgol:9", "--ignore-extra", "--threads", threads)
            found = dyn("rnea", ARM, "--states", broken, *how, "-o", tmp_path / "tau.csv")
            assert found.returncode == 4
            messages.append(without_count(found.stderr))
    assert messages[: len(messages) // 2] == messages[len(messages) // 2 :]
    assert all("the times must increase" in message for message in messages)


def test_a_thread_that_is_there_already_means_threads(logs):
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()"
    arguments = ("rnea", ARM, "--states", "log.csv", "--threads", "2")
    found = dyn(*arguments, cwd=logs, more=thread)
    assert "0 forked" in found.stderr
    assert found.stdout == dyn(*arguments, cwd=logs).stdout


@pytest.mark.parametrize("states", [["--states", "-"], ["--samples", "700"], ["--q", "0,0,0,0,0,0"]], ids=" ".join)
def test_what_cannot_be_cut_or_is_short_is_not(states):
    found = dyn("rnea", ARM, *states, "--threads", "2", input=",".join(JOINTS) + "\n" + "0,0,0,0,0,0\n" * 20_000)
    assert found.returncode == 0
    assert "0 forked" in found.stderr


def children(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def gone(pids: list[int]) -> bool:
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_end_from_outside_ends_all_processes(number, logs, tmp_path):
    slow = on_the_way("__import__('time').sleep(1)", first=0)
    command = [sys.executable, "-c", SMALL.format(more=slow), "rnea", ARM, "--states", str(logs / "log.csv")]
    output = tmp_path / "tau.csv"
    with subprocess.Popen([*command, "-o", output, "--threads", "2"], stderr=subprocess.PIPE, text=True) as running:
        while len(forked := children(running.pid)) < 2:
            time.sleep(0.02)
        for pid in (running.pid, *forked):  # as a terminal does
            if number == signal.SIGINT or pid == running.pid:
                os.kill(pid, number)
        said = running.stderr.read() if number == signal.SIGINT else ""
        status = running.wait(10)
    if number == signal.SIGINT:
        assert status == 130
        assert "interrupted" in said
        assert "Traceback" not in said
        assert list(tmp_path.iterdir()) == []
        assert gone(forked)


def test_a_reader_that_leaves_ends_the_run_quietly(logs):
    command = (
        f"{sys.executable} -c '{SMALL.format(more='')}' rnea {ARM} --states {logs}/log.csv --threads 2 -q | head -2"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert len(done.stdout.splitlines()) == 2
    assert without_count(done.stderr) == ""


def test_a_process_with_one_thread_can_fork():
    code = "from dyncli.forks import can_fork; print(can_fork())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\n"
    assert isinstance(can_fork(), bool)
