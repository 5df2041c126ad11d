"""Targets and the error of a pose: where to, which of its six parts count, and how far a frame is off.

Float-only, batch last. The rotation between two orientations is taken by the logarithm, right up to half a turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dyncli.algorithms.ik.chain import Array, Indices, Kinematics
from dyncli.rotations import quaternion_of
from dyncli.structs import struct

AXES = "xyzrpw"
"""Letters of the rows: position along world x, y, z; rotation about the target's own x, y, z."""
ALL_ROWS = (0, 1, 2, 3, 4, 5)

_NEAR_HALF_TURN = -0.9
"""Below this cosine the sine is too small to tell the axis well: it is then read off the quaternion."""


class PoseError(NamedTuple):
    """What is missing to the target, and how the chosen rows move.

    `e` (m, B): target minus pose in the chosen rows, m and rad; `J` (m, n, B): e ≈ J dq to first order.
    `position`, `orientation` (B,): norms of the two parts, m and rad.
    """

    e: Array
    J: Array
    position: Array
    orientation: Array

    @property
    def total(self) -> Array:
        """Norm of e (B,): m and rad side by side."""
        return np.hypot(self.position, self.orientation)


@struct
class Targets:
    """T targets: `position` (3, T), m; `rotation` (3, 3, T), target axes in the world; `rows` of `AXES` that count."""

    position: Array
    rotation: Array
    rows: tuple[int, ...] = ALL_ROWS

    @property
    def count(self) -> int:
        """Number of targets."""
        return int(self.position.shape[1])

    @property
    def position_rows(self) -> list[int]:
        """Chosen rows of the position."""
        return [row for row in self.rows if row < 3]

    @property
    def rotation_rows(self) -> list[int]:
        """Chosen rows of the rotation, counted from 0."""
        return [row - 3 for row in self.rows if row >= 3]

    def take(self, which: Indices | list[int] | slice) -> Targets:
        """Some of the targets, in the order of `which`."""
        return Targets(self.position[:, which], self.rotation[:, :, which], self.rows)

    def error(self, at: Kinematics) -> PoseError:
        """Error of the pose of lane k against target k."""
        linear, angular = self.position_rows, self.rotation_rows
        if len(linear) == 3:
            moved, J = self.position - at.position, at.jacobian[:3]
        else:
            moved, J = (self.position - at.position)[linear], at.jacobian[:3][linear]
        distance = np.sqrt((moved * moved).sum(axis=0))
        if not angular:
            return PoseError(moved, J, distance, np.zeros_like(distance))
        turned, J_angular = self._turned(at, angular)
        angle = np.sqrt((turned * turned).sum(axis=0))
        if not linear:
            return PoseError(turned, J_angular, np.zeros_like(angle), angle)
        whole = at.jacobian if len(self.rows) == 6 else np.concatenate([J, J_angular])
        return PoseError(np.concatenate([moved, turned]), whole, distance, angle)

    def _turned(self, at: Kinematics, chosen: list[int]) -> tuple[Array, Array]:
        """Rotation vector that is missing and its Jacobian: world axes if all of it counts, else the target's."""
        if len(chosen) == 3:
            return rotation_log(_product(self.rotation, at.rotation, transpose_right=True)), at.jacobian[3:]
        phi = rotation_log(_product(self.rotation, at.rotation, transpose_left=True))
        # of a part of the rotation vector only its true derivative says how it moves while the rest is large
        rate = left_jacobian_inverse(phi)
        in_target = np.einsum("jib,jnb->inb", self.rotation, at.jacobian[3:])
        return -phi[chosen], np.einsum("ijb,jnb->inb", rate[chosen], in_target)


def _product(A: Array, B: Array, *, transpose_left: bool = False, transpose_right: bool = False) -> Array:
    """A B of 3x3 matrices lane by lane, either one transposed."""
    left = A.transpose(1, 0, 2) if transpose_left else A
    right = B.transpose(1, 0, 2) if transpose_right else B
    return np.asarray(left[:, 0, None] * right[0] + left[:, 1, None] * right[1] + left[:, 2, None] * right[2])


def rotation_log(R: Array) -> Array:
    """Rotation vector (3, B), rad, of rotations (3, 3, B): length at most pi, and never zero or nan at half a turn."""
    doubled = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = 0.5 * np.sqrt((doubled * doubled).sum(axis=0))
    cosine = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    angle = np.arctan2(sine, cosine)
    small = sine < 1e-8
    vector: Array = doubled * (0.5 * np.where(small, 1.0, angle / np.where(small, 1.0, sine)))
    far = cosine < _NEAR_HALF_TURN
    if far.any():
        vector[:, far] = _log_near_half_turn(R[:, :, far])
    return vector


def _log_near_half_turn(R: Array) -> Array:
    """The logarithm through the quaternion, whose vector part is large where the sine of the whole angle is not."""
    w, *xyz = quaternion_of(((R[0, 0], R[0, 1], R[0, 2]), (R[1, 0], R[1, 1], R[1, 2]), (R[2, 0], R[2, 1], R[2, 2])))
    axis = np.array(xyz)
    half_sine = np.sqrt((axis * axis).sum(axis=0))
    return np.asarray(axis * (2.0 * np.arctan2(half_sine, w) / half_sine))


def left_jacobian_inverse(phi: Array) -> Array:
    """d phi / d w (3, 3, B): how a rotation vector phi (3, B) changes as its rotation is turned by w from the left.

    1 - [phi]/2 + k [phi]² with k = (1 - (θ/2) cot(θ/2)) / θ². Source: T. D. Barfoot, State Estimation for Robotics
    (2017), equation 7.88.
    """
    square = (phi * phi).sum(axis=0)
    half = 0.5 * np.sqrt(square)
    small = square < 1e-6
    safe = np.where(small, 1.0, half)
    k = np.where(small, 1.0 / 12.0 + square / 720.0, (1.0 - safe / np.tan(safe)) / np.where(small, 1.0, square))
    x, y, z = phi
    zero = np.zeros_like(x)
    skew = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])
    outer = phi[:, None] * phi[None, :]
    eye = np.eye(3)[:, :, None]
    return np.asarray(eye - 0.5 * skew + k * (outer - square * eye))
