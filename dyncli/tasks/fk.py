"""`fk`: poses of frames, and the Jacobian of one."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.algorithms.kinematics import body_poses, frame_pose, jacobian, relative_pose
from dyncli.result import STATE, Matrix, Sheet
from dyncli.robot import Robot
from dyncli.rotations import quaternion_of
from dyncli.tasks.base import Answer, Quantities, Scalars, Task
from dyncli.tree import Frame

JACOBIAN_ROWS = ("x", "y", "z", "rx", "ry", "rz")


class FkTask(Task):
    """Poses of frames, and the Jacobian of one."""

    command = "fk"
    needs = ()

    def __init__(
        self, robot: Robot, frames: Sequence[Frame], *, seen_from: Frame | None = None, jacobian_of: Frame | None = None
    ) -> None:
        super().__init__(robot)
        self.frames = tuple(frames)
        self.seen_from = seen_from
        self.jacobian_of = jacobian_of

    def quantities(self, q: Scalars, v: Scalars | None, a: Scalars | None, tau: Scalars | None) -> Quantities:
        """Position and rotation of each frame in the world (or in `seen_from`), and J."""
        poses = body_poses(self.tree, q)
        base = None if self.seen_from is None else frame_pose(self.seen_from, poses)
        frames = {}
        for frame in self.frames:
            pose = frame_pose(frame, poses)
            if base is not None:
                pose = relative_pose(pose, base)
            frames[frame.name] = {"position": list(pose.translation), "rotation": [list(row) for row in pose.rotation]}
        found: Quantities = {"frames": frames}
        if self.jacobian_of is not None:
            found["J"] = jacobian(self.tree, q, self.jacobian_of)
        return found

    def answer(self, found: Quantities, count: int) -> Answer:
        """A frame a row with its quaternion, or the Jacobian's rows."""
        frames = {
            name: {
                "position": pose["position"],
                "quaternion": list(quaternion_of(pose["rotation"])),
                "rotation": pose["rotation"],
            }
            for name, pose in found["frames"].items()
        }
        values = {**found, "frames": frames}
        if self.jacobian_of is not None:
            return Answer(values, matrices=[Matrix("J", JACOBIAN_ROWS, self.tree.dofs, found["J"])])
        rows = [[STATE, name, *pose["position"], *pose["quaternion"]] for name, pose in frames.items()]
        columns = ("state", "frame", "x", "y", "z", "qw", "qx", "qy", "qz")
        return Answer(values, sheet=Sheet(columns, rows, labels=2))
