"""Scalars of any kind: the few functions beyond + - * / that recursions may use.

A scalar is a Python float, a NumPy array over a batch (last axis), a complex number or array, a
`dual.Dual` or a `symbol.Symbol`. The functions here pick the right implementation from the value; `Dual` and
`Symbol` bring methods of the same names. NumPy is imported only when an array comes along.
"""

from __future__ import annotations

import cmath
import math
import sys
from typing import Any

Scalar = Any

SERIES_BOUND = 0.5
"""Below this |s| the Stumpff series of `SERIES_TERMS` terms is exact to rounding."""
SERIES_TERMS = 9


def _is_array(x: Scalar) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, (numpy.ndarray, numpy.generic))


def sin(x: Scalar) -> Scalar:
    """Sine of an angle in rad; of an infinite float it is nan, as on arrays."""
    if isinstance(x, (float, int)):
        return math.sin(x) if math.isfinite(x) else math.nan
    if isinstance(x, complex):
        return cmath.sin(x)
    if _is_array(x):
        return sys.modules["numpy"].sin(x)
    return x.sin()


def cos(x: Scalar) -> Scalar:
    """Cosine of an angle in rad; of an infinite float it is nan, as on arrays."""
    if isinstance(x, (float, int)):
        return math.cos(x) if math.isfinite(x) else math.nan
    if isinstance(x, complex):
        return cmath.cos(x)
    if _is_array(x):
        return sys.modules["numpy"].cos(x)
    return x.cos()


def sqrt(x: Scalar) -> Scalar:
    """Square root; of a negative float it is nan, as on arrays."""
    if isinstance(x, (float, int)):
        return math.sqrt(x) if x >= 0.0 else math.nan
    if isinstance(x, complex):
        return cmath.sqrt(x)
    if _is_array(x):
        return sys.modules["numpy"].sqrt(x)
    return x.sqrt()


def reciprocal(x: Scalar) -> Scalar:
    """1 / x; of a zero float it is inf, as on arrays, so that a singular pivot is seen and not raised."""
    if isinstance(x, (float, int, complex)) and x == 0.0:
        return math.inf
    return 1.0 / x


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1 by the real part; its derivative counts as 0."""
    if isinstance(x, (float, int)):
        return float(x > 0.0) - float(x < 0.0)
    if isinstance(x, complex):
        return sign(x.real)
    if _is_array(x):
        return sys.modules["numpy"].sign(x.real)
    return x.sign()


def absolute(x: Scalar) -> Scalar:
    """|x| as sign(x) x, so that derivatives pass through."""
    return sign(x) * x


def stumpff(k: int, s: Scalar) -> Scalar:
    """Stumpff function c_k(s) = sum over i of (-s)^i / (2i + k)!, for k = 0...5.

    With s = θ²: c0 = cos θ, c1 = sin θ / θ, c2 = (1 - cos θ)/θ², c3 = (θ - sin θ)/θ³. Exponential maps of rotations are
    made of these, smooth at zero angle; the derivative stays in the family: c_k' = (k c_{k+2} - c_{k+1}) / 2.
    Source: K. Stumpff, Himmelsmechanik I (1959).
    """
    if isinstance(s, (float, int, complex)):
        return _series(k, s) if abs(s) < SERIES_BOUND else _closed_form(k, s)
    if _is_array(s):
        numpy = sys.modules["numpy"]
        small = abs(s) < SERIES_BOUND
        return numpy.where(small, _series(k, numpy.where(small, s, 0.0)), _closed_form(k, numpy.where(small, 1.0, s)))
    return s.stumpff(k)


def _series(k: int, s: Scalar) -> Scalar:
    """The power series by Horner's rule."""
    total = 1.0 / math.factorial(2 * SERIES_TERMS + k)
    for i in range(SERIES_TERMS - 1, -1, -1):
        total = 1.0 / math.factorial(2 * i + k) - s * total
    return total


def _closed_form(k: int, s: Scalar) -> Scalar:
    """Upwards from c0 and c1 by c_{k+2} = (1/k! - c_k) / s."""
    theta = sqrt(s)
    value = cos(theta) if k % 2 == 0 else sin(theta) / theta
    for j in range(k % 2, k, 2):
        value = (1.0 / math.factorial(j) - value) / s
    return value
