"""The robot as drawn (MuJoCo's qpos0): what compilation itself needs to know of its kinematics and inertia.

Lengths of tendons at rest and springs told by a time constant depend on it; nothing else here is computed at a state.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from dyncli.formats.mjcf.joints import Joint
from dyncli.formats.mjcf.orientation import ORIGIN, Pose
from dyncli.formats.mjcf.robot import Link
from dyncli.spatial import Vector3, scale3

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dyncli.description import TransmissionDescription

SINGULAR = 1e12
"""Condition number of M beyond which its inverse means nothing."""


def relaxed_poses(links: Sequence[Link]) -> dict[str, Pose]:
    """World pose of every body when all joints stand at their `springref`, where tendons have their length at rest."""
    poses: dict[str, Pose] = {}
    for link in links:
        pose = (poses[link.parent.name] if link.parent is not None else ORIGIN).then(link.pose)
        for joint in link.joints:
            if joint.dofs == 1:
                pose = pose.then(_displacement(joint, joint.spring_reference - joint.reference))
        poses[link.name] = pose
    return poses


def _displacement(joint: Joint, by: float) -> Pose:
    """How a hinge or slide moves its body, seen from the body as drawn (rad or m)."""
    if joint.type == "prismatic":
        return Pose(scale3(by, joint.axis))
    x, y, z = scale3(math.sin(0.5 * by), joint.axis)
    turn = Pose(quaternion=(math.cos(0.5 * by), x, y, z))
    return Pose(joint.anchor).then(turn).then(Pose(scale3(-1.0, joint.anchor)))


class Drawn:
    """Poses and Jacobians of bodies in the pose of the file."""

    def __init__(self, links: Sequence[Link]) -> None:
        self.links = links
        self.poses: dict[str, Pose] = {}
        self.first_dof: dict[str, int] = {}
        self.nv = 0
        for link in links:
            around = self.poses[link.parent.name] if link.parent is not None else ORIGIN
            self.poses[link.name] = around.then(link.pose)
            for joint in link.joints:
                self.first_dof[joint.name] = self.nv
                self.nv += joint.dofs

    @cached_property
    def _columns(self) -> list[tuple[Any, Any]]:
        """World axis of rotation of each degree of freedom and velocity of the world's origin carried along."""
        import numpy as np

        columns: list[tuple[Any, Any]] = []
        none = np.zeros(3)
        for link in self.links:
            pose = self.poses[link.name]
            rotation: Any = np.array(pose.rotation())
            for joint in link.joints:
                anchor = np.array(pose.transform().point_to_parent(joint.anchor))
                axes = [rotation @ np.array(joint.axis)] if joint.dofs == 1 else list(rotation.T)
                if joint.type == "floating":
                    columns += [(none, shift) for shift in np.eye(3)]
                if joint.type == "prismatic":
                    columns.append((none, axes[0]))
                else:
                    columns += [(axis, np.cross(anchor, axis)) for axis in axes]
        return columns

    def jacobian(self, link: Link, point: Vector3) -> tuple[Any, Any]:
        """Angular and linear Jacobian (3, nv) of a world point moving with a body, world axes."""
        import numpy as np

        angular, linear = np.zeros((3, self.nv)), np.zeros((3, self.nv))
        around: Link | None = link
        while around is not None:
            for joint in around.joints:
                for k in range(self.first_dof[joint.name], self.first_dof[joint.name] + joint.dofs):
                    axis, shift = self._columns[k]
                    angular[:, k], linear[:, k] = axis, shift + np.cross(axis, point)
            around = around.parent
        return angular, linear

    def mass_matrix(self, transmissions: Sequence[TransmissionDescription]) -> Any:
        """M (nv, nv) as drawn with the armature of joints and of transmissions that are linear in coordinates."""
        import numpy as np

        M = np.zeros((self.nv, self.nv))
        for link in self.links:
            mass, pose = link.inertial.mass, self.poses[link.name].then(link.inertial.pose)
            if mass:
                angular, linear = self.jacobian(link, pose.position)
                xx, yy, zz, xy, xz, yz = link.inertial.tensor
                rotation: Any = np.array(pose.rotation())
                tensor = rotation @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) @ rotation.T
                M += mass * linear.T @ linear + angular.T @ tensor @ angular
            for joint in link.joints:
                for k in range(self.first_dof[joint.name], self.first_dof[joint.name] + joint.dofs):
                    M[k, k] += joint.armature
        for transmission in transmissions:
            row = np.zeros(self.nv)
            for name, component, coefficient in transmission.terms:
                row[self.first_dof[name] + component] += coefficient
            M += transmission.armature * np.outer(row, row)
        return M

    def inertia_per_joint(self, M: Any) -> dict[str, float]:
        """Inertia (kg m², kg) that each joint feels when all others are free: the mean over its degrees of freedom.

        Raises ValueError for a mass matrix that has no inverse.
        """
        import numpy as np

        if np.linalg.cond(M) > SINGULAR:
            raise ValueError("the mass matrix of the robot as drawn is singular")
        felt = np.diag(np.linalg.inv(M))
        joints = [joint for link in self.links for joint in link.joints]
        return {
            joint.name: joint.dofs / float(cast("Any", felt)[self.first_dof[joint.name] :][: joint.dofs].sum())
            for joint in joints
        }
