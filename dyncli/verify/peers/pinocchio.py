"""Pinocchio: URDF by its own reader, MJCF from dyn's tree (its MJCF reader drops default classes and static poses).

Habits: M and the derivatives by acceleration come with one triangle filled; siblings are sorted by name; a continuous
joint of a URDF is a point (cos, sin) of the circle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dyncli.robot import Robot
from dyncli.tree import Tree
from dyncli.verify.peers.base import (
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
    from dyncli.verify.peers.base import Array, Inertias, Order


class PinocchioPeer(Peer):
    """A Pinocchio model and its data."""

    name = "pinocchio"
    package = "pin"
    convention = "pinocchio"
    joint_types = frozenset({"revolute", "continuous", "prismatic", "fixed", "floating", "ball"})

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        import numpy as np
        import pinocchio

        self._pin: Any = pinocchio
        self._model = self._read() if reads_the_file(robot, "urdf") else self._build()
        self._model.gravity.linear = np.array(self.tree.gravity, float)
        self._index()
        self._model.armature = self._to_theirs(np.array(self.tree.armature, float))
        self._data = self._model.createData()

    @classmethod
    def takes_armature(cls, tree: Tree) -> bool:
        """Any but that of floating joints, whose axes turn with the body: it has no velocity term for it."""
        floating = (joint for joint in tree.joints if joint.type.name == "floating")
        return not any(tree.armature[k] for joint in floating for k in joint.dofs)

    @classmethod
    def version(cls) -> str:
        """Version of the wheel."""
        import pinocchio

        return str(pinocchio.__version__)

    def mass(self, q: Vector) -> Array:
        """M, the lower triangle from the upper one."""
        return self._symmetric(self._pin.crba(self._model, self._data, self._q(q)))

    def bias(self, q: Vector, v: Vector) -> Array:
        """h."""
        return self._from_theirs(self._pin.nonLinearEffects(self._model, self._data, self._q(q), self._to_theirs(v)))

    def torques(self, q: Vector, v: Vector, a: Vector) -> Array:
        """tau."""
        theirs = self._pin.rnea(self._model, self._data, self._q(q), self._to_theirs(v), self._to_theirs(a))
        return self._from_theirs(theirs)

    def accelerations(self, q: Vector, v: Vector, tau: Vector) -> Array:
        """qdd."""
        theirs = self._pin.aba(self._model, self._data, self._q(q), self._to_theirs(v), self._to_theirs(tau))
        return self._from_theirs(theirs)

    def frames(self, q: Vector) -> Mapping[str, tuple[Array, Array]]:
        """Links' frames."""
        self._pin.framesForwardKinematics(self._model, self._data, self._q(q))
        poses = {}
        for name, *_ in link_frames(self.tree):
            if self._model.existFrame(name, self._pin.FrameType.BODY):
                pose = self._data.oMf[self._model.getFrameId(name, self._pin.FrameType.BODY)]
                poses[name] = (pose.rotation.copy(), pose.translation.copy())
        return poses

    def torque_derivatives(self, q: Vector, v: Vector, a: Vector) -> Mapping[str, Array]:
        """Analytic ones."""
        dq, dv, da = self._pin.computeRNEADerivatives(
            self._model, self._data, self._q(q), self._to_theirs(v), self._to_theirs(a)
        )
        return {"dtau_dq": self._block(dq), "dtau_dqd": self._block(dv), "dtau_dqdd": self._symmetric(da)}

    def acceleration_derivatives(self, q: Vector, v: Vector, tau: Vector) -> Mapping[str, Array]:
        """Analytic ones."""
        dq, dv, dtau = self._pin.computeABADerivatives(
            self._model, self._data, self._q(q), self._to_theirs(v), self._to_theirs(tau)
        )
        return {"dqdd_dq": self._block(dq), "dqdd_dqd": self._block(dv), "dqdd_dtau": self._symmetric(dtau)}

    def inertias(self) -> Inertias:
        """Of the moving bodies, at the joint frames: those of links merged already."""
        found = {}
        for body in self.tree.bodies:
            theirs = self._model.inertias[self._model.getJointId(body.joint.name)]
            found[body.joint.name] = (theirs.mass, theirs.lever.copy(), theirs.inertia.copy())
        return found

    def _read(self) -> Any:
        pin = self._pin
        text = bare_urdf(self.robot)
        floats = self.robot.options.root == "floating"
        try:
            model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floats else pin.buildModelFromXML(text)
        except (ValueError, RuntimeError) as error:
            self.notes.append(f"its URDF reader refuses the file ({error}): taken from dyn's tree")
            return self._build()
        self.loaded_by = "its URDF reader"
        return model

    def _build(self) -> Any:
        pin = self._pin
        model = pin.Model()
        ids = {-1: 0}
        for i, body in enumerate(self.tree.bodies):
            placement = pin.SE3(*placed(body))
            ids[i] = model.addJoint(ids[body.parent], self._joint_model(body.joint), placement, body.joint.name)
            model.appendBodyToJoint(ids[i], pin.Inertia(*about_center(body)), pin.SE3.Identity())
        for name, body_index, rotation, origin in link_frames(self.tree):
            pose = pin.SE3(rotation, origin)
            model.addFrame(pin.Frame(name, ids[body_index], pose, pin.FrameType.BODY))
        return model

    def _joint_model(self, joint: Any) -> Any:
        import numpy as np

        pin = self._pin
        if joint.type.name == "floating":
            return pin.JointModelFreeFlyer()
        if joint.type.name == "ball":
            return pin.JointModelSpherical()
        kind = pin.JointModelPrismaticUnaligned if joint.type.name == "prismatic" else pin.JointModelRevoluteUnaligned
        return kind(np.array(joint.axis, float))

    def _index(self) -> None:
        """Where the coordinates and degrees of freedom of dyn's joints stand in Pinocchio's vectors."""
        import numpy as np

        model = self._model
        where_v: Order = np.empty(self.tree.nv, int)
        self._where_q: list[tuple[int, int, int, int]] = []
        for joint in self.tree.joints:
            name = joint.name
            if name == "root" and not model.existJointName(name):
                name = "root_joint"  # Pinocchio's own name for the base of a URDF
            if not model.existJointName(name):
                raise UnavailableError(f"its reader made no joint {name!r}")
            at = model.getJointId(name)
            self._where_q.append((joint.index_q, joint.nq, model.idx_qs[at], model.nqs[at]))
            where_v[joint.index_v : joint.index_v + joint.nv] = model.idx_vs[at] + np.arange(joint.nv)
        if len(where_v) != model.nv:
            raise UnavailableError(f"its reader made {model.nv} degrees of freedom, dyn {self.tree.nv}")
        self._where_v = where_v

    def _q(self, q: Vector) -> Array:
        import numpy as np

        theirs = np.empty(self._model.nq)
        for at, n, there, n_there in self._where_q:
            if n == 1 and n_there == 2:
                theirs[there : there + 2] = np.cos(q[at]), np.sin(q[at])
            else:
                theirs[there : there + n] = q[at : at + n]
        return theirs

    def _to_theirs(self, x: Any) -> Array:
        import numpy as np

        theirs = np.empty(self.tree.nv)
        theirs[self._where_v] = x
        return theirs

    def _from_theirs(self, x: Array) -> Array:
        import numpy as np

        return np.array(x, float)[self._where_v]

    def _block(self, M: Array) -> Array:
        import numpy as np

        return np.array(M, float)[np.ix_(self._where_v, self._where_v)]

    def _symmetric(self, M: Array) -> Array:
        import numpy as np

        upper = np.triu(M)
        return self._block(upper + np.triu(M, 1).T)
