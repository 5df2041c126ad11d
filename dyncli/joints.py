"""Joint types: one record each, and the only place that knows a joint kind.

A joint type answers a fixed list of questions. To add one, write a subclass of `JointType` that answers them and
enter it in `joint_type`; nothing else changes.

    names      coordinate_suffixes, velocity_suffixes ("" for one-dof joints: the joint's own name)
    units      coordinate_units, velocity_units ("rad", "m", "" for quaternions; "rad/s", "m/s")
    sizes      nq, nv
    passive    to_joint_axes, from_joint_axes, deflection: springs and dampers are stated in the joint frame's axes
    motion     transform(axis, q): pose of the moved frame in the joint frame
               subspace(axis, q): nv columns in the moved frame, S
               subspace_rate(axis, q, v): Ṡ, column by column, None where S is constant
               stages: groups of velocities in the order in which they move the frame, each fixed in the frame it moves
               unfolded(axis): simpler joints in a row that do the same
               rotor_drift(v, u): what turning axes add to the rate of u where armature multiplies it
    manifold   integrate(q, v): where q goes in unit time at velocity v; difference(q0, q1): the v that leads there
               position_rate(q, v): dq/dt; velocity_of_rate(q, rate): its inverse
               bracket(u, v): how small steps along u and v fail to commute
               tangent(q): the nv directions of q (nq numbers each) that unit velocities move it in
    values     neutral(), normalised(q), from_uniform(u, lower, upper)

Two conventions exist for joints with quaternions or in the plane (see `dyncli.tree`): `mujoco` (quaternion w first,
linear velocity in the axes of the joint frame) and `pinocchio` (quaternion w last, velocities in body axes).
q is a sequence of nq scalars of any kind, v of nv; lengths in m, angles in rad.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from dyncli import scalars
from dyncli.spatial import (
    IDENTITY,
    IDENTITY3,
    ZERO3,
    ZERO_MOTION,
    Matrix3,
    Motion,
    Scalar,
    Transform,
    TurnAboutZ,
    Vector3,
    add3,
    cross3,
    dot3,
    quaternion_to_matrix,
    rotate,
    rotate_back,
    scale3,
    subtract3,
)

Coordinates = Sequence[Scalar]
Quaternion = tuple[Scalar, Scalar, Scalar, Scalar]

UNIT_AXES: Matrix3 = IDENTITY3
Z_AXIS: Vector3 = (0.0, 0.0, 1.0)
UNBOUNDED_ANGLE = math.pi
UNBOUNDED_LENGTH = 1.0


class JointType(ABC):
    """What every joint type answers; see the module's docstring for the meaning of each."""

    name: str
    nq: int
    nv: int
    coordinate_suffixes: tuple[str, ...]
    velocity_suffixes: tuple[str, ...]
    coordinate_units: tuple[str, ...]
    velocity_units: tuple[str, ...]
    uniforms: int
    """How many uniform random numbers `from_uniform` takes."""
    vector_space = True
    """Whether dq/dt = v and coordinates add up."""
    quaternion_at: int | None = None
    """Where the four numbers of a quaternion begin in q."""

    @abstractmethod
    def transform(self, axis: Vector3, q: Coordinates) -> Transform:
        """Pose of the moved frame in the joint frame."""

    @abstractmethod
    def subspace(self, axis: Vector3, q: Coordinates) -> tuple[Motion, ...]:
        """Columns of the motion subspace S in the moved frame, one a degree of freedom."""

    @property
    def stages(self) -> tuple[tuple[int, ...], ...]:
        """Degrees of freedom in groups, as if massless bodies stood between: S of each is fixed in the frame it moves."""
        return (tuple(range(self.nv)),)

    def unfolded(self, axis: Vector3) -> tuple[tuple[JointType, Vector3], ...]:
        """Simpler joints and axes that do the same one after the other; coordinates and velocities in order."""
        return ((self, axis),)

    def subspace_rate(self, axis: Vector3, q: Coordinates, v: Coordinates) -> tuple[Motion, ...] | None:
        """dS/dt in the moved frame at velocity v, one column a degree of freedom; None where S is constant there."""
        return None

    def rotor_drift(self, v: Coordinates, u: Coordinates) -> list[Scalar] | None:
        """What turning axes add, at velocity v, to the rate of u before armature multiplies it; None for nothing."""
        return None

    def integrate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        """Coordinates after unit time at constant velocity v (give h v for a step of h)."""
        return [a + b for a, b in zip(q, v, strict=True)]

    def difference(self, q0: Coordinates, q1: Coordinates) -> list[Scalar]:
        """The velocity v with integrate(q0, v) = q1."""
        return [b - a for a, b in zip(q0, q1, strict=True)]

    def position_rate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        """dq/dt at velocity v."""
        return list(v)

    def velocity_of_rate(self, q: Coordinates, rate: Coordinates) -> list[Scalar]:
        """The velocity v with position_rate(q, v) = rate, a rate that keeps quaternions unit."""
        return list(rate)

    def bracket(self, u: Coordinates, v: Coordinates) -> list[Scalar]:
        """Lie bracket [u, v] of two velocities: zero where steps commute."""
        return [0.0] * self.nv

    def to_joint_axes(self, q: Coordinates, v: Coordinates) -> Sequence[Scalar]:
        """A velocity with its linear part in the axes of the joint frame, in which a file states springs and dampers."""
        return v

    def from_joint_axes(self, q: Coordinates, f: Coordinates) -> Sequence[Scalar]:
        """A force from those axes into the ones that belong to this type's velocities."""
        return f

    def deflection(self, rest: Coordinates, q: Coordinates) -> list[Scalar]:
        """How far q is from `rest` along each degree of freedom, linear parts in the axes of the joint frame."""
        return self.difference(rest, q)

    def tangent(self, q: Coordinates) -> list[list[Scalar]]:
        """For each degree of freedom, the direction of q that its unit velocity moves it in."""
        units = [[1.0 if i == k else 0.0 for i in range(self.nv)] for k in range(self.nv)]
        return [self.position_rate(q, unit) for unit in units]

    def neutral(self) -> tuple[float, ...]:
        """Coordinates at which the moved frame coincides with the joint frame."""
        return (0.0,) * self.nq

    def normalised(self, q: Coordinates) -> list[Scalar]:
        """q with its quaternion made unit; vectors unchanged."""
        return list(q)

    @abstractmethod
    def from_uniform(self, u: Coordinates, lower: float | None, upper: float | None) -> list[Scalar]:
        """Random coordinates from `uniforms` numbers in [0, 1): within the limits, ±pi or ±1 m where there are none."""


def _between(u: Scalar, lower: float | None, upper: float | None, bound: float) -> Scalar:
    low = -bound if lower is None else lower
    high = bound if upper is None else upper
    if low > high:
        low, high = high, low
    return low + (high - low) * u


class _OneDof(JointType):
    nq = nv = uniforms = 1
    coordinate_suffixes = velocity_suffixes = ("",)
    bound: float

    def from_uniform(self, u: Coordinates, lower: float | None, upper: float | None) -> list[Scalar]:
        if lower is None and upper is not None:
            lower = min(-self.bound, upper - self.bound)
        if upper is None and lower is not None:
            upper = max(self.bound, lower + self.bound)
        return [_between(u[0], lower, upper, self.bound)]


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


# Quaternions, w first -------------------------------------------------------------------------------------------


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


def _quaternion_rate(q: Quaternion, w: Vector3) -> Quaternion:
    """dq/dt = q (0, w)/2 for an angular velocity w in body axes."""
    return quaternion_product(q, (0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]))


def _uniform_quaternion(u: Coordinates) -> Quaternion:
    """Uniform over rotations from three uniform numbers (K. Shoemake, Graphics Gems III, 1992)."""
    a, b = scalars.sqrt(1.0 - u[0]), scalars.sqrt(u[0])
    s, t = 2.0 * math.pi * u[1], 2.0 * math.pi * u[2]
    return (b * scalars.cos(t), a * scalars.sin(s), a * scalars.cos(s), b * scalars.sin(t))


def _angular_velocity(q: Quaternion, rate: Quaternion) -> Vector3:
    """Angular velocity in body axes of a quaternion's rate: the vector part of 2 q⁻¹ dq/dt."""
    _, x, y, z = quaternion_product(conjugate(q), rate)
    return (2.0 * x, 2.0 * y, 2.0 * z)


_LAST = {True: ("qx", "qy", "qz", "qw"), False: ("qw", "qx", "qy", "qz")}


class _WithQuaternion(JointType):
    """Shared by ball and floating joints: a quaternion from index `quaternion_at` on, w last or w first."""

    vector_space = False
    quaternion_at: int = 0
    scalar_last: bool

    def _get(self, q: Coordinates) -> Quaternion:
        a, b, c, d = q[self.quaternion_at : self.quaternion_at + 4]
        return (d, a, b, c) if self.scalar_last else (a, b, c, d)

    def _put(self, q: Quaternion) -> list[Scalar]:
        w, x, y, z = q
        return [x, y, z, w] if self.scalar_last else [w, x, y, z]

    def rotation(self, q: Coordinates) -> Matrix3:
        """Rotation matrix of the joint's quaternion."""
        return quaternion_to_matrix(*self._get(q))

    def normalised(self, q: Coordinates) -> list[Scalar]:
        p = self._get(q)
        scale = scalars.reciprocal(scalars.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]))
        return [*q[: self.quaternion_at], *(scale * c for c in self._put(p))]

    def neutral(self) -> tuple[float, ...]:
        return (*(0.0,) * self.quaternion_at, *self._put((1.0, 0.0, 0.0, 0.0)))


class Ball(_WithQuaternion):
    """Free rotation: a unit quaternion; velocity is the angular velocity in body axes."""

    name = "ball"
    nq, nv, uniforms = 4, 3, 3
    velocity_suffixes = ("wx", "wy", "wz")
    coordinate_units, velocity_units = ("",) * 4, ("rad/s",) * 3

    def __init__(self, *, scalar_last: bool) -> None:
        self.scalar_last = scalar_last
        self.coordinate_suffixes = _LAST[scalar_last]

    def transform(self, axis: Vector3, q: Coordinates) -> Transform:
        return Transform(self.rotation(q), ZERO3)

    def subspace(self, axis: Vector3, q: Coordinates) -> tuple[Motion, ...]:
        return tuple(Motion(e, ZERO3) for e in UNIT_AXES)

    def integrate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        return self._put(quaternion_product(self._get(q), quaternion_exp((v[0], v[1], v[2]))))

    def difference(self, q0: Coordinates, q1: Coordinates) -> list[Scalar]:
        return list(quaternion_log(quaternion_product(conjugate(self._get(q0)), self._get(q1))))

    def position_rate(self, q: Coordinates, v: Coordinates) -> list[Scalar]:
        return self._put(_quaternion_rate(self._get(q), (v[0], v[1], v[2])))

    def velocity_of_rate(self, q: Coordinates, rate: Coordinates) -> list[Scalar]:
        return list(_angular_velocity(self._get(q), self._get(rate)))

    def bracket(self, u: Coordinates, v: Coordinates) -> list[Scalar]:
        return list(cross3((u[0], u[1], u[2]), (v[0], v[1], v[2])))

    def from_uniform(self, u: Coordinates, lower: float | None, upper: float | None) -> list[Scalar]:
        return self._put(_uniform_quaternion(u))


class _Floating(_WithQuaternion):
    """Position and unit quaternion; velocity linear then angular."""

    name = "floating"
    nq, nv, uniforms = 7, 6, 6
    quaternion_at = 3
    velocity_suffixes = ("vx", "vy", "vz", "wx", "wy", "wz")
    coordinate_units = ("m",) * 3 + ("",) * 4
    velocity_units = ("m/s",) * 3 + ("rad/s",) * 3

    def __init__(self) -> None:
        self.coordinate_suffixes = ("x", "y", "z", *_LAST[self.scalar_last])

    def transform(self, axis: Vector3, q: Coordinates) -> Transform:
        return Transform(self.rotation(q), (q[0], q[1], q[2]))

    def from_uniform(self, u: Coordinates, lower: float | None, upper: float | None) -> list[Scalar]:
        position = [_between(c, None, None, UNBOUNDED_LENGTH) for c in u[:3]]
        return [*position, *self._put(_uniform_quaternion(u[3:]))]


class FloatingInWorldAxes(_Floating):
    """`mujoco`: slides along the axes of the joint frame, then a ball: linear velocity in those, angular in body axes."""

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
        return [v[0], v[1], v[2], *self._put(_quaternion_rate(self._get(q), (v[3], v[4], v[5])))]

    def velocity_of_rate(self, q: Coordinates, rate: Coordinates) -> list[Scalar]:
        return [*rate[:3], *_angular_velocity(self._get(q), self._get(rate))]

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
        return [*velocity, *self._put(_quaternion_rate(self._get(q), (v[3], v[4], v[5])))]

    def velocity_of_rate(self, q: Coordinates, rate: Coordinates) -> list[Scalar]:
        linear = rotate_back(self.rotation(q), (rate[0], rate[1], rate[2]))
        return [*linear, *_angular_velocity(self._get(q), self._get(rate))]

    def bracket(self, u: Coordinates, v: Coordinates) -> list[Scalar]:
        left = Motion((u[3], u[4], u[5]), (u[0], u[1], u[2]))
        angular, linear = left.cross(Motion((v[3], v[4], v[5]), (v[0], v[1], v[2])))
        return [*linear, *angular]


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
        return [_between(c, None, None, bound) for c, bound in zip(u, bounds, strict=True)]


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
        s, c = scalars.sin(q[2]), scalars.cos(q[2])
        return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]

    def velocity_of_rate(self, q: Coordinates, rate: Coordinates) -> list[Scalar]:
        s, c = scalars.sin(q[2]), scalars.cos(q[2])
        return [c * rate[0] + s * rate[1], c * rate[1] - s * rate[0], rate[2]]

    def bracket(self, u: Coordinates, v: Coordinates) -> list[Scalar]:
        return [v[2] * u[1] - u[2] * v[1], u[2] * v[0] - v[2] * u[0], 0.0]


_TYPES: dict[str, dict[str, JointType]] = {
    "mujoco": {
        "ball": Ball(scalar_last=False),
        "floating": FloatingInWorldAxes(),
        "planar": PlanarInJointAxes(),
    },
    "pinocchio": {
        "ball": Ball(scalar_last=True),
        "floating": FloatingInBodyAxes(),
        "planar": PlanarInBodyAxes(),
    },
}
for _of_convention in _TYPES.values():
    _of_convention |= {
        "revolute": Revolute(),
        "continuous": Revolute("continuous"),
        "prismatic": Prismatic(),
        "fixed": Fixed(),
    }

CONVENTIONS = tuple(_TYPES)


def joint_type(name: str, convention: str) -> JointType:
    """The record of a joint type (`revolute`, `ball`...) in a convention (`mujoco` or `pinocchio`)."""
    return _TYPES[convention][name]


def all_joint_types() -> list[JointType]:
    """Every record once, for tests that hold for all of them."""
    return list({id(record): record for of_convention in _TYPES.values() for record in of_convention.values()}.values())


def coordinates_from_quaternion_first(kind: JointType, values: Sequence[Any]) -> list[Any]:
    """Coordinates in the order of `kind` from a list whose quaternion has w first (how descriptions keep them)."""
    at = kind.quaternion_at
    if at is None or kind.coordinate_suffixes[at] == "qw":
        return list(values)
    w, *rest = values[at:]
    return [*values[:at], *rest, w]
