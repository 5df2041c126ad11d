"""Rules that hold the inertia against the primitive geometry of the file."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dyncli.description import GeometryDescription
from dyncli.errors import Finding
from dyncli.lint.model import Model, half_lengths
from dyncli.spatial import Vector3, rotate_back, subtract3

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
        nearest = min(link.geometries, key=lambda geometry: _distance(geometry, center))
        distance = _distance(nearest, center)
        if distance > FAR_OUTSIDE * max(map(_size, link.geometries)):
            message = (
                f"centre of mass ({said}) m is {distance:.3g} m outside of the link's geometry "
                f"(nearest: {nearest.kind}, {_size(nearest):.3g} m across)"
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


def _distance(geometry: GeometryDescription, point: Vector3) -> float:
    """Distance from a point of the link frame to the box around a primitive, 0 inside."""
    half = half_lengths(geometry) or (0.0, 0.0, 0.0)
    local = rotate_back(geometry.placement.rotation, subtract3(point, geometry.placement.translation))
    return math.hypot(*(max(0.0, abs(x) - h) for x, h in zip(local, half, strict=True)))


def _size(geometry: GeometryDescription) -> float:
    """Diagonal of the box around a primitive, m."""
    return 2.0 * math.hypot(*(half_lengths(geometry) or (0.0, 0.0, 0.0)))
