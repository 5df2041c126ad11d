"""Vectors and lines in space for the closed forms. Float-only; vectors are (3,) or (3, B), batch last."""

from __future__ import annotations

import numpy as np

from dyncli.algorithms.ik.chain import Array


def column(v: Array) -> Array:
    """A constant vector beside a batch."""
    return v[:, None] if v.ndim == 1 else v


def dot(a: Array, b: Array) -> Array:
    """a . b over the first axis."""
    return np.asarray((a * b).sum(axis=0))


def cross(a: Array, b: Array) -> Array:
    """a x b over the first axis."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def turned(axis: Array, angle: Array, v: Array) -> Array:
    """v (3, B) or (3,) turned about a constant unit axis by angles (B,)."""
    v, k = column(v), column(axis)
    along = k * dot(k, v)
    return along + np.cos(angle) * (v - along) + np.sin(angle) * cross(k, v)


def turn_polynomial(row: Array, axis: Array, v: Array) -> Array:
    """row . (v turned about axis by x) as a polynomial (constant, cos x, sin x); see `two_angles`."""
    row, v, k = column(row), column(v), column(axis)
    along = k * dot(k, v)
    return np.array(np.broadcast_arrays(dot(row, along), dot(row, v - along), dot(row, cross(k, v))))


def angle_about(axis: Array, start: Array, end: Array) -> Array:
    """Angle (B,) about a unit axis from start to end, components along the axis left out."""
    k, a, b = column(axis), column(start), column(end)
    a = a - k * dot(k, a)
    return np.asarray(np.arctan2(dot(k, cross(a, b)), dot(a, b)))


def is_about(axis: Array, v: Array, tolerance: float = 1e-9) -> Array:
    """Whether v lies along the axis, so that no angle about it can be told."""
    k, v = column(axis), column(v)
    rest = v - k * dot(k, v)
    return np.asarray(dot(rest, rest) <= tolerance**2 * np.maximum(dot(v, v), 1e-300))


def common_perpendicular(a: Array, p: Array, b: Array, r: Array) -> tuple[Array, Array]:
    """The two points where the lines p + s a and r + t b come nearest; for parallel lines, p and its foot."""
    n = np.cross(a, b)
    square = float(n @ n)
    if square <= 1e-12:
        return p, r + b * (b @ (p - r))
    apart = r - p
    s = float(np.cross(apart, b) @ n) / square
    t = float(np.cross(apart, a) @ n) / square
    return p + s * a, r + t * b


def meeting_point(lines: list[tuple[Array, Array]]) -> tuple[Array, float]:
    """The point nearest to all lines (unit axis, point), and its largest distance from one."""
    total, right = np.zeros((3, 3)), np.zeros(3)
    for axis, point in lines:
        across = np.eye(3) - np.outer(axis, axis)
        total, right = total + across, right + across @ point
    center: Array = np.linalg.lstsq(total, right, rcond=None)[0].astype(np.float64)
    return center, max(float(np.linalg.norm(np.cross(axis, center - point))) for axis, point in lines)
