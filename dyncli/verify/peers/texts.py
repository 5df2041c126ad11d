"""URDFs as text: a file without what has no part in the dynamics, or a tree."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dyncli.errors import ModelError
from dyncli.formats import xml
from dyncli.robot import Robot
from dyncli.tree import Tree
from dyncli.verify.peers.base import UnavailableError, about_center, placed

if TYPE_CHECKING:
    from dyncli.formats.xml import Element
    from dyncli.verify.peers.base import Array

GIMBAL = 1e-8
"""Cosine of the pitch below which roll and yaw turn about the same axis."""
WITHOUT_PART = {
    *("visual", "collision", "gazebo", "transmission", "material", "sensor", "ros2_control"),
    *("mimic", "dynamics", "safety_controller", "calibration"),
}


def bare_urdf(robot: Robot, *, compiler: str = "") -> str:
    """The file without geometry, mimic, damping and extensions; `compiler`: MuJoCo's element, put in.

    Raises `UnavailableError` where the file cannot be read again.
    """
    from lxml import etree

    path = robot.description.path

    try:
        root = xml.parse(xml.read_file(path), path)
    except ModelError as error:
        raise UnavailableError(error.message) from error
    for element in list(root.iter()):
        parent = element.getparent()
        if parent is not None and xml.tag_of(element) in WITHOUT_PART:
            parent.remove(element)
    if compiler:
        extension = etree.SubElement(root, "mujoco")
        extension.append(etree.fromstring(compiler))
    return str(etree.tostring(root, encoding="unicode"))


def tree_urdf(tree: Tree) -> str:
    """A tree of one-dof joints as a URDF: from root `base` a link `bodyN` a body, tensors in the axes of its frame."""
    import numpy as np
    from lxml import etree

    robot = etree.Element("robot", name="tree")
    # RBDL takes no notice of a root link without inertial, and then knows no parent of what hangs on it
    _add_link(robot, "base", 0.0, np.zeros(3), np.zeros((3, 3)))
    for i, body in enumerate(tree.bodies):
        _add_link(robot, f"body{i}", *about_center(body))
        kind = "prismatic" if body.joint.type.name == "prismatic" else "revolute"
        joint = etree.SubElement(robot, "joint", name=body.joint.name, type=kind)
        etree.SubElement(joint, "parent", link=f"body{body.parent}" if body.parent >= 0 else "base")
        etree.SubElement(joint, "child", link=f"body{i}")
        rotation, origin = placed(body)
        etree.SubElement(joint, "origin", xyz=_words(origin), rpy=_words(_roll_pitch_yaw(rotation)))
        etree.SubElement(joint, "axis", xyz=_words(body.joint.axis))
        etree.SubElement(joint, "limit", lower="-1", upper="1", effort="1", velocity="1")
    return str(etree.tostring(robot, encoding="unicode"))


def _add_link(robot: Element, name: str, mass: float, center: Array, tensor: Array) -> None:
    from lxml import etree

    inertial = etree.SubElement(etree.SubElement(robot, "link", name=name), "inertial")
    etree.SubElement(inertial, "origin", xyz=_words(center))
    etree.SubElement(inertial, "mass", value=repr(float(mass)))
    entries = {f"i{'xyz'[j]}{'xyz'[k]}": repr(float(tensor[j, k])) for j in range(3) for k in range(j, 3)}
    etree.SubElement(inertial, "inertia", entries)


def _words(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def _roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Angles with R = Rz(yaw) Ry(pitch) Rx(roll)."""
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    if math.hypot(R[0, 0], R[1, 0]) < GIMBAL:
        return math.atan2(-R[1, 2], R[1, 1]), pitch, 0.0
    return math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])
