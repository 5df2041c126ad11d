"""Text of many cells to doubles, each rounded as `float` does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyncli.decimals.powers import EXACT, EXACT_POWERS, EXACT_POWERS_HIGH, EXACT_POWERS_LOW, Floats, product_error

Bytes: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]
Indices: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

PADDING = 24
"""Line feeds before the first cell of a buffer: words of eight characters are read backwards from the end of a cell."""
_TAIL = 17  # and behind the last one, whole words are read
_BLOCK = 12288  # cells at a time: what is made on the way stays in the cache and below the size that is mapped anew
_MOST_DIGITS = 19  # the most that always fit 64 bits
_MINUS, _PLUS, _DOT, _NEWLINE = b"-+.\n"
_KEEP_LAST = np.array([0, *((~0 << 8 * (8 - n)) & (2**64 - 1) for n in range(1, 9))], dtype=np.uint64)
_ZEROS = np.uint64(0x3030303030303030)
_DOUBT = 2.0**-100


@dataclass(frozen=True, slots=True)
class Structure:
    """Where the characters of a buffer stand that are no digits, and which of these end a cell.

    `special`: positions of all characters that are no digits; `kind`: the characters; `ends`: indices into
    `special` of those that end a cell (the separator or a line feed).
    """

    buffer: Bytes
    special: Indices
    kind: Bytes
    ends: Indices

    @property
    def breaks(self) -> Mask:
        """For each end of a cell whether it also ends the line."""
        return np.equal(self.kind[self.ends], _NEWLINE)

    def cells(self, indices: Indices) -> list[bytes]:
        """The bytes of some cells."""
        ends = self.special[self.ends[indices]]
        starts = np.where(indices > 0, self.special[self.ends[indices - 1]] + 1, PADDING)
        text = self.buffer.tobytes()
        return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def structure(text: bytes, separator: int) -> Structure:
    """Find the cells of whole lines (the last without its line feed). O(bytes)."""
    buffer = np.frombuffer(b"".join((b"\n" * PADDING, text, b"\n" * _TAIL)), dtype=np.uint8)
    special = np.flatnonzero((buffer[PADDING : PADDING + len(text) + 1] - np.uint8(48)) > 9) + PADDING
    kind = buffer[special]
    ends = np.flatnonzero((kind == separator) | (kind == _NEWLINE))
    return Structure(buffer, special, kind, ends)


def parse_cells(found: Structure, cells: Indices) -> tuple[Floats, Mask]:
    """Values of the cells with these indices, and which of them need `float` (or are no number).

    A cell is decided here if it reads [-]digits[.digits][e[+-]digits], has at most 19 digits and a scale that keeps the
    arithmetic exact; all others are marked and their values mean nothing.
    """
    values = np.empty(len(cells))
    undecided = np.empty(len(cells), dtype=np.bool_)
    for first in range(0, len(cells), _BLOCK):
        block = slice(first, first + _BLOCK)
        values[block], undecided[block] = _parse_block(found, cells[block])
    return values, undecided


def _parse_block(found: Structure, cells: Indices) -> tuple[Floats, Mask]:
    special, kind = found.special, found.kind
    last = found.ends[cells]
    first = np.where(cells > 0, found.ends[cells - 1] + 1, 0)
    start = np.where(cells > 0, special[first - 1] + 1, PADDING)
    end = special[last]

    negative = (kind[first] == _MINUS) & (special[first] == start)
    first = first + negative
    has_dot = kind[first] == _DOT
    dot = special[first]
    first = first + has_dot
    good = first == last
    scale = np.zeros(len(cells), dtype=np.int64)
    scientific = np.flatnonzero(~good & ((kind[first] | 32) == ord("e")))
    if len(scientific):
        exponent, at_e, well_formed = _exponents(found, first[scientific], last[scientific])
        scale[scientific], good[scientific] = -exponent, well_formed
        end[scientific] = at_e

    whole_end = np.where(has_dot, dot, end)
    whole_digits = whole_end - start - negative
    fraction_digits = end - whole_end - has_dot
    scale += fraction_digits
    digits = whole_digits + fraction_digits
    good &= (digits > 0) & (digits <= _MOST_DIGITS) & (scale >= 0) & (scale <= EXACT)
    if not good.all():
        for counts in (whole_digits, fraction_digits, scale):
            counts[~good] = 0

    words = found.buffer[: len(found.buffer) // 8 * 8].view("<u8")
    mantissa = _integers(words, whole_end, whole_digits) * _INTEGER_POWERS[fraction_digits]
    mantissa += _integers(words, end, fraction_digits)
    values, doubtful = _divided(mantissa, scale)
    return np.where(negative, -values, values), ~good | doubtful


_INTEGER_POWERS = np.array([10**k for k in range(_MOST_DIGITS + 1)], dtype=np.uint64)


def _exponents(found: Structure, at: Indices, last: Indices) -> tuple[Indices, Indices, Mask]:
    """Exponents, positions of the e, and which are well formed: a sign perhaps, then one to three digits.

    `at`, `last`: indices into `special` of each e and of the end of its cell.
    """
    special, kind = found.special, found.kind
    at_e, end = special[at], special[last]
    sign = kind[at + 1]
    signed = ((sign == _MINUS) | (sign == _PLUS)) & (special[at + 1] == at_e + 1)
    digits = end - at_e - 1 - signed
    size = np.zeros(len(at), dtype=np.int64)
    for place in range(3):
        digit = found.buffer[end - 1 - place].astype(np.int64) - 48
        size += np.where(digits > place, digit * 10**place, 0)
    well_formed = (at + 1 + signed == last) & (digits >= 1) & (digits <= 3)
    return np.where(signed & (sign == _MINUS), -size, size), at_e, well_formed


def _integers(words: Words, ends: Indices, digits: Indices) -> Words:
    """Integers of the `digits` characters before each of `ends`."""
    index = ends >> 3
    shift = ((ends & 7) << 3).astype(np.uint64)
    lift = np.uint64(63) - shift
    total = np.zeros(len(ends), dtype=np.uint64)
    behind = words[index]
    for k in range(-(-int(digits.max(initial=0)) // 8)):
        index -= 1
        before = words[index]
        eight = ((before >> shift) | ((behind << lift) << np.uint64(1))) ^ _ZEROS
        eight = _eight_digits(eight & _KEEP_LAST.take(digits - 8 * k, mode="clip"))
        total += eight * _INTEGER_POWERS[8 * k] if k else eight
        behind = before
    return total


def _eight_digits(w: Words) -> Words:
    """The number whose eight decimal digits are the bytes of w, the first in the lowest bits: pairs, fours, eight."""
    w = w * np.uint64(10) + (w >> np.uint64(8))
    pairs = np.uint64(0x000000FF000000FF)
    odd = (w & pairs) * np.uint64(0x000F424000000064)
    even = ((w >> np.uint64(16)) & pairs) * np.uint64(0x0000271000000001)
    total: Words = (odd + even) >> np.uint64(32)
    return total


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
