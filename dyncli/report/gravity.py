"""Gravity torque of each joint over its range: the numbers of the small multiples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dyncli.algorithms.rnea import rnea
from dyncli.engine import Engine
from dyncli.report.text import drawable
from dyncli.states import sample_states
from dyncli.structs import struct
from dyncli.tree import Joint, Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

POINTS = 49
"""Positions of the joint that moves."""
POSES = 24
"""Random positions of all others, for the band around the curve."""
ROUNDING = 1e-12
"""A torque below this share of the greatest one of the robot is what rounding leaves of zero."""


@struct
class Sweep:
    """A joint moved through its range; positions in rad or m, torques in N m or forces in N.

    `resting`: with all others at rest; `least`, `greatest`: over random positions of the others as well.
    `limited`: whether the range is that of the file, or a whole turn (±1 m) for want of limits.
    """

    joint: Joint
    name: str
    limited: bool
    positions: list[float]
    resting: list[float]
    least: list[float]
    greatest: list[float]

    @property
    def peak(self) -> float:
        """The greatest magnitude of all."""
        return max(max(map(abs, self.least)), max(map(abs, self.greatest)))

    @property
    def is_finite(self) -> bool:
        """Whether all of it is numbers that can be drawn."""
        return drawable((*self.positions, *self.resting, *self.least, *self.greatest))

    @property
    def is_angle(self) -> bool:
        """Whether the joint turns."""
        return self.joint.type.coordinate_units == ("rad",)


def gravity_sweeps(tree: Tree) -> list[Sweep]:
    """A sweep for every joint of one coordinate; floating joints stay at rest, since the base's pose is the user's.

    Torques are those of `rnea` at rest: what holds the robot. O(joints x points x poses x bodies).
    """
    import numpy as np

    poses = _poses(tree)
    engine = Engine(lambda q: rnea(tree, q))
    sweeps: list[Sweep] = []
    for joint in tree.joints:
        if joint.nq != 1:
            continue
        (low,), (high,) = (joint.type.from_uniform([u], joint.lower, joint.upper) for u in (0.0, 1.0))
        positions = np.linspace(low, high, POINTS)
        q = np.repeat(poses[:, :, None], POINTS, axis=2)
        q[joint.index_q] = positions
        count = q[0].size
        with np.errstate(all="ignore"):
            torque = engine(count, list(q.reshape(tree.nq, count)))[joint.index_v]
        held = np.broadcast_to(torque, (count,)).reshape(-1, POINTS)
        limited = joint.lower is not None and joint.upper is not None
        lines = (positions, held[0], held.min(axis=0), held.max(axis=0))
        sweeps.append(Sweep(joint, tree.dofs[joint.index_v], limited, *(line.tolist() for line in lines)))
    return sweeps


def greatest_peak(sweeps: Sequence[Sweep]) -> float:
    """The greatest torque or force of all sweeps, as a scale for what counts as zero."""
    return max((sweep.peak for sweep in sweeps if sweep.is_finite), default=0.0)


def resting_position(tree: Tree) -> list[float]:
    """The neutral position, moved into the limits where it is outside."""
    q = list(tree.neutral)
    for joint in tree.joints:
        if joint.nq == 1:
            low, high = _ordered(joint)
            q[joint.index_q] = min(max(q[joint.index_q], low), high)
    return q


def _ordered(joint: Joint) -> tuple[float, float]:
    """Limits with the smaller one first, infinite where there are none."""
    low = -math.inf if joint.lower is None else joint.lower
    high = math.inf if joint.upper is None else joint.upper
    return min(low, high), max(low, high)


def _poses(tree: Tree) -> Array:
    """q at rest, then at random positions (nq, 1 + POSES); floating joints always at rest."""
    import numpy as np

    rest: Any = np.array(resting_position(tree), float).reshape(tree.nq, 1)
    (block,) = sample_states(tree, POSES, 0, ("q",))
    drawn: Any = np.array(block.q, float).reshape(tree.nq, POSES)
    for joint in tree.joints:
        if joint.type.name == "floating":
            own = slice(joint.index_q, joint.index_q + joint.nq)
            drawn[own] = rest[own]
    poses: Array = np.concatenate([rest, drawn], axis=1)
    return poses
