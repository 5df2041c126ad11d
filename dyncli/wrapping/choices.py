"""Conditions as numbers, 1 where they hold and 0 elsewhere: for scalars on which a program cannot branch.

A product means "and". Of a choice between two values both are computed unless the condition is one float, so both must
be finite: what is not wanted is computed of harmless numbers instead.
"""

from __future__ import annotations

from typing import Any

from dyncli import scalars

Scalar = Any
Condition = Any
Point = tuple[Scalar, ...]
"""Coordinates in the plane or in space."""

LEAST = 1e-15
"""Lengths and determinants below this count as zero, as in MuJoCo."""


def positive(x: Scalar) -> Condition:
    """Whether x > 0, by the real part."""
    s = scalars.sign(x)
    return 0.5 * (s * s + s)


def at_least(x: Scalar, bound: Scalar) -> Condition:
    """Whether x >= bound."""
    return 1.0 - positive(bound - x)


def either(a: Condition, b: Condition) -> Condition:
    """Whether one of two conditions holds."""
    return a + b - a * b


def never(condition: Condition) -> bool:
    """Whether a condition is known not to hold, so that nothing need be computed for it."""
    return isinstance(condition, float) and not condition


def choose(condition: Condition, a: Scalar, b: Scalar) -> Scalar:
    """a where the condition holds, b elsewhere."""
    if isinstance(condition, float):
        return a if condition else b
    return condition * a + (1.0 - condition) * b


def choose_point(condition: Condition, a: Point, b: Point) -> Point:
    """`choose` for each coordinate."""
    return tuple(choose(condition, x, y) for x, y in zip(a, b, strict=True))


def root(x: Scalar) -> Scalar:
    """Square root of x; 0, with no slope, where x is not positive."""
    there = positive(x)
    return choose(there, scalars.sqrt(choose(there, x, 1.0)), 0.0)


def norm(p: Point) -> Scalar:
    """Length of a vector."""
    return root(inner(p, p))


def inner(a: Point, b: Point) -> Scalar:
    """Inner product."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def unit(p: Point) -> Point:
    """The vector at length 1; the first axis where it has no length."""
    length = norm(p)
    there = at_least(length, LEAST)
    scale = scalars.reciprocal(choose(there, length, 1.0))
    first_axis = (1.0, *(0.0,) * (len(p) - 1))
    return choose_point(there, tuple(scale * x for x in p), first_axis)
