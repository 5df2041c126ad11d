"""Doubles to the shortest text that reads back to the same double, digit for digit as `repr` writes it.

A number x is scaled to S = x 10^k with 17 digits before the point, exactly (as a sum of two doubles, k at most 22). Of
the multiples of 100, 10 and 1 nearest to S, the first one that lies within half a unit in the last place of x is the
answer: it has at most 15, 16 or 17 digits. What cannot be decided beyond doubt, and what is written with an exponent,
goes through `repr`.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyncli.decimals.powers import EXACT_POWERS, EXACT_POWERS_HIGH, EXACT_POWERS_LOW, Floats, product_error

Integers: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint64]
Bytes: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]

_BLOCK = 8192  # numbers at a time: their characters stay in the cache
_DIGITS = 17
_LEAST, _MOST = -4, 15  # decimal exponents that are written without e
_ONE = 10**16  # the least integer of 17 digits
_MARGIN = 1e-9

_SHAPES = (_MOST + 1 - _LEAST) * _DIGITS

_LEAD = b"-0.000"
_FIELD = _LEAD + b"0." * _DIGITS + b"0,"
"""All characters that a number can have, in order: sign, leading zeros, a point behind each digit, last zero, end."""
_FIRST_DIGIT = len(_LEAD)


def matrix_text(matrix: Floats, separator: bytes) -> bytes:
    """Rows of a finite float64 matrix as lines (the last without its line feed)."""
    ends = np.full(matrix.shape, ord(separator), dtype=np.uint8)
    ends[:, -1] = ord("\n")
    numbers: Floats = np.ascontiguousarray(matrix).ravel()
    breaks: Bytes = ends.ravel()
    parts = [
        _block_text(numbers[first : first + _BLOCK], breaks[first : first + _BLOCK])
        for first in range(0, len(numbers), _BLOCK)
    ]
    return b"".join(parts)[:-1]


def _block_text(x: Floats, ends: Bytes) -> bytes:
    digits, exponent, decided = _shortest(np.abs(x))
    field = np.empty((len(x), len(_FIELD)), dtype=np.uint8)
    field[:] = np.frombuffer(_FIELD, dtype=np.uint8)
    count = _put_digits(digits, field[:, _FIRST_DIGIT : _FIRST_DIGIT + 2 * _DIGITS : 2])
    field[:, -1] = ends
    shape = (exponent - _LEAST) * _DIGITS + count - 1
    shown = _layouts().take(np.signbit(x) * _SHAPES + shape, axis=0)
    for row in np.flatnonzero(~decided).tolist():
        text = repr(float(x[row])).encode()
        field[row, : len(text)] = np.frombuffer(text, dtype=np.uint8)
        shown[row, : len(text)] = True
        shown[row, len(text) : -1] = False
    return field.ravel().compress(shown.ravel()).tobytes()


def _shortest(a: Floats) -> tuple[Integers, Integers, Mask]:
    """For each a >= 0: 17 digits as an integer, the exponent of the first digit, and whether this is beyond doubt."""
    zero = a == 0.0
    plain = (a >= 1e-4) & (a < 1e15)
    a = np.where(plain, a, 1.0)
    exponent = np.floor(np.log10(a)).astype(np.int64)
    power = _DIGITS - 1 - exponent
    scale = EXACT_POWERS[power]
    leading = a * scale
    rest = product_error(a, EXACT_POWERS_HIGH[power], EXACT_POWERS_LOW[power], leading)
    below = np.floor(rest)
    whole = leading.astype(np.int64) + below.astype(np.int64)
    part = rest - below
    reach = 0.5 * np.spacing(a) * scale
    round_number = np.frexp(a)[0] == 0.5  # a power of two: the interval below is half as wide

    best, doubt = _nearest(whole, part, 1)
    for step in (10, 100):
        candidate, tie = _nearest(whole, part, step)
        distance = np.abs((candidate - whole) - part)
        within = distance < reach
        doubt = np.where(within, tie, doubt) | (np.abs(distance - reach) < _MARGIN * reach)
        best = np.where(within, candidate, best)
        exactly = distance < 0.5 * reach
    doubt |= round_number & ~exactly
    carried = best == 10 * _ONE
    best = np.where(carried, _ONE, best)
    exponent += carried
    decided = (plain & ~doubt & (best >= _ONE) & (best < 10 * _ONE)) | zero
    safe = decided & ~zero
    return np.where(safe, best, 0), np.where(safe, exponent, 0), decided


def _nearest(whole: Integers, part: Floats, step: int) -> tuple[Integers, Mask]:
    """The multiple of `step` nearest to whole + part, and where two are equally near."""
    over = whole % step
    distance = over + part
    up = distance > 0.5 * step
    return whole - over + step * up, distance == 0.5 * step


_ASCII_ZEROS = np.uint64(0x3030303030303030)


def _put_digits(digits: Integers, places: Bytes) -> Integers:
    """Write seventeen digits into the columns of `places`; how many there are without the zeros at the end."""
    high, low = np.divmod(digits, 10**8)
    first, middle = np.divmod(high, 10**8)
    middle_word, low_word = _eight_characters(middle.view(np.uint64)), _eight_characters(low.view(np.uint64))
    places[:, 0] = first + 48
    places[:, 1:9] = (middle_word | _ASCII_ZEROS).astype("<u8").view(np.uint8).reshape(-1, 8)
    places[:, 9:] = (low_word | _ASCII_ZEROS).astype("<u8").view(np.uint8).reshape(-1, 8)
    return np.where(low_word, 9 + _used_bytes(low_word), 1 + _used_bytes(middle_word))


def _eight_characters(v: Words) -> Words:
    """The eight digits of v as bytes, the first in the lowest bits: fours, pairs, digits."""
    fours = v // np.uint64(10**4)
    w = fours | ((v - fours * np.uint64(10**4)) << np.uint64(32))
    pairs = ((w * np.uint64(10486)) >> np.uint64(20)) & np.uint64(0x0000007F0000007F)
    w = pairs | ((w - pairs * np.uint64(100)) << np.uint64(16))
    tens = ((w * np.uint64(103)) >> np.uint64(10)) & np.uint64(0x000F000F000F000F)
    made: Words = tens | ((w - tens * np.uint64(10)) << np.uint64(8))
    return made


def _used_bytes(w: Words) -> Integers:
    """How many bytes there are up to the last one that is not zero (a byte is at most 9: rounding keeps its place)."""
    return (np.frexp(w.astype(np.float64))[1].astype(np.int64) + 7) >> 3


@cache
def _layouts() -> Mask:
    """Which characters of `_FIELD` are shown: a row for each sign, exponent and number of digits."""
    shown = np.zeros((2, _SHAPES, len(_FIELD)), dtype=np.bool_)
    shown[1, :, 0] = True
    for k in range(_SHAPES):
        exponent, count = _LEAST + k // _DIGITS, 1 + k % _DIGITS
        row = shown[:, k]
        if exponent < 0:
            row[:, 1 : 2 - exponent] = True  # 0. and the zeros behind it
        digits = max(count, exponent + 1)
        row[:, _FIRST_DIGIT : _FIRST_DIGIT + 2 * digits : 2] = True
        if exponent >= 0:
            row[:, _FIRST_DIGIT + 2 * exponent + 1] = True
            row[:, -2] = count <= exponent + 1
        row[:, -1] = True
    return shown.reshape(2 * _SHAPES, len(_FIELD))
