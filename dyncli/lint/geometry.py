"""Rules that hold the inertia against the primitive geometry of the file."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dyncli.description import LinkDescription
from dyncli.errors import Finding
from dyncli.lint.model import Model, corners, half_lengths

FAR_OUTSIDE = 0.5
"""Distance of a centre of mass from the geometry, as a share of the geometry's size, above which it is doubted."""
FAR_FROM_ALL = 5.0
"""Distance of a centre of mass from its link's frame, over the length of the whole robot: a slip of the unit."""


def mass_center_outside(model: Model) -> Iterator[Finding]:
    """Centres of mass far outside of the primitives of their link, or of the robot."""
    length = _robot_length(model)
    for link in model.weighed:
        if link.inertial is None:
            continue
        center = link.inertial.placement.translation
        said = " ".join(f"{x:.4g}" for x in center)
        if 0.0 < FAR_FROM_ALL * length < math.hypot(*center):
            message = (
                f"centre of mass ({said}) m is {math.hypot(*center):.3g} m from the link's frame; the whole robot "
                f"is {length:.3g} m long"
            )
            yield model.finding("mass-center-outside", "warning", link, message, line=link.inertial.line)
            continue
        if not link.geometries or any(half_lengths(geometry) is None for geometry in link.geometries):
            continue
        low, high = _box_around(link)
        distance = math.hypot(*(max(a - x, 0.0, x - b) for a, x, b in zip(low, center, high, strict=True)))
        if distance > FAR_OUTSIDE * math.dist(low, high):
            message = (
                f"centre of mass ({said}) m is {distance:.3g} m outside of the link's geometry, which is "
                f"{math.dist(low, high):.3g} m across"
            )
            yield model.finding("mass-center-outside", "warning", link, message, line=link.inertial.line)


def _robot_length(model: Model) -> float:
    """Sum of the distances between joints along the longest way from the root, m."""
    lengths: dict[str, float] = {model.description.links[0].name: 0.0}
    pending = [model.description.links[0].name]
    while pending:
        name = pending.pop()
        for joint in model.children.get(name, ()):
            lengths[joint.child] = lengths[name] + math.hypot(*joint.placement.translation)
            pending.append(joint.child)
    return max(lengths.values())


def _box_around(link: LinkDescription) -> tuple[list[float], list[float]]:
    """Lowest and highest coordinates of all primitives of a link, in its frame, m."""
    points = [corner for geometry in link.geometries for corner in corners(geometry)]
    by_axis = list(zip(*points, strict=True))
    return [min(values) for values in by_axis], [max(values) for values in by_axis]
