"""What a robot file holds, as facts: the answer of `dyn info`."""

from __future__ import annotations

import math
from typing import Any

from dyncli.algorithms.kinematics import center_of_mass
from dyncli.build import root_joint
from dyncli.description import InertialDescription, JointDescription, RobotDescription
from dyncli.robot import Robot
from dyncli.spatial import rotate_symmetric
from dyncli.tree import Joint, Tree

Facts = dict[str, Any]


def robot_facts(robot: Robot, *, degrees: bool = False) -> Facts:
    """The JSON object of `dyn info` (keys of CLI.md); limits of angles in degrees if asked."""
    tree, description = robot.tree, robot.description
    _, center = center_of_mass(tree, tree.neutral)
    moving = sum(body.inertia.mass for body in tree.bodies)
    own = {joint.name: joint for joint in tree.joints}
    payloads = sum(payload.mass for payload in robot.options.payloads)
    links = math.fsum(link.inertial.mass for link in description.links if link.inertial)
    return {
        "total_mass": links + payloads,
        "moving_mass": moving,
        "center_of_mass": list(center),
        "depth": depth(tree),
        "branches": branches(tree),
        "features": list(description.features),
        "bodies": _bodies(description),
        "joints": [_joint(joint, own.get(joint.name), degrees=degrees) for joint in all_joints(robot)],
        "keyframes": [keyframe.name for keyframe in description.keyframes],
        "ignored": list(description.ignored),
        **({"counts": dict(description.counts)} if description.counts else {}),
    }


def all_joints(robot: Robot) -> list[JointDescription]:
    """Joints in file order: fixed, mimicking and locked ones too, and a floating root in front."""
    joints = list(robot.description.joints)
    if robot.options.root == "floating":
        joints.insert(0, root_joint(robot.description, robot.options))
    return joints


def depth(tree: Tree) -> int:
    """Most joints between the world and a body."""
    depths: list[int] = []
    for parent in tree.parents:
        depths.append(1 + (depths[parent] if parent >= 0 else 0))
    return max(depths, default=0)


def branches(tree: Tree) -> int:
    """Number of chains that end freely: bodies that no other body hangs on."""
    return len(set(range(len(tree.bodies))) - set(tree.parents))


def leaves(robot: Robot) -> list[str]:
    """Links that no joint starts from, in file order: the candidates for a tool frame."""
    parents = {joint.parent for joint in robot.description.joints}
    return [link.name for link in robot.description.links if link.name not in parents and not link.virtual]


def _bodies(description: RobotDescription) -> list[Facts]:
    parent = {joint.child: joint.parent for joint in description.joints}
    virtual = {link.name for link in description.links if link.virtual}

    def above(name: str) -> str | None:
        up = parent.get(name)
        while up in virtual:
            up = parent.get(up)
        return up

    bodies = []
    for link in description.links:
        if link.virtual:
            continue
        inertial = link.inertial or InertialDescription(0.0)
        xx, yy, zz, xy, xz, yz = rotate_symmetric(inertial.placement.rotation, inertial.tensor)
        bodies.append(
            {
                "name": link.name,
                "parent": above(link.name),
                "mass": inertial.mass,
                "com": list(inertial.placement.translation),
                "inertia": [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
            }
        )
    return bodies


def _joint(joint: JointDescription, own: Joint | None, *, degrees: bool) -> Facts:
    angular = degrees and joint.type in ("revolute", "continuous")

    def angle(value: float | None) -> float | None:
        return math.degrees(value) if angular and value is not None else value

    mimic = joint.mimic
    return {
        "name": joint.name,
        "type": joint.type,
        "parent": joint.parent,
        "child": joint.child,
        "nq": own.nq if own else 0,
        "nv": own.nv if own else 0,
        "idx_q": own.index_q if own else None,
        "idx_v": own.index_v if own else None,
        "axis": list(joint.axis),
        "placement": {
            "position": list(joint.placement.translation),
            "rotation": [list(row) for row in joint.placement.rotation],
        },
        "lower": angle(joint.lower),
        "upper": angle(joint.upper),
        "velocity": angle(joint.velocity),
        "effort": joint.effort,
        "damping": _coefficients(joint.damping),
        "friction": joint.friction,
        "stiffness": _coefficients(joint.stiffness),
        "armature": joint.armature,
        "mimic": {"joint": mimic.joint, "multiplier": mimic.multiplier, "offset": mimic.offset} if mimic else None,
        "ref": angle(joint.reference),
    }


def _coefficients(values: tuple[float, ...]) -> float | list[float]:
    """A linear coefficient as a number, a polynomial as a list."""
    if len(values) > 1:
        return list(values)
    return values[0] if values else 0.0
