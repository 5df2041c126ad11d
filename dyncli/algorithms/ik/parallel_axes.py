"""Closed form of six revolute joints of which the second, third and fourth are parallel: arms like Universal Robots'.

Float-only, batch last. What joints 2 to 4 do along their common direction h is nothing, so that

    h . R1ᵀ w = h . (d1 + d2 + d3 + d4 + R5 d5),   h . R1ᵀ Q a6 = h . R5 a6

hold for joints 1 and 5 alone (w: the target's point on axis 6 seen from joint 1, Q: its rotation, d5: the common
perpendicular of axes 5 and 6). Joint 6 and the sum of 2 to 4 follow from the orientation, the rest is a planar arm.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dyncli.algorithms.ik import lines
from dyncli.algorithms.ik.branches import arm_labels, point_on_axis
from dyncli.algorithms.ik.chain import Array, Kinematics
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.path_geometry import Path
from dyncli.algorithms.ik.two_angles import linear_angle, solve_pair
from dyncli.structs import struct


@struct
class ParallelAxes:
    """Axes `a` (6, 3), with the pose at zero in the world; `d` (5, 3): from a point on each axis to one on the next.

    `signs`: whether joints 2 to 4 turn along or against h, the axis of joint 2. `end`: the point on axis 6.
    """

    a: Array
    signs: Array
    base: Array
    d: Array
    end: Array
    tip: Array
    rotation: Array
    deviation: float
    name: ClassVar[str] = "6R with three parallel axes"
    choices: ClassVar[tuple[str, ...]] = ("shoulder", "elbow", "wrist")

    @staticmethod
    def recognise(path: Path, rows: tuple[int, ...], tolerance: float) -> ParallelAxes | None:
        """This form, if axes 2, 3 and 4 of six revolute ones are parallel within `tolerance` (rad)."""
        joints = path.joints
        if len(joints) != 6 or len(rows) != 6 or any(joint.kind not in ("revolute", "continuous") for joint in joints):
            return None
        a = np.array([joint.axis for joint in joints])
        h = a[1]
        deviation = max(float(np.linalg.norm(np.cross(h, a[k]))) for k in (2, 3))
        if deviation > tolerance:
            return None
        if min(np.linalg.norm(np.cross(a[i], a[j])) for i, j in ((0, 1), (3, 4), (4, 5))) <= 0.1:
            return None
        points = [joint.point for joint in joints]
        size = max(float(np.linalg.norm(path.tip - point)) for point in points)
        points[4], points[5] = lines.common_perpendicular(a[4], points[4], a[5], points[5])
        d = np.array([points[k + 1] - points[k] for k in range(5)])
        flat = np.eye(3) - np.outer(h, h)
        if min(np.linalg.norm(flat @ d[1]), np.linalg.norm(flat @ d[2])) <= tolerance * size:
            return None
        if np.linalg.norm(d[4]) <= tolerance * size:
            deviation = max(deviation, float(np.linalg.norm(d[4])) / size)
            d[4] = 0.0
        signs = np.sign(a[1:4] @ h)
        return ParallelAxes(a, signs, points[0], d, points[5], path.tip, path.rotation, deviation)

    def candidates(self, targets: Targets, reference: Array) -> Array:
        """Joint angles (6, branches, T), nan where a branch has none; `reference` (6, 1 or T) where one is free."""
        Q = np.einsum("ijb,kj->ikb", targets.rotation, self.rotation)
        w = targets.position + np.einsum("ijb,j->ib", Q, self.end - self.tip) - lines.column(self.base)
        q1, q5 = self._first_and_fifth(w, Q)
        q = np.empty((6, 8, targets.count))
        for k in range(4):
            q6, total = self._orientation(Q, q1[k], q5[k], reference)
            for m, (q2, q3, q4) in enumerate(self._plane(w, q1[k], q5[k], total, reference)):
                q[:, 2 * k + m] = q1[k], q2, q3, q4, q5[k], q6
        return q

    def labels(self, at: Kinematics) -> list[str]:
        """Branch of each lane."""
        return arm_labels(at, point_on_axis(at, 3))

    def _first_and_fifth(self, w: Array, Q: Array) -> tuple[Array, Array]:
        """Joints 1 and 5 (4, T)."""
        a1, h, a5, a6 = self.a[0], self.a[1], self.a[4], self.a[5]
        d5 = self.d[4]
        count = w.shape[1]
        h_across = h - a5 * (a5 @ h)
        across = float(np.linalg.norm(h_across))
        # h . R5 v = across (e0 cos + e1 sin) of v's part across axis 5: y is the unit vector (along d5, along a6)
        a6_across = a6 - a5 * (a5 @ a6)
        d5_length, a6_length = float(np.linalg.norm(d5)), float(np.linalg.norm(a6_across))
        e1 = a6_across / a6_length
        e0 = d5 / d5_length if d5_length else np.cross(e1, a5)
        point = lines.turn_polynomial(w, a1, lines.column(h))
        point[0] = point[0] - h @ self.d[:4].sum(axis=0)
        direction = lines.turn_polynomial(np.einsum("ijb,j->ib", Q, a6), a1, lines.column(h))
        direction[0] = direction[0] - (h @ a5) * (a5 @ a6)
        square = np.zeros((5, count))
        square[0] = 1.0
        lengths = (across * d5_length, across * a6_length)
        q1, y = solve_pair(lengths, np.array([point, direction]), square)
        # y are the parts of R5ᵀ h along e0 and e1
        back = e0[:, None, None] * y[0] + e1[:, None, None] * y[1]
        q5 = np.array([lines.angle_about(a5, back[:, k], h_across) for k in range(4)])
        return q1, np.where(np.isnan(q1), np.nan, q5)

    def _orientation(self, Q: Array, q1: Array, q5: Array, reference: Array) -> tuple[Array, Array]:
        """Joint 6, and the sum of joints 2 to 4 about h."""
        a1, h, a5, a6 = self.a[0], self.a[1], self.a[4], self.a[5]
        turned_h = lines.turned(a1, q1, h)
        seen = np.einsum("ijb,ib->jb", Q, turned_h)
        start = lines.turned(a5, -q5, h)
        q6 = np.where(lines.is_about(a6, start, 1e-8), reference[5], -lines.angle_about(a6, start, seen))
        side = np.cross(h, a5)
        # h's turn, read off a vector across it carried through joints 6 and 5 backwards: R1ᵀ Q R6ᵀ R5ᵀ
        carried = lines.turned(a6, -q6, lines.turned(a5, -q5, side))
        end = lines.turned(a1, -q1, np.einsum("ijb,jb->ib", Q, carried))
        return q6, lines.angle_about(h, side, end)

    def _plane(
        self, w: Array, q1: Array, q5: Array, total: Array, reference: Array
    ) -> list[tuple[Array, Array, Array]]:
        """The two ways of joints 2 to 4 to put axis 5 in its place."""
        a1, h, a5 = self.a[0], self.a[1], self.a[4]
        d1, d2, d3, d4, d5 = self.d
        far = lines.column(d4) + lines.turned(a5, q5, d5)
        g = lines.turned(a1, -q1, w) - lines.column(d1) - lines.turned(h, total, far)
        flat = np.eye(3) - np.outer(h, h)
        g, b, c = flat @ g, flat @ d2, flat @ d3
        bend = 2.0 * lines.turn_polynomial(b, h, c) * np.ones(g.shape[1])
        bend[0] += b @ b + c @ c - lines.dot(g, g)
        ways = []
        for x3 in linear_angle(bend, reference[2]):
            x2 = lines.angle_about(h, lines.column(b) + lines.turned(h, x3, c), g)
            s2, s3, s4 = self.signs
            ways.append((s2 * x2, s3 * x3, s4 * (total - x2 - x3)))
        return ways
