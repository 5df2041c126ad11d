"""What every joint type answers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

from dyncli.spatial import IDENTITY3, Matrix3, Motion, Scalar, Transform, Vector3

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
        """Degrees of freedom in groups, as if massless bodies stood between; S of each is fixed where it moves."""
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
        """A velocity, linear part in the axes of the joint frame, in which a file states springs and dampers."""
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


def between(u: Scalar, lower: float | None, upper: float | None, bound: float) -> Scalar:
    """A uniform number u in [0, 1) spread over the limits, ±bound where there are none."""
    low = -bound if lower is None else lower
    high = bound if upper is None else upper
    if low > high:
        low, high = high, low
    return low + (high - low) * u
