"""Closed form of two parallel revolute joints: the planar 2R arm.

Float-only, batch last. With r² = |target|² in the plane, cos q2 = D = (r² - L1² - L2²) / (2 L1 L2), two signs of q2.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dyncli.algorithms.ik import lines
from dyncli.algorithms.ik.branches import elbow_labels
from dyncli.algorithms.ik.chain import Array, Kinematics
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.path_geometry import Path
from dyncli.algorithms.ik.two_angles import linear_angle
from dyncli.structs import struct


@struct
class PlanarArm:
    """Axis `normal`; in the plane `first` from joint 1 to joint 2 and `second` from there to the tip, all at zero.

    `signs`: whether each joint turns along or against the normal. `deviation`: what recognition passed over.
    """

    base: Array
    normal: Array
    first: Array
    second: Array
    signs: tuple[float, float]
    deviation: float
    name: ClassVar[str] = "planar 2R"
    choices: ClassVar[tuple[str, ...]] = ("elbow",)

    @staticmethod
    def recognise(path: Path, rows: tuple[int, ...], tolerance: float) -> PlanarArm | None:
        """This form, if the path is two parallel revolute joints and the task a point of the plane."""
        joints = path.joints
        if len(joints) != 2 or any(joint.kind not in ("revolute", "continuous") for joint in joints):
            return None
        normal = joints[0].axis
        deviation = float(np.linalg.norm(np.cross(normal, joints[1].axis)))
        missing = [row for row in range(3) if row not in rows]
        in_plane = not missing or (len(missing) == 1 and abs(abs(normal[missing[0]]) - 1.0) <= tolerance)
        if deviation > tolerance or not in_plane or any(row >= 3 for row in rows):
            return None
        flat = np.eye(3) - np.outer(normal, normal)
        first, second = flat @ (joints[1].point - joints[0].point), flat @ (path.tip - joints[1].point)
        if min(np.linalg.norm(first), np.linalg.norm(second)) <= tolerance * np.linalg.norm(first + second):
            return None
        return PlanarArm(
            joints[0].point, normal, first, second, (1.0, float(np.sign(normal @ joints[1].axis))), deviation
        )

    def candidates(self, targets: Targets, reference: Array) -> Array:
        """Joint angles (2, branches, T), nan where a branch has none; `reference` (2, 1 or T) where q1 is free."""
        away = self._away(targets)
        a, b = self.first, self.second
        constant = np.full(targets.count, a @ a + b @ b) - lines.dot(away, away)
        bend = 2.0 * lines.turn_polynomial(a, self.normal, b)
        q2 = linear_angle(bend + np.array([constant, 0.0 * constant, 0.0 * constant]))
        q = np.empty((2, 2, targets.count))
        for k in range(2):
            reached = lines.column(a) + lines.turned(self.normal, q2[k], b)
            q1 = lines.angle_about(self.normal, reached, away)
            free = lines.dot(away, away) <= 1e-24 * (a @ a + b @ b)  # the tip on the first axis: any q1
            q[:, k] = np.where(free, reference[0], q1), self.signs[1] * q2[k]
        return q

    def labels(self, at: Kinematics) -> list[str]:
        """Branch of each lane."""
        return elbow_labels(at)

    def why_none(self, target: Targets) -> str:
        """The numbers that show that a single target has no solution."""
        a, b = float(np.linalg.norm(self.first)), float(np.linalg.norm(self.second))
        away = self._away(target)[:, 0]
        D = (float(away @ away) - a * a - b * b) / (2.0 * a * b)
        return f"cos q2 would be D = {D:.9g}, 1 - D² = {1.0 - D * D:.9g}"

    def _away(self, targets: Targets) -> Array:
        """From joint 1 to the targets, in the plane."""
        away = targets.position - lines.column(self.base)
        return away - lines.column(self.normal) * (self.normal @ away)
