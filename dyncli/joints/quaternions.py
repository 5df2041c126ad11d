"""Unit quaternions, w first, over scalars of any kind."""

from __future__ import annotations

import math

from dyncli import scalars
from dyncli.joints.base import Coordinates, Quaternion
from dyncli.spatial import Scalar, Vector3, dot3


def quaternion_product(a: Quaternion, b: Quaternion) -> Quaternion:
    """Hamilton product a b, w first."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def quaternion_exp(w: Vector3) -> Quaternion:
    """Unit quaternion of the rotation vector w (rad), smooth at zero."""
    s = 0.25 * dot3(w, w)
    half_sinc = 0.5 * scalars.stumpff(1, s)
    return (scalars.stumpff(0, s), half_sinc * w[0], half_sinc * w[1], half_sinc * w[2])


_LOG_TERMS = 55
"""Terms of the series in `quaternion_log`: its ratio is below 1/2 on half a turn, so these reach rounding."""


def quaternion_log(q: Quaternion) -> Vector3:
    """Rotation vector (rad, length at most pi) of a unit quaternion.

    The half angle over its sine is a series in x = 1 - |w| that converges on the whole of 0 <= x <= 1 and has no branch
    at zero angle, so every scalar passes: sum of c_j x^j with c_j = c_{j-1} j / (2j + 1).
    """
    w, x, y, z = q
    flip = scalars.sign(scalars.sign(w) + 0.5)  # q and -q are one rotation: take the shorter way, also at w = 0
    rest = 1.0 - flip * w
    ratio: Scalar = 1.0
    for j in range(_LOG_TERMS, 0, -1):
        ratio = 1.0 + (j / (2.0 * j + 1.0)) * rest * ratio
    factor = 2.0 * flip * ratio
    return (factor * x, factor * y, factor * z)


def conjugate(q: Quaternion) -> Quaternion:
    """Inverse of a unit quaternion."""
    return (q[0], -q[1], -q[2], -q[3])


def quaternion_rate(q: Quaternion, w: Vector3) -> Quaternion:
    """dq/dt = q (0, w)/2 for an angular velocity w in body axes."""
    return quaternion_product(q, (0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]))


def uniform_quaternion(u: Coordinates) -> Quaternion:
    """Uniform over rotations from three uniform numbers (K. Shoemake, Graphics Gems III, 1992)."""
    a, b = scalars.sqrt(1.0 - u[0]), scalars.sqrt(u[0])
    s, t = 2.0 * math.pi * u[1], 2.0 * math.pi * u[2]
    return (b * scalars.cos(t), a * scalars.sin(s), a * scalars.cos(s), b * scalars.sin(t))


def angular_velocity_of_rate(q: Quaternion, rate: Quaternion) -> Vector3:
    """Angular velocity in body axes of a quaternion's rate: the vector part of 2 q⁻¹ dq/dt."""
    _, x, y, z = quaternion_product(conjugate(q), rate)
    return (2.0 * x, 2.0 * y, 2.0 * z)
