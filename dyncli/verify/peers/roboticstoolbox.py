"""Robotics Toolbox for Python: a robot of elementary transforms, from dyn's tree.

Habits: a joint turns or slides about z and is the last transform of its link, so that each body's frame is turned to
have its joint's axis along z; gravity as an argument points down, as an attribute of a robot up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dyncli.robot import Robot
from dyncli.verify.peers.base import Peer, Vector, about_center, link_frames, placed

if TYPE_CHECKING:
    from dyncli.verify.peers.base import Array, Order


class RoboticsToolboxPeer(Peer):
    """A Robot of links, one a body."""

    name = "roboticstoolbox"
    package = "roboticstoolbox-python"

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        import numpy as np

        self._turned = [_with_z_along(np.array(body.joint.axis, float)) for body in self.tree.bodies]
        self._links = self._build()
        self._robot: Any = self._connect()
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
        """Poses of its links, turned back."""
        theirs = self._theirs(q)
        where = [self._robot.fkine(theirs, end=link).A for link in self._links]
        poses = {}
        for name, body, rotation, origin in link_frames(self.tree):
            R = where[body][:3, :3] @ self._turned[body].T
            poses[name] = (R @ rotation, R @ origin + where[body][:3, 3])
        return poses

    def _build(self) -> list[Any]:
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
                    parent=links[body.parent] if body.parent >= 0 else base,
                    m=mass,
                    r=turned.T @ center,
                    I=turned.T @ tensor @ turned,
                )
            )
        self._base = base
        return links

    def _connect(self) -> Any:
        """The robot, and where dyn's joints stand in its vectors."""
        import numpy as np
        from roboticstoolbox import Robot

        robot = Robot([self._base, *self._links], name="robot")
        self._order: Order = np.empty(self.tree.nv, int)
        for body, link in zip(self.tree.bodies, self._links, strict=True):
            self._order[body.joint.index_v] = link.jindex
        return robot

    def _theirs(self, x: Vector) -> Array:
        import numpy as np

        theirs = np.empty(self.tree.nv)
        theirs[self._order] = x
        return theirs

    def _block(self, M: Any) -> Array:
        import numpy as np

        return np.array(M, float)[np.ix_(self._order, self._order)]


def _with_z_along(axis: Array) -> Array:
    """A rotation whose third column is the axis."""
    import numpy as np

    other = np.eye(3)[int(np.abs(axis).argmin())]
    x = np.cross(other, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])
