"""Motion in a plane, in both conventions."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli import scalars
from dyncli.joints.base import UNBOUNDED_ANGLE, UNBOUNDED_LENGTH, Coordinates, JointType, between
from dyncli.joints.one_dof import Prismatic, Revolute
from dyncli.joints.rotation import rotation_about
from dyncli.spatial import ZERO3, ZERO_MOTION, Motion, Scalar, Transform, Vector3, add3, cross3, scale3, subtract3


def plane_axes(normal: Vector3) -> tuple[Vector3, Vector3]:
    """In-plane x and y for a unit normal: the joint frame's, turned by the smallest rotation of z onto the normal."""
    x, y, z = normal
    if z < -1.0 + 1e-12:  # half a turn about x
        return (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)
    k = 1.0 / (1.0 + z)
    return (1.0 - k * x * x, -k * x * y, -x), (-k * x * y, 1.0 - k * y * y, -y)


class _Planar(JointType):
    """x, y and an angle in the plane normal to `axis` through the joint frame."""

    name = "planar"
    nq = nv = uniforms = 3
    coordinate_suffixes = ("x", "y", "theta")
    velocity_suffixes = ("vx", "vy", "wz")
    coordinate_units, velocity_units = ("m", "m", "rad"), ("m/s", "m/s", "rad/s")

    def transform(self, axis: Vector3, q: Coordinates) -> Transform:
        x, y = plane_axes(axis)
        return Transform(rotation_about(axis, q[2]), add3(scale3(q[0], x), scale3(q[1], y)))

    def from_uniform(self, u: Coordinates, lower: float | None, upper: float | None) -> list[Scalar]:
        bounds = (UNBOUNDED_LENGTH, UNBOUNDED_LENGTH, UNBOUNDED_ANGLE)
        return [between(c, None, None, bound) for c, bound in zip(u, bounds, strict=True)]


class PlanarInJointAxes(_Planar):
    """`mujoco`: two slides along the joint frame's plane axes, then a turn."""

    @property
    def stages(self) -> tuple[tuple[int, ...], ...]:
        return ((0, 1), (2,))

    def unfolded(self, axis: Vector3) -> tuple[tuple[JointType, Vector3], ...]:
        x, y = plane_axes(axis)
        return ((Prismatic(), x), (Prismatic(), y), (Revolute(), axis))

    def subspace(self, axis: Vector3, q: Coordinates) -> tuple[Motion, ...]:
        x, y = plane_axes(axis)
        s, c = scalars.sin(q[2]), scalars.cos(q[2])
        return (
            Motion(ZERO3, subtract3(scale3(c, x), scale3(s, y))),
            Motion(ZERO3, add3(scale3(s, x), scale3(c, y))),
            Motion(axis, ZERO3),
        )

    def subspace_rate(self, axis: Vector3, q: Coordinates, v: Coordinates) -> tuple[Motion, ...] | None:
        along_x, along_y, _ = self.subspace(axis, q)
        w = scale3(v[2], axis)
        return (Motion(ZERO3, cross3(along_x.linear, w)), Motion(ZERO3, cross3(along_y.linear, w)), ZERO_MOTION)


class PlanarInBodyAxes(_Planar):
    """`pinocchio`: velocities in body axes; steps by the exponential of SE(2)."""

    vector_space = False

    def subspace(self, axis: Vector3, q: Coordinates) -> tuple[Motion, ...]:
        x, y = plane_axes(axis)
        return (Motion(ZERO3, x), Motion(ZERO3, y), Motion(axis, ZERO3))

    def rotor_drift(self, v: Coordinates, u: Coordinates) -> list[Scalar] | None:
        # as for a floating joint in body axes: armature multiplies a + w x u
        return [0.0 - v[2] * u[1], v[2] * u[0], 0.0]

    def to_joint_axes(self, q: Coordinates, v: Coordinates) -> Sequence[Scalar]:
        s, c = scalars.sin(q[2]), scalars.cos(q[2])
        return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]

    def from_joint_axes(self, q: Coordinates, f: Coordinates) -> Sequence[Scalar]:
        s, c = scalars.sin(q[2]), scalars.cos(q[2])
        return [c * f[0] + s * f[1], c * f[1] - s * f[0], f[2]]

    def deflection(self, rest: Coordinates, q: Coordinates) -> list[Scalar]:
        return [b - a for a, b in zip(rest, q, strict=True)]

    def integrate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        w = v[2]
        along, across = scalars.stumpff(1, w * w), w * scalars.stumpff(2, w * w)
        x, y = along * v[0] - across * v[1], across * v[0] + along * v[1]
        s, c = scalars.sin(q[2]), scalars.cos(q[2])
        return [q[0] + c * x - s * y, q[1] + s * x + c * y, q[2] + w]

    def difference(self, q0: Coordinates, q1: Coordinates) -> list[Scalar]:
        w = q1[2] - q0[2]
        s, c = scalars.sin(q0[2]), scalars.cos(q0[2])
        dx, dy = q1[0] - q0[0], q1[1] - q0[1]
        x, y = c * dx + s * dy, c * dy - s * dx
        along, across = scalars.stumpff(1, w * w), w * scalars.stumpff(2, w * w)
        scale = 1.0 / (along * along + across * across)
        return [scale * (along * x + across * y), scale * (along * y - across * x), w]

    def position_rate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        return list(self.to_joint_axes(q, v))

    def velocity_of_rate(self, q: Coordinates, rate: Coordinates) -> list[Scalar]:
        return list(self.from_joint_axes(q, rate))

    def bracket(self, u: Coordinates, v: Coordinates) -> list[Scalar]:
        return [v[2] * u[1] - u[2] * v[1], u[2] * v[0] - v[2] * u[0], 0.0]
