"""The chain of joints that moves a frame, ready for batches: pose and Jacobian as one recorded program.

Float-only: NumPy arrays whose last axis is the batch ("lanes": one start and one target each).

Coordinates of the chain are those entries of the robot's q that the frame depends on; all others (other branches, a
floating base unless it is asked to move) stay frozen at the start. A joint that mimics counts through its driver.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyncli.algorithms.kinematics import body_poses, frame_pose, jacobian_at
from dyncli.errors import Finding, ModelError
from dyncli.scalars.execute import Executable
from dyncli.scalars.program import record
from dyncli.spatial import IDENTITY, Scalar, Transform
from dyncli.tree import Frame, Joint, Tree

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]

TURN = 2.0 * math.pi
_MANY_TURNS, _LONG_WAY = 4.0 * math.pi, 1e3
_FEW_LANES = 4
"""Up to this many lanes are computed on Python floats, without the fixed cost of array operations."""


class Kinematics(NamedTuple):
    """Pose of the frame in the world and its Jacobian, for B lanes.

    `position` (3, B), m; `rotation` (3, 3, B); `jacobian` (6, n, B), rows linear then angular velocity, world axes.
    """

    position: Array
    rotation: Array
    jacobian: Array


class Chain:
    """What moves a frame; see the module's docstring.

    `start`: all coordinates of the robot (nq), where the frozen ones are taken from. `tool`: pose of the controlled
    point in the frame. `free_base`: let floating joints move. `limits`: ModelError for limits that exclude each other.
    """

    def __init__(
        self,
        tree: Tree,
        frame: Frame,
        start: Sequence[float],
        *,
        tool: Transform = IDENTITY,
        free_base: bool = False,
        limits: bool = True,
    ) -> None:
        self.tree = tree
        self.frame = Frame(frame.name, frame.kind, frame.body, frame.placement.then(tool))
        self.frozen = np.array(start, dtype=np.float64)
        moving = {k for i in tree.ancestors(frame.body) for k in tree.bodies[i].joint.dofs}
        self.joints: tuple[Joint, ...] = tuple(
            joint for joint in tree.joints if joint.index_v in moving and (free_base or joint.type.name != "floating")
        )
        self.locked_base = tuple(
            joint.name for joint in tree.joints if joint.index_v in moving and joint not in self.joints
        )
        self.coordinates = np.array([j.index_q + k for j in self.joints for k in range(j.nq)], dtype=np.intp)
        self.dofs = np.array([j.index_v + k for j in self.joints for k in range(j.nv)], dtype=np.intp)
        self.names = tuple(tree.dofs[k] for k in self.dofs)
        self.coordinate_of_dof, self.owner = self._layout()
        self.lower, self.upper = self._limits(keep=limits)
        self.wraps = self._wraps()
        self._program = record(self._outputs, [tree.coordinates[k] for k in self.coordinates])
        self._executable = Executable(self._program)

    @property
    def n(self) -> int:
        """Degrees of freedom of the chain."""
        return len(self.dofs)

    def _outputs(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Position, rotation and the chain's Jacobian columns, row by row."""
        whole: list[Scalar] = self.frozen.tolist()
        for k, value in zip(self.coordinates.tolist(), q, strict=True):
            whole[k] = value
        poses = body_poses(self.tree, whole)
        pose = frame_pose(self.frame, poses)
        J = jacobian_at(self.tree, whole, poses, self.frame.body, pose.translation)
        columns = self.dofs.tolist()
        return [
            *pose.translation,
            *(entry for row in pose.rotation for entry in row),
            *(row[k] for row in J for k in columns),
        ]

    def kinematics(self, q: Array) -> Kinematics:
        """Pose and Jacobian at chain coordinates q (coordinates, B)."""
        count = q.shape[1]
        if count <= _FEW_LANES:
            lanes = [self._program.evaluate(lane) for lane in q.T.tolist()]
            out: Array = np.array(lanes).reshape(count, 12 + 6 * self.n).T
        else:
            out = self._executable.run(list(q), count)
        return Kinematics(out[:3], out[3:12].reshape(3, 3, count), out[12:].reshape(6, self.n, count))

    def step(self, q: Array, dq: Array) -> Array:
        """Where q (coordinates, B) goes along dq (n, B), on the manifold of each joint."""
        if self._flat:
            return q + dq
        moved: list[Array] = []
        at_q = at_v = 0
        for joint in self.joints:
            own_q, own_v = q[at_q : at_q + joint.nq], dq[at_v : at_v + joint.nv]
            # integrating leaves a quaternion unit but for rounding, which would add up over many steps
            moved += joint.type.normalised(joint.type.integrate(list(own_q), list(own_v)))
            at_q, at_v = at_q + joint.nq, at_v + joint.nv
        return np.array(moved)

    def difference(self, q0: Array, q1: Array) -> Array:
        """The dq (n, B) that leads from q0 to q1 (coordinates, B each)."""
        if self._flat:
            return q1 - q0
        apart: list[Array] = []
        at = 0
        for joint in self.joints:
            own = slice(at, at + joint.nq)
            apart += joint.type.difference(list(q0[own]), list(q1[own]))
            at += joint.nq
        return np.array(apart)

    def random(self, uniforms: Array) -> Array:
        """Coordinates (coordinates, B) from uniform numbers (uniforms, B): within limits, one turn if none."""
        drawn: list[Array] = []
        at = 0
        for joint, (low, high) in zip(self.joints, self._drawn, strict=True):
            own = list(uniforms[at : at + joint.type.uniforms])
            drawn += joint.type.from_uniform(own, low, high)
            at += joint.type.uniforms
        return np.array(drawn).reshape(len(self.coordinates), uniforms.shape[1])

    @property
    def uniforms(self) -> int:
        """How many uniform numbers `random` takes."""
        return sum(joint.type.uniforms for joint in self.joints)

    def embedded(self, q: Array) -> Array:
        """All coordinates of the robot (nq, B) from those of the chain."""
        whole = np.repeat(self.frozen[:, None], q.shape[1], axis=1)
        whole[self.coordinates] = q
        return whole

    @cached_property
    def _flat(self) -> bool:
        return all(joint.type.vector_space for joint in self.joints)

    def _layout(self) -> tuple[Indices, tuple[Joint, ...]]:
        """For each degree of freedom its coordinate (of a joint with several: the first) and its joint."""
        at, owners = [], []
        first = 0
        for joint in self.joints:
            at += [first] * joint.nv
            owners += [joint] * joint.nv
            first += joint.nq
        return np.array(at, dtype=np.intp), tuple(owners)

    def _limits(self, *, keep: bool) -> tuple[Array, Array]:
        """Limits per degree of freedom (infinite where there are none), those of followers included."""
        found = [self._joint_limits(joint) for joint in self.joints]
        crossed = [why for _, _, why in found if why]
        if crossed and keep:
            raise _crossed(crossed)
        bounds = [(low, high) if low <= high else (-math.inf, math.inf) for low, high, _ in found]
        self._drawn = [_drawn_between(joint, *bound) for joint, bound in zip(self.joints, bounds, strict=True)]
        per_dof = [bound for joint, bound in zip(self.joints, bounds, strict=True) for _ in range(joint.nv)]
        return np.array([low for low, _ in per_dof]), np.array([high for _, high in per_dof])

    def _joint_limits(self, joint: Joint) -> tuple[float, float, str]:
        """Lower and upper limit of a joint's coordinate, and why no position is left if they exclude each other."""
        low, high = -math.inf, math.inf
        if joint.nq != 1:
            return low, high, ""
        for follower in (body.joint for body in self.tree.bodies):
            if follower.type.nq != 1 or follower.index_q != joint.index_q or not follower.multiplier:
                continue
            ends = (
                -math.inf if follower.lower is None else follower.lower,
                math.inf if follower.upper is None else follower.upper,
            )
            if ends[0] > ends[1]:
                return *ends, f"joint {follower.name!r}: lower {ends[0]:g} > upper {ends[1]:g}"
            at = sorted((end - follower.offset) / follower.multiplier for end in ends)
            low, high = max(low, at[0]), min(high, at[1])
        why = f"joint {joint.name!r}: with what mimics it, lower {low:g} > upper {high:g}" if low > high else ""
        return low, high, why

    def _wraps(self) -> Bools:
        """Whether a whole turn of a degree of freedom leads to the same configuration."""
        followed = {body.joint.index_q for body in self.tree.bodies if body.joint.mimics}
        return np.array(
            [
                joint.nq == 1 and joint.type.coordinate_units == ("rad",) and joint.index_q not in followed
                for joint in self.owner
            ],
            dtype=np.bool_,
        )


def _drawn_between(joint: Joint, low: float, high: float) -> tuple[float | None, float | None]:
    """Limits that random coordinates are drawn within: one turn or 1 m where a joint goes too far to look everywhere.

    Files write ±1e16 for a joint without limits: drawn from all of it, an angle would have no digits left.
    """
    far = _MANY_TURNS if joint.type.coordinate_units == ("rad",) else _LONG_WAY
    if high - low <= far:
        return low, high
    middle = min(max(0.0, low), high)
    bound = math.pi if joint.type.coordinate_units == ("rad",) else 1.0
    return max(low, middle - bound), min(high, middle + bound)


def _crossed(whys: list[str]) -> ModelError:
    hint = "correct the file, or ask with --no-limits"
    return ModelError(
        [
            Finding("limits-crossed", "error", "", f"the limits leave no position: {why}", hint, fatal=True)
            for why in whys
        ]
    )
