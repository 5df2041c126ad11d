"""A cord in the plane around a circle about the origin; all lengths and coordinates in m.

It goes around by the shorter way, or by the other one where that is asked for.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dyncli import scalars
from dyncli.wrapping.angles import angle_of
from dyncli.wrapping.choices import (
    Condition,
    Point,
    Scalar,
    at_least,
    choose,
    choose_point,
    either,
    inner,
    never,
    positive,
    root,
)

_ROUNDING = 1e-12
"""An arc that falls short of zero by no more than this (rad) is none, and not a whole turn."""


class Contact(NamedTuple):
    """Where a cord meets a circle and leaves it, and the length (m) in between; void where `touches` is 0."""

    touches: Condition
    first: Point
    last: Point
    arc: Scalar


NO_CONTACT = Contact(0.0, (0.0, 0.0), (0.0, 0.0), 0.0)


def around_circle(start: Point, end: Point, radius: float, side: Point | None) -> Contact:
    """How a cord from `start` to `end` (m) bends around the circle; not at all if one of them is inside.

    `side`: a point in whose direction the cord must pass where that lies opposite of both ends; else, and with None, it
    goes the shorter way, and touches the circle only if the straight line would enter it.
    """
    square = radius * radius
    able = at_least(inner(start, start), square) * at_least(inner(end, end), square)
    if never(able):
        return NO_CONTACT
    start, end = harmless(able, start, end, radius)
    is_left = at_least(_cross(start, end), 0.0) if side is None else positive(_cross(start, end))
    far = 0.0 if side is None else _is_far(start, end, side, is_left)
    foot = _foot(start, end)
    touches = able * either(far, at_least(square, inner(foot, foot)))
    if never(touches):
        return NO_CONTACT
    turn = (2.0 * is_left - 1.0) * (1.0 - 2.0 * far)
    first, last = _tangent_point(start, radius, turn), _tangent_point(end, radius, -turn)
    cross = _cross(first, last)
    angle = angle_of(inner(first, last), scalars.absolute(cross), square)
    # backwards from an end on the circle itself: with a side it is short, without one MuJoCo goes all the way around
    beyond_half = (1.0 if side is None else far) * positive(-turn * cross - _ROUNDING * square)
    return Contact(touches, first, last, radius * choose(beyond_half, 2.0 * math.pi - angle, angle))


def harmless(able: Condition, start: Point, end: Point, radius: float) -> tuple[Point, Point]:
    """The two ends, or where they will not do points outside the circle for which everything is finite."""
    return choose_point(able, start, (2.0 * radius, 0.0)), choose_point(able, end, (0.0, 2.0 * radius))


def nearest_share(start: Point, end: Point) -> Scalar:
    """Where on the line through two points (0: start, 1: end) it comes nearest to the origin."""
    along = _minus(end, start)
    square = inner(along, along)
    return -inner(along, start) / choose(positive(square), square, 1.0)


def on_line(start: Point, end: Point, share: Scalar) -> Point:
    """The point at that share of the way."""
    return tuple(x + share * d for x, d in zip(start, _minus(end, start), strict=True))


def _is_far(start: Point, end: Point, side: Point, is_left: Condition) -> Condition:
    """Whether `side` points between the directions opposite of both ends; `is_left`: the shorter turn goes left."""
    u, w = _cross(start, side), _cross(side, end)
    return choose(is_left, positive(-u) * positive(-w), positive(u) * positive(w))


def _foot(start: Point, end: Point) -> Point:
    """The point of the segment that is nearest to the origin."""
    share = nearest_share(start, end)
    share = choose(positive(share), share, 0.0)
    return on_line(start, end, choose(positive(1.0 - share), share, 1.0))


def _tangent_point(p: Point, radius: float, turn: Scalar) -> Point:
    """Where a tangent from p touches the circle: to the left of p for `turn` 1, to the right for -1."""
    x, y = p
    square = inner(p, p)
    reach = turn * radius * root(square - radius * radius)
    return ((x * (radius * radius) - reach * y) / square, (y * (radius * radius) + reach * x) / square)


def _cross(a: Point, b: Point) -> Scalar:
    return a[0] * b[1] - a[1] * b[0]


def _minus(a: Point, b: Point) -> Point:
    return tuple(x - y for x, y in zip(a, b, strict=True))
