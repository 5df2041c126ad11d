"""What the parts of a URDF have in common: children that stand once, poses, what the reader does not know."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TYPE_CHECKING

from dyncli.formats import xml
from dyncli.formats.findings import Findings, checked_numbers
from dyncli.spatial import IDENTITY, ZERO3, Matrix3, Transform

if TYPE_CHECKING:
    from dyncli.formats.xml import Element

_ROUNDING_OF_AN_ANGLE = 2.0**-52


def only_child(findings: Findings, element: Element, tag: str) -> Element | None:
    """The child of that tag; the first, with a warning, where there are several."""
    found = [child for child in element if child.tag == tag]
    if len(found) > 1:
        message = f"stands there {len(found)} times; only the first, on line {xml.line_of(found[0])}, counts"
        findings.warning("repeated-element", found[1], message)
    return found[0] if found else None


def required_name(findings: Findings, element: Element, attribute: str = "name") -> str | None:
    """A name that has to be there; None after a fatal finding."""
    name = element.get(attribute)
    if name:
        return name
    what = f"has no attribute {attribute}" if name is None else f'{attribute}="" is empty'
    findings.fatal("missing-name", element, what)
    return None


def read_origin(findings: Findings, element: Element) -> Transform:
    """Pose of the `<origin>` of an element: xyz in m, rpy in rad; a missing part is zero."""
    origin = only_child(findings, element, "origin")
    if origin is None:
        return IDENTITY
    warn_unknown(findings, origin, attributes={"xyz", "rpy"})
    x, y, z = findings.numbers(origin, "xyz", 3, ZERO3)
    roll, pitch, yaw = findings.numbers(origin, "rpy", 3, ZERO3)
    return Transform(rotation_from_rpy(roll, pitch, yaw), (x, y, z))


def lenient_origin(element: Element) -> tuple[str, Transform]:
    """What is wrong with the `<origin>` of something that only looks (empty if nothing is), and its pose."""
    origin = element.find("origin")
    if origin is None:
        return "", IDENTITY
    wrong_xyz, xyz = checked_numbers(origin.get("xyz", "0 0 0"), 3)
    wrong_rpy, rpy = checked_numbers(origin.get("rpy", "0 0 0"), 3)
    if wrong_xyz or wrong_rpy:
        return f"origin: {wrong_xyz or wrong_rpy}", IDENTITY
    return "", Transform(rotation_from_rpy(rpy[0], rpy[1], rpy[2]), (xyz[0], xyz[1], xyz[2]))


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Matrix3:
    """R = Rz(yaw) Ry(pitch) Rx(roll): turns about the fixed axes x, y, z in that order, rad."""
    sr, cr = _sine_cosine(roll)
    sp, cp = _sine_cosine(pitch)
    sy, cy = _sine_cosine(yaw)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def _sine_cosine(angle: float) -> tuple[float, float]:
    """Sine and cosine, exactly 0 at the doubles nearest to multiples of a quarter turn.

    There the residue is the rounding of the written angle, and a true zero lets whole products drop out later.
    """
    sine, cosine = math.sin(angle), math.cos(angle)
    if abs(cosine) <= _ROUNDING_OF_AN_ANGLE:
        return math.copysign(1.0, sine), 0.0
    if abs(sine) <= _ROUNDING_OF_AN_ANGLE:
        return 0.0, math.copysign(1.0, cosine)
    return sine, cosine


def warn_unknown(
    findings: Findings, element: Element, *, attributes: Collection[str], tags: Collection[str] = ()
) -> None:
    """Warn of attributes and children that this reader skips; those of a foreign namespace may say what they like."""
    for name in xml.attributes(element):
        if name not in attributes and not name.startswith("{"):
            message = f"attribute {xml.shorten(name)} is not used"
            findings.warning("unknown-attribute", element, message, _meant(name, attributes))
    for child in element:
        tag = xml.tag_of(child)
        if tag not in tags and ":" not in tag:
            findings.warning("unknown-element", child, "is not used", _meant(tag, tags))


def _meant(word: str, known: Collection[str]) -> str:
    """A hint where a word may be a slip of the pen."""
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1, cutoff=0.65)
    return f"is {close[0]} meant?" if close else ""
