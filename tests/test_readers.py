"""Files of states to columns of numbers: every format, every kind of untidy file, and what an error says."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import yaml

from dyncli.errors import StateError
from dyncli.readers import arrays, delimited, open_table, source


def read(path: Path | str) -> tuple[object, list[list[float]], list[int]]:
    """Columns, rows and the places of the rows of a whole table."""
    table = open_table(str(path))
    rows: list[list[float]] = []
    lines: list[int] = []
    for block in table.blocks(range(table.width)):
        assert len(block.lines) == block.count
        rows += [list(map(float, row)) for row in zip(*block.numbers, strict=True)] if block.count else []
        lines += block.lines
    return table.columns, rows, lines


@pytest.fixture
def file(tmp_path):
    def make(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def refused(path: Path) -> str:
    with pytest.raises(StateError) as caught:
        read(path)
    return "\n".join(caught.value.lines())


# CSV and TSV ------------------------------------------------------------------------------------------------------


@pytest.fixture(params=[0, 2000], ids=["by arrays", "by lines"])
def either_way(request, monkeypatch):
    """Few rows are read line by line: here both ways."""
    monkeypatch.setattr(delimited, "_FEW", request.param)


TIDY = (("a", "b"), [[0.4, 0.7], [0.0, -1e-3]], [2, 3])


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    "text",
    [
        "a,b\n0.4,0.7\n0,-1e-3\n",
        "a,b\r\n0.4,0.7\r\n0,-1e-3\r\n",
        "a,b\n0.4,0.7\r\n0,-1e-3",
        "a,b\n0.4,0.7\n0,-1e-3\n\n\n",
        "a,b\r0.4,0.7\r0,-1e-3\r",
        "\ufeffa,b\n0.4,0.7\n0,-1e-3\n",
        '"a","b"\n"0.4",0.7\n0,"-1e-3"\n',
        " a , b\n 0.4,  0.7\n0 ,-1e-3 \n",
        "a;b\n0.4;0.7\n0;-1e-3\n",
        "a\tb\n0.4\t0.7\n0\t-1e-3\n",
    ],
    ids=["lf", "crlf", "mixed", "blank end", "cr", "bom", "quoted", "padded", "semicolons", "tabs"],
)
def test_all_ways_to_write_the_same_rows(file, text):
    assert read(file("s.csv", text)) == TIDY


@pytest.mark.usefixtures("either_way")
def test_blank_lines_and_comments_are_no_rows_and_keep_the_count_of_lines(file):
    columns, rows, lines = read(file("s.csv", "# a robot\na,b\n\n1,2\n# half\n3,4\n"))
    assert (columns, rows, lines) == (("a", "b"), [[1.0, 2.0], [3.0, 4.0]], [4, 6])


@pytest.mark.usefixtures("either_way")
def test_blank_line_of_a_single_column_is_no_row(file):
    assert read(file("s.csv", "a\n1\n\n2\n"))[1:] == ([[1.0], [2.0]], [2, 4])


def test_header_in_a_comment_as_numpy_writes_it(tmp_path):
    np.savetxt(tmp_path / "s.csv", [[1.5, 2.0]], delimiter=",", header="b,a")
    assert read(tmp_path / "s.csv") == (("b", "a"), [[1.5, 2.0]], [2])


@pytest.mark.usefixtures("either_way")
def test_without_a_header_there_are_no_names(file):
    assert read(file("s.csv", "1,2\n3,4\n")) == (None, [[1.0, 2.0], [3.0, 4.0]], [1, 2])


def test_header_alone_has_no_rows(file):
    assert read(file("s.csv", "a,b\n")) == (("a", "b"), [], [])


@pytest.mark.usefixtures("either_way")
def test_empty_cells_are_nan(file):
    _, rows, _ = read(file("s.csv", "a,b\n,1\nnan,inf\n"))
    assert math.isnan(rows[0][0])
    assert math.isnan(rows[1][0])
    assert rows[1][1] == math.inf


def test_gzip(tmp_path):
    with gzip.open(tmp_path / "s.csv.gz", "wt") as packed:
        packed.write("a,b\n0.4,0.7\n0,-1e-3\n")
    assert read(tmp_path / "s.csv.gz") == TIDY


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["no header", "empty"]),
        ("\n\n", ["no header"]),
        ("a,b\n1,2\n1\n", [":3:", "1 value", "expected 2", "a, b"]),
        ("a,b\n1,2\n1,2,3\n", [":3:", "3 values", "expected 2"]),
        ("1,2\n1\n", [":2:", "1 value", "first row"]),
        ("a,b\n1,2\n1,two\n", [":3:", "'b'", "'two'", "not a number"]),
        ("a,b\n1,2\n1_000,2\n", [":3:", "'a'", "'1_000'"]),
        ("a,b\n1,2\n٣,2\n", [":3:", "not a number"]),
        ('a,b\n1,2\n"1,5",2\n', [":3:", "'1,5'"]),
        (b"a,b\n1,\xff\n", [":2:", "UTF-8"]),
        (b"\xff\xfea\x00", ["UTF-16"]),
        (b"a,b\xff\n", ["UTF-8"]),
        (b"a\0b\n", ["not a text file"]),
    ],
)
def test_untidy_rows_are_refused_by_place(file, text, words):
    message = refused(file("s.csv", text))
    for word in words:
        assert word in message


def test_rows_after_many_good_ones_are_counted_right(file):
    path = file("s.csv", "a,b\n" + "1.25,2\n" * 100_000 + "x,2\n")
    assert ":100002:" in refused(path)


def test_blocks_hold_all_rows_in_order(file):
    count = 180_000
    path = file("s.csv", "a,t,b\n" + "".join(f"{k}.5,{k}s,{-k}\n" for k in range(count)))
    table = open_table(str(path))
    first, last, texts, lines = [], [], [], []
    blocks = 0
    for block in table.blocks([2, 0], [1]):
        blocks += 1
        last += list(block.numbers[0])
        first += list(block.numbers[1])
        texts += block.texts[0]
        lines += block.lines
    assert blocks > 1
    assert first == [k + 0.5 for k in range(count)]
    assert last == [-k for k in range(count)]
    assert texts == [f"{k}s" for k in range(count)]
    assert lines == list(range(2, count + 2))


def test_pieces_may_run_in_any_order(file):
    path = file("s.csv", "a\n" + "".join(f"{k}\n" for k in range(200_000)))
    jobs = list(open_table(str(path)).pieces([0]))
    found = {k: job() for k, job in reversed(list(enumerate(jobs)))}
    assert np.concatenate([found[k].numbers[0] for k in range(len(jobs))]).tolist() == list(range(200_000))


def test_what_a_slow_pipe_has_written_comes_at_once(monkeypatch):
    read_end, write_end = os.pipe()
    monkeypatch.setattr(sys, "stdin", os.fdopen(read_end))
    release = threading.Event()

    def producer() -> None:
        with os.fdopen(write_end, "wb", buffering=0) as pipe:
            pipe.write(b"a,b\n1,2\n3,")
            release.wait(10)
            pipe.write(b"4\n")

    thread = threading.Thread(target=producer)
    thread.start()
    begun = time.perf_counter()
    blocks = open_table("-").blocks([0, 1])
    first = next(blocks)
    assert time.perf_counter() - begun < 2
    assert [list(column) for column in first.numbers] == [[1.0], [2.0]]
    release.set()
    assert [list(column) for block in blocks for column in block.numbers] == [[3.0], [4.0]]
    thread.join()
    sys.stdin.close()


def test_line_without_end_is_refused(monkeypatch, file):
    monkeypatch.setattr(source, "LONGEST_LINE", 1000)
    monkeypatch.setattr(source, "_READ", 100)
    assert "longer than" in refused(file("s.csv", "x" * 5000))


@pytest.mark.parametrize(
    ("name", "words"), [("none.csv", ["No such file"]), (".", ["a folder without files"]), ("bad\0name", ["null"])]
)
def test_what_cannot_be_opened_is_a_state_error(tmp_path, name, words):
    with pytest.raises(StateError, match=words[0]):
        open_table(os.path.join(tmp_path, name))  # noqa: PTH118 - a Path would refuse the zero byte itself


def test_gzip_cut_short(tmp_path):
    packed = gzip.compress(b"a,b\n" + os.urandom(4000).hex().encode())
    (tmp_path / "s.csv.gz").write_bytes(packed[: len(packed) // 2])
    assert "cannot be read to its end" in refused(tmp_path / "s.csv.gz")


# records ----------------------------------------------------------------------------------------------------------

STATE = {"t": 0.5, "q": [1.0, 2.0], "qd": {"elbow": 3.0}}
NAMED = ("t", ("q", 0), ("q", 1), "qd_elbow")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.json", json.dumps(STATE)),
        ("s.json", json.dumps([STATE], indent=1)),
        ("s.json", json.dumps({"schema": "dyncli/1", "results": [{**STATE, "t": 0.5}]})),
        ("s.jsonl", json.dumps(STATE) + "\n\n"),
        ("s.yaml", yaml.safe_dump(STATE, sort_keys=False)),
        ("s.yaml", yaml.safe_dump([STATE], sort_keys=False)),
        ("s.yaml", "---\n" + yaml.safe_dump(STATE, sort_keys=False) + "---\n"),
        ("unnamed", json.dumps(STATE)),
        ("unnamed", json.dumps(STATE, indent=2)),
    ],
)
def test_one_state_as_a_record(file, name, text):
    columns, rows, _ = read(file(name, text))
    assert (columns, rows) == (NAMED, [[0.5, 1.0, 2.0, 3.0]])


def test_lists_of_numbers_have_no_names(file):
    assert read(file("s.json", "[[1, 2], [3, 4]]")) == (None, [[1.0, 2.0], [3.0, 4.0]], [1, 2])
    assert read(file("t.json", "[1, 2]"))[:2] == (None, [[1.0, 2.0]])


def test_lines_of_json_are_counted(file):
    assert read(file("s.jsonl", '{"q": [1]}\n\n{"q": [2]}\n'))[1:] == ([[1.0], [2.0]], [1, 3])


def test_null_is_nan_and_a_null_block_takes_its_shape_from_a_later_state(file):
    table = open_table(str(file("s.json", '[{"q": null}, {"q": [1, null]}]')))
    assert table.columns == (("q", 0), ("q", 1))
    (block,) = table.blocks([0, 1])
    assert [[math.isnan(x) for x in column] for column in block.numbers] == [[True, False], [True, True]]


def test_yaml_reads_numbers_as_they_are_written(file):
    text = "q: [1e-3, 012, 1.5e3, .5]\nqd: {no: 1, on: 2}\n"
    columns, rows, _ = read(file("s.yaml", text))
    assert columns == (*(("q", k) for k in range(4)), "qd_no", "qd_on")
    assert rows == [[1e-3, 12.0, 1500.0, 0.5, 1.0, 2.0]]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("s.json", "", ["empty"]),
        ("s.json", "[]", ["no states"]),
        ("s.json", '{"q": [1, 2', [":1:", "not JSON"]),
        ("s.json", '{"q": [1], "q": [2]}', ["'q'", "twice"]),
        ("s.json", '{"q": ["x"]}', ["record 1", "'q'[0]", "'x'"]),
        ("s.json", '{"q": [true]}', ["'q'[0]", "not a number"]),
        ("s.json", '{"q": [[1]]}', ["'q'[0]", "not a number"]),
        ("s.json", '[{"q": [1, 2]}, {"q": [1]}]', ["record 2", "'q'[1]", "missing"]),
        ("s.json", '[{"q": [1]}, {"q": [1, 2]}]', ["record 2", "'q'[1]"]),
        ("s.json", '[{"q": [1]}, {"qd": [1]}]', ["record 2", "qd"]),
        ("s.json", '[{"q": [1]}, 5]', ["record 2", "mapping"]),
        ("s.json", "[[1, 2], [1]]", ["record 2", "1 values", "expected 2"]),
        ("s.json", "5", ["mapping"]),
        ("s.json", "[" * 100_000, ["nested"]),
        ("s.jsonl", '{"q": [1]}\n{"q": [}\n', [":2:", "not JSON"]),
        ("s.yaml", "q: [1\nqd: [2]", ["not YAML"]),
        ("s.yaml", "q: [1:30]", ["'1:30'"]),
        ("s.yaml", "q: [1]\nq: [2]", ["twice"]),
        ("s.yaml", "", ["empty"]),
    ],
)
def test_records_that_say_nothing_are_refused(file, name, text, words):
    message = refused(file(name, text))
    for word in words:
        assert word in message


def test_yaml_makes_no_objects(file, tmp_path):
    made = tmp_path / "made"
    open_table(str(file("s.yaml", f"q: [1]\nname: !!python/object/apply:os.mkdir ['{made}']\n")))
    assert not made.exists()


def test_aliases_do_not_explode(file):
    layers = ["a0: &a0 [0, 0, 0, 0, 0, 0, 0, 0, 0]"]
    layers += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 12)]
    table = open_table(str(file("s.yaml", "q: [1]\n" + "\n".join(layers))))
    assert next(table.blocks([0])).numbers == [[1.0]]


# arrays -----------------------------------------------------------------------------------------------------------


def test_npy_rows_and_single_state(tmp_path):
    np.save(tmp_path / "s.npy", np.arange(6.0).reshape(3, 2))
    assert read(tmp_path / "s.npy") == (None, [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [1, 2, 3])
    np.save(tmp_path / "s.npy", np.arange(3))
    assert read(tmp_path / "s.npy")[1] == [[0.0, 1.0, 2.0]]


def test_npz_blocks_and_columns(tmp_path):
    np.savez(tmp_path / "s.npz", q=np.arange(4.0).reshape(2, 2), t=np.array([0.0, 0.1]), header=np.array("{}"))
    assert read(tmp_path / "s.npz")[:2] == ((("q", 0), ("q", 1), "t"), [[0.0, 1.0, 0.0], [2.0, 3.0, 0.1]])
    np.savez(tmp_path / "s.npz", q=np.arange(2.0), qd=np.ones(2))
    assert read(tmp_path / "s.npz")[1] == [[0.0, 1.0, 1.0, 1.0]]


@pytest.fixture
def read_onwards(monkeypatch):
    """Arrays of any size are read row by row, in blocks of three."""
    monkeypatch.setattr(arrays, "IN_MEMORY", 0)
    monkeypatch.setattr(arrays, "BLOCK_ROWS", 3)


@pytest.mark.usefixtures("read_onwards")
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_an_archive_are_read_side_by_side(save, tmp_path):
    q = np.random.default_rng(0).normal(size=(10, 2))
    t = np.arange(10)
    save(tmp_path / "s.npz", q=q, qd=np.asfortranarray(2.0 * q), t=t, other=q)
    expected = np.column_stack([q, 2.0 * q, t]).tolist()
    with open_table(str(tmp_path / "s.npz")) as table:
        blocks = list(table.blocks(range(5), [4]))
        assert table.fraction() == 1.0
    assert [block.count for block in blocks] == [3, 3, 3, 1]
    assert np.concatenate([np.transpose(block.numbers) for block in blocks]).tolist() == expected
    assert [cell for block in blocks for cell in block.texts[0]] == t.tolist()


@pytest.mark.usefixtures("read_onwards")
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_is_read_onwards(order, tmp_path):
    matrix = np.random.default_rng(0).normal(size=(10, 4))
    np.save(tmp_path / "s.npy", np.asarray(matrix, order=order))
    assert read(tmp_path / "s.npy")[1] == matrix.tolist()


@pytest.mark.usefixtures("read_onwards")
def test_arrays_that_are_cut_short_or_damaged_are_refused(tmp_path):
    path = tmp_path / "s.npy"
    np.save(path, np.ones((10, 4)))
    path.write_bytes(path.read_bytes()[:-50])
    assert "cannot be read to its end" in refused(path)
    path = tmp_path / "s.npz"
    np.savez(path, q=np.arange(40.0).reshape(10, 4))
    content = bytearray(path.read_bytes())
    content[-300] ^= 1  # a digit of a number: only the checksum tells
    path.write_bytes(content)
    assert "s.npz" in refused(path)


def test_npz_on_standard_input(monkeypatch):
    data = io.BytesIO()
    np.savez(data, q=np.ones((2, 1)))
    data.seek(0)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
    assert read("-")[1] == [[1.0], [1.0]]


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"q": np.ones((3, 2)), "qd": np.ones((2, 2))}, ["different numbers of rows", "(3, 2)", "(2, 2)"]),
        ({"q": np.ones((2, 2, 2))}, ["'q'", "(2, 2, 2)"]),
        ({"q": np.array([["a"]])}, ["'q'", "<U1"]),
        ({"q": np.ones((2, 2), dtype=complex)}, ["'q'", "complex"]),
        ({"header": np.array("x")}, ["no arrays"]),
    ],
)
def test_npz_of_wrong_shape_is_named(tmp_path, arrays, words):
    np.savez(tmp_path / "s.npz", **arrays)
    message = refused(tmp_path / "s.npz")
    for word in words:
        assert word in message


def test_objects_are_never_unpickled(tmp_path):
    np.save(tmp_path / "s.npy", np.array([1, None], dtype=object), allow_pickle=True)
    assert "npy" in refused(tmp_path / "s.npy")
    np.savez(tmp_path / "s.npz", q=np.array([1, None], dtype=object))
    assert "npz" in refused(tmp_path / "s.npz")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("s.npy", b"\x93NUMPY"),
        ("s.npy", b"garbage"),
        ("s.npz", b"PK\x03\x04garbage"),
        ("s.npz", b""),
        (
            "s.npy",
            b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (10, 10), }" + b" " * 60 + b"\n",
        ),
        ("unknown", b"PAR1\x00"),
        ("unknown", b"\x89HDF\r\n"),
    ],
)
def test_damaged_files_are_refused(file, name, data):
    assert name in refused(file(name, data))
