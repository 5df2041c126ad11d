"""External wrenches on the robot."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.spatial import IDENTITY3, Force, Transform, Vector3, rotate_back
from dyncli.structs import struct
from dyncli.tree import Frame


@struct
class Wrench:
    """A force (N) and moment (N m) that act on the robot at a frame's origin.

    `world_axes`: the components are in world axes and stay so while the frame moves; else in the frame's own axes.
    """

    frame: Frame
    world_axes: bool
    force: Vector3
    moment: Vector3

    def on_body(self, body_pose: Transform | None) -> Force:
        """The same wrench about the origin of the frame's body, in body axes (`body_pose`: needed for world axes)."""
        force = Force(self.moment, self.force)
        if not self.world_axes:
            return self.frame.placement.force_to_parent(force)
        if body_pose is None:
            raise ValueError("a wrench in world axes needs the pose of its body")
        rotation = body_pose.rotation
        in_body = Force(rotate_back(rotation, force.angular), rotate_back(rotation, force.linear))
        return Transform(IDENTITY3, self.frame.placement.translation).force_to_parent(in_body)


def forces_on_bodies(
    wrenches: Sequence[Wrench], transforms: Sequence[Transform], parents: Sequence[int]
) -> dict[int, Force]:
    """Sum of the wrenches on each body that has any, in body coordinates; one on the world has no effect."""
    poses: dict[int, Transform] = {}

    def pose(body: int) -> Transform:
        chain = []
        while body >= 0 and body not in poses:
            chain.append(body)
            body = parents[body]
        for i in reversed(chain):
            poses[i] = transforms[i] if parents[i] < 0 else poses[parents[i]].then(transforms[i])
        return poses[chain[0]] if chain else poses[body]

    forces: dict[int, Force] = {}
    for wrench in wrenches:
        body = wrench.frame.body
        if body < 0:
            continue
        force = wrench.on_body(pose(body) if wrench.world_axes else None)
        forces[body] = forces[body].plus(force) if body in forces else force
    return forces
