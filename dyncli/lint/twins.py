"""Left and right parts that should be alike: masses, tensors, centres of mass, drives and ranges."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator

from dyncli.description import InertialDescription, JointDescription
from dyncli.errors import Finding
from dyncli.formats.inertial import principal_moments
from dyncli.lint.model import Model

ALIKE = 0.05
"""Relative difference that two castings of one design may have in a file."""
ALIKE_TENSOR = 0.1
"""The same for principal moments, which CAD programs compute from more and less detailed parts."""
SAME_PLACE = 0.1
"""Difference of centres of mass, as a share of the radius of gyration or of their distance, that may be."""
_TOKEN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+")
_SIDES = {"left": "right", "l": "r", "fl": "fr", "rl": "rr", "bl": "br", "hl": "hr", "lf": "rf", "lh": "rh", "lb": "rb"}
_PAIRS = {"l": "r", "L": "R"}


def twin_links(model: Model) -> Iterator[Finding]:
    """Links whose mass, principal moments or centre of mass differ from their twin's."""
    for left, right in twins(model.links):
        a, b = model.links[left], model.links[right]
        if a.inertial is None or b.inertial is None:
            if bool(a.inertial) != bool(b.inertial) and (model.moves(a) or model.moves(b)):
                bare = a if a.inertial is None else b
                message = f"has no inertial, its twin {(right if bare is a else left)!r} has one"
                yield model.finding("twins-differ", "warning", bare, message)
            continue
        differences = _inertial_differences(a.inertial, b.inertial)
        if differences:
            message = f"differs from its twin {left!r} in {', '.join(differences)} ({left!r} first)"
            yield model.finding("twins-differ", "warning", b, message, line=b.inertial.line)


def twin_joints(model: Model) -> Iterator[Finding]:
    """Joints whose type, limits, drive or losses differ from their twin's."""
    for left, right in twins(model.joints):
        a, b = model.joints[left], model.joints[right]
        differences = _joint_differences(a, b)
        if differences:
            message = f"differs from its twin {left!r} in {', '.join(differences)} ({left!r} first)"
            yield model.finding("twins-differ", "warning", b, message)


def twins(names: Collection[str]) -> list[tuple[str, str]]:
    """Pairs (left, right) of names that differ in one word for a side: `l_leg`, `LeftArm`, `FL_hip`, `LARM_LINK3`."""
    pairs: dict[str, str] = {}
    for name in names:
        for candidate in _mirrored(name):
            if candidate in names and candidate not in pairs.values():
                pairs[name] = candidate
                break
    return list(pairs.items())


def _mirrored(name: str) -> Iterator[str]:
    """Names of the right side that a name of the left side may go with."""
    words: list[str] = _TOKEN.findall(name)
    for k, word in enumerate(words):
        side = _SIDES.get(word.lower())
        if side is not None:
            cased = side.upper() if word.isupper() else side.capitalize() if word[0].isupper() else side
            yield "".join((*words[:k], cased, *words[k + 1 :]))
    for k, word in enumerate(words):
        if len(word) > 1 and word[0] in _PAIRS and word.lower() not in _SIDES:
            yield "".join((*words[:k], _PAIRS[word[0]] + word[1:], *words[k + 1 :]))


def _inertial_differences(a: InertialDescription, b: InertialDescription) -> list[str]:
    differences = []
    if _unlike(a.mass, b.mass):
        differences.append(f"mass {a.mass:g} and {b.mass:g} kg")
    moments_a, moments_b = principal_moments(a.tensor), principal_moments(b.tensor)
    if any(abs(x - y) > ALIKE_TENSOR * max(*moments_a, *moments_b) for x, y in zip(moments_a, moments_b, strict=True)):
        ours, theirs = (", ".join(f"{x:.4g}" for x in moments) for moments in (moments_a, moments_b))
        differences.append(f"principal moments ({ours}) and ({theirs}) kg m²")
    center_a, center_b = a.placement.translation, b.placement.translation
    off_a, off_b = math.hypot(*center_a), math.hypot(*center_b)
    radius = math.sqrt(max(moments_a[2], 0.0) / a.mass) if a.mass > 0.0 else 0.0
    # the frames of twins may be turned or mirrored against each other; distances stay, mirrored or not
    if abs(off_a - off_b) > SAME_PLACE * max(radius, off_a, off_b):
        ours, theirs = (" ".join(f"{x:.4g}" for x in center) for center in (center_a, center_b))
        differences.append(f"centre of mass ({ours}) and ({theirs}) m")
    return differences


def _joint_differences(a: JointDescription, b: JointDescription) -> list[str]:
    if a.type != b.type:
        return [f"type {a.type} and {b.type}"]
    differences = []
    for attribute in ("effort", "velocity", "armature", "friction"):
        ours, theirs = getattr(a, attribute), getattr(b, attribute)
        if (ours is None) != (theirs is None) or (ours is not None and _unlike(ours, theirs)):
            differences.append(f"{attribute} {_said(ours)} and {_said(theirs)}")
    damping = [sum(joint.damping[:1]) for joint in (a, b)]
    if _unlike(*damping):
        differences.append(f"damping {damping[0]:g} and {damping[1]:g}")
    if _ranges_differ(a, b):
        differences.append(
            f"limits {_said(a.lower)} to {_said(a.upper)} and {_said(b.lower)} to {_said(b.upper)}, mirrored or not"
        )
    return differences


def _ranges_differ(a: JointDescription, b: JointDescription) -> bool:
    if None in (a.lower, a.upper, b.lower, b.upper):
        return (a.lower is None, a.upper is None) != (b.lower is None, b.upper is None)
    lower, upper, other_lower, other_upper = (x or 0.0 for x in (a.lower, a.upper, b.lower, b.upper))
    slack = ALIKE * max(abs(upper - lower), abs(other_upper - other_lower))
    same = max(abs(lower - other_lower), abs(upper - other_upper)) <= slack
    mirrored = max(abs(lower + other_upper), abs(upper + other_lower)) <= slack
    return not (same or mirrored)


def _unlike(a: float, b: float) -> bool:
    return abs(a - b) > ALIKE * max(abs(a), abs(b))


def _said(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"
