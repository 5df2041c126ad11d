"""Free rotation."""

from __future__ import annotations

from dyncli.joints.base import UNIT_AXES, Coordinates
from dyncli.joints.quaternion_joint import SUFFIXES, QuaternionJoint
from dyncli.joints.quaternions import (
    angular_velocity_of_rate,
    conjugate,
    quaternion_exp,
    quaternion_log,
    quaternion_product,
    quaternion_rate,
    uniform_quaternion,
)
from dyncli.spatial import ZERO3, Motion, Scalar, Transform, Vector3, cross3


class Ball(QuaternionJoint):
    """Free rotation: a unit quaternion; velocity is the angular velocity in body axes."""

    name = "ball"
    nq, nv, uniforms = 4, 3, 3
    velocity_suffixes = ("wx", "wy", "wz")
    coordinate_units, velocity_units = ("",) * 4, ("rad/s",) * 3

    def __init__(self, *, scalar_last: bool) -> None:
        self.scalar_last = scalar_last
        self.coordinate_suffixes = SUFFIXES[scalar_last]

    def transform(self, axis: Vector3, q: Coordinates) -> Transform:
        return Transform(self.rotation(q), ZERO3)

    def subspace(self, axis: Vector3, q: Coordinates) -> tuple[Motion, ...]:
        return tuple(Motion(e, ZERO3) for e in UNIT_AXES)

    def integrate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        return self._put(quaternion_product(self._get(q), quaternion_exp((v[0], v[1], v[2]))))

    def difference(self, q0: Coordinates, q1: Coordinates) -> list[Scalar]:
        return list(quaternion_log(quaternion_product(conjugate(self._get(q0)), self._get(q1))))

    def position_rate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        return self._put(quaternion_rate(self._get(q), (v[0], v[1], v[2])))

    def velocity_of_rate(self, q: Coordinates, rate: Coordinates) -> list[Scalar]:
        return list(angular_velocity_of_rate(self._get(q), self._get(rate)))

    def bracket(self, u: Coordinates, v: Coordinates) -> list[Scalar]:
        return list(cross3((u[0], u[1], u[2]), (v[0], v[1], v[2])))

    def from_uniform(self, u: Coordinates, lower: float | None, upper: float | None) -> list[Scalar]:
        return self._put(uniform_quaternion(u))
