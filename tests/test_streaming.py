"""Reading, computing and writing at once: the order stays, memory is bounded, errors and interrupts end everything."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from dyncli.cli.main import run
from dyncli.pipeline import AHEAD, in_order

ARM = str(Path(__file__).parent.parent / "sample_models" / "arm_6r.urdf")

# the jobs themselves ----------------------------------------------------------------------------------------------


def made_of(sizes, threads, delay=lambda k: 0.0):
    def job(k):
        time.sleep(delay(k))
        return k

    jobs = ((lambda k=k: job(k)) for k in range(len(sizes)))
    return in_order(jobs, lambda k: sizes[k], lambda k, first: (k, first), threads)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order_with_what_was_made_before(threads):
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 9, 60).tolist()
    delays = rng.uniform(0.0, 2e-3, 60)
    found = list(made_of(sizes, threads, lambda k: delays[k]))
    assert found == [(k, sum(sizes[:k])) for k in range(60)]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_jobs(count, threads):
    assert len(list(made_of([1] * count, threads))) == count


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("where", ["job", "work", "reading"])
@pytest.mark.parametrize("at", [0, 1, 7])
def test_an_error_comes_in_the_place_of_its_result(at, where, threads):
    def jobs():
        for k in range(40):
            if where == "reading" and k == at:
                raise ValueError(k)
            yield lambda k=k: job(k)

    def job(k):
        if where == "job" and k >= at:
            raise ValueError(k)
        return k

    def work(k, first):
        time.sleep(0.001 * (k % 3))
        if where == "work" and k >= at:
            raise ValueError(k)
        return k

    found = []
    before = threading.active_count()
    with pytest.raises(ValueError, match=f"^{at}$"):
        found.extend(in_order(jobs(), lambda _: 1, work, threads))
    assert found == list(range(at))
    assert threading.active_count() == before


def test_no_more_jobs_are_under_way_than_memory_should_hold():
    taken = 0

    def jobs():
        nonlocal taken
        for k in range(100):
            taken += 1
            yield lambda k=k: k

    for done in in_order(jobs(), lambda _: 1, lambda k, _: k, 3):
        time.sleep(0.002)
        assert taken <= done + 1 + 3 + AHEAD


def test_one_thread_is_this_one_and_the_first_job_always():
    here = threading.current_thread()
    seen = list(in_order([threading.current_thread] * 4, lambda _: 1, lambda thread, _: thread, 1))
    assert seen == [here] * 4
    seen = list(in_order([threading.current_thread] * 4, lambda _: 1, lambda thread, _: thread, 2))
    assert seen[0] is here
    assert here not in seen[1:]


def test_results_do_not_wait_for_an_input_that_waits():
    more = threading.Event()

    def jobs():
        yield lambda: 0
        yield lambda: 1
        more.wait(10)
        yield lambda: 2

    results = in_order(jobs(), lambda _: 1, lambda k, _: k, 2)
    assert [next(results), next(results)] == [0, 1]
    assert not more.is_set()
    more.set()
    assert list(results) == [2]


def test_closing_ends_the_threads():
    before = threading.active_count()
    results = made_of([1] * 1000, 4)
    assert [next(results)[0], next(results)[0]] == [0, 1]
    results.close()
    assert threading.active_count() == before


# the command line -------------------------------------------------------------------------------------------------


JOINTS = ("waist", "shoulder", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")
ROWS = 6000
EMPTY = range(700, ROWS, 1299)


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    """Rows with a time, some with an empty cell, a comment between: more than a few blocks."""
    values = np.random.default_rng(0).uniform(-1.0, 1.0, (ROWS, 3 * len(JOINTS)))
    lines = [",".join(["t", *(f"{block}_{name}" for block in ("q", "qd", "qdd") for name in JOINTS)])]
    for k, row in enumerate(values.tolist()):
        cells = [repr(0.01 * k), *map(repr, row)]
        if k in EMPTY:
            cells[3] = ""
        lines.append(",".join(cells))
        if k == ROWS // 2:
            lines.append("# a pause")
    path = tmp_path_factory.mktemp("log") / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def line_of(row: int) -> int:
    return row + 2 + (row > ROWS // 2)


def answered(capsys, *arguments: object) -> tuple[int, str]:
    """Exit status and standard error of `dyn` in this process."""
    with pytest.raises(SystemExit) as ended:
        run([str(argument) for argument in arguments])
    return ended.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "suffix"),
    [
        (["rnea", "--echo"], "csv"),
        (["rnea", "--split"], "jsonl"),
        (["mass"], "csv"),
        (["fk", "--frame", "tool,forearm"], "csv"),
        (["rnea", "--summary"], "json"),
        (["rnea", "--differentiate", "savgol:7"], "csv"),
    ],
    ids=" ".join,
)
def test_any_number_of_threads_writes_the_same(command, suffix, log, tmp_path, capsys):
    name, *options = command
    written = []
    if "--differentiate" in options:
        options += ["--ignore-extra"]
    for threads in (1, 3):
        output = tmp_path / f"{threads}.{suffix}"
        status, said = answered(capsys, name, ARM, "--states", log, "-o", output, "--threads", threads, *options)
        named = [int(line) for line in re.findall(r"log\.csv:(\d+): no answer", said)]
        assert status == 1
        if "--differentiate" not in options:
            assert named == [line_of(row) for row in EMPTY]
        written.append((said, output.read_bytes()))
    assert written[0] == written[1]


def test_rows_before_a_wrong_one_do_not_become_a_file(log, tmp_path, capsys):
    lines = log.read_text().splitlines()
    lines[4000] = lines[4000].replace("0.", "0,", 1)
    broken = tmp_path / "broken.csv"
    broken.write_text("\n".join(lines))
    before = threading.active_count()
    for threads in (1, 3):
        output = tmp_path / "tau.csv"
        status, said = answered(capsys, "rnea", ARM, "--states", broken, "-o", output, "--threads", threads)
        assert status == 4
        assert "broken.csv:4001: 20 values, expected 19" in said
        assert list(tmp_path.iterdir()) == [broken]
    assert threading.active_count() == before


def dyn_process(*arguments: object, **streams) -> subprocess.Popen:
    command = [sys.executable, "-m", "dyncli", *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **streams)


def test_rows_of_a_slow_input_come_out_as_they_go_in():
    with dyn_process("rnea", ARM, "--states", "-", "--threads", "2", stdout=subprocess.PIPE) as running:
        running.stdin.write(",".join(JOINTS) + "\n")
        for k in range(4):
            running.stdin.write("0.1,0.2,0.3,0.4,0.5,0.6\n")
            running.stdin.flush()
            if k == 0:
                running.stdout.readline()  # the header
            start = time.monotonic()
            assert running.stdout.readline().count(",") == len(JOINTS) - 1
            assert time.monotonic() - start < 2.0
        running.stdin.close()
        assert running.wait(10) == 0


def test_an_interrupt_ends_a_run_that_waits_for_rows(tmp_path):
    output = tmp_path / "tau.csv"
    with dyn_process("rnea", ARM, "--states", "-", "-o", output, "--threads", "2") as running:
        row = "0.1,0.2,0.3,0.4,0.5,0.6\n"
        running.stdin.write(",".join(JOINTS) + "\n" + row)
        running.stdin.flush()
        while not list(tmp_path.iterdir()):  # the partial output file: it runs
            time.sleep(0.02)
        for _ in range(3):  # one block each, so that threads are at work
            time.sleep(0.2)
            running.stdin.write(row)
            running.stdin.flush()
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        said = running.stderr.read()
        assert running.wait(10) == 130
        assert "interrupted" in said
        assert "Traceback" not in said
        assert list(tmp_path.iterdir()) == []


def test_a_reader_that_leaves_ends_the_run_quietly(log):
    command = f"{sys.executable} -m dyncli rnea {ARM} --states {log} --threads 2 -q | head -2 | wc -l"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "2"
    assert done.stderr == ""


def test_memory_does_not_grow_with_the_rows(log, tmp_path):
    peaks = []
    rows = log.read_text().splitlines(keepends=True)
    for times in (1, 10):
        states = tmp_path / "states.csv"
        with states.open("w") as file:
            file.write(rows[0])
            for _ in range(times):
                file.writelines(rows[1:])
        code = (
            "import resource, sys\nfrom dyncli.cli.main import run\n"
            f"try:\n    run(['rnea', {ARM!r}, '--states', {str(states)!r}, '-o', {str(tmp_path / 'tau.csv')!r}, '-q',"
            " '--threads', '2'])\n"
            "except SystemExit:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout) / 1024)
    assert peaks[1] - peaks[0] < 25.0, peaks
