"""Axes of the joints on the way to a frame, as lines in the world: what bounds and closed forms reason about."""

from __future__ import annotations

import math

import numpy as np

from dyncli.algorithms.ik.chain import Array, Chain
from dyncli.algorithms.kinematics import body_poses, frame_pose
from dyncli.structs import struct

PIVOTS = ("revolute", "continuous", "ball")


@struct
class PathJoint:
    """A joint on the way: unit `axis` and a `point` on it (m) in the world with the chain's coordinates zero.

    `travel`: range of its coordinate from there (rad or m), infinite where unlimited. `follows`: it mimics another one.
    """

    name: str
    kind: str
    axis: Array
    point: Array
    travel: tuple[float, float]
    follows: bool


@struct
class Path:
    """The joints on the way to a frame and the frame's pose (`tip` m, `rotation` 3x3), all with the chain at zero."""

    joints: tuple[PathJoint, ...]
    tip: Array
    rotation: Array

    @property
    def is_simple(self) -> bool:
        """Whether each joint has one coordinate of its own: none follows another one."""
        return all(not joint.follows for joint in self.joints)


def path_of(chain: Chain) -> Path:
    """The joints that move the chain's frame, with its multi-coordinate joints neutral and all others at zero."""
    whole = chain.frozen.copy()
    for joint in chain.joints:
        at = slice(joint.index_q, joint.index_q + joint.nq)
        whole[at] = joint.type.neutral()
    poses = body_poses(chain.tree, whole.tolist())
    owners = {joint.index_q for joint in chain.joints}
    joints = []
    for i in reversed(chain.tree.ancestors(chain.frame.body)):
        joint = chain.tree.bodies[i].joint
        if joint.index_q in owners and joint.type.nq:
            rotation: Array = np.array(poses[i].rotation)
            low = -math.inf if joint.lower is None else joint.lower
            high = math.inf if joint.upper is None else joint.upper
            origin = joint.offset if joint.mimics else 0.0
            joints.append(
                PathJoint(
                    joint.name,
                    joint.type.name,
                    rotation @ np.array(joint.axis),
                    np.array(poses[i].translation),
                    (low - origin, high - origin),
                    joint.mimics is not None,
                )
            )
    tip = frame_pose(chain.frame, poses)
    return Path(tuple(joints), np.array(tip.translation), np.array(tip.rotation))
