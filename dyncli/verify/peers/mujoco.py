"""MuJoCo: MJCF and URDF by its own reader, anything else from dyn's tree.

Habits: passive forces, constraints and actuators are part of its motion (switched off here); its inverse derivatives
are finite differences and come transposed; of a URDF it wants to know that static bodies stay and geometry does not
matter, and it refuses moving bodies without mass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dyncli.robot import Robot
from dyncli.spatial import IDENTITY
from dyncli.tree import Tree
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
    from dyncli.verify.peers.base import Array

COMPILER = '<compiler fusestatic="false" strippath="false" balanceinertia="false" discardvisual="false"/>'
STEP = 1e-6


class MujocoPeer(Peer):
    """An mjModel and its mjData."""

    name = "mujoco"
    package = "mujoco"
    convention = "mujoco"
    joint_types = frozenset({"revolute", "continuous", "prismatic", "fixed", "floating", "ball"})
    derivative_error = 1e-4

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        import mujoco

        self._mj: Any = mujoco
        mujoco.set_mju_user_warning(self.notes.append)  # else it writes a file into the working folder
        try:
            self._model = self._load()
        except (ValueError, RuntimeError) as error:
            raise UnavailableError(f"refuses the robot: {' '.join(str(error).split())}") from error
        off = mujoco.mjtDisableBit
        for bit in (off.mjDSBL_CONSTRAINT, off.mjDSBL_SPRING, off.mjDSBL_DAMPER, off.mjDSBL_ACTUATION):
            self._model.opt.disableflags |= bit
        self._model.body_gravcomp[:] = 0.0
        # its finite differences want the plain integrator and solver, which no quantity here depends on
        self._model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
        self._model.opt.noslip_iterations = 0
        self._model.opt.gravity[:] = self.tree.gravity
        self._index()
        self._data = mujoco.MjData(self._model)

    @classmethod
    def version(cls) -> str:
        """Version of the wheel."""
        import mujoco

        return str(mujoco.__version__)

    @classmethod
    def takes_armature(cls, tree: Tree) -> bool:
        """Any."""
        return True

    @classmethod
    def takes_tendons(cls, robot: Robot) -> bool:
        """Those of an MJCF that it reads itself."""
        return reads_the_file(robot, "mjcf")

    def mass(self, q: Vector) -> Array:
        """M, dense."""
        import numpy as np

        self._set(q, [0.0] * self.tree.nv)
        full = np.zeros((self._model.nv, self._model.nv))
        self._mj.mj_fullM(self._model, self._data, full)
        return self._block(full)

    def bias(self, q: Vector, v: Vector) -> Array:
        """qfrc_bias."""
        self._set(q, v)
        return self._vector(self._data.qfrc_bias)

    def torques(self, q: Vector, v: Vector, a: Vector) -> Array:
        """qfrc_inverse."""
        self._set(q, v)
        self._data.qacc[self._where_v] = a
        self._mj.mj_inverse(self._model, self._data)
        return self._vector(self._data.qfrc_inverse)

    def accelerations(self, q: Vector, v: Vector, tau: Vector) -> Array:
        """qacc under tau as applied forces."""
        self._set(q, v)
        self._data.qfrc_applied[self._where_v] = tau
        self._mj.mj_forward(self._model, self._data)
        found = self._vector(self._data.qacc)
        self._data.qfrc_applied[:] = 0.0
        return found

    def frames(self, q: Vector) -> Mapping[str, tuple[Array, Array]]:
        """Bodies' frames; of a model made from the tree a body's links by their place on it."""
        self._set(q, [0.0] * self.tree.nv)
        poses = {}
        for name, body, rotation, origin in link_frames(self.tree):
            label = f"body{body}" if self.loaded_by == FROM_TREE else name
            at = self._mj.mj_name2id(self._model, self._mj.mjtObj.mjOBJ_BODY, label)
            if at > 0:
                R, p = self._data.xmat[at].reshape(3, 3).copy(), self._data.xpos[at].copy()
                poses[name] = (R @ rotation, R @ origin + p) if self.loaded_by == FROM_TREE else (R, p)
        return poses

    def torque_derivatives(self, q: Vector, v: Vector, a: Vector) -> Mapping[str, Array]:
        """By finite differences, transposed back."""
        import numpy as np

        self._set(q, v)
        self._data.qacc[self._where_v] = a
        n = self._model.nv
        dq, dv, da = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
        self._mj.mjd_inverseFD(self._model, self._data, STEP, False, dq, dv, da, None, None, None, None)
        return {name: self._block(M.T) for name, M in (("dtau_dq", dq), ("dtau_dqd", dv), ("dtau_dqdd", da))}

    def _load(self) -> Any:
        description = self.robot.description
        if reads_the_file(self.robot, "mjcf"):
            self.loaded_by = "its MJCF reader"
            return self._mj.MjModel.from_xml_path(description.path)
        if reads_the_file(self.robot, "urdf") and self.robot.options.root != "floating":
            try:
                model = self._mj.MjModel.from_xml_string(bare_urdf(self.robot, compiler=COMPILER))
            except ValueError as error:
                self.notes.append(f"its URDF reader refuses the file ({' '.join(str(error).split())})")
            else:
                self.loaded_by = "its URDF reader"
                return model
        return self._build()

    def _build(self) -> Any:
        import numpy as np

        mj = self._mj
        spec = mj.MjSpec()
        spec.compiler.degree = False
        kinds = {
            "prismatic": mj.mjtJoint.mjJNT_SLIDE,
            "ball": mj.mjtJoint.mjJNT_BALL,
            "floating": mj.mjtJoint.mjJNT_FREE,
        }
        made = {-1: spec.worldbody}
        for i, body in enumerate(self.tree.bodies):
            rotation, origin = placed(body)
            quaternion = np.empty(4)
            mj.mju_mat2Quat(quaternion, rotation.ravel())
            mass, center, tensor = about_center(body)
            moments = [tensor[j, k] for j, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
            made[i] = made[body.parent].add_body(
                name=f"body{i}", pos=origin, quat=quaternion, mass=mass, ipos=center, fullinertia=moments
            )
            made[i].explicitinertial = True
            joint = body.joint
            if joint.type.name == "floating" and body.placement != IDENTITY:
                raise UnavailableError(f"counts the position of joint {joint.name!r} from the world's origin")
            if joint.type.nv:
                kind = kinds.get(joint.type.name, mj.mjtJoint.mjJNT_HINGE)
                made[i].add_joint(
                    name=joint.name, type=kind, axis=joint.axis, armature=self.tree.armature[joint.index_v]
                )
        return spec.compile()

    def _index(self) -> None:
        """dyn's order is the file's, and so is MuJoCo's of an MJCF; a URDF's joints are found by name."""
        import numpy as np

        model, tree = self._model, self.tree
        if (model.nq, model.nv) != (tree.nq, tree.nv):
            raise UnavailableError(f"has {model.nv} degrees of freedom where dyn has {tree.nv}")
        self._where_q, self._where_v = np.arange(tree.nq), np.arange(tree.nv)
        if self.loaded_by == "its MJCF reader":
            return
        for joint in tree.joints:
            at = self._mj.mj_name2id(model, self._mj.mjtObj.mjOBJ_JOINT, joint.name)
            if at < 0:
                raise UnavailableError(f"its reader made no joint {joint.name!r}")
            own_q, own_v = np.arange(joint.nq), np.arange(joint.nv)
            self._where_q[joint.index_q + own_q] = model.jnt_qposadr[at] + own_q
            self._where_v[joint.index_v + own_v] = model.jnt_dofadr[at] + own_v

    def _set(self, q: Vector, v: Vector) -> None:
        self._data.qpos[self._where_q] = q
        self._data.qvel[self._where_v] = v
        self._mj.mj_forward(self._model, self._data)

    def _block(self, M: Array) -> Array:
        import numpy as np

        return np.array(M, float)[np.ix_(self._where_v, self._where_v)]

    def _vector(self, x: Array) -> Array:
        import numpy as np

        return np.array(x, float)[self._where_v]
