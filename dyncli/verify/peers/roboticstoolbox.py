"""Robotics Toolbox for Python: URDF by its own reader, else a robot of elementary transforms from dyn's tree.

Habits: a joint moves about or along x, y or z of its link and is the link's last transform. Its reader replaces an
oblique axis by another; its dynamics take a negative axis for the positive one, leave out the transform of a welded
link that carries a joint, and chain welded links that stand side by side. Robots of these kinds come from dyn's tree,
where each body's frame is turned to have its joint's axis along z. Gravity as an argument points down, as an attribute
of a robot up.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dyncli.robot import Robot
from dyncli.verify.peers.base import (
    FROM_TREE,
    Peer,
    UnavailableError,
    Vector,
    about_center,
    link_frames,
    placed,
    reads_the_file,
)
from dyncli.verify.peers.texts import bare_urdf

if TYPE_CHECKING:
    from dyncli.verify.peers.base import Array, Order


class RoboticsToolboxPeer(Peer):
    """A Robot of links: those of the file, or one a body."""

    name = "roboticstoolbox"
    package = "roboticstoolbox-python"

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        import numpy as np

        self._turned = [_with_z_along(np.array(body.joint.axis, float)) for body in self.tree.bodies]
        links = self._read() if reads_the_file(robot, "urdf") else None
        self._robot: Any = self._connect(links or self._build())
        self._gravity = np.array(self.tree.gravity, float)

    @classmethod
    def version(cls) -> str:
        """Version of the wheel."""
        import roboticstoolbox

        return str(roboticstoolbox.__version__)

    def mass(self, q: Vector) -> Array:
        """Its inertia matrix."""
        return self._block(self._robot.inertia(self._theirs(q)))

    def bias(self, q: Vector, v: Vector) -> Array:
        """Inverse dynamics without acceleration."""
        return self.torques(q, v, [0.0] * self.tree.nv)

    def torques(self, q: Vector, v: Vector, a: Vector) -> Array:
        """Its recursive Newton-Euler algorithm."""
        import numpy as np

        tau = self._robot.rne(*(self._theirs(x) for x in (q, v, a)), gravity=self._gravity)
        return np.array(tau, float).ravel()[self._order]

    def accelerations(self, q: Vector, v: Vector, tau: Vector) -> Array:
        """Its forward dynamics, which solves with its inertia matrix."""
        import numpy as np

        qdd = self._robot.accel(*(self._theirs(x) for x in (q, v, tau)), gravity=self._gravity)
        return np.array(qdd, float).ravel()[self._order]

    def frames(self, q: Vector) -> Mapping[str, tuple[Array, Array]]:
        """Poses of its links, turned back where they come from dyn's tree."""
        theirs = self._theirs(q)
        if self.loaded_by != FROM_TREE:
            named = {name: self._robot.fkine(theirs, end=name).A for name, *_ in link_frames(self.tree)}
            return {name: (pose[:3, :3], pose[:3, 3]) for name, pose in named.items()}
        where = [self._robot.fkine(theirs, end=str(i)).A for i in range(len(self.tree.bodies))]
        poses = {}
        for name, body, rotation, origin in link_frames(self.tree):
            R = where[body][:3, :3] @ self._turned[body].T
            poses[name] = (R @ rotation, R @ origin + where[body][:3, 3])
        return poses

    def _read(self) -> list[Any] | None:
        """The links its reader makes of the file, in the order of the file; None, with a note, where it cannot."""
        from roboticstoolbox.models.URDF.URDFRobot import URDF_read

        other = [body.joint.name for body in self.tree.bodies if sorted(body.joint.axis) != [0.0, 0.0, 1.0]]
        if other:
            reason = f"the axis of {other[0]!r} is none of x, y, z, which its URDF reader takes for another"
            self.notes.append(f"{reason}: taken from dyn's tree")
            return None
        try:
            links: list[Any] = URDF_read(io.StringIO(bare_urdf(self.robot)))[0]
        except (ValueError, TypeError, AttributeError, LookupError, RuntimeError) as error:
            if saved := getattr(error, "expanded_file", None):  # a copy of the text that it leaves behind
                Path(saved).unlink(missing_ok=True)
            reason = str(error).partition("\n")[0]
            self.notes.append(f"its URDF reader refuses the file ({reason}): taken from dyn's tree")
            return None
        if misplaced := _misplaced(links):
            self.notes.append(f"its dynamics misplace what is welded to {misplaced!r}: taken from dyn's tree")
            return None
        self.loaded_by = "its URDF reader"
        # links without parent are hung on the one before them, so that the root has to come first
        return sorted(links, key=lambda link: link.parent is not None)

    def _build(self) -> list[Any]:
        """A link for what stands still, then one a body, each with the name of the joint that moves it."""
        import numpy as np
        from roboticstoolbox import ET, Link
        from spatialmath import SE3

        # a link without parent would be hung on the one before it, so that all stand on a link of their own
        base = Link(ET.SE3(SE3()), name="base")
        links: list[Any] = []
        for body, turned in zip(self.tree.bodies, self._turned, strict=True):
            rotation, origin = placed(body)
            before = self._turned[body.parent].T if body.parent >= 0 else np.eye(3)
            place = np.eye(4)
            place[:3, :3], place[:3, 3] = before @ rotation @ turned, before @ origin
            mass, center, tensor = about_center(body)
            moves = ET.tz() if body.joint.type.name == "prismatic" else ET.Rz()
            links.append(
                Link(
                    ET.SE3(SE3(place, check=False)) * moves,
                    name=f"{len(links)}",
                    joint_name=body.joint.name,
                    parent=links[body.parent] if body.parent >= 0 else base,
                    m=mass,
                    r=turned.T @ center,
                    I=turned.T @ tensor @ turned,
                )
            )
        return [base, *links]

    def _connect(self, links: list[Any]) -> Any:
        """The robot, and where dyn's joints stand in its vectors."""
        import numpy as np
        from roboticstoolbox import Robot

        robot = Robot(links, name="robot")
        moved = {link._joint_name: link.jindex for link in robot.links if link.isjoint}
        names = {body.joint.name for body in self.tree.bodies}
        if moved.keys() != names:
            raise UnavailableError(
                f"its reader made other joints: {', '.join(map(repr, sorted(moved.keys() ^ names)))}"
            )
        self._order: Order = np.empty(self.tree.nv, int)
        for body in self.tree.bodies:
            self._order[body.joint.index_v] = moved[body.joint.name]
        return robot

    def _theirs(self, x: Vector) -> Array:
        import numpy as np

        theirs = np.empty(self.tree.nv)
        theirs[self._order] = x
        return theirs

    def _block(self, M: Any) -> Array:
        import numpy as np

        return np.array(M, float)[np.ix_(self._order, self._order)]


def _misplaced(links: list[Any]) -> str:
    """The link from which a weld leads on to a joint, or several welds side by side if it moves; empty without any."""
    welded = [link for link in links if link.parent is not None and not link.isjoint]
    carrying = {link.parent.name for link in links if link.isjoint}
    beside = [link.parent.name for link in welded if _moves(link)]
    return next(
        (link.parent.name for link in welded if link.name in carrying or beside.count(link.parent.name) > 1), ""
    )


def _moves(link: Any) -> bool:
    """Whether a joint is on the way from the root to the link."""
    while link is not None and not link.isjoint:
        link = link.parent
    return link is not None


def _with_z_along(axis: Array) -> Array:
    """A rotation whose third column is the axis."""
    import numpy as np

    other = np.eye(3)[int(np.abs(axis).argmin())]
    x = np.cross(other, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])
