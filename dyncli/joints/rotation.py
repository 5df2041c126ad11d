"""Rotation about an axis."""

from __future__ import annotations

from dyncli import scalars
from dyncli.spatial import Matrix3, Scalar, Vector3


def rotation_about(axis: Vector3, angle: Scalar) -> Matrix3:
    """Rodrigues' formula: rotation by `angle` (rad) about the unit vector `axis`."""
    s, c = scalars.sin(angle), scalars.cos(angle)
    x, y, z = axis
    d = 1.0 - c
    dx, dy, dz = d * x, d * y, d * z
    xy, xz, yz = dx * y, dx * z, dy * z
    sx, sy, sz = s * x, s * y, s * z
    return (
        (c + dx * x, xy - sz, xz + sy),
        (xy + sz, c + dy * y, yz - sx),
        (xz - sy, yz + sx, c + dz * z),
    )
