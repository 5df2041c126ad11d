"""What joints with a quaternion share."""

from __future__ import annotations

from dyncli import scalars
from dyncli.joints.base import Coordinates, JointType, Quaternion
from dyncli.spatial import Matrix3, Scalar, quaternion_to_matrix

SUFFIXES = {True: ("qx", "qy", "qz", "qw"), False: ("qw", "qx", "qy", "qz")}


class QuaternionJoint(JointType):
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
