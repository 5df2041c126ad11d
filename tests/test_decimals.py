"""Text to doubles and back by whole arrays must be what `float` and `repr` do, digit for digit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyncli.decimals.parse import parse_cells, structure
from dyncli.decimals.shortest import matrix_text

HARD = [
    0.0,
    -0.0,
    1.0,
    0.1,
    1 / 3,
    -1e-4,
    1e-5,
    9.5e-5,
    0.9999999999999999,
    99.99999999999999,
    999999999999999.9,
    1e15,
    1e16,
    1e22,
    1e23,
    2.0**53,
    2.0**52 + 0.5,
    9007199254740993.0,
    5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    *(math.nextafter(10.0**k, 0.0) for k in range(-5, 17)),
    *(math.nextafter(10.0**k, math.inf) for k in range(-5, 17)),
    *(2.0**k for k in range(-20, 60)),
    *(math.nextafter(2.0**k, 0.0) for k in range(-20, 60)),
]

RANDOM = np.random.default_rng(7)
SAMPLES = {
    "hard": np.array(HARD),
    "normal": RANDOM.standard_normal(20_000),
    "all magnitudes": 10.0 ** RANDOM.uniform(-30, 30, 20_000) * RANDOM.choice([-1.0, 1.0], 20_000),
    "hundredths": RANDOM.integers(-100_000, 100_000, 20_000) / 100,
    "integers": RANDOM.integers(-(10**6), 10**6, 20_000).astype(float),
    "binary fractions": RANDOM.integers(0, 10**9, 20_000) / 1024,
    "any bits": RANDOM.integers(0, 0x7FEFFFFFFFFFFFFF, 20_000, dtype=np.int64).view(np.float64),
}


def parsed(texts: list[str]) -> list[float]:
    """All cells by `parse_cells`, the undecided ones by `float`, as the reader does it."""
    found = structure("\n".join(texts).encode(), ord(","))
    values, undecided = parse_cells(found, np.arange(len(texts)))
    for one, other in zip(parse_cells(found), (values, undecided), strict=True):
        np.testing.assert_array_equal(one, other)  # all cells at once, or those with these indices
    return [float(text) if left else value for text, value, left in zip(texts, values.tolist(), undecided, strict=True)]


@pytest.mark.parametrize("sample", SAMPLES)
def test_written_text_is_that_of_repr(sample):
    x = SAMPLES[sample]
    assert matrix_text(x[:, None], b",").decode().split("\n") == list(map(repr, x.tolist()))


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("form", ["{!r}", "{:.17g}", "{:.18e}", "{:.6f}", "{:.3e}", "{:.0f}", "{:.25f}"])
def test_parsed_value_is_that_of_float(sample, form):
    texts = [form.format(value) for value in SAMPLES[sample].tolist()]
    assert parsed(texts) == list(map(float, texts))


def test_usual_numbers_are_decided_without_float():
    texts = [repr(value) for value in SAMPLES["normal"].tolist()]
    _, undecided = parse_cells(structure("\n".join(texts).encode(), ord(",")), np.arange(len(texts)))
    assert undecided.mean() < 0.001


@pytest.mark.parametrize(
    "text", ["", "x", "1.2.3", "1-2", "--1", "1e", "1e+", "e5", ".", "-", "1e5e5", "1 2", "nan", "+1", "0x10"]
)
def test_odd_cells_are_left_to_float(text):
    _, undecided = parse_cells(structure(f"1.5\n{text}\n2.5".encode(), ord(",")), np.arange(3))
    assert undecided.tolist() == [False, True, False]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_round_trip(values):
    texts = matrix_text(np.array(values)[:, None], b",").decode().split("\n")
    assert texts == list(map(repr, values))
    assert parsed(texts) == values


@given(st.from_regex(r"-?[0-9]{1,12}(\.[0-9]{0,12})?([eE][+-]?[0-9]{1,3})?", fullmatch=True))
def test_any_decimal_text(text):
    found, expected = parsed([text, "1"])[0], float(text)
    assert found == expected
    assert math.copysign(1.0, found) == math.copysign(1.0, expected)


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,20})?\.0{0,5}[0-9]{12,30}", fullmatch=True))
def test_more_digits_than_fit_a_word(text):
    assert parsed(["0.5", text]) == [0.5, float(text)]


def test_rows_and_separator():
    assert matrix_text(np.array([[1.0, -2.5], [0.0, 1e-7]]), b"\t") == b"1.0\t-2.5\n0.0\t1e-07"
