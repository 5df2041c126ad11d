"""Two equations in the sines and cosines of two angles: what the closed forms come down to.

Float-only, batch last; a solution that does not exist is nan. Trigonometric polynomials of one angle x are arrays: rows
(constant, cos x, sin x), or (constant, cos x, sin x, cos 2x, sin 2x).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dyncli.algorithms.ik.chain import Array

_TANGENT = 1e-6
"""By so much may a cosine exceed 1 and count as 1: a double solution, blurred by rounded axes."""
_ON_CIRCLE = 1e-2
"""By so much may a root be off the unit circle: double roots are computed as a pair beside it; polishing decides."""
_ZERO = 1e-12


def linear_angle(polynomial: Array, reference: Array | float = math.nan) -> Array:
    """The angles x (2, B) with k + a cos x + b sin x = 0, of rows (k, a, b); `reference` where every x would do."""
    k, a, b = polynomial
    amplitude = np.hypot(a, b)
    free = amplitude <= _ZERO * np.maximum(1.0, np.abs(k))
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = -k / amplitude
    cosine = np.where(np.abs(cosine) <= 1.0 + _TANGENT, np.clip(cosine, -1.0, 1.0), np.nan)
    middle, half = np.arctan2(b, a), np.arccos(cosine)
    found = np.array([middle + half, middle - half])
    return np.where(free, np.where(np.abs(k) <= _ZERO, reference, np.nan), found)


def product(p: Array, r: Array) -> Array:
    """Product (5, B) of two polynomials of rows (k, a, b)."""
    k, a, b = p
    m, c, d = r
    return np.array(
        [k * m + 0.5 * (a * c + b * d), k * c + a * m, k * d + b * m, 0.5 * (a * c - b * d), 0.5 * (a * d + b * c)]
    )


def quadratic_angle(polynomial: Array) -> Array:
    """The angles (4, B) at which a polynomial (5, B) is zero.

    With z = exp(ix) it is a polynomial of degree four whose roots on the unit circle are the solutions: eigenvalues of
    its companion matrix. Where the second harmonic vanishes it is a linear equation.
    """
    f, a, b, c, d = polynomial
    scale = np.abs(polynomial).max(axis=0)
    lead = c - 1j * d
    linear = np.abs(lead) <= _ZERO * scale
    divisor = np.where(linear, 1.0, lead)
    coefficients = np.array([a - 1j * b, 2.0 * f + 0j, a + 1j * b, c + 1j * d]) / divisor
    companion = np.zeros((f.size, 4, 4), dtype=np.complex128)
    companion[:, 0] = -coefficients.T
    companion[:, [1, 2, 3], [0, 1, 2]] = 1.0
    z = _eigenvalues(companion).T
    angles = np.where(np.abs(np.abs(z) - 1.0) <= _ON_CIRCLE, np.angle(z), np.nan)
    angles = _refined(polynomial, angles)
    if linear.any():
        two = linear_angle(polynomial[:3])
        angles = np.where(linear, np.concatenate([two, np.full_like(two, np.nan)]), angles)
    return angles


def _eigenvalues(matrices: NDArray[np.complex128]) -> NDArray[np.complex128]:
    finite = np.isfinite(matrices).all(axis=(1, 2))
    values = np.full(matrices.shape[:2], np.nan + 0j)
    if finite.any():
        values[finite] = np.linalg.eigvals(matrices[finite])
    return values


def _refined(polynomial: Array, x: Array) -> Array:
    """x after two steps of Newton's method, of which only small ones are believed."""
    f, a, b, c, d = polynomial
    for _ in range(2):
        s, co, s2, c2 = np.sin(x), np.cos(x), np.sin(2.0 * x), np.cos(2.0 * x)
        value = f + a * co + b * s + c * c2 + d * s2
        slope = -a * s + b * co - 2.0 * c * s2 + 2.0 * d * c2
        with np.errstate(divide="ignore", invalid="ignore"):
            step = value / slope
        x = x - np.where(np.abs(step) < 0.1, step, 0.0)
    return x


def solve_pair(lengths: tuple[float, float], equations: Array, square: Array) -> tuple[Array, Array]:
    """Four candidates (nan: none) for an angle x and a vector y in the plane, from

        lengths[i] y_i = equations[i](x) for i = 0, 1,   |y|² = square(x),

    `equations` (2, 3, B), `square` (5, B). Returns x (4, B), y (2, 4, B). A length of 0 leaves an equation in x alone;
    then it gives two x, and each two y.
    """
    if 0.0 in lengths:
        alone = lengths.index(0.0)
        other = 1 - alone
        x = np.repeat(linear_angle(equations[alone]), 2, axis=0)
        along = _value(equations[other], x) / lengths[other]
        rest = _square_root(_value(square, x) - along * along, _value(square, x))
        across = rest * np.array([1.0, -1.0, 1.0, -1.0])[:, None]
        return x, np.array([along, across] if other == 0 else [across, along])
    total = sum(product(equations[i], equations[i]) / lengths[i] ** 2 for i in (0, 1)) - square
    x = quadratic_angle(total)
    return x, np.array([_value(equations[i], x) / lengths[i] for i in (0, 1)])


def _value(polynomial: Array, x: Array) -> Array:
    """A polynomial's value at several angles (k, B)."""
    total: Array = polynomial[0] + polynomial[1] * np.cos(x) + polynomial[2] * np.sin(x)
    if len(polynomial) == 5:
        total = total + polynomial[3] * np.cos(2.0 * x) + polynomial[4] * np.sin(2.0 * x)
    return total


def _square_root(x: Array, scale: Array) -> Array:
    """Root of x, 0 where x is negative by no more than a blurred double solution, nan below."""
    return np.sqrt(np.where(x >= 0.0, x, np.where(x >= -_TANGENT * np.abs(scale), 0.0, np.nan)))
