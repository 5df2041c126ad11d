"""`fk`: poses of frames, the Jacobian of one, and what it says of the pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dyncli.algorithms.kinematics import body_poses, frame_pose, jacobian_at, relative_pose
from dyncli.result import STATE, Matrix, Sheet
from dyncli.robot import Robot
from dyncli.rotations import quaternion_of
from dyncli.spatial import rotate_back
from dyncli.tasks.base import Answer, Quantities, Scalars, Task
from dyncli.tree import Frame

if TYPE_CHECKING:
    from dyncli.algorithms.ik.chain import Chain

JACOBIAN_ROWS = ("x", "y", "z", "rx", "ry", "rz")


class FkTask(Task):
    """Poses of frames, and the Jacobian of one.

    `rows`: of the Jacobian that are reported on together (0 to 2: position in the world, 3 to 5: rotation about the
    frame's own axes); None: its linear and its angular part each.
    """

    command = "fk"
    needs = ()

    def __init__(
        self,
        robot: Robot,
        frames: Sequence[Frame],
        *,
        seen_from: Frame | None = None,
        jacobian_of: Frame | None = None,
        rows: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(robot)
        self.frames = tuple(frames)
        self.seen_from = seen_from
        self.jacobian_of = jacobian_of
        self.rows = rows

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
            pose = frame_pose(self.jacobian_of, poses)
            J = jacobian_at(self.tree, q, poses, self.jacobian_of.body, pose.translation)
            found["J"] = J
            # turns about the frame's own axes: what `rows` from 3 on mean
            turns = [rotate_back(pose.rotation, column) for column in zip(*J[3:], strict=True)]
            found["_own"] = [*J[:3], *(list(row) for row in zip(*turns, strict=True))]
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
            own = values.pop("_own")
            if self.rows is not None:
                reported = self._report(own, self.rows, count)
                return Answer({**values, **reported}, sheet=self._report_sheet(reported))
            values["linear"] = self._report(own, (0, 1, 2), count)
            values["angular"] = self._report(own, (3, 4, 5), count)
            return Answer(values, matrices=[Matrix("J", JACOBIAN_ROWS, self.tree.dofs, found["J"])])
        rows = [[STATE, name, *pose["position"], *pose["quaternion"]] for name, pose in frames.items()]
        columns = ("state", "frame", "x", "y", "z", "qw", "qx", "qy", "qz")
        return Answer(values, sheet=Sheet(columns, rows, labels=2))

    @cached_property
    def _chain(self) -> Chain:
        """The joints that move the frame whose Jacobian is reported on."""
        from dyncli.algorithms.ik.chain import Chain

        frame = self.jacobian_of or self.frames[0]
        return Chain(self.tree, frame, self.tree.neutral, free_base=True, limits=False)

    def _report(self, own: Sequence[Sequence[Any]], rows: tuple[int, ...], count: int) -> dict[str, Any]:
        """Singular values and what follows from them, of some rows and the joints that move the frame."""
        import numpy as np

        from dyncli.algorithms.ik.singularity import report, sample_jacobians

        chain = self._chain
        J = np.array([[np.broadcast_to(own[row][k], (count,)) for k in chain.dofs] for row in rows], dtype=float)
        return report(J.reshape(len(rows), chain.n, count), sample_jacobians(chain, rows), chain.names, rows).leaves()

    @staticmethod
    def _report_sheet(reported: Mapping[str, Any]) -> Sheet:
        """A state a row."""
        values = reported["singular_values"]
        names = ("manipulability", "condition", "det", "singularity")
        columns = ("state", *(f"s{k + 1}" for k in range(len(values))), *names)
        return Sheet(columns, [[STATE, *values, *(reported[name] for name in names)]], labels=1)
