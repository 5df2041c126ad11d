"""A cord in space around a sphere, or around a cylinder without ends."""

from __future__ import annotations

from typing import NamedTuple

from dyncli import scalars
from dyncli.spatial import Transform, Vector3, add3, cross3, dot3, rotate_back, scale3, subtract3
from dyncli.wrapping.choices import (
    LEAST,
    Condition,
    Point,
    Scalar,
    at_least,
    choose,
    choose_point,
    either,
    never,
    norm,
    positive,
    unit,
)
from dyncli.wrapping.circle import NO_CONTACT, Contact, around_circle
from dyncli.wrapping.inside import inside_circle

SPHERE, CYLINDER = "sphere", "cylinder"
SHAPES = (SPHERE, CYLINDER)
"""What a cord can wrap around."""
_TIE = 1e-200
"""A side point exactly opposite an end, or in line with both, decides as MuJoCo does if it is moved by this."""


class Wrap(NamedTuple):
    """Points (in the frame of the ends) where a cord meets a solid and leaves it, and the length (m) along it.

    Void where `touches` is 0: there the cord is straight.
    """

    touches: Condition
    first: Vector3
    last: Vector3
    arc: Scalar


def wrap(shape: str, radius: float, pose: Transform, start: Vector3, end: Vector3, side: Vector3 | None) -> Wrap:
    """How a cord from `start` to `end` (m) runs around a solid at `pose` in their frame (a cylinder's axis is z).

    `radius` in m. `side`: a point in the solid's frame on whose side the cord passes; if it is inside, the cord is held
    from within.
    """
    p0, p1 = local(pose, start), local(pose, end)
    able = at_least(norm(p0), LEAST) * at_least(norm(p1), LEAST)
    if never(able):
        return Wrap(0.0, start, end, 0.0)
    p0 = _vector(choose_point(able, p0, (2.0 * radius, 0.0, 0.0)))
    p1 = _vector(choose_point(able, p1, (0.0, 2.0 * radius, 0.0)))
    x, y = _plane(p0, p1) if shape == SPHERE else ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    contact = _in_plane(_projected(p0, x, y), _projected(p1, x, y), radius, side, x, y)
    first, last = (add3(scale3(p[0], x), scale3(p[1], y)) for p in (contact.first, contact.last))
    arc = contact.arc
    if shape == CYLINDER:
        first, last, arc = _helix(p0, p1, first, last, arc)
    touches = able * contact.touches
    return Wrap(touches, pose.point_to_parent(first), pose.point_to_parent(last), arc)


def local(pose: Transform, p: Vector3) -> Vector3:
    """A point in the frame that has this pose."""
    return rotate_back(pose.rotation, subtract3(p, pose.translation))


def _projected(p: Vector3, x: Vector3, y: Vector3) -> Point:
    return (dot3(p, x), dot3(p, y))


def _vector(p: Point) -> Vector3:
    x, y, z = p
    return (x, y, z)


def _plane(p0: Vector3, p1: Vector3) -> tuple[Vector3, Vector3]:
    """Axes of the plane through the origin in which two points lie, the first one through p0."""
    x = _vector(unit(p0))
    normal = cross3(p0, p1)
    parallel = positive(LEAST - norm(normal))
    across: Point = unit(normal)
    if not never(parallel):
        across = choose_point(parallel, _across(x), across)
    return x, _vector(unit(cross3(_vector(across), x)))


def _across(axis: Vector3) -> Point:
    """A unit vector across an axis: across the diagonal of the two coordinate axes that it follows least."""
    x, y, z = (scalars.absolute(component) for component in axis)
    is_y = positive(y - x) * positive(y - z)
    is_z = positive(z - x) * positive(z - y)
    return unit(cross3(axis, (either(is_y, is_z), 1.0 - is_y, 1.0 - is_z)))


def _in_plane(start: Point, end: Point, radius: float, side: Vector3 | None, x: Vector3, y: Vector3) -> Contact:
    """How a cord runs in the plane of axes x, y: from within where the side point is in reach of the radius."""
    if side is None:
        return around_circle(start, end, radius, None)
    outside = at_least(norm(side), radius)
    held = NO_CONTACT if never(1.0 - outside) else inside_circle(start, end, radius)
    if never(outside):
        return held
    on_circle = tuple(radius * component + _TIE for component in unit(_projected(side, x, y)))
    bent = around_circle(start, end, radius, on_circle)
    return Contact(
        choose(outside, bent.touches, held.touches),
        choose_point(outside, bent.first, held.first),
        choose_point(outside, bent.last, held.last),
        choose(outside, bent.arc, held.arc),
    )


def _helix(p0: Vector3, p1: Vector3, first: Vector3, last: Vector3, arc: Scalar) -> tuple[Vector3, Vector3, Scalar]:
    """Heights of the points of contact along a cylinder, and the arc with its climb: unrolled, the cord is straight."""
    before, after = (norm((p[0] - at[0], p[1] - at[1])) for p, at in ((p0, first), (p1, last)))
    whole = before + arc + after
    slope = (p1[2] - p0[2]) / choose(positive(whole), whole, 1.0)
    low, high = p0[2] + slope * before, p0[2] + slope * (before + arc)
    climb = high - low
    return (first[0], first[1], low), (last[0], last[1], high), norm((arc, climb))
