"""RBDL, through pyrbdl where that builds: from a URDF that is written of dyn's tree.

Habits: its URDF reader refuses inertials that are turned against their link, so that it is given tensors in link axes;
the reader turns angles into quaternions and back, and takes an axis within 2e-8 rad of x, y or z for that one;
orientations come as rotations from the world into the body. pyrbdl 0.0.2 hands inverse and forward dynamics a vector
without room for the answer, which ends the process: M and poses alone are compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dyncli.robot import Robot
from dyncli.verify.peers.base import Peer, UnavailableError, Vector, link_frames
from dyncli.verify.peers.texts import tree_urdf

if TYPE_CHECKING:
    from dyncli.verify.peers.base import Array


class RbdlPeer(Peer):
    """A model of RBDL; its bodies are numbered from 1, one a joint."""

    name = "rbdl"
    package = "pyrbdl"
    reader_error = 1e-9

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        import pyrbdl

        self._rbdl: Any = pyrbdl
        self._model: Any = pyrbdl.Model()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "tree.urdf")
            path.write_text(tree_urdf(self.tree))
            if not pyrbdl.URDFReadFromFile(str(path), self._model, False, False):
                raise UnavailableError("its URDF reader refuses dyn's tree")
        self.notes.append("M and poses alone: its dynamics in pyrbdl 0.0.2 write beyond their memory")
        self._body = [self._model.GetBodyId(f"body{i}") for i in range(len(self.tree.bodies))]

    @classmethod
    def version(cls) -> str:
        """Version of the bindings."""
        from importlib.metadata import version

        import pyrbdl  # noqa: F401 - the metadata alone does not say that it imports

        return version("pyrbdl")

    def mass(self, q: Vector) -> Array:
        """M by composite bodies."""
        import numpy as np

        M = np.array(self._rbdl.CompositeRigidBodyAlgorithm(self._model, self._theirs(q), True), float)
        return M[np.ix_(self._order, self._order)]

    def frames(self, q: Vector) -> Mapping[str, tuple[Array, Array]]:
        """Poses of its bodies, then the link's place on its body."""
        import numpy as np

        theirs = self._theirs(q)
        poses = {}
        for name, body, rotation, origin in link_frames(self.tree):
            at = self._body[body]
            R = np.array(self._rbdl.CalcBodyWorldOrientation(self._model, theirs, at, True)).T
            p = np.array(self._rbdl.CalcBodyToBaseCoordinates(self._model, theirs, at, origin, True)).ravel()
            poses[name] = (R @ rotation, p)
        return poses

    @property
    def _order(self) -> list[int]:
        """Where dyn's degrees of freedom stand in RBDL's vectors."""
        order = [0] * self.tree.nv
        for body, at in zip(self.tree.bodies, self._body, strict=True):
            order[body.joint.index_v] = at - 1
        return order

    def _theirs(self, x: Vector) -> Array:
        import numpy as np

        theirs = np.empty(self.tree.nv)
        theirs[self._order] = x
        return theirs
