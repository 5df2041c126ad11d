"""Names for the branches of closed forms: signs that change only where the arm is singular.

Float-only, batch last. The determinant of a 6R arm of these kinds is a product of three factors, one for the elbow, one
for the wrist and one for the shoulder; each names a choice by its sign, continuously along a path.
"""

from __future__ import annotations

import numpy as np

from dyncli.algorithms.ik.chain import Array, Kinematics
from dyncli.algorithms.ik.lines import cross, dot


def point_on_axis(at: Kinematics, joint: int) -> Array:
    """The point (3, B) of a revolute joint's axis nearest to the tip, read off its column of the Jacobian."""
    return at.position - cross(at.jacobian[:3, joint], at.jacobian[3:, joint])


def elbow_labels(at: Kinematics) -> list[str]:
    """Which way an arm of two joints bends."""
    knee = point_on_axis(at, 1)
    bend = dot(at.jacobian[3:, 0], cross(knee - point_on_axis(at, 0), at.position - knee))
    return [f"elbow{_sign(value)}" for value in bend]


def arm_labels(at: Kinematics, wrist: Array) -> list[str]:
    """Shoulder, elbow and wrist of arms of six joints whose elbow lies between axis 2 and the point `wrist` (3, B)."""
    axes = at.jacobian[3:]
    third = point_on_axis(at, 2)
    elbow = dot(axes[:, 2], cross(third - point_on_axis(at, 1), wrist - third))
    flip = dot(axes[:, 3], cross(axes[:, 4], axes[:, 5]))
    with np.errstate(invalid="ignore"):
        determinant = np.linalg.det(at.jacobian.transpose(2, 0, 1))
    shoulder = np.sign(determinant) * np.sign(elbow) * np.sign(flip)
    return [
        f"shoulder{_sign(s)},elbow{_sign(e)},wrist{_sign(w)}" for s, e, w in zip(shoulder, elbow, flip, strict=True)
    ]


def _sign(value: float) -> str:
    return "-" if value < 0.0 else "+"
