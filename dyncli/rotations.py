"""Rotation matrices to quaternions on floats and float arrays, for output alone: it looks at values."""

from __future__ import annotations

import math
from typing import Any

from dyncli.spatial import Matrix3


def quaternion_of(R: Matrix3) -> tuple[Any, Any, Any, Any]:
    """Unit quaternion (w, x, y, z) of a rotation matrix, w >= 0; entries floats or arrays of one shape.

    Divides by the largest of the four components, so no rotation is badly conditioned.
    Source: S. W. Shepperd, Quaternion from rotation matrix (1978).
    """
    entries = [entry for row in R for entry in row]
    if all(isinstance(entry, (int, float)) for entry in entries):
        return _of_floats(*entries)
    return _of_arrays(*entries)


def _candidates(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any) -> list[tuple[Any, ...]]:
    """Four quaternions, 4 |component|² times too long each: the one of the largest component is the good one."""
    return [
        (1.0 + (a + e + i), h - f, c - g, d - b),
        (h - f, 1.0 + (a - e - i), b + d, c + g),
        (c - g, b + d, 1.0 + (e - a - i), f + h),
        (d - b, c + g, f + h, 1.0 + (i - a - e)),
    ]


def _of_floats(*entries: float) -> tuple[float, float, float, float]:
    candidates = _candidates(*entries)
    largest = max(range(4), key=lambda k: candidates[k][k])
    chosen = candidates[largest]
    norm = math.sqrt(sum(component * component for component in chosen))
    scale = math.copysign(1.0 / norm, chosen[0])
    w, x, y, z = (scale * component for component in chosen)
    return (w, x, y, z)


def _of_arrays(*entries: Any) -> tuple[Any, Any, Any, Any]:
    import numpy as np

    candidates = np.array(_candidates(*np.broadcast_arrays(*entries)))
    largest = np.argmax(np.diagonal(candidates, axis1=0, axis2=1), axis=-1)
    chosen = np.take_along_axis(candidates, largest[None, None], axis=0)[0]
    chosen = chosen * np.copysign(1.0 / np.sqrt((chosen * chosen).sum(axis=0)), chosen[0])
    return (chosen[0], chosen[1], chosen[2], chosen[3])
