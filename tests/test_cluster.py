"""`--cluster`: the same output from the processes of a real cluster, also when one of them is killed on the way."""

from __future__ import annotations

import json
import logging
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from dyncli import cluster as cluster_module
from dyncli.cli.main import run
from dyncli.readers import arrays, arrow, open_table, source
from dyncli.robot import load_robot
from dyncli.run import Answering
from dyncli.run import run as run_here
from dyncli.states import sampling, table_states
from dyncli.tasks.rnea import RneaTask
from dyncli.writers.fast import matrix_text

distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
ARM = str(Path(__file__).parent.parent / "sample_models" / "arm_6r.urdf")
JOINTS = ("waist", "shoulder", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")
COLUMNS = ["t", *(f"{block}_{name}" for block in ("q", "qd", "qdd") for name in JOINTS)]
PROCESSES = 2


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes of this machine; programs run from the first row, so that all digits can be compared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DYN_ENGINE", "program")
        with distributed.LocalCluster(
            n_workers=PROCESSES, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
        ) as started:
            yield started


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Parts of some hundred rows."""
    monkeypatch.setattr(source, "LARGEST_SIZE", 1 << 16)
    monkeypatch.setattr(cluster_module, "PART_BLOCKS", 2)
    monkeypatch.setattr(arrays, "BLOCK_ROWS", 500)
    monkeypatch.setattr(arrow, "BLOCK_ROWS", 250)
    monkeypatch.setattr(sampling, "BLOCK_ROWS", 100)


def answered(capsys, *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        run([str(argument) for argument in arguments])
    streams = capsys.readouterr()
    return ended.value.code, streams.out, streams.err


def rows(count: int, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, len(COLUMNS)))
    values[:, 0] = 0.01 * np.arange(count)
    return values


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    """Rows in several parts; an empty cell, comments and blank lines among them."""
    lines = matrix_text(rows(4000), b",").decode().split("\n")
    for k in (10, 2500, 3999):
        cells = lines[k].split(",")
        cells[COLUMNS.index("q_elbow")] = ""
        lines[k] = ",".join(cells)
    lines[1200] += "\n# a pause\n\n   \n#"
    path = tmp_path_factory.mktemp("log") / "log.csv"
    path.write_text("\n".join([",".join(COLUMNS), *lines]) + "\n\n")
    return path


@pytest.mark.parametrize(
    ("command", "suffix"),
    [(["rnea", "--echo"], "csv"), (["mass"], "csv"), (["rnea", "--split"], "npz")],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_the_same_output_and_messages_as_without(command, suffix, log, cluster, tmp_path, capsys):
    name, *options = command
    here, there = tmp_path / f"here.{suffix}", tmp_path / f"there.{suffix}"
    expected = answered(capsys, name, ARM, "--states", log, "-o", here, *options)
    found = answered(capsys, name, ARM, "--states", log, "-o", there, "--cluster", cluster.scheduler_address, *options)
    assert expected[0] == found[0] == 1
    assert "log.csv:4005: no answer: column 'q_elbow' is empty or nan" in found[2]
    assert expected[2] == found[2]
    if suffix == "npz":
        with np.load(here) as a, np.load(there) as b:
            assert a.files == b.files
            for key in a.files:
                np.testing.assert_array_equal(a[key], b[key])
    else:
        assert here.read_bytes() == there.read_bytes()


def test_a_summary_over_all_parts(log, cluster, capsys):
    arguments = ("rnea", ARM, "--states", log, "--summary", "-f", "json")
    here, there = (
        json.loads(answered(capsys, *arguments, *more)[1])["summary"]
        for more in ((), ("--cluster", cluster.scheduler_address))
    )
    assert here["states"] == there["states"] == 4000
    for joint in JOINTS:
        facts, expected = there["joints"][joint]["tau"], here["joints"][joint]["tau"]
        assert facts.pop("rms") == pytest.approx(expected.pop("rms"), rel=1e-13)  # sums of other blocks
        assert facts == expected


def test_parquet_and_folders(cluster, tmp_path, capsys):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "parts"
    folder.mkdir()
    for k in range(3):
        names = COLUMNS if k != 1 else COLUMNS[::-1]
        values = dict(zip(COLUMNS, rows(700, k).T, strict=True))
        if k == 2:
            values["q_elbow"][123] = np.nan
        parquet.write_table(pa.table({name: values[name] for name in names}), folder / f"{k}.parquet", 300)
    arguments = ("rnea", ARM, "--states", folder, "-f", "csv", "--keep", "qd_waist")
    expected = answered(capsys, *arguments)
    assert expected[0] == 1
    assert answered(capsys, *arguments, "--cluster", cluster.scheduler_address) == expected
    assert f"{folder / '2.parquet'}, row 124: no answer" in expected[2]


def test_a_folder_gets_a_file_a_part_when_all_is_there(log, cluster, tmp_path, capsys):
    arguments = ("rnea", ARM, "--states", log, "--cluster", cluster.scheduler_address)
    folder = tmp_path / "tau"
    status, out, _ = answered(capsys, *arguments, "-f", "csv")
    assert status == 1
    assert answered(capsys, *arguments, "-o", f"{folder}/")[0] == 1
    assert list(tmp_path.iterdir()) == [folder]
    parts = [path.read_text().splitlines() for path in sorted(folder.iterdir())]
    assert len(parts) > 5
    assert {part[0] for part in parts} == {out.splitlines()[0]}
    assert [line for part in parts for line in part[1:]] == out.splitlines()[1:]
    status, _, said = answered(capsys, *arguments, "-o", folder)
    assert status == 2
    assert "this folder is not empty" in said
    broken = tmp_path / "broken.csv"
    broken.write_text(log.read_text() + "1,2\n")
    again = ("rnea", ARM, "--states", broken, "--cluster", cluster.scheduler_address, "-o", f"{tmp_path}/again/")
    assert answered(capsys, *again)[0] == 4
    assert sorted(tmp_path.iterdir()) == [broken, folder]


def test_errors_name_the_line_and_leave_no_file(log, cluster, tmp_path, capsys):
    lines = log.read_text().splitlines()
    lines[3000] = lines[3000].replace("0.", "0,", 1)
    broken = tmp_path / "broken.csv"
    broken.write_text("\n".join(lines))
    arguments = ("rnea", ARM, "--states", broken, "-o", tmp_path / "tau.csv")
    status, _, said = answered(capsys, *arguments, "--cluster", cluster.scheduler_address)
    assert status == 4
    assert "broken.csv:3001: 20 values, expected 19" in said
    assert list(tmp_path.iterdir()) == [broken]


def test_a_header_alone_gives_a_header(cluster, tmp_path, capsys):
    empty = tmp_path / "empty.csv"
    empty.write_text(",".join(COLUMNS) + "\n")
    expected = answered(capsys, "rnea", ARM, "--states", empty, "-f", "csv")
    found = answered(capsys, "rnea", ARM, "--states", empty, "-f", "csv", "--cluster", cluster.scheduler_address)
    assert found == expected


@pytest.mark.parametrize("kind", ["csv.gz", "npz", "samples", "differentiate"])
def test_parts_that_are_no_stretch_of_a_file(kind, log, cluster, tmp_path, capsys):
    import gzip

    states = ["--states", tmp_path / f"log.{kind}"]
    if kind == "csv.gz":
        states[1].write_bytes(gzip.compress(log.read_bytes()))
    elif kind == "npz":
        values = rows(4000)
        np.savez(states[1], t=values[:, 0], q=values[:, 1:7], qd=values[:, 7:13], qdd=values[:, 13:])
    elif kind == "samples":
        states = ["--samples", "1050", "--seed", "3"]
    else:
        states = ["--states", log, "--differentiate", "savgol:31", "--ignore-extra"]
    arguments = ("rnea", ARM, *states, "-f", "csv", "--echo")
    expected = answered(capsys, *arguments)
    assert expected[0] == (kind in ("csv.gz", "differentiate"))
    assert answered(capsys, *arguments, "--cluster", cluster.scheduler_address) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("--q", "0,0,0,0,0,0"), "given one by one"), (("--states", "LOG"), "read as a whole and cannot be shared out")],
)
def test_what_cannot_be_shared_out(arguments, words, cluster, tmp_path, capsys):
    whole = tmp_path / "log.json"
    whole.write_text(json.dumps([{"q": [0.0] * 6}] * 3))
    arguments = [{"LOG": whole}.get(word, word) for word in arguments]
    status, _, said = answered(capsys, "mass", ARM, *arguments, "--cluster", cluster.scheduler_address)
    assert status == 2
    assert words in said


def test_an_address_without_a_scheduler_is_told(log, monkeypatch, capsys):
    from dyncli import cluster

    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    status, _, said = answered(capsys, "rnea", ARM, "--states", log, "--cluster", "127.0.0.1:9")
    assert status == 2
    assert "no scheduler answers" in said
    assert answered(capsys, "rnea", ARM, "--states", log, "--cluster", "local:x")[0] == 2


class Lines:
    """A sink that keeps what it is given, and does something once."""

    def __init__(self, then=None) -> None:
        self.found: list[list[list[float]]] = []
        self.then = then

    def encode(self, result, kept, first):
        return [list(map(float, leaf)) for leaf in result.values["tau"]]

    def put(self, encoded) -> None:
        self.found.append(encoded)
        if self.then:
            self.then()
            self.then = None


def test_the_part_of_a_killed_worker_is_computed_again(log, cluster):
    from dyncli.cluster import Order, run_on_cluster

    task = RneaTask(load_robot(ARM))
    needs = ("q", *task.needs)
    expected = Lines()
    with open_table(str(log)) as table:
        outcome = run_here(Answering(task, expected), table_states(task.tree, table, needs), expected)
    before = {name: worker.process.pid for name, worker in cluster.workers.items()}

    def kill() -> None:
        os.kill(next(iter(before.values())), signal.SIGKILL)

    found = Lines(kill)
    with open_table(str(log)) as table:
        order = Order(task, Lines(), echo=False, degrees=False)
        states = table_states(task.tree, table, needs)
        assert run_on_cluster(cluster.scheduler_address, order, states, found) == outcome
    assert np.array_equal(np.concatenate(found.found, axis=1), np.concatenate(expected.found, axis=1))
    after = {name: worker.process.pid for name, worker in cluster.workers.items() if worker.process}
    assert before != after
