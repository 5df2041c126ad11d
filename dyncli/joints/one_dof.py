"""Joints of one degree of freedom, and the one of none."""

from __future__ import annotations

from dyncli import scalars
from dyncli.joints.base import UNBOUNDED_ANGLE, UNBOUNDED_LENGTH, Z_AXIS, Coordinates, JointType, between
from dyncli.joints.rotation import rotation_about
from dyncli.spatial import IDENTITY, IDENTITY3, ZERO3, Motion, Scalar, Transform, TurnAboutZ, Vector3, scale3


class _OneDof(JointType):
    nq = nv = uniforms = 1
    coordinate_suffixes = velocity_suffixes = ("",)
    bound: float

    def from_uniform(self, u: Coordinates, lower: float | None, upper: float | None) -> list[Scalar]:
        if lower is None and upper is not None:
            lower = min(-self.bound, upper - self.bound)
        if upper is None and lower is not None:
            upper = max(self.bound, lower + self.bound)
        return [between(u[0], lower, upper, self.bound)]


class Revolute(_OneDof):
    """Turn about `axis`; one angle in rad, bounded by limits or not (`continuous`)."""

    coordinate_units, velocity_units = ("rad",), ("rad/s",)
    bound = UNBOUNDED_ANGLE

    def __init__(self, name: str = "revolute") -> None:
        self.name = name

    def transform(self, axis: Vector3, q: Coordinates) -> Transform:
        if axis == Z_AXIS:
            return TurnAboutZ.of(scalars.sin(q[0]), scalars.cos(q[0]))
        return Transform(rotation_about(axis, q[0]), ZERO3)

    def subspace(self, axis: Vector3, q: Coordinates) -> tuple[Motion, ...]:
        return (Motion(axis, ZERO3),)


class Prismatic(_OneDof):
    """Slide along `axis`; one length in m."""

    name = "prismatic"
    coordinate_units, velocity_units = ("m",), ("m/s",)
    bound = UNBOUNDED_LENGTH

    def transform(self, axis: Vector3, q: Coordinates) -> Transform:
        return Transform(IDENTITY3, scale3(q[0], axis))

    def subspace(self, axis: Vector3, q: Coordinates) -> tuple[Motion, ...]:
        return (Motion(ZERO3, axis),)


class Fixed(JointType):
    """No motion; kept as a joint only where its reaction is asked for."""

    name = "fixed"
    nq = nv = uniforms = 0
    coordinate_suffixes = velocity_suffixes = coordinate_units = velocity_units = ()

    def transform(self, axis: Vector3, q: Coordinates) -> Transform:
        return IDENTITY

    def subspace(self, axis: Vector3, q: Coordinates) -> tuple[Motion, ...]:
        return ()

    def from_uniform(self, u: Coordinates, lower: float | None, upper: float | None) -> list[Scalar]:
        return []
