"""Angles from sines and cosines, by square roots and a short series: scalars have no arctangent."""

from __future__ import annotations

import math

from dyncli import scalars
from dyncli.wrapping.choices import Scalar, at_least, choose, root

_HALVINGS, _TERMS = 3, 9
"""Halvings bring the tangent below 0.1, where the series of so many terms reaches rounding."""


def angle_of(cosine: Scalar, sine: Scalar, length: Scalar = 1.0) -> Scalar:
    """Angle (rad, 0 to pi) of a vector with these two coordinates; `sine` is not negative, `length` is the vector's."""
    sharp = at_least(cosine, 0.0)
    acute = 2.0 * _arctangent(sine / (length + choose(sharp, cosine, -cosine)))
    return choose(sharp, acute, math.pi - acute)


def arcsine(x: Scalar) -> Scalar:
    """Arcsine (rad) for 0 <= x <= 1."""
    return 2.0 * _arctangent(x / (1.0 + root(1.0 - x * x)))


def _arctangent(t: Scalar) -> Scalar:
    """Arctangent for 0 <= t <= 1."""
    for _ in range(_HALVINGS):
        t = t / (1.0 + scalars.sqrt(1.0 + t * t))
    square, total = t * t, 0.0
    for k in range(_TERMS - 1, -1, -1):
        total = 1.0 / (2 * k + 1) - square * total
    return 2.0**_HALVINGS * t * total
