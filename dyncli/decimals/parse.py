"""Text of many cells to doubles, each rounded as `float` does it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyncli.decimals.powers import EXACT, EXACT_POWERS, EXACT_POWERS_HIGH, EXACT_POWERS_LOW, Floats, product_error
from dyncli.structs import struct

Bytes: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]
Indices: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

PADDING = 24
"""Line feeds before the first cell of a buffer: words of eight characters are read backwards from the end of a cell."""
_TAIL = 17  # and behind the last one, whole words are read
_BLOCK = 1 << 13  # cells at a time: the arrays on the way stay in the second-level cache
_MOST_DIGITS = 19  # the most that always fit 64 bits
_MOST_WORDS = 3  # of eight digits each
_MINUS, _DOT, _NEWLINE = b"-.\n"
_KEEP_LAST = np.array([0, *((~0 << 8 * (8 - n)) & (2**64 - 1) for n in range(1, 9))], dtype=np.uint64)
_ZEROS = np.uint64(0x3030303030303030)
_DOUBT = 2.0**-100


@struct
class Structure:
    """Where the characters of a buffer stand that are no digits, and which of these end a cell.

    `special`: positions of all characters that are no digits; `kind`: the characters; `ends`: indices into `special` of
    those that end a cell (the separator or a line feed), the first of them the line feed before the first cell.
    """

    buffer: Bytes
    special: Indices
    kind: Bytes
    ends: Indices

    @property
    def breaks(self) -> Mask:
        """For each cell whether it is the last one of its line."""
        return np.equal(self.kind[self.ends[1:]], _NEWLINE)

    def cells(self, indices: Indices) -> list[bytes]:
        """The bytes of some cells."""
        starts, ends = self.special[self.ends[indices]] + 1, self.special[self.ends[indices + 1]]
        text = self.buffer.data
        return [bytes(text[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def structure(text: bytes, separator: int) -> Structure:
    """Find the cells of whole lines (the last without its line feed). O(bytes)."""
    buffer = np.frombuffer(b"".join((b"\n" * PADDING, text, b"\n" * _TAIL)), dtype=np.uint8)
    special = np.flatnonzero((buffer[PADDING - 1 : PADDING + len(text) + 1] - np.uint8(48)) > 9)
    special += PADDING - 1
    kind = buffer[special]
    ends = np.flatnonzero((kind == separator) | (kind == _NEWLINE))
    return Structure(buffer, special, kind, ends)


def parse_cells(found: Structure, cells: Indices | None = None) -> tuple[Floats, Mask]:
    """Values of the cells with these indices (None: of all), and which of them need `float` (or are no number).

    A cell is decided here if it reads [-]digits[.digits][e[+-]digits], has at most 19 digits (zeros before them not
    counted) and a scale that keeps the arithmetic exact; all others are marked and their values mean nothing.
    """
    count = len(found.ends) - 1 if cells is None else len(cells)
    values = np.empty(count)
    undecided = np.empty(count, dtype=np.bool_)
    for first in range(0, count, _BLOCK):
        block = slice(first, first + _BLOCK)
        if cells is None:
            ends = found.ends[first : first + _BLOCK + 1]
            values[block], undecided[block] = _parse_block(found, ends[:-1], ends[1:])
        else:
            values[block], undecided[block] = _parse_block(
                found, found.ends[cells[block]], found.ends[cells[block] + 1]
            )
    return values, undecided


def _parse_block(found: Structure, before: Indices, last: Indices) -> tuple[Floats, Mask]:
    """Cells between the ends of cells `before` and `last` (indices into `special`)."""
    special, kind, buffer = found.special, found.kind, found.buffer
    start, end = special[before] + 1, special[last]
    negative = buffer[start] == _MINUS
    first = before + negative
    first += 1
    has_dot = kind[first] == _DOT
    point = np.where(has_dot, special[first], end)
    first += has_dot
    good = first == last
    exponent = None
    odd = np.flatnonzero(~good)
    if len(odd):
        exponent, end[odd], good[odd] = _exponents(found, first[odd], last[odd])
        point[odd] = np.minimum(point[odd], end[odd])
    whole = point - start
    whole -= negative
    fraction = end - point
    fraction -= has_dot
    scale = fraction
    if exponent is not None:
        scale = fraction.copy()
        scale[odd] -= exponent
        good[odd] &= (scale[odd] >= 0) & (scale[odd] <= EXACT)
        for counts in (whole, fraction, scale):
            counts[~good] = 0

    words = buffer[: len(buffer) // 8 * 8].view("<u8")
    mantissa = (buffer[point - 1] ^ np.uint8(48)).astype(np.uint64)
    several = np.flatnonzero(whole != 1)
    if len(several):
        mantissa[several], _ = _integers(words, point[several], whole[several])
    behind, top = _integers(words, end, fraction)
    long = np.flatnonzero((whole + fraction - 1).view(np.uint64) >= _MOST_DIGITS)  # or no digits at all
    if len(long):
        small = (mantissa[long] == 0) & (top[long] < _TOP) & (scale[long] <= EXACT)
        good[long] &= small & (whole[long] <= _MOST_DIGITS) & (fraction[long] > 0) & (fraction[long] <= 8 * _MOST_WORDS)
        scale[long[~good[long]]] = 0
    mantissa *= _INTEGER_POWERS.take(fraction, mode="clip")
    mantissa += behind
    values, doubtful = _divided(mantissa, scale)
    np.negative(values, out=values, where=negative)
    return values, ~good | doubtful


_INTEGER_POWERS = np.array([10**k for k in range(_MOST_DIGITS + 1)], dtype=np.uint64)
_TOP = 10 ** (_MOST_DIGITS - 8 * (_MOST_WORDS - 1))


def _exponents(found: Structure, at: Indices, last: Indices) -> tuple[Indices, Indices, Mask]:
    """Exponents, positions of the e, and which are well formed: e, a sign perhaps, then one to three digits.

    `at`, `last`: indices into `special` of where each e should be and of the end of its cell.
    """
    special, kind = found.special, found.kind
    at_e, end = special[at], special[last]
    sign = kind[np.minimum(at + 1, last)]
    signed = ((sign == ord("-")) | (sign == ord("+"))) & (special[np.minimum(at + 1, last)] == at_e + 1)
    digits = end - at_e - 1 - signed
    size = np.zeros(len(at), dtype=np.int64)
    for place in range(3):
        digit = found.buffer[end - 1 - place].astype(np.int64) - 48
        size += np.where(digits > place, digit * 10**place, 0)
    well_formed = ((kind[at] | 32) == ord("e")) & (at + 1 + signed == last) & (digits >= 1) & (digits <= 3)
    return np.where(signed & (sign == _MINUS), -size, size), np.where(well_formed, at_e, end), well_formed


def _integers(words: Words, ends: Indices, digits: Indices) -> tuple[Words, Words]:
    """Integers of the last 24 of the `digits` characters before each of `ends`, and of the first eight of those."""
    index = ends >> 3
    shift = ((ends & 7) << 3).view(np.uint64)
    lift = np.uint64(63) - shift
    total = top = np.zeros(len(ends), dtype=np.uint64)
    least, most = int(digits.min(initial=0)), int(digits.max(initial=0))
    behind = words[index]
    for k in range(min(-(-most // 8), _MOST_WORDS)):
        index -= 1
        before = words[index]
        eight = before >> shift
        behind <<= lift
        behind <<= np.uint64(1)
        eight |= behind
        eight ^= _ZEROS
        if least < 8 * (k + 1):
            eight &= _KEEP_LAST.take(digits - 8 * k, mode="clip")
        eight = _eight_digits(eight)
        if k == _MOST_WORDS - 1:
            top = eight
        total = total + eight * _INTEGER_POWERS[8 * k] if k else eight
        behind = before
    return total, top


def _eight_digits(w: Words) -> Words:
    """The number whose eight decimal digits are the bytes of w, the first in the lowest bits: pairs, fours, eight.

    In place.
    """
    pairs = np.uint64(0x000000FF000000FF)
    neighbours = w >> np.uint64(8)
    w *= np.uint64(10)
    w += neighbours
    odd = w & pairs
    odd *= np.uint64(0x000F424000000064)
    w >>= np.uint64(16)
    w &= pairs
    w *= np.uint64(0x0000271000000001)
    w += odd
    w >>= np.uint64(32)
    return w


def _divided(mantissa: Words, scale: Indices) -> tuple[Floats, Mask]:
    """mantissa / 10^scale rounded once, and where double-double arithmetic cannot tell which way.

    The quotient of the leading parts and its exact remainder: relative error below 2^-103 before the last rounding.
    """
    high = mantissa.astype(np.float64)
    low = (mantissa - high.astype(np.uint64)).view(np.int64).astype(np.float64)
    power = EXACT_POWERS[scale]
    quotient = high / power
    product = quotient * power
    error = product_error(quotient, EXACT_POWERS_HIGH[scale], EXACT_POWERS_LOW[scale], product)
    rest = ((high - product) - error + low) / power
    doubt = quotient * _DOUBT
    below, above = quotient + (rest - doubt), quotient + (rest + doubt)
    return below, below != above
