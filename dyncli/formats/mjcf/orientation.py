"""Poses as MJCF counts them: a position and a unit quaternion, w first, and the five ways to write an orientation.

Quaternions are kept until the description is made, since the drawn pose of a free body is told as one.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

from dyncli.formats.mjcf.element import Element, Report, Value
from dyncli.formats.mjcf.settings import Settings
from dyncli.rotations import quaternion_of
from dyncli.spatial import (
    ZERO3,
    Matrix3,
    Transform,
    Vector3,
    add3,
    cross3,
    dot3,
    quaternion_to_matrix,
    rotate,
    scale3,
    subtract3,
)

Quaternion = tuple[float, float, float, float]

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
UNIT: Quaternion = (1.0, 0.0, 0.0, 0.0)
TOO_SHORT = 1e-6
"""Vectors shorter than this (m, or no unit) have no direction, as in MuJoCo."""


class Pose(NamedTuple):
    """Pose of a child frame in its parent frame (position in m)."""

    position: Vector3 = ZERO3
    quaternion: Quaternion = UNIT

    def then(self, inner: Pose) -> Pose:
        """The pose, in self's parent, of a frame that has the pose `inner` in self's child frame."""
        return Pose(
            add3(self.position, rotate(self.rotation(), inner.position)),
            unit(multiply(self.quaternion, inner.quaternion)),
        )

    def inverse(self) -> Pose:
        """Pose of the parent in the child."""
        w, x, y, z = self.quaternion
        back = (w, -x, -y, -z)
        return Pose(scale3(-1.0, rotate(quaternion_to_matrix(*back), self.position)), back)

    def rotation(self) -> Matrix3:
        """Rotation matrix, child to parent coordinates."""
        return quaternion_to_matrix(*self.quaternion)

    def transform(self) -> Transform:
        """The same as rotation matrix and translation."""
        return Transform(self.rotation(), self.position)


ORIGIN = Pose()


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Quaternion product: the rotation b, then a, both about fixed axes."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def unit(q: Quaternion) -> Quaternion:
    """The quaternion at length 1; the identity for one of next to no length."""
    length = math.sqrt(sum(component * component for component in q))
    if length < 1e-14:
        return UNIT
    # a length that differs from 1 by rounding alone is left as it is
    return q if abs(length - 1.0) < 1e-15 else (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


def read_pose(element: Element, values: dict[str, Value], settings: Settings, report: Report) -> Pose:
    """Pose that the attributes say; `values` are those of `element` and of its default class."""
    position = cast("Vector3", values.get("pos", ZERO3))
    return Pose(position, read_orientation(element, values, settings, report))


def read_orientation(element: Element, values: dict[str, Value], settings: Settings, report: Report) -> Quaternion:
    """Orientation from whichever of the five attributes is there; the identity without any."""
    for kind in ORIENTATIONS:
        if kind in values:
            numbers = cast("tuple[float, ...]", values[kind])
            try:
                return _READERS[kind](numbers, settings)
            except ValueError as error:
                report.fatal("orientation", element, f"{kind}: {error}")
                break
    return UNIT


def along_z(direction: Vector3) -> Quaternion:
    """The smallest rotation that takes +z onto `direction` (of any length); half a turn about x for -z."""
    _, _, z = aim = _direction(direction, "the axis")
    normal = cross3((0.0, 0.0, 1.0), aim)
    sine = math.sqrt(dot3(normal, normal))
    if sine < 1e-10:
        return UNIT if z > 0.0 else (0.0, 1.0, 0.0, 0.0)
    half = 0.5 * math.atan2(sine, z)
    x, y, z = scale3(math.sin(half) / sine, normal)
    return (math.cos(half), x, y, z)


def _from_quat(numbers: tuple[float, ...], _: Settings) -> Quaternion:
    if not any(numbers):
        raise ValueError("a quaternion of length 0 is no rotation")
    return unit(cast("Quaternion", numbers))


def _from_axisangle(numbers: tuple[float, ...], settings: Settings) -> Quaternion:
    half = 0.5 * settings.radians(numbers[3])
    x, y, z = scale3(math.sin(half), _direction(numbers[:3], "the axis"))
    return (math.cos(half), x, y, z)


def _from_xyaxes(numbers: tuple[float, ...], _: Settings) -> Quaternion:
    x = _direction(numbers[:3], "the x axis")
    y = cast("Vector3", numbers[3:])
    y = _direction(subtract3(y, scale3(dot3(x, y), x)), "the part of the y axis across the x axis")
    z = cross3(x, y)
    q = quaternion_of(((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])))
    if x[0] + y[1] + z[2] > 0.0 or max(q[1:], key=abs) > 0.0:
        return q
    return (-q[0], -q[1], -q[2], -q[3])  # of turns beyond 120 degrees MuJoCo makes the greatest component positive


def _from_zaxis(numbers: tuple[float, ...], _: Settings) -> Quaternion:
    return along_z(cast("Vector3", numbers))


def _from_euler(numbers: tuple[float, ...], settings: Settings) -> Quaternion:
    """Rotations about the axes that `eulerseq` names: moving axes in lower case, fixed ones in upper case."""
    if not set(settings.eulerseq) <= set("xyzXYZ"):
        raise ValueError(f"eulerseq {settings.eulerseq!r} holds a letter that is none of x, y, z, X, Y, Z")
    turned = UNIT
    for letter, angle in zip(settings.eulerseq, numbers, strict=True):
        half = 0.5 * settings.radians(angle)
        c, s = math.cos(half), math.sin(half)
        step = {"x": (c, s, 0.0, 0.0), "y": (c, 0.0, s, 0.0), "z": (c, 0.0, 0.0, s)}[letter.lower()]
        turned = multiply(turned, step) if letter.islower() else multiply(step, turned)
    return turned


def _direction(numbers: tuple[float, ...], what: str) -> Vector3:
    x, y, z = numbers
    length = math.sqrt(x * x + y * y + z * z)
    if length < TOO_SHORT:
        raise ValueError(f"{what} has no length and so no direction")
    return (x / length, y / length, z / length)


_READERS = {
    "quat": _from_quat,
    "axisangle": _from_axisangle,
    "xyaxes": _from_xyaxes,
    "zaxis": _from_zaxis,
    "euler": _from_euler,
}
