"""Closed form of six revolute joints of which the last three meet in a point: Pieper's arm.

Float-only, batch last. The meeting point does not move with the wrist, so the first three joints place it and the last
three turn the tool. With u the wrist point seen from joint 2 after joint 3 has turned, and all in the pose at zero:

    |d1 + R2 u|² = |c|²,   a1 . (d1 + R2 u) = a1 . c        (d1: the common perpendicular of axes 1 and 2)

are two equations for joint 3 and for R2 u in the plane across axis 2: at most four solutions, two of the wrist each.
Sources: D. L. Pieper, The kinematics of manipulators under computer control (1968), for the decomposition; B. Paden,
Kinematics and control of robot manipulators (1986), for the turns about an axis.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dyncli.algorithms.ik import lines
from dyncli.algorithms.ik.branches import arm_labels
from dyncli.algorithms.ik.chain import Array, Kinematics
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.path_geometry import Path
from dyncli.algorithms.ik.two_angles import linear_angle, product, solve_pair
from dyncli.structs import struct


@struct
class SphericalWrist:
    """Axes `a` (6, 3) and points on the first two, with the pose at zero, all in the world.

    `d1`, `d2`: from the first point to that on axis 2, and on to axis 3; `d3`: on to the wrist `center`. `lengths`: of
    d1 and of axis 1's part across axis 2, 0 where the axes meet or are parallel. `deviation`: what recognition passed
    over, as a share of the arm's size.
    """

    a: Array
    base: Array
    d1: Array
    d2: Array
    d3: Array
    lengths: tuple[float, float]
    center: Array
    tip: Array
    rotation: Array
    deviation: float
    name: ClassVar[str] = "6R with a spherical wrist"
    choices: ClassVar[tuple[str, ...]] = ("shoulder", "elbow", "wrist")

    @staticmethod
    def recognise(path: Path, rows: tuple[int, ...], tolerance: float) -> SphericalWrist | None:
        """This form, if the last three of six revolute axes meet within `tolerance` of the arm's size."""
        joints = path.joints
        if len(joints) != 6 or len(rows) != 6 or any(joint.kind not in ("revolute", "continuous") for joint in joints):
            return None
        a = np.array([joint.axis for joint in joints])
        points = [joint.point for joint in joints]
        size = max(float(np.linalg.norm(path.tip - point)) for point in points)
        wrist = [(a[k], points[k]) for k in (3, 4, 5)]
        across = min(np.linalg.norm(np.cross(a[3], a[4])), np.linalg.norm(np.cross(a[4], a[5])))
        if across <= 0.1:  # no wrist turns three ways about axes that are nearly one
            return None
        center, missed = lines.meeting_point(wrist)
        if missed > tolerance * size:
            return None
        first, second = lines.common_perpendicular(a[0], points[0], a[1], points[1])
        d1 = second - first
        lengths, passed = [], missed / size
        for length, unit in ((float(np.linalg.norm(d1)), size), (float(np.linalg.norm(np.cross(a[0], a[1]))), 1.0)):
            negligible = length <= tolerance * unit
            passed = max(passed, length / unit) if negligible else passed
            lengths.append(0.0 if negligible else length)
        if not any(lengths):  # axes 1 and 2 are one
            return None
        return SphericalWrist(
            a,
            first,
            d1 if lengths[0] else np.zeros(3),
            points[2] - second,
            center - points[2],
            (lengths[0], lengths[1]),
            center,
            path.tip,
            path.rotation,
            passed,
        )

    def candidates(self, targets: Targets, reference: Array) -> Array:
        """Joint angles (6, branches, T), nan where a branch has none; `reference` (6, 1 or T) where one is free."""
        Q = np.einsum("ijb,kj->ikb", targets.rotation, self.rotation)
        center = targets.position + np.einsum("ijb,j->ib", Q, self.center - self.tip)
        q1, q2, q3 = self._place(center - lines.column(self.base), reference)
        q = np.empty((6, 8, targets.count))
        for k in range(4):
            # what the wrist has to turn: (R1 R2 R3)ᵀ Q
            rest = Q
            for axis, angle in zip(self.a[:3], (q1[k], q2[k], q3[k]), strict=True):
                rest = np.array([lines.turned(axis, -angle, rest[:, j]) for j in range(3)]).transpose(1, 0, 2)
            for m, (q4, q5, q6) in enumerate(self._turn(rest, reference)):
                q[:, 2 * k + m] = q1[k], q2[k], q3[k], q4, q5, q6
        return q

    def labels(self, at: Kinematics) -> list[str]:
        """Branch of each lane."""
        local = self.rotation.T @ (self.center - self.tip)
        return arm_labels(at, at.position + np.einsum("ijb,j->ib", at.rotation, local))

    def _place(self, c: Array, reference: Array) -> tuple[Array, Array, Array]:
        """Joints 1 to 3 (4, T) that bring the wrist to c (from the point on axis 1)."""
        a1, a2, a3 = self.a[:3]
        constant = np.ones(c.shape[1])
        zero = 0.0 * constant
        # in the plane across axis 2, along d1 and along axis 1: the two are orthogonal
        d1_length, a1_length = self.lengths
        e0 = self.d1 / d1_length if d1_length else _unit(np.cross(a1, a2))
        e1 = _unit(a1 - a2 * (a2 @ a1)) if a1_length else np.cross(a2, e0)
        u_square = 2.0 * lines.turn_polynomial(self.d2, a3, self.d3)
        u_square[0] = u_square[0] + self.d2 @ self.d2 + self.d3 @ self.d3
        u_along = lines.turn_polynomial(a2, a3, self.d3)
        u_along[0] = u_along[0] + a2 @ self.d2
        u_square, u_along = u_square * constant, u_along * constant
        distance = np.array([0.5 * (lines.dot(c, c) - d1_length**2) * constant, zero, zero]) - 0.5 * u_square
        height = np.array([lines.dot(lines.column(a1), c) - a1 @ self.d1, zero, zero]) - (a1 @ a2) * u_along
        square = np.array([*u_square, zero, zero]) - product(u_along, u_along)
        q3, y = solve_pair(self.lengths, np.array([distance, height]), square)
        q1, q2 = np.empty_like(q3), np.empty_like(q3)
        for k in range(4):
            u = lines.column(self.d2) + lines.turned(a3, q3[k], self.d3)
            across = lines.column(e0) * y[0, k] + lines.column(e1) * y[1, k]
            q2[k] = np.where(lines.is_about(a2, u), reference[1], lines.angle_about(a2, u, across))
            reached = lines.column(self.d1) + lines.turned(a2, q2[k], u)
            free = np.logical_and(lines.is_about(a1, c), lines.is_about(a1, reached))
            q1[k] = np.where(free, reference[0], lines.angle_about(a1, reached, c))
        return q1, q2, q3

    def _turn(self, M: Array, reference: Array) -> list[tuple[Array, Array, Array]]:
        """The two ways to write rotations M (3, 3, T) as turns about axes 4, 5 and 6."""
        a4, a5, a6 = self.a[3:]
        polynomial = lines.turn_polynomial(a4, a5, a6) * np.ones(M.shape[2])
        polynomial[0] -= np.einsum("i,ijb,j->b", a4, M, a6)
        end = np.einsum("ijb,j->ib", M, a6)
        side = np.cross(a6, a5)
        ways = []
        for q5 in linear_angle(polynomial, reference[4]):
            start = lines.turned(a5, q5, a6)
            q4 = np.where(lines.is_about(a4, start, 1e-8), reference[3], lines.angle_about(a4, start, end))
            # the rest of M about axis 6, read off a vector across it
            moved = np.einsum("ijb,j->ib", M, side)
            back = lines.turned(a5, -q5, lines.turned(a4, -q4, moved))
            ways.append((q4, q5, lines.angle_about(a6, side, back)))
        return ways


def _unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v))
