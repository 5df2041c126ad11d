"""Dual numbers: forward automatic differentiation over any scalar.

`Dual(x, dx)` stands for x + dx ε with ε² = 0. The value may be a float, an array over a batch, complex, a symbol or
another dual number (second derivatives). The tangent is anything that adds and is scaled by the value: one scalar, an
array (directions, B) beside a value (B,), or `Directions` for several directions over any scalar.
Source: A. Griewank, A. Walther, Evaluating Derivatives (2008), chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from dyncli import scalars

Scalar = Any


class Directions(tuple[Scalar, ...]):
    """Several tangents of one value, one scalar a direction."""

    __slots__ = ()

    def __add__(self, other: Directions) -> Directions:  # type: ignore[override]
        return Directions(a + b for a, b in zip(self, other, strict=True))

    def __sub__(self, other: Directions) -> Directions:
        return Directions(a - b for a, b in zip(self, other, strict=True))

    def __mul__(self, scale: Scalar) -> Directions:
        return Directions(a * scale for a in self)

    def __neg__(self) -> Directions:
        return Directions(-a for a in self)


class Dual:
    """A value and its tangent.

    `level` says how deep dual numbers are nested: a lower level is constant to a higher one, so that a
    derivative taken inside a function that is itself being differentiated does not mix the two.
    """

    __array_ufunc__ = None  # array * dual is the dual's business
    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("level", "tangent", "value")

    def __init__(self, value: Scalar, tangent: Scalar) -> None:
        self.value = value
        self.tangent = tangent
        self.level: int = 1 + max(level_of(value), level_of(tangent))

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.tangent!r})"

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("a dual number is not compared: recursions decide by the model, never by values")

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.tangent)

    def __add__(self, other: Scalar) -> Scalar:
        level = level_of(other)
        if level < self.level:
            return Dual(self.value + other, self.tangent)
        if level > self.level:
            return other + self
        return Dual(self.value + other.value, self.tangent + other.tangent)

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Scalar:
        level = level_of(other)
        if level < self.level:
            return Dual(self.value - other, self.tangent)
        if level > self.level:
            return Dual(self - other.value, -other.tangent)
        return Dual(self.value - other.value, self.tangent - other.tangent)

    def __rsub__(self, other: Scalar) -> Dual:
        return Dual(other - self.value, -self.tangent)

    def __mul__(self, other: Scalar) -> Scalar:
        level = level_of(other)
        if level < self.level:
            return Dual(self.value * other, self.tangent * other)
        if level > self.level:
            return other * self
        return Dual(self.value * other.value, self.tangent * other.value + other.tangent * self.value)

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        level = level_of(other)
        if level < self.level:
            inverse = scalars.reciprocal(other)
            return Dual(self.value * inverse, self.tangent * inverse)
        if level > self.level:
            return self * (1.0 / other)
        inverse = scalars.reciprocal(other.value)
        quotient = self.value * inverse
        return Dual(quotient, (self.tangent - other.tangent * quotient) * inverse)

    def __rtruediv__(self, other: Scalar) -> Dual:
        inverse = scalars.reciprocal(self.value)
        quotient = other * inverse
        return Dual(quotient, self.tangent * -(quotient * inverse))

    def sin(self) -> Dual:
        """Sine."""
        return Dual(scalars.sin(self.value), self.tangent * scalars.cos(self.value))

    def cos(self) -> Dual:
        """Cosine."""
        return Dual(scalars.cos(self.value), self.tangent * -scalars.sin(self.value))

    def sqrt(self) -> Dual:
        """Square root."""
        root = scalars.sqrt(self.value)
        return Dual(root, self.tangent * (0.5 * scalars.reciprocal(root)))

    def sign(self) -> Scalar:
        """Sign of the value; piecewise constant, so without a tangent."""
        return scalars.sign(self.value)

    def stumpff(self, k: int) -> Dual:
        """Stumpff function c_k, whose derivative is (k c_{k+2} - c_{k+1}) / 2."""
        slope = 0.5 * (k * scalars.stumpff(k + 2, self.value) - scalars.stumpff(k + 1, self.value))
        return Dual(scalars.stumpff(k, self.value), self.tangent * slope)


def level_of(x: Scalar) -> int:
    """How deep dual numbers are nested in x: 0 for a plain scalar."""
    if isinstance(x, Dual):
        return x.level
    return max(map(level_of, x), default=0) if isinstance(x, Directions) else 0


def value_of(x: Scalar) -> Scalar:
    """x without its tangent."""
    return x.value if isinstance(x, Dual) else x


def tangent_of(x: Scalar) -> Scalar:
    """Tangent of x; 0 for what does not depend on the direction."""
    return x.tangent if isinstance(x, Dual) else 0.0


def jvp(function: Callable[[list[Scalar]], list[Scalar]], point: list[Scalar], direction: list[Scalar]) -> list[Scalar]:
    """Derivative of `function` at `point` along `direction` (as long as the point), one scalar an output."""
    outputs = function([Dual(x, dx) for x, dx in zip(point, direction, strict=True)])
    return [tangent_of(y) for y in outputs]
