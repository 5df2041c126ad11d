"""Free motion, in both conventions."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli import scalars
from dyncli.joints.ball import Ball
from dyncli.joints.base import UNBOUNDED_LENGTH, UNIT_AXES, Coordinates, JointType, between
from dyncli.joints.one_dof import Prismatic
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
from dyncli.spatial import (
    ZERO3,
    ZERO_MOTION,
    Motion,
    Scalar,
    Transform,
    Vector3,
    add3,
    cross3,
    dot3,
    rotate,
    rotate_back,
    scale3,
    subtract3,
)


class _Floating(QuaternionJoint):
    """Position and unit quaternion; velocity linear then angular."""

    name = "floating"
    nq, nv, uniforms = 7, 6, 6
    quaternion_at = 3
    velocity_suffixes = ("vx", "vy", "vz", "wx", "wy", "wz")
    coordinate_units = ("m",) * 3 + ("",) * 4
    velocity_units = ("m/s",) * 3 + ("rad/s",) * 3

    def __init__(self) -> None:
        self.coordinate_suffixes = ("x", "y", "z", *SUFFIXES[self.scalar_last])

    def transform(self, axis: Vector3, q: Coordinates) -> Transform:
        return Transform(self.rotation(q), (q[0], q[1], q[2]))

    def from_uniform(self, u: Coordinates, lower: float | None, upper: float | None) -> list[Scalar]:
        position = [between(c, None, None, UNBOUNDED_LENGTH) for c in u[:3]]
        return [*position, *self._put(uniform_quaternion(u[3:]))]


class FloatingInWorldAxes(_Floating):
    """`mujoco`: slides along the joint frame's axes, then a ball: linear velocity in those, angular in body axes."""

    scalar_last = False

    @property
    def stages(self) -> tuple[tuple[int, ...], ...]:
        return ((0, 1, 2), (3, 4, 5))

    def unfolded(self, axis: Vector3) -> tuple[tuple[JointType, Vector3], ...]:
        slide = Prismatic()
        return (*((slide, e) for e in UNIT_AXES), (Ball(scalar_last=False), axis))

    def subspace(self, axis: Vector3, q: Coordinates) -> tuple[Motion, ...]:
        slides = tuple(Motion(ZERO3, row) for row in self.rotation(q))
        return (*slides, *(Motion(e, ZERO3) for e in UNIT_AXES))

    def subspace_rate(self, axis: Vector3, q: Coordinates, v: Coordinates) -> tuple[Motion, ...] | None:
        # the slides' columns Rᵀ e turn with -w in body axes
        w = (v[3], v[4], v[5])
        return (*(Motion(ZERO3, cross3(row, w)) for row in self.rotation(q)), *(ZERO_MOTION,) * 3)

    def integrate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        turned = quaternion_product(self._get(q), quaternion_exp((v[3], v[4], v[5])))
        return [q[0] + v[0], q[1] + v[1], q[2] + v[2], *self._put(turned)]

    def difference(self, q0: Coordinates, q1: Coordinates) -> list[Scalar]:
        turn = quaternion_log(quaternion_product(conjugate(self._get(q0)), self._get(q1)))
        return [q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2], *turn]

    def position_rate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        return [v[0], v[1], v[2], *self._put(quaternion_rate(self._get(q), (v[3], v[4], v[5])))]

    def velocity_of_rate(self, q: Coordinates, rate: Coordinates) -> list[Scalar]:
        return [*rate[:3], *angular_velocity_of_rate(self._get(q), self._get(rate))]

    def bracket(self, u: Coordinates, v: Coordinates) -> list[Scalar]:
        return [0.0, 0.0, 0.0, *cross3((u[3], u[4], u[5]), (v[3], v[4], v[5]))]


class FloatingInBodyAxes(_Floating):
    """`pinocchio`: linear and angular velocity both in body axes; steps by the exponential of SE(3)."""

    scalar_last = True

    def subspace(self, axis: Vector3, q: Coordinates) -> tuple[Motion, ...]:
        return (*(Motion(ZERO3, e) for e in UNIT_AXES), *(Motion(e, ZERO3) for e in UNIT_AXES))

    def rotor_drift(self, v: Coordinates, u: Coordinates) -> list[Scalar] | None:
        # armature belongs to the velocities in the axes of the joint frame, whose rate in body axes is a + w x u
        return [*cross3((v[3], v[4], v[5]), (u[0], u[1], u[2])), 0.0, 0.0, 0.0]

    def to_joint_axes(self, q: Coordinates, v: Coordinates) -> Sequence[Scalar]:
        return [*rotate(self.rotation(q), (v[0], v[1], v[2])), *v[3:]]

    def from_joint_axes(self, q: Coordinates, f: Coordinates) -> Sequence[Scalar]:
        return [*rotate_back(self.rotation(q), (f[0], f[1], f[2])), *f[3:]]

    def deflection(self, rest: Coordinates, q: Coordinates) -> list[Scalar]:
        turn = quaternion_log(quaternion_product(conjugate(self._get(rest)), self._get(q)))
        return [*(b - a for a, b in zip(rest[:3], q[:3], strict=True)), *turn]

    def integrate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        linear, w = (v[0], v[1], v[2]), (v[3], v[4], v[5])
        s = dot3(w, w)
        turned = cross3(w, linear)
        moved = add3(
            linear, add3(scale3(scalars.stumpff(2, s), turned), scale3(scalars.stumpff(3, s), cross3(w, turned)))
        )
        position = add3((q[0], q[1], q[2]), rotate(self.rotation(q), moved))
        return [*position, *self._put(quaternion_product(self._get(q), quaternion_exp(w)))]

    def difference(self, q0: Coordinates, q1: Coordinates) -> list[Scalar]:
        w = quaternion_log(quaternion_product(conjugate(self._get(q0)), self._get(q1)))
        moved = rotate_back(self.rotation(q0), subtract3((q1[0], q1[1], q1[2]), (q0[0], q0[1], q0[2])))
        # inverse of 1 + c2 [w] + c3 [w]²: 1 - [w]/2 + (c3/2 - c4)/c2 [w]², smooth at zero
        s = dot3(w, w)
        c2, c3, c4 = (scalars.stumpff(k, s) for k in (2, 3, 4))
        factor = (0.5 * c3 - c4) / c2
        turned = cross3(w, moved)
        linear = add3(subtract3(moved, scale3(0.5, turned)), scale3(factor, cross3(w, turned)))
        return [*linear, *w]

    def position_rate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        velocity = rotate(self.rotation(q), (v[0], v[1], v[2]))
        return [*velocity, *self._put(quaternion_rate(self._get(q), (v[3], v[4], v[5])))]

    def velocity_of_rate(self, q: Coordinates, rate: Coordinates) -> list[Scalar]:
        linear = rotate_back(self.rotation(q), (rate[0], rate[1], rate[2]))
        return [*linear, *angular_velocity_of_rate(self._get(q), self._get(rate))]

    def bracket(self, u: Coordinates, v: Coordinates) -> list[Scalar]:
        left = Motion((u[3], u[4], u[5]), (u[0], u[1], u[2]))
        angular, linear = left.cross(Motion((v[3], v[4], v[5]), (v[0], v[1], v[2])))
        return [*linear, *angular]
