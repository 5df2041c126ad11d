"""Which mimics of a URDF tie a joint to another: real robots ship with some that cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dyncli.description import JointDescription
from dyncli.errors import nearest
from dyncli.formats.findings import Findings
from dyncli.formats.urdf.joints import ONE_DOF
from dyncli.structs import replace

if TYPE_CHECKING:
    from dyncli.formats.xml import Element


def without_broken_mimics(
    findings: Findings, joints: Sequence[JointDescription], elements: Mapping[str, Element]
) -> list[JointDescription]:
    """The joints, those free whose mimic cannot be honoured, each with a finding; mimics of mimics stay as stated."""
    by_name = {joint.name: joint for joint in joints}
    reasons = {joint.name: _why_broken(joint, by_name) for joint in joints if joint.mimic is not None}
    follows = {joint.name: joint.mimic.joint for joint in joints if joint.mimic and not reasons[joint.name]}
    for cycle in _cycles(follows):
        ring = " -> ".join(repr(name) for name in (*cycle, cycle[0]))
        reasons.update(dict.fromkeys(cycle, f"mimics in a circle: {ring}"))
    kept = []
    for joint in joints:
        reason = reasons.get(joint.name, "")
        if reason:
            message = f"mimic is ignored, joint {joint.name!r} is free: it {reason}"
            hint = nearest(joint.mimic.joint, by_name) if joint.mimic and joint.mimic.joint not in by_name else ""
            findings.error("mimic", elements[joint.name], message, hint)
        kept.append(replace(joint, mimic=None) if reason else joint)
    return kept


def _why_broken(joint: JointDescription, by_name: Mapping[str, JointDescription]) -> str:
    """Why a joint cannot follow the one it names; empty if it can."""
    if joint.mimic is None:
        return ""
    target = by_name.get(joint.mimic.joint)
    if target is None:
        return f"mimics {joint.mimic.joint!r}, which does not exist"
    if target is joint:
        return "mimics itself"
    if target.type not in ONE_DOF:
        return f"mimics {target.name!r}, which is {target.type}"
    if joint.type not in ONE_DOF:
        return f"is {joint.type} and mimics {target.name!r}"
    return ""


def _cycles(follows: Mapping[str, str]) -> list[list[str]]:
    """The circles of a map of each joint to the one it follows."""
    cycles = []
    seen: set[str] = set()
    for start in follows:
        walk: dict[str, None] = {}
        name = start
        while name in follows and name not in seen:
            seen.add(name)
            walk[name] = None
            name = follows[name]
        if name in walk:
            names = list(walk)
            cycles.append(names[names.index(name) :])
    return cycles
