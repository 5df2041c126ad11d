"""Numbers and names as the page shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

DIGITS = 4
ROUNDING = 1e-14
"""Share of the greatest of its like below which a number is what rounding leaves of zero."""
LARGEST = 1e100
"""Numbers beyond this are no robot's, and products of them overflow: they are not drawn."""
ABSENT = "–"
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def drawable(values: Iterable[float]) -> bool:
    """Whether all are numbers that a drawing has room for."""
    return all(abs(value) < LARGEST for value in values)


def number(value: float | None, digits: int = DIGITS) -> str:
    """A number with that many significant digits, in plain figures where they stay short."""
    if value is None:
        return ABSENT
    if value == 0.0 or not math.isfinite(value):
        return "0" if value == 0.0 else str(value)
    if not 1e-4 <= abs(value) < 1e6:
        return _with_exponent(value, digits - 1)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def measure(value: float | None, unit: str, digits: int = DIGITS) -> str:
    """A number with its unit."""
    return ABSENT if value is None else f"{number(value, digits)} {unit}".rstrip()


def interval(low: float | None, high: float | None, unit: str) -> str:
    """`low to high unit`; an absent end is open."""
    if low is None and high is None:
        return ABSENT
    return f"{number(low)} to {number(high)} {unit}"


def magnitude(value: float) -> str:
    """The order of an error: one digit and its power of ten."""
    return _with_exponent(value, 0) if value and math.isfinite(value) else number(value)


def without_rounding(values: Sequence[float]) -> list[float]:
    """Numbers of one quantity, zero where they are what rounding leaves of it beside the greatest of them."""
    greatest = max(map(abs, values), default=0.0)
    return [0.0 if abs(value) <= ROUNDING * greatest else value for value in values]


def share(part: float, whole: float) -> str:
    """A part in percent of a whole, which is nothing to speak of unless it is greater than 0."""
    return f"{100.0 * part / whole:.1f} %" if whole > 0.0 else ABSENT


def printable(text: str) -> str:
    """Text in which nothing can steer a terminal, a font or the direction of writing."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else REPLACEMENT for c in text)


def shortened(text: str, most: int) -> str:
    """Text of at most `most` characters: the middle of a long one is left out, since names differ at both ends."""
    text = printable(text)
    if len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail]}…{text[-tail:]}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 joint`, `2 joints`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def few(names: Sequence[str], most: int = 12) -> str:
    """Names in a row, the first few of many."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _with_exponent(value: float, decimals: int) -> str:
    mantissa, exponent = f"{value:.{decimals}e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(exponent)}"
