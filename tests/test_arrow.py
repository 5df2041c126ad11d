"""Parquet and Arrow in and out, folders of files as one table, and packed input."""

from __future__ import annotations

import gzip
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from dyncli.cli.main import run
from dyncli.errors import MissingExtraError, StateError
from dyncli.readers import arrow, delimited, open_table, table

pa = pytest.importorskip("pyarrow", reason="needs the extra `arrow`")
parquet = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")

ARM = str(Path(__file__).parent.parent / "sample_models" / "arm_6r.urdf")
JOINTS = ("waist", "shoulder", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")
SAVE = {"parquet": parquet.write_table, "arrow": lambda t, p: feather.write_feather(t, p, compression="uncompressed")}


def read(path: object) -> tuple[list[list[float]], list[str], list[list[object]]]:
    """Numbers by row, places of the rows, and the same columns as cells."""
    rows, places, cells = [], [], []
    with open_table(str(path)) as opened:
        everything = range(opened.width)
        for block in opened.blocks(everything, everything):
            rows += np.transpose(block.numbers).tolist()
            places += [opened.place(line) for line in block.lines]
            cells += [list(row) for row in zip(*block.texts, strict=True)]
    return rows, places, cells


def answered(capsys, *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        run([str(argument) for argument in arguments])
    streams = capsys.readouterr()
    return ended.value.code, streams.out, streams.err


def states(rows: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    names = [f"{block}_{name}" for block in ("q", "qd", "qdd") for name in JOINTS]
    columns = {name: rng.uniform(-1.0, 1.0, rows) for name in names}
    return pa.table({"t": 0.01 * np.arange(rows), **columns})


def as_csv(states: pa.Table, path: Path) -> Path:
    rows = zip(*(column.to_pylist() for column in states.columns), strict=True)
    cells = [["" if cell is None else repr(cell) for cell in row] for row in rows]
    path.write_text("".join(f"{','.join(row)}\n" for row in [states.column_names, *cells]))
    return path


# in ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SAVE)
def test_numbers_of_every_type_and_nothing_as_nan(suffix, tmp_path):
    columns = pa.table(
        {
            "f64": pa.array([0.1, None, float("nan")]),
            "f32": pa.array([0.5, 0.25, None], pa.float32()),
            "i8": pa.array([-1, None, 3], pa.int8()),
            "u64": pa.array([1, 2, 2**63], pa.uint64()),
            "money": pa.array([1, None, 3]).cast(pa.decimal128(21, 2)),
            "nothing": pa.nulls(3),
            "coded": pa.array([0.5, None, 0.5]).dictionary_encode(),
        }
    )
    path = tmp_path / f"s.{suffix}"
    SAVE[suffix](columns, path)
    rows, places, _ = read(path)
    nan = np.nan
    expected = [[0.1, 0.5, -1, 1, 1, nan, 0.5], [nan, 0.25, nan, 2, nan, nan, nan], [nan, nan, 3, 2.0**63, 3, nan, 0.5]]
    np.testing.assert_array_equal(rows, expected)
    assert places == [f"{path}, row {k}" for k in (1, 2, 3)]


@pytest.mark.parametrize("suffix", SAVE)
def test_blocks_are_bounded_whatever_the_groups_of_the_file(suffix, tmp_path):
    path = tmp_path / f"s.{suffix}"
    SAVE[suffix](states(3 * table.BLOCK_ROWS), path)
    with open_table(str(path)) as opened:
        counts = [block.count for block in opened.blocks([2, 1])]
    assert max(counts) <= table.BLOCK_ROWS
    assert sum(counts) == 3 * table.BLOCK_ROWS


def test_only_the_columns_that_are_wanted_are_read(tmp_path, capsys):
    wide = states(50).append_column("picture", pa.array([b"x"] * 50)).append_column("text", pa.array(["a"] * 50))
    path = tmp_path / "s.parquet"
    parquet.write_table(wide, path)
    status, out, _ = answered(capsys, "rnea", ARM, "--states", path, "--ignore-extra", "-f", "csv")
    assert status == 0
    assert out.splitlines()[0] == "t," + ",".join(f"tau_{name}" for name in JOINTS)
    damaged = bytearray(path.read_bytes())
    start = parquet.ParquetFile(path).metadata.row_group(0).column(19).dictionary_page_offset
    damaged[start : start + 30] = bytes(30)
    path.write_bytes(damaged)
    assert answered(capsys, "rnea", ARM, "--states", path, "--ignore-extra", "-f", "csv")[:2] == (0, out)
    status, _, said = answered(capsys, "rnea", ARM, "--states", path, "--ignore-extra", "--keep", "picture")
    assert status == 4
    assert "not a readable Parquet or Arrow file" in said


@pytest.mark.parametrize("suffix", SAVE)
def test_the_same_answers_as_from_csv(suffix, tmp_path, capsys):
    given = states(300)
    rows = given.column("q_elbow").to_pylist()
    rows[7] = None
    given = given.set_column(given.column_names.index("q_elbow"), "q_elbow", pa.array(rows))
    path = tmp_path / f"s.{suffix}"
    SAVE[suffix](given, path)
    expected = answered(capsys, "rnea", ARM, "--states", as_csv(given, tmp_path / "s.csv"), "-f", "csv", "--echo")
    found = answered(capsys, "rnea", ARM, "--states", path, "-f", "csv", "--echo")
    assert expected[0] == found[0] == 1
    assert expected[1] == found[1]
    assert f"{path}, row 8: no answer: column 'q_elbow' is empty or nan" in found[2]


def test_dates_are_copied_as_text_and_are_no_numbers(tmp_path, capsys):
    given = states(3)
    stamps = pa.array([0, 10**9, 2 * 10**9], pa.timestamp("ns"))
    path = tmp_path / "s.parquet"
    parquet.write_table(given.set_column(0, "t", stamps), path)
    status, out, _ = answered(capsys, "rnea", ARM, "--states", path, "-f", "csv")
    assert status == 0
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == [
        f"1970-01-01 00:00:0{k}.000000000" for k in range(3)
    ]
    arguments = ("rnea", ARM, "--states", path, "-f", "csv", "--differentiate", "central")
    status, _, said = answered(capsys, *arguments)
    assert status == 4
    assert "column 't' holds timestamp[ns] and no numbers" in said


def test_what_is_no_parquet_is_refused(tmp_path):
    good = tmp_path / "good.parquet"
    parquet.write_table(states(2000), good)
    for name, content in {
        "empty.parquet": b"",
        "text.parquet": b"q_waist\n1\n",
        "short.parquet": good.read_bytes()[:5000],
        "head.parquet": b"PAR1" + good.read_bytes()[500:],
        "text.arrow": b"ARROW1\0\0" + bytes(100),
    }.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(StateError, match=name):
            read(path)


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch, capsys):
    path = tmp_path / "s.parquet"
    parquet.write_table(states(2), path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, _, said = answered(capsys, "rnea", ARM, "--states", path)
    assert status == 6
    assert "pip install 'dyncli[arrow]'" in said
    status, _, said = answered(capsys, "rnea", ARM, "--samples", 2, "-o", tmp_path / "tau.parquet")
    assert status == 6
    assert "pip install 'dyncli[arrow]'" in said
    assert list(tmp_path.iterdir()) == [path]


# out --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("suffix", "load"), [("parquet", parquet.read_table), ("feather", feather.read_table)])
def test_the_rows_of_csv_as_typed_columns(suffix, load, tmp_path, capsys):
    given = states(40)
    rows = given.column("qd_elbow").to_pylist()
    rows[11] = None
    log = as_csv(given.set_column(given.column_names.index("qd_elbow"), "qd_elbow", pa.array(rows)), tmp_path / "s.csv")
    status, out, _ = answered(capsys, "rnea", ARM, "--states", log, "-f", "csv")
    assert status == 1
    path = tmp_path / f"tau.{suffix}"
    assert answered(capsys, "rnea", ARM, "--states", log, "-o", path)[0] == 1
    found = load(path)
    assert found.column_names == out.splitlines()[0].split(",")
    assert set(found.schema.types) == {pa.float64()}
    expected = [[float(cell) if cell else None for cell in line.split(",")] for line in out.splitlines()[1:]]
    assert [list(row.values()) for row in found.to_pylist()] == expected
    assert expected[11][1:] == [None] * 6
    facts = json.loads(found.schema.metadata[b"dyncli"])
    assert facts["command"] == "rnea"
    assert facts["model"]["dofs"] == list(JOINTS)


def test_matrices_words_and_numbers_of_the_state(tmp_path, capsys):
    path = tmp_path / "M.parquet"
    answered(capsys, "mass", ARM, "--samples", 3, "--inverse", "-o", path)
    found = parquet.read_table(path)
    assert found.column_names == ["matrix", "state", "row", *JOINTS]
    _, out, _ = answered(capsys, "mass", ARM, "--samples", 3, "--inverse", "-f", "csv")
    lines = [line.split(",") for line in out.splitlines()[1:]]
    expected = [[line[0], int(line[1]), line[2], *map(float, line[3:])] for line in lines]
    assert [list(row.values()) for row in found.to_pylist()] == expected


def test_kept_text_that_is_numbers_is_numbers_and_other_text_stays(tmp_path, capsys):
    log = tmp_path / "s.csv"
    head = ",".join(JOINTS)
    log.write_text(f"{head},count,big,note\n0,0,0,0,0,0,1,9007199254740993,a\n0,0,0,0,0,0,,9007199254740995,2\n")
    path = tmp_path / "tau.parquet"
    assert answered(capsys, "rnea", ARM, "--states", log, "--keep", "count,big,note", "-o", path)[0] == 0
    found = parquet.read_table(path)
    assert found.column("count").to_pylist() == [1.0, None]
    assert found.column("big").to_pylist() == ["9007199254740993", "9007199254740995"]
    assert found.column("note").to_pylist() == ["a", "2"]


def test_an_answer_can_be_read_again(tmp_path, capsys):
    path, again = tmp_path / "a.parquet", tmp_path / "b.parquet"
    assert answered(capsys, "rnea", ARM, "--samples", 20, "--echo", "-o", path)[0] == 0
    assert answered(capsys, "fd", ARM, "--states", path, "-o", again)[0] == 0
    for name in JOINTS:
        given = parquet.read_table(path).column(f"qdd_{name}").to_numpy()
        np.testing.assert_allclose(
            parquet.read_table(again).column(f"qdd_{name}").to_numpy(), given, rtol=1e-9, atol=1e-9
        )


# folders and packed files -----------------------------------------------------------------------------------------


def test_a_folder_is_one_table_in_the_order_of_names(tmp_path, capsys):
    folder = tmp_path / "log"
    folder.mkdir()
    parts = [states(70, seed) for seed in (1, 2, 3)]
    for k, part in enumerate(parts):
        names = part.column_names if k != 1 else part.column_names[::-1]  # a file of its own mind
        parquet.write_table(part.select(names), folder / f"part-{k}.parquet")
    (folder / "_SUCCESS").write_text("")
    whole = tmp_path / "whole.parquet"
    parquet.write_table(pa.concat_tables(parts), whole)
    expected = answered(capsys, "rnea", ARM, "--states", whole, "-f", "csv")
    assert answered(capsys, "rnea", ARM, "--states", folder, "-f", "csv") == expected
    assert expected[0] == 0


def test_a_folder_of_csv_names_file_and_line(tmp_path, capsys):
    for k in range(3):
        as_csv(states(5, k), tmp_path / f"{k}.csv")
    for name, cell, status, message in [
        ("2.csv", "", 1, "2.csv:4: no answer: column 'q_waist' is empty or nan"),
        ("1.csv", "x", 4, "1.csv:4: column 'q_waist': 'x' is not a number"),
    ]:
        path = tmp_path / name
        path.write_text(re.sub(r"\n0.02,[^,]*,", f"\n0.02,{cell},", path.read_text()))
        found, _, said = answered(capsys, "rnea", ARM, "--states", tmp_path, "-f", "csv")
        assert found == status
        assert f"{tmp_path}/{message}" in said


def test_folders_that_are_no_table(tmp_path):
    with pytest.raises(StateError, match="a folder without files of states"):
        open_table(str(tmp_path))
    as_csv(states(1), tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("t,q_waist\n1,2\n")
    with pytest.raises(StateError, match=r"b\.csv: other columns than .*a\.csv: no q_shoulder"):
        read(tmp_path)
    (tmp_path / "c.json").write_text("[]")
    with pytest.raises(StateError, match="several formats"):
        open_table(str(tmp_path))


def test_packed_files_are_unpacked(tmp_path, monkeypatch):
    text = b"a,b\n" + b"".join(b"%d,0.5\n" % k for k in range(30_000))
    expected = [[float(k), 0.5] for k in range(30_000)]
    (tmp_path / "s.csv.gz").write_bytes(gzip.compress(text))
    assert read(tmp_path / "s.csv.gz")[0] == expected
    zstd = pytest.importorskip("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")
    packed = zstd.compress(text[:1000]) + zstd.compress(text[1000:])  # frames one behind the other, as `cat` makes them
    (tmp_path / "s.csv.zst").write_bytes(packed)
    assert read(tmp_path / "s.csv.zst")[0] == expected
    for damaged in (packed[:-20], bytes(40) + packed[40:]):
        (tmp_path / "s.csv.zst").write_bytes(damaged)
        with pytest.raises(StateError, match=r"s\.csv\.zst: cannot be read to its end"):
            read(tmp_path / "s.csv.zst")
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError) as caught:
        open_table(str(tmp_path / "s.csv.zst"))
    assert "dyncli[zstd]" in caught.value.hint


# CSV by pyarrow's reader ------------------------------------------------------------------------------------------


@pytest.fixture
def long_files(monkeypatch):
    monkeypatch.setattr(delimited, "LONG_FILE", 0)
    monkeypatch.setattr(delimited, "_FEW", 0)


ODD = ["", " ", "nan", "inf", "-inf", "1e400", "1e-400", "0.1e+5", "+1.5", "1.", ".5", "-0.0", "-.5e-3", "007", " 0.5 "]
NO_NUMBERS = ["x", "1_0", "0x10", "1,5", "1.5.2", "--1", "1e", "e5", "nan(1)", "NA", "null0", "1 2", "٣"]


@pytest.mark.usefixtures("long_files")
@pytest.mark.parametrize("cell", ODD)
def test_every_number_is_what_it_is_without_pyarrow(cell, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(f"a,b,note\n0.1,2,x\n0.25,{cell},y\n-1e-5,4, z \n")
    found = read_columns(path)
    expected = float(cell) if cell.strip() else math.nan
    np.testing.assert_array_equal(found[0], [[0.1, 0.25, -1e-5], [2.0, expected, 4.0]])
    assert math.copysign(1.0, found[0][1][1]) == math.copysign(1.0, expected)
    assert found[1:] == ([["x", "y", "z"]], [2, 3, 4])


@pytest.mark.usefixtures("long_files")
@pytest.mark.parametrize("cell", NO_NUMBERS)
def test_what_is_no_number_is_refused_with_its_line(cell, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(f"a,b,note\n0.1,2,x\n0.25,{cell},y\n")
    with pytest.raises(StateError, match=r"s\.csv:3"):
        read_columns(path)


@pytest.mark.usefixtures("long_files")
@pytest.mark.parametrize("line", ["", "# 1,2,3", "#,2,3", "1,2", "1,2,3,4", '"1",2,3'])
def test_odd_lines_are_what_they_are_without_pyarrow(line, tmp_path, monkeypatch):
    path = tmp_path / "s.csv"
    path.write_text(f"a,b,note\n0.1,2,x\n{line}\n0.25,3,y\n")

    def outcome():
        try:
            return [part if isinstance(part, list) else part.tolist() for part in read_columns(path)]
        except StateError as error:
            return error.lines()

    found = outcome()
    monkeypatch.setattr(delimited, "LONG_FILE", 1 << 40)
    assert outcome() == found


@pytest.mark.usefixtures("long_files")
def test_random_numbers_are_read_to_the_last_bit(tmp_path):
    bits = np.random.default_rng(5).integers(0, 0x7FEFFFFFFFFFFFFF, (2000, 2), dtype=np.int64).view(np.float64)
    for form in ("{!r}", "{:.17g}", "{:.30e}", "{:.12e}"):
        rows = [[form.format(cell) for cell in row] for row in bits.tolist()]
        path = tmp_path / "s.csv"
        path.write_text("a,b,note\n" + "".join(f"{','.join(row)},x\n" for row in rows))
        expected = [[float(cell) for cell in row] for row in rows]
        np.testing.assert_array_equal(np.transpose(read_columns(path)[0]), expected)


def read_columns(path: Path) -> tuple[np.ndarray, list[list[str]], list[int]]:
    """Columns a and b as numbers, note as it stands, and the lines."""
    with open_table(str(path)) as opened:
        (block,) = opened.blocks([0, 1], [2])
    return np.array(block.numbers), [list(column) for column in block.texts], list(block.lines)


def test_tidy_rows_are_read_by_pyarrow_itself():
    values, texts = arrow.csv_columns(b"1,2,x\n3,,y\n5,6,", ",", 3, [1, 0], [2])
    np.testing.assert_array_equal(values, [[2.0, np.nan, 6.0], [1.0, 3.0, 5.0]])
    assert texts == [["x", "y", ""]]
    assert arrow.csv_columns(b"1,nan\n3,4", ",", 2, [0, 1], []) is None
