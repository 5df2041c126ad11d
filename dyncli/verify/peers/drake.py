"""Drake: URDF by its own reader, MJCF from dyn's tree (its MJCF reader ignores settotalmass and places of some bodies).

Habits: a tensor that no body can have is replaced by that of a ball, with no word; a root link floats unless welded;
rotor inertia counts only where there is an actuator; a floating joint counts its angular velocity first, in world
axes; damping is part of its motion (taken out of the file here).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dyncli.robot import Robot
from dyncli.spatial import quaternion_to_matrix
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
    from dyncli.verify.peers.base import Array, Inertias


class DrakePeer(Peer):
    """A finalized MultibodyPlant, its context, and its twin over automatic differentiation."""

    name = "drake"
    package = "drake"
    convention = "mujoco"
    joint_types = frozenset({"revolute", "continuous", "prismatic", "fixed", "floating"})

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        import numpy as np

        logging.getLogger("drake").setLevel(logging.ERROR)  # its reader tells every element that it passes over
        self._floats = any(body.joint.type.name == "floating" for body in self.tree.bodies)
        self._plant = self._read() if reads_the_file(robot, "urdf") else self._build()
        self._plant.mutable_gravity_field().set_gravity_vector(np.array(self.tree.gravity, float))
        self._plant.Finalize()
        self._index()
        self._context = self._plant.CreateDefaultContext()
        self._autodiff: tuple[Any, Any] | None = None

    @classmethod
    def takes_armature(cls, tree: Tree) -> bool:
        """That of joints of one degree of freedom, as the rotor inertia of an actuator."""
        floating = (joint for joint in tree.joints if joint.type.name == "floating")
        return not any(tree.armature[k] for joint in floating for k in joint.dofs)

    @classmethod
    def version(cls) -> str:
        """Version of the wheel."""
        from importlib.metadata import version

        import pydrake  # noqa: F401 - the metadata alone does not say that it imports

        return version("drake")

    def mass(self, q: Vector) -> Array:
        """M by composite bodies."""
        import numpy as np

        self._set(q, [0.0] * self.tree.nv)
        T = self._turn(q)
        return np.array(T.T @ self._plant.CalcMassMatrix(self._context) @ T)

    def bias(self, q: Vector, v: Vector) -> Array:
        """Inverse dynamics without acceleration."""
        return self.torques(q, v, [0.0] * self.tree.nv)

    def torques(self, q: Vector, v: Vector, a: Vector) -> Array:
        """Inverse dynamics, less the weight (damping is no part of it)."""
        import numpy as np
        from pydrake.multibody.tree import MultibodyForces

        self._set(q, v)
        T = self._turn(q)
        theirs = self._plant.CalcInverseDynamics(self._context, T @ np.asarray(a, float), MultibodyForces(self._plant))
        return np.array(T.T @ (theirs - self._plant.CalcGravityGeneralizedForces(self._context)))

    def accelerations(self, q: Vector, v: Vector, tau: Vector) -> Array:
        """Its articulated-body algorithm, tau as applied generalized force."""
        import numpy as np

        self._set(q, v)
        T = self._turn(q)
        applied = np.linalg.solve(T.T, np.asarray(tau, float))
        self._plant.get_applied_generalized_force_input_port().FixValue(self._context, applied)
        rates = self._plant.EvalTimeDerivatives(self._context).CopyToVector()
        return np.linalg.solve(T, rates[self._plant.num_positions() :])

    def frames(self, q: Vector) -> Mapping[str, tuple[Array, Array]]:
        """Poses of its bodies."""
        self._set(q, [0.0] * self.tree.nv)
        poses = {}
        for name, body, rotation, origin in link_frames(self.tree):
            label = name if self.loaded_by != FROM_TREE else self._labels[body]
            pose = self._plant.EvalBodyPoseInWorld(self._context, self._plant.GetBodyByName(label))
            R, p = pose.rotation().matrix(), pose.translation()
            poses[name] = (R, p) if label == name else (R @ rotation, R @ origin + p)
        return poses

    def torque_derivatives(self, q: Vector, v: Vector, a: Vector) -> Mapping[str, Array] | None:
        """By automatic differentiation; left out for floating joints, whose tangents are not its coordinates'."""
        import numpy as np
        from pydrake.autodiffutils import ExtractGradient, InitializeAutoDiff
        from pydrake.multibody.tree import MultibodyForces_

        if self._floats:
            return None
        if self._autodiff is None:
            plant = self._plant.ToAutoDiffXd()
            self._autodiff = (plant, plant.CreateDefaultContext())
        plant, context = self._autodiff
        n = self.tree.nv
        point = np.concatenate([self._theirs_q(q), self._theirs_v(v), self._theirs_v(a)])
        x = InitializeAutoDiff(point.reshape(-1, 1)).ravel()
        plant.SetPositions(context, x[:n])
        plant.SetVelocities(context, x[n : 2 * n])
        forces = MultibodyForces_[type(x[0])](plant)
        tau = plant.CalcInverseDynamics(context, x[2 * n :], forces) - plant.CalcGravityGeneralizedForces(context)
        J = ExtractGradient(tau.reshape(-1, 1))
        blocks = (J[:, :n], J[:, n : 2 * n], J[:, 2 * n :])
        order = self._where_v
        names = ("dtau_dq", "dtau_dqd", "dtau_dqdd")
        return {name: block[np.ix_(order, order)] for name, block in zip(names, blocks, strict=True)}

    def inertias(self) -> Inertias:
        """Of the bodies with what is welded to them, in the frames of dyn's bodies."""
        found = {}
        for i, body in enumerate(self.tree.bodies):
            found[body.joint.name] = self._merged(i)
        return found

    def _read(self) -> Any:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant

        plant = MultibodyPlant(0.0)
        try:
            Parser(plant).AddModelsFromString(bare_urdf(self.robot), "urdf")
        except RuntimeError as error:
            self.notes.append(f"its URDF reader refuses the file ({' '.join(str(error).split())}): from dyn's tree")
            return self._build()
        root = self.robot.description.links[0].name
        if not self._floats and root != "world":
            plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(root))
        self.loaded_by = "its URDF reader"
        return plant

    def _build(self) -> Any:
        from pydrake.math import RigidTransform, RotationMatrix
        from pydrake.multibody.plant import MultibodyPlant
        from pydrake.multibody.tree import (
            FixedOffsetFrame,
            PrismaticJoint,
            QuaternionFloatingJoint,
            RevoluteJoint,
        )

        plant = MultibodyPlant(0.0)
        made: dict[int, Any] = {-1: plant.world_body()}
        self._labels: list[str] = []
        for i, body in enumerate(self.tree.bodies):
            self._labels.append(f"body{i}")
            made[i] = plant.AddRigidBody(self._labels[i], _spatial_inertia(*about_center(body)))
            rotation, origin = placed(body)
            place = RigidTransform(RotationMatrix(rotation), origin)
            before = plant.AddFrame(FixedOffsetFrame(f"before{i}", made[body.parent].body_frame(), place))
            joint, after = body.joint, made[i].body_frame()
            if joint.type.name == "floating":
                plant.AddJoint(QuaternionFloatingJoint(joint.name, before, after))
            else:
                kind = PrismaticJoint if joint.type.name == "prismatic" else RevoluteJoint
                made_joint = plant.AddJoint(kind(joint.name, before, after, joint.axis))
                if self.tree.armature[joint.index_v]:
                    actuator = plant.AddJointActuator(f"rotor{i}", made_joint)
                    actuator.set_default_rotor_inertia(self.tree.armature[joint.index_v])
        return plant

    def _index(self) -> None:
        import numpy as np

        plant, tree = self._plant, self.tree
        if plant.num_velocities() != tree.nv:
            raise UnavailableError(f"has {plant.num_velocities()} degrees of freedom where dyn has {tree.nv}")
        self._where_q, self._where_v = np.arange(tree.nq), np.arange(tree.nv)
        self._floating: list[tuple[int, int]] = []
        for joint in tree.joints:
            own_q, own_v = np.arange(joint.nq), np.arange(joint.nv)
            if joint.type.name == "floating":
                own_q, own_v = np.array([4, 5, 6, 0, 1, 2, 3]), np.array([3, 4, 5, 0, 1, 2])
                self._floating.append((joint.index_q, joint.index_v))
            start_q, start_v = self._starts(joint)
            self._where_q[joint.index_q : joint.index_q + joint.nq] = start_q + own_q
            self._where_v[joint.index_v : joint.index_v + joint.nv] = start_v + own_v

    def _starts(self, joint: Any) -> tuple[int, int]:
        """Where a joint's positions and velocities begin in Drake's vectors."""
        plant = self._plant
        if joint.type.name == "floating" and self.loaded_by != FROM_TREE:
            base = plant.GetBodyByName(self.robot.description.links[0].name)
            return base.floating_positions_start(), base.floating_velocities_start_in_v()
        if not plant.HasJointNamed(joint.name):
            raise UnavailableError(f"its reader made no joint {joint.name!r}")
        theirs = plant.GetJointByName(joint.name)
        return theirs.position_start(), theirs.velocity_start()

    def _theirs_q(self, q: Vector) -> Array:
        import numpy as np

        theirs = np.empty(self.tree.nq)
        theirs[self._where_q] = q
        return theirs

    def _theirs_v(self, v: Vector) -> Array:
        import numpy as np

        theirs = np.empty(self.tree.nv)
        theirs[self._where_v] = v
        return theirs

    def _set(self, q: Vector, v: Vector) -> None:
        import numpy as np

        self._plant.SetPositions(self._context, self._theirs_q(q))
        self._plant.SetVelocities(self._context, self._turn(q) @ np.asarray(v, float))

    def _turn(self, q: Vector) -> Array:
        """Drake's velocities from dyn's: order, and angular velocity of floating joints from body to world axes."""
        import numpy as np

        n = self.tree.nv
        T = np.zeros((n, n))
        T[self._where_v, np.arange(n)] = 1.0
        for index_q, index_v in self._floating:
            rotation = np.array(quaternion_to_matrix(*q[index_q + 3 : index_q + 7]), float)
            columns = np.arange(index_v + 3, index_v + 6)
            T[np.ix_(self._where_v[columns], columns)] = rotation
        return T

    def _merged(self, i: int) -> tuple[float, Array, Array]:
        """Mass, centre and tensor of a body with all links welded to it, as Drake holds them."""
        import numpy as np

        if self.loaded_by == FROM_TREE:
            parts = [(self._labels[i], np.eye(3), np.zeros(3))]
        else:
            parts = [(name, R, p) for name, body, R, p in link_frames(self.tree) if body == i]
        held = []
        for label, R, p in parts:
            M = self._plant.GetBodyByName(label).default_spatial_inertia()
            tensor = M.Shift(M.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
            held.append((M.get_mass(), R @ M.get_com() + p, R @ tensor @ R.T))
        mass = sum(part[0] for part in held)
        if not mass:
            return 0.0, np.zeros(3), sum(part[2] for part in held)
        center = sum(part[0] * part[1] for part in held) / mass
        tensor = sum(
            T + m * ((c - center) @ (c - center) * np.eye(3) - np.outer(c - center, c - center)) for m, c, T in held
        )
        return mass, center, tensor


def _spatial_inertia(mass: float, center: Array, tensor: Array) -> Any:
    """Drake's record of an inertia, taken as it is."""
    from pydrake.multibody.tree import SpatialInertia, UnitInertia

    if not mass:
        return SpatialInertia.Zero()
    unit = tensor / mass
    moments = [unit[k, k] for k in range(3)]
    products = [unit[0, 1], unit[0, 2], unit[1, 2]]
    about = UnitInertia(*moments, *products)
    return SpatialInertia(mass, center, about.ShiftFromCenterOfMass(center), skip_validity_check=True)
