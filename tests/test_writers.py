"""Results to text and files: numbers that read back, rows without an answer, files whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import yaml

from dyncli.errors import UsageError
from dyncli.readers import open_table
from dyncli.result import STATE, Header, Matrix, Result, Sheet, Vector, matrix_sheet, vector_sheet
from dyncli.writers import FORMATS, fast, format_of, open_writer

NAMES = ("shoulder", "elbow")
HEADER = Header(
    "rnea", {"name": "arm", "nq": 2, "gravity": [0.0, 0.0, -9.81]}, notes=("gravity down",), warnings=("early",)
)


def vectors(tau, invalid=None, count=None):
    """tau and a constant gravity of a batch (arrays) or of one state (floats)."""
    count = count if count is not None else len(tau[0]) if hasattr(tau[0], "shape") else 1
    gravity = [0.0, 1.5]
    sheet = vector_sheet([Vector("tau", NAMES, tau, ("N m", "N")), Vector("gravity", NAMES, gravity, ("N", "N"))])
    return Result(count, {"tau": tau, "gravity": gravity}, sheet, invalid or {})


def matrices(entries, condition, count, invalid=None):
    rows = [[entries, 0.0], [0.0, 2.0]]
    return Result(
        count, {"M": rows, "condition": condition}, matrix_sheet([Matrix("M", NAMES, NAMES, rows)]), invalid or {}
    )


def written(format, *blocks, kept=None, warnings=(), extra=None, path=None, **options):
    """Everything a writer writes, read from a file."""
    with open_writer(format, path, HEADER, **options) as writer:
        for block in blocks:
            rows = slice(writer.states, writer.states + block.count)
            writer.write(block, {name: column[rows] for name, column in (kept or {}).items()})
        writer.close(warnings, extra)
    return path.read_bytes()


@pytest.fixture
def text_of(tmp_path):
    def make(format, *blocks, **options):
        return written(format, *blocks, path=tmp_path / f"out.{format}", **options).decode()

    return make


@pytest.fixture(params=[True, False], ids=["orjson", "plain"])
def either_way(request, monkeypatch):
    """With the extra `fast` and without it."""
    if not request.param:
        monkeypatch.setattr(fast, "_orjson", lambda: None)


def batch(count, seed=0):
    return [np.random.default_rng(seed + k).standard_normal(count) * 10.0 ** (k - 4) for k in range(2)]


# CSV --------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("either_way")
def test_csv_reads_back_to_the_same_doubles(text_of):
    tau = batch(5000)
    rows = list(csv.reader(io.StringIO(text_of("csv", vectors(tau)))))
    assert rows[0] == ["tau_shoulder", "tau_elbow", "gravity_shoulder", "gravity_elbow"]
    for k, leaf in enumerate([*tau, np.zeros(5000), np.full(5000, 1.5)]):
        assert [float(row[k]) for row in rows[1:]] == leaf.tolist()


@pytest.mark.usefixtures("either_way")
def test_blocks_of_any_size_and_single_states_give_the_same_text(text_of):
    tau = batch(7)
    whole = text_of("csv", vectors(tau))
    parts = text_of("csv", vectors([t[:3] for t in tau]), vectors([t[3:3] for t in tau]), vectors([t[3:] for t in tau]))
    assert parts == whole
    single = [vectors([float(t[k]) for t in tau]) for k in range(7)]
    assert [list(map(float, r)) for r in csv.reader(text_of("csv", *single).splitlines()[1:])] == [
        list(map(float, r)) for r in csv.reader(whole.splitlines()[1:])
    ]


@pytest.mark.usefixtures("either_way")
def test_kept_columns_come_first_and_as_they_stood(text_of):
    kept = {"t": ["0.00", "0.10", "0.20"], 'no"te': ["a,b", "", "x"]}
    lines = text_of("csv", vectors(batch(3)), kept=kept).splitlines()
    assert lines[0].startswith('t,"no""te",tau_shoulder')
    assert lines[1].startswith('0.00,"a,b",')
    assert lines[2].startswith("0.10,,")


@pytest.mark.usefixtures("either_way")
def test_matrix_rows_are_labelled_with_state_and_row(text_of):
    text = text_of(
        "csv", matrices(np.array([1.5, 2.5]), 1.0, 2), matrices(np.array([3.5]), 1.0, 1), kept={"t": ["0", "1", "2"]}
    )
    assert text.splitlines() == [
        "t,state,row,shoulder,elbow",
        *(line for k in range(3) for line in (f"{k},{k},shoulder,{k + 1.5},0.0", f"{k},{k},elbow,0.0,2.0")),
    ]


def test_several_matrices_are_named_and_share_columns(text_of):
    a = Matrix("A", ("r",), ("x", "y"), [[np.array([1.0]), 2.0]])
    b = Matrix("B", ("r",), ("u",), [[3.0]])
    result = Result(1, {}, matrix_sheet([a, b]))
    assert text_of("csv", result).splitlines() == ["matrix,state,row,x,y,u", "A,0,r,1.0,2.0,", "B,0,r,,,3.0"]


def test_a_state_without_an_answer_is_a_row_of_empty_cells(text_of, tmp_path):
    text = text_of("csv", vectors(batch(3), invalid={1: "why"}), kept={"t": ["0", "1", "2"]})
    assert text.splitlines()[2] == "1,,,,"
    text = text_of("tsv", matrices(np.array([1.0, np.nan]), 1.0, 2, invalid={1: "why"}))
    assert text.splitlines()[3:] == ["1\tshoulder\t\t", "1\telbow\t\t"]
    lonely = [np.array([1.0, 2.0, 3.0])]
    result = Result(3, {"tau": lonely}, vector_sheet([Vector("tau", ("lift",), lonely)]), {1: "why"})
    assert text_of("csv", result) == 'tau_lift\n1.0\n""\n3.0\n'
    (block,) = open_table(str(tmp_path / "out.csv")).blocks([0])
    assert [math.isnan(value) for value in block.numbers[0]] == [False, True, False]


def test_cells_that_are_no_finite_numbers(text_of):
    leaves = [
        np.array([np.inf, 1.0]),
        np.array([True, False]),
        np.array([3, 4]),
        np.array(["a,b", "c"], dtype=object),
        None,
    ]
    sheet = Sheet(("condition", "converged", "iterations", "reason", "nothing"), [leaves])
    assert text_of("csv", Result(2, {}, sheet)).splitlines()[1:] == ['inf,true,3,"a,b",', "1.0,false,4,c,"]


def test_results_replace_echoed_inputs_of_their_name():
    old, new = Vector("tau", NAMES, [1.0, 2.0]), Vector("tau", NAMES, [3.0, 4.0])
    sheet = vector_sheet([new], [Vector("q", NAMES, [5.0, 6.0]), old])
    assert sheet.columns == ("q_shoulder", "q_elbow", "tau_shoulder", "tau_elbow")
    assert list(sheet.rows[0]) == [5.0, 6.0, 3.0, 4.0]


def test_no_states_give_a_header_alone(text_of):
    assert (
        text_of("csv", vectors([np.empty(0), np.empty(0)])) == "tau_shoulder,tau_elbow,gravity_shoulder,gravity_elbow\n"
    )
    assert json.loads(text_of("json", vectors([np.empty(0), np.empty(0)])))["results"] == []
    assert json.loads(text_of("json"))["results"] == []
    assert yaml.safe_load(text_of("yaml"))["results"] == []


# JSON and YAML ----------------------------------------------------------------------------------------------------


def strict(text):
    def refuse(word):
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("format", ["json", "yaml"])
def test_one_object_with_all_states(text_of, format):
    tau = batch(5)
    text = text_of(
        format,
        vectors([t[:2] for t in tau]),
        vectors([t[2:] for t in tau], invalid={1: "because"}),
        kept={"t": ["0.00", "1e-3", "x", "007", "5"]},
        warnings=["late"],
        extra={"summary": {"most": math.inf}},
    )
    found = strict(text) if format == "json" else yaml.safe_load(text)
    assert found["schema"] == "dyncli/1"
    assert found["command"] == "rnea"
    assert found["model"] == HEADER.model
    assert found["warnings"] == ["early", "late"]
    assert found["summary"] == {"most": None}
    results = found["results"]
    for k in (0, 1, 2, 4):
        assert results[k]["tau"] == [t[k] for t in tau]
        assert results[k]["gravity"] == [0.0, 1.5]
    assert results[3] == {"kept": {"t": "007"}, "tau": None, "gravity": None, "invalid": True, "why": "because"}
    assert [result["kept"]["t"] for result in results] == [0.0, 1e-3, "x", "007", 5]


@pytest.mark.usefixtures("either_way")
def test_json_never_holds_nan_or_infinity(text_of):
    block = matrices(np.array([np.nan, 1.0]), np.array([np.inf, 2.0]), 2)
    results = strict(text_of("json", block))["results"]
    assert results[0] == {"M": [[None, 0.0], [0.0, 2.0]], "condition": None}
    assert results[1] == {"M": [[1.0, 0.0], [0.0, 2.0]], "condition": 2.0}
    results = strict(text_of("json", matrices(math.nan, math.inf, 1)))["results"]
    assert results == [{"M": [[None, 0.0], [0.0, 2.0]], "condition": None}]


@pytest.mark.usefixtures("either_way")
def test_json_lines(text_of):
    values = {
        "converged": np.array([True, False]),
        "iterations": np.array([3, 40]),
        "reason": np.array([None, "limits"], dtype=object),
        "solutions": np.array([[[1.0, math.inf]], []], dtype=object),
        "frames": {"tip": {"position": [np.array([1.0, 2.0]), 0.5, np.array([0.0, 4.0])]}},
    }
    lines = text_of("jsonl", Result(2, values, Sheet((), []))).splitlines()
    assert list(map(strict, lines)) == [
        {
            "converged": True,
            "iterations": 3,
            "reason": None,
            "solutions": [[1.0, None]],
            "frames": {"tip": {"position": [1.0, 0.5, 0.0]}},
        },
        {
            "converged": False,
            "iterations": 40,
            "reason": "limits",
            "solutions": [],
            "frames": {"tip": {"position": [2.0, 0.5, 4.0]}},
        },
    ]


def test_both_ways_mean_the_same(text_of, monkeypatch):
    block = vectors(batch(300))
    ours = [text_of(format, block) for format in ("csv", "json")]
    monkeypatch.setattr(fast, "_orjson", lambda: None)
    plain = [text_of(format, block) for format in ("csv", "json")]
    assert json.loads(ours[1]) == json.loads(plain[1])
    assert np.array_equal(*(np.loadtxt(text.splitlines(), delimiter=",", skiprows=1) for text in (ours[0], plain[0])))


# NPZ --------------------------------------------------------------------------------------------------------------


def test_npz_holds_arrays_over_states(tmp_path):
    tau = batch(5)
    path = tmp_path / "out.npz"
    blocks = [vectors([t[:2] for t in tau]), vectors([t[2:] for t in tau], invalid={1: "because"})]
    written("npz", *blocks, path=path, kept={"t": ["0", "1", "2", "3", "4"], "name": list("abcde")}, warnings=["late"])
    with np.load(path) as found:
        expected = np.stack(tau, axis=1)
        expected[3] = np.nan
        assert np.array_equal(found["tau"], expected, equal_nan=True)
        assert found["gravity"].shape == (5, 2)
        assert found["invalid"].tolist() == [False, False, False, True, False]
        assert found["t"].tolist() == [0, 1, 2, 3, 4]
        assert found["name"].tolist() == list("abcde")
        header = json.loads(str(found["header"]))
    assert header["command"] == "rnea"
    assert header["warnings"] == ["early", "late"]


def test_npz_matrices_mappings_and_words(tmp_path):
    values = {
        "M": [[np.array([1.0, 2.0]), 0.0], [0.0, 3.0]],
        "frames": {"tip": {"position": [np.array([1.0, 2.0]), 0.5]}},
        "converged": np.array([True, False]),
        "iterations": np.array([1, 2]),
        "reason": np.array(["", "limits"], dtype=object),
        "torsion": None,
    }
    path = tmp_path / "out.npz"
    written("npz", Result(2, values, Sheet((), []), {1: "why"}), path=path)
    with np.load(path) as found:
        assert found["M"].shape == (2, 2, 2)
        assert np.isnan(found["M"][1]).all()
        assert found["frames/tip/position"][0].tolist() == [1.0, 0.5]
        assert found["converged"].tolist() == [True, False]
        assert found["iterations"][0] == 1
        assert found["reason"].tolist() == ["", ""]
        assert np.isnan(found["torsion"]).all()


def test_npz_of_many_rows_stays_out_of_memory(tmp_path):
    rows = 20_000
    tau = batch(rows)
    tracemalloc.start()
    with open_writer("npz", tmp_path / "out.npz", HEADER) as writer:
        for _ in range(100):
            writer.write(vectors(tau))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (tmp_path / "out.npz").stat().st_size > 60e6
    assert peak < 50e6


# tables -----------------------------------------------------------------------------------------------------------


def test_one_state_has_a_joint_a_line(text_of):
    lines = text_of("table", vectors([1.23456789, -2.0])).splitlines()
    assert lines[0] == "gravity down"
    assert lines[1].split() == ["tau", "gravity", "[N]"]
    assert lines[3].split() == ["shoulder", "1.23457", "N", "m", "0"]
    assert lines[4].split() == ["elbow", "-2", "N", "1.5"]


def test_precision_of_tables(text_of):
    assert "1.2346 " in text_of("table", vectors([1.23456789, -2.0]), precision=5)
    assert "1.23456789 " in text_of("table", vectors([1.23456789, -2.0]), precision=12)


def test_one_matrix_has_its_names_and_no_state(text_of):
    lines = text_of("table", matrices(1.5, math.inf, 1)).splitlines()
    assert lines[1].split() == ["row", "shoulder", "elbow"]
    assert lines[3].split() == ["shoulder", "1.5", "0"]


def test_states_of_a_table_are_rows(text_of):
    lines = text_of("table", vectors(batch(3), invalid={1: "because"}), kept={"t": ["0.0", "0.1", "0.2"]}).splitlines()
    assert lines[1].split() == ["t", "tau_shoulder", "tau_elbow", "gravity_shoulder", "gravity_elbow"]
    assert lines[4].split() == ["0.1"]
    assert lines[-1] == "state 1: because"


def test_wide_tables_are_cut_into_groups_with_labels(text_of):
    names = tuple(f"joint_{k}" for k in range(30))
    row = [1.0 / (k + 1) for k in range(30)]
    result = Result(1, {}, matrix_sheet([Matrix("M", names, names, [row] * 30)]))
    lines = text_of("table", result, width=80).splitlines()
    assert max(map(len, lines)) <= 80
    headers = [line.split() for line in lines if line.startswith("row")]
    assert len(headers) > 3
    assert [name for header in headers for name in header[1:]] == list(names)
    assert sum(line.startswith("joint_29 ") for line in lines) == len(headers)


def test_many_rows_become_plain_columns_as_they_come(tmp_path, capfdbinary):
    with open_writer("table", None, HEADER) as writer:
        for k in range(5):
            writer.write(vectors(batch(100, k)))
            out = capfdbinary.readouterr().out.decode().splitlines()
            if k >= 2:
                assert len(out) == (302 if k == 2 else 100)


@pytest.mark.parametrize("format", ["csv", "tsv", "json", "jsonl", "table"])
def test_what_each_format_imports(format, tmp_path):
    code = (
        "import sys; from dyncli.writers import open_writer; from dyncli.result import *;"
        "tau = [1.0, 2.0]; sheet = vector_sheet([Vector('tau', ('a', 'b'), tau)]);"
        f"w = open_writer({format!r}, {str(tmp_path / 'out')!r}, Header('rnea', {{}}));"
        "w.write(Result(1, {'tau': tau}, sheet)); w.close();"
        "print(*sorted({'numpy', 'rich', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == (["rich"] if format == "table" else [])


# where it goes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", list(FORMATS))
def test_a_file_appears_when_it_is_complete(tmp_path, format):
    path = tmp_path / "out.file"
    path.write_text("old")
    with open_writer(format, path, HEADER) as writer:
        writer.write(vectors(batch(3)))
        assert path.read_text() == "old"
    assert path.read_bytes() != b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("format", list(FORMATS))
def test_an_error_leaves_nothing_behind(tmp_path, format):
    with pytest.raises(RuntimeError), open_writer(format, tmp_path / "out.file", HEADER) as writer:
        writer.write(vectors(batch(3)))
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_the_mode_of_a_file_is_the_usual_one_or_that_of_the_old_file(tmp_path):
    mask = os.umask(0o022)
    try:
        written("csv", vectors(batch(1)), path=tmp_path / "new.csv")
    finally:
        os.umask(mask)
    assert (tmp_path / "new.csv").stat().st_mode & 0o777 == 0o644
    (tmp_path / "new.csv").chmod(0o600)
    written("csv", vectors(batch(1)), path=tmp_path / "new.csv")
    assert (tmp_path / "new.csv").stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    written("csv", vectors(batch(1)), path=tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("tau_shoulder")


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(UsageError, match="folder"):
        open_writer("csv", tmp_path, HEADER)
    with pytest.raises(UsageError, match="No such file"):
        open_writer("csv", tmp_path / "none" / "out.csv", HEADER)


def test_a_device_is_written_as_it_is():
    with open_writer("csv", os.devnull, HEADER) as writer:
        writer.write(vectors(batch(1)))


def test_formats_by_suffix():
    assert [
        format_of(f"x.{suffix}", on_terminal=False) for suffix in ("CSV", "tsv", "json", "jsonl", "npz", "yml")
    ] == [
        "csv",
        "tsv",
        "json",
        "jsonl",
        "npz",
        "yaml",
    ]
    assert format_of(None, on_terminal=True) == "table"
    assert format_of(None, on_terminal=False) == "csv"
    with pytest.raises(UsageError, match=r"'\.xls'"):
        format_of("x.xls", on_terminal=False)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("format", ["csv", "json", "table"])
def test_a_closed_pipe_ends_without_a_word(format, unbuffered):
    code = (
        "import numpy as np; from dyncli.writers import *; from dyncli.result import *\n"
        "with ends_quietly():\n"
        f"  with open_writer({format!r}, None, Header('rnea', {{}})) as w:\n"
        "    for _ in range(2000):\n"
        "      tau = [np.ones(500)] * 2\n"
        "      w.write(Result(500, {'tau': tau}, vector_sheet([Vector('tau', ('a', 'b'), tau)])))\n"
    )
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0


def test_encoded_blocks_may_be_made_ahead(text_of, tmp_path):
    tau = batch(6)
    blocks = [vectors([t[k : k + 2] for t in tau]) for k in (0, 2, 4)]
    for format in ("csv", "json", "yaml", "jsonl"):
        with open_writer(format, tmp_path / "ahead", HEADER) as writer:
            for encoded in [writer.encode(block) for block in blocks]:
                writer.put(encoded)
        assert (tmp_path / "ahead").read_text() == text_of(format, *blocks)


def test_state_cells_count_over_blocks(text_of):
    sheet = Sheet(("state", "frame", "x"), [[STATE, "tip", np.array([1.0, 2.0])]], labels=2)
    block = Result(2, {}, sheet)
    assert [line.split(",")[0] for line in text_of("csv", block, block).splitlines()[1:]] == ["0", "1", "2", "3"]
