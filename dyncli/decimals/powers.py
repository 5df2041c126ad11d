"""Powers of ten and exact products, the arithmetic that both directions share."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

EXACT = 22
"""10^k is a double without error up to this k."""

_SPLITTER = 134217729.0  # 2^27 + 1


def split(a: Floats) -> tuple[Floats, Floats]:
    """a as the sum of two numbers of at most 26 bits (G. W. Veltkamp, 1968)."""
    t = _SPLITTER * a
    high = t - (t - a)
    return high, a - high


EXACT_POWERS: Floats = np.array([float(10**k) for k in range(EXACT + 1)])
EXACT_POWERS_HIGH, EXACT_POWERS_LOW = split(EXACT_POWERS)


def product_error(a: Floats, b_high: Floats, b_low: Floats, product: Floats) -> Floats:
    """What `product`, the rounded a b, lacks of the true one (T. J. Dekker, 1971); b comes split."""
    a_high, a_low = split(a)
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
