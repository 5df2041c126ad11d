"""Joints of a URDF: ends, placement, axis, limits, dynamics, mimic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from dyncli.description import JointDescription, MimicDescription
from dyncli.formats import xml
from dyncli.formats.findings import Findings
from dyncli.formats.urdf.elements import only_child, read_origin, required_name, warn_unknown
from dyncli.spatial import Vector3, scale3

if TYPE_CHECKING:
    from dyncli.formats.xml import Element

ONE_DOF = ("revolute", "continuous", "prismatic")
TYPES = (*ONE_DOF, "planar", "floating", "fixed")
DEFAULT_AXIS: Vector3 = (1.0, 0.0, 0.0)
_SMALLEST_AXIS = 1e-12
_UNIT_AXIS_SLACK = 1e-3
_TAGS = {"parent", "child", "origin", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"}
_HARDWARE_TAGS = {"hardwareInterface"}


class Limits(NamedTuple):
    """Limits of a joint, None where it has none: rad or m, rad/s or m/s, N m or N."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


def read_joint(findings: Findings, element: Element) -> JointDescription | None:
    """One joint as the file states it; None after a fatal finding on its name, type or ends."""
    warn_unknown(findings, element, attributes={"name", "type"}, tags=_TAGS | _HARDWARE_TAGS)
    name = required_name(findings, element)
    kind = _read_type(findings, element)
    parent = _read_end(findings, element, "parent")
    child = _read_end(findings, element, "child")
    placement = read_origin(findings, element)
    axis = _read_axis(findings, element) if kind in (*ONE_DOF, "planar") else DEFAULT_AXIS
    limits = _read_limits(findings, element, kind) if kind in ONE_DOF else Limits()
    damping, friction = _read_dynamics(findings, element) if kind != "fixed" else (0.0, 0.0)
    mimic = _read_mimic(findings, element)
    if name is None or kind is None or parent is None or child is None:
        return None
    return JointDescription(
        name,
        kind,
        parent,
        child,
        placement,
        axis=axis,
        lower=limits.lower,
        upper=limits.upper,
        velocity=limits.velocity,
        effort=limits.effort,
        damping=(damping,) if damping else (),
        friction=friction,
        mimic=mimic,
        line=xml.line_of(element),
        path=findings.path,
    )


def _read_type(findings: Findings, element: Element) -> str | None:
    kind = element.get("type")
    if kind in TYPES:
        return kind
    what = "has no attribute type" if kind is None else f'type="{xml.shorten(kind)}" is no joint type of URDF'
    findings.fatal("joint-type", element, what, f"known: {', '.join(TYPES)}")
    return None


def _read_end(findings: Findings, joint: Element, tag: str) -> str | None:
    """Name of the parent or child link."""
    element = only_child(findings, joint, tag)
    if element is None:
        findings.fatal(f"missing-{tag}", joint, f'has no <{tag} link="..."/>')
        return None
    warn_unknown(findings, element, attributes={"link"})
    return required_name(findings, element, "link")


def _read_axis(findings: Findings, joint: Element) -> Vector3:
    """Unit vector in the joint frame."""
    element = only_child(findings, joint, "axis")
    if element is None:
        return DEFAULT_AXIS
    warn_unknown(findings, element, attributes={"xyz"})
    x, y, z = findings.numbers(element, "xyz", 3, DEFAULT_AXIS)
    length = math.hypot(x, y, z)
    if length < _SMALLEST_AXIS:
        findings.fatal("zero-axis", element, f'axis xyz="{element.get("xyz")}" has no direction')
        return DEFAULT_AXIS
    if abs(length - 1.0) > _UNIT_AXIS_SLACK:
        message = f'axis xyz="{element.get("xyz")}" has length {length:.6g}: normalised'
        findings.note("axis-not-unit", element, message)
    return scale3(1.0 / length, (x, y, z)) if length != 1.0 else (x, y, z)


def _read_limits(findings: Findings, joint: Element, kind: str | None) -> Limits:
    """Limits of a one-dof joint; lower = upper = 0, the format's default, stands for unlimited."""
    element = only_child(findings, joint, "limit")
    ranged = kind != "continuous"
    if element is None:
        if ranged:
            findings.error("missing-limit", joint, f"a {kind} joint has no <limit>: taken as unlimited")
        return Limits()
    warn_unknown(findings, element, attributes=Limits._fields)
    velocity = _read_bound(findings, element, "velocity")
    effort = _read_bound(findings, element, "effort")
    stated = [name for name in ("lower", "upper") if element.get(name) is not None]
    lower = findings.number(element, "lower", 0.0)
    upper = findings.number(element, "upper", 0.0)
    if not ranged:
        if stated:
            findings.note("limit-of-continuous", element, f"{' and '.join(stated)} of a continuous joint are not used")
        return Limits(None, None, velocity, effort)
    if lower == upper == 0.0:
        what = "lower and upper are both 0" if stated else "gives neither lower nor upper"
        findings.warning("no-range", element, f"limit {what}: taken as unlimited")
        return Limits(None, None, velocity, effort)
    if len(stated) == 1:
        absent = "upper" if stated == ["lower"] else "lower"
        findings.warning("half-range", element, f"limit gives no {absent}: it is 0, the default of the format")
    if lower > upper:
        findings.error("limit-reversed", element, f"limit lower {lower:g} is greater than upper {upper:g}")
    return Limits(lower, upper, velocity, effort)


def _read_bound(findings: Findings, limit: Element, attribute: str) -> float | None:
    """The velocity or effort that a joint must not exceed."""
    bound = findings.number(limit, attribute, None)
    if bound is None and limit.get(attribute) is None:
        findings.warning(f"missing-{attribute}", limit, f"limit gives no {attribute}: taken as unlimited")
    if bound is not None and bound < 0.0:
        findings.warning(f"negative-{attribute}", limit, f"limit {attribute} {bound:g} is negative and not used")
        return None
    return bound


def _read_dynamics(findings: Findings, joint: Element) -> tuple[float, float]:
    """Damping (N m s or N s/m) and Coulomb friction (N m or N) of each degree of freedom."""
    element = only_child(findings, joint, "dynamics")
    if element is None:
        return 0.0, 0.0
    warn_unknown(findings, element, attributes={"damping", "friction"})
    values = []
    for attribute in ("damping", "friction"):
        value = findings.number(element, attribute, 0.0)
        if value < 0.0:
            findings.warning(f"negative-{attribute}", element, f"{attribute} {value:g} is negative: it adds energy")
        values.append(value)
    return values[0], values[1]


def _read_mimic(findings: Findings, joint: Element) -> MimicDescription | None:
    element = only_child(findings, joint, "mimic")
    if element is None:
        return None
    warn_unknown(findings, element, attributes={"joint", "multiplier", "offset"})
    multiplier = findings.number(element, "multiplier", 1.0)
    offset = findings.number(element, "offset", 0.0)
    target = element.get("joint")
    if not target:
        findings.error("mimic", element, "mimic names no joint and is ignored: the joint is free")
        return None
    return MimicDescription(target, multiplier, offset)
