"""A cord in the plane that touches a circle about the origin from within, as if it ran through a ring.

It touches at one point, where it is reflected. MuJoCo finds that point by Newton's method and stops early, at a
residual of `TOLERANCE`; so that lengths and forces are the same to rounding, the same steps are taken here.
"""

from __future__ import annotations

import math

from dyncli import scalars
from dyncli.wrapping.angles import angle_of, arcsine
from dyncli.wrapping.choices import (
    LEAST,
    Condition,
    Point,
    Scalar,
    at_least,
    choose,
    choose_point,
    inner,
    never,
    norm,
    positive,
    root,
    unit,
)
from dyncli.wrapping.circle import NO_CONTACT, Contact, harmless, nearest_share, on_line

MOST_STEPS, TOLERANCE = 20, 1e-6


def inside_circle(start: Point, end: Point, radius: float) -> Contact:
    """How a cord from `start` to `end` (m), both outside, is held by the circle at the point where the way is shortest.

    It does not touch where the straight line enters the circle. The arc has no length.
    """
    able = positive(norm(start) - radius) * positive(norm(end) - radius)
    share = nearest_share(start, end)
    enters = positive(share) * positive(1.0 - share) * at_least(radius, norm(on_line(start, end, share)))
    able = able * (1.0 - enters)
    if never(able):
        return NO_CONTACT
    start, end = harmless(able, start, end, radius)
    a, b = norm(start), norm(end)
    cross = start[0] * end[1] - start[1] * end[0]
    incidence = _incidence(radius / a, radius / b, angle_of(inner(start, end), scalars.absolute(cross), a * b))
    is_left = positive(cross)
    x, y = choose_point(is_left, unit(start), unit(end))
    turn = incidence - arcsine(choose(is_left, radius / a, radius / b) * scalars.sin(incidence))
    c, s = radius * scalars.cos(turn), radius * scalars.sin(turn)
    together = at_least(inner(start, end), (1.0 - LEAST) * (a * b))
    point = choose_point(together, tuple(radius * k for k in unit(start)), (c * x - s * y, s * x + c * y))
    return Contact(able, point, point, 0.0)


def _incidence(a: Scalar, b: Scalar, angle: Scalar) -> Scalar:
    """The angle x between cord and radius where it is reflected: asin(a sin x) + asin(b sin x) - 2 x + angle = 0.

    a, b: radius over the distances of the ends, `angle`: between these. Steps begin at pi/2 and go down.
    """

    def residual(x: Scalar) -> Scalar:
        s = scalars.sin(x)
        return arcsine(a * s) + arcsine(b * s) - 2.0 * x + angle

    x: Scalar = 0.5 * math.pi
    f = residual(x)
    is_open: Condition = positive(scalars.absolute(f) - TOLERANCE)
    for _ in range(MOST_STEPS):
        if never(is_open):
            break
        s, c = scalars.sin(x), scalars.cos(x)
        slope = sum(k * c / root(1.0 - (k * s) * (k * s)) for k in (a, b)) - 2.0
        x = choose(is_open, x - f / slope, x)
        f = residual(x)
        is_open = is_open * positive(scalars.absolute(f) - TOLERANCE)
    return x
