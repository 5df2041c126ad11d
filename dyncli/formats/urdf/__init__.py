"""URDF: an XML tree with the root `<robot>` to a `RobotDescription`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dyncli.description import JointDescription, LinkDescription, RobotDescription
from dyncli.formats import xml
from dyncli.formats.findings import Findings
from dyncli.formats.urdf.elements import required_name, warn_unknown
from dyncli.formats.urdf.joints import read_joint
from dyncli.formats.urdf.links import read_link
from dyncli.formats.urdf.mimic import without_broken_mimics
from dyncli.formats.urdf.topology import find_duplicates, find_root
from dyncli.formats.urdf.transmissions import find_transmissions

if TYPE_CHECKING:
    from dyncli.formats.xml import Element

_WITHOUT_PART = {"material", "transmission", "gazebo", "sensor", "ros2_control", "mujoco"}


def read(root: Element, path: Path, restrict: Path | None = None) -> RobotDescription:
    """Describe the robot of a URDF; no other file is opened, so `restrict` has nothing to hold back.

    Raises `ModelError` with all problems of the file at once.
    """
    findings = Findings(path)
    name = required_name(findings, root) or ""
    warn_unknown(findings, root, attributes={"name", "version"}, tags={"link", "joint", *_WITHOUT_PART})
    link_elements = [child for child in root if child.tag == "link"]
    joint_elements = [child for child in root if child.tag == "joint"]
    find_duplicates(findings, link_elements)
    find_duplicates(findings, joint_elements)
    links = [link for element in link_elements if (link := read_link(findings, element)) is not None]
    if not link_elements:
        hint = "a xacro file of macros alone makes no robot: give the one that calls them" if _is_xacro(root) else ""
        findings.fatal("no-links", root, "holds no links", hint)
    joints = []
    elements: dict[str, Element] = {}
    for element in joint_elements:
        joint = read_joint(findings, element)
        if joint is not None:
            joints.append(joint)
            elements.setdefault(joint.name, element)
    base = find_root(findings, root, links, joints, elements)
    joints = without_broken_mimics(findings, joints, elements)
    ignored = find_transmissions(findings, root)
    findings.raise_if_fatal()
    return RobotDescription(
        name,
        "urdf",
        findings.path,
        tuple(sorted(links, key=lambda link: link is not base)),
        tuple(joints),
        findings=tuple(findings.items),
        ignored=tuple(ignored),
        features=tuple(_features(root, links, joints)),
        counts={"links": len(links), "joints": len(joints)},
    )


def _is_xacro(root: Element) -> bool:
    return any("xacro" in str(uri) for uri in root.nsmap.values())


def _features(root: Element, links: Sequence[LinkDescription], joints: Sequence[JointDescription]) -> list[str]:
    """Words for what the file uses beside plain links and joints."""
    top_level = {xml.tag_of(child) for child in root}
    uses = {
        "mimic": any(joint.mimic for joint in joints),
        "planar": any(joint.type == "planar" for joint in joints),
        "floating": any(joint.type == "floating" for joint in joints),
        "damping": any(joint.damping for joint in joints),
        "friction": any(joint.friction for joint in joints),
        "mesh": any(geometry.kind == "mesh" for link in links for geometry in link.geometries),
        "transmission": "transmission" in top_level,
        "gazebo": "gazebo" in top_level,
    }
    return [word for word, used in uses.items() if used]
