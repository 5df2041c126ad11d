"""Symbols: scalars that record what is done to them.

A `Symbol` is a factor times a node of a `Recorder`'s list. The factor (a sign or a constant) travels with the symbol
and is written down only where a sum needs it, so that signs cost nothing, products of constants fold, and c a + c b
becomes c (a + b). Equal operations are recorded once: operands of sums and products stand in one order, a - b and b - a
are one node with two signs. What is constant comes back as a Python float: 0 x is 0.0, so structural zeros vanish.
"""

from __future__ import annotations

from typing import Any, NoReturn

from dyncli.scalars.operations import (
    ADD,
    CONSTANT,
    COS,
    DIVIDE,
    INPUT,
    MULTIPLY,
    NEGATE,
    SIGN,
    SIN,
    SQRT,
    STUMPFF,
    SUBTRACT,
    Node,
)

Scalar = Any
ONE = 0
"""The node of the constant 1: a constant c is c times this node."""


class Recorder:
    """A list of nodes, each recorded once, and the values of its constants."""

    __slots__ = ("_known", "constants", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Node] = [(CONSTANT, 0, 0)]
        self.constants: list[float] = [1.0]
        self._known: dict[Node | float, int] = {1.0: ONE}

    def inputs(self, count: int) -> list[Symbol]:
        """Symbols of `count` new inputs."""
        first = len(self.nodes)
        self.nodes += [(INPUT, k, 0) for k in range(count)]
        return [Symbol(self, first + k, 1.0) for k in range(count)]

    def node(self, code: int, a: int, b: int) -> int:
        """The node of an operation, recorded if it is new."""
        key = (code, a, b)
        known = self._known
        found = known.get(key)
        if found is None:
            found = known[key] = len(self.nodes)
            self.nodes.append(key)
        return found

    def constant(self, value: float) -> int:
        """The node of a constant."""
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = len(self.nodes)
            self.nodes.append((CONSTANT, len(self.constants), 0))
            self.constants.append(value)
        return found

    def scaled(self, node: int, factor: float) -> int:
        """The node of factor times a node."""
        if factor == 1.0:
            return node
        if node == ONE:
            return self.constant(factor)
        if factor == -1.0:
            return self.node(NEGATE, node, 0)
        return self.node(MULTIPLY, node, self.constant(factor))

    def place(self, x: Scalar) -> int:
        """The node of a result: a symbol with its factor written down, or a constant."""
        if isinstance(x, Symbol):
            return self.scaled(x.node, x.factor)
        return self.constant(float(x))


class Symbol:
    """factor x node: a scalar whose operations are recorded."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("factor", "node", "recorder")

    def __init__(self, recorder: Recorder, node: int, factor: float) -> None:
        self.recorder = recorder
        self.node = node
        self.factor = factor

    def __repr__(self) -> str:
        return f"Symbol({self.factor:g} x node {self.node})"

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("a symbol is not compared: a recorded program has no branches")

    def __bool__(self) -> NoReturn:
        raise TypeError("a symbol is neither true nor false: a recorded program has no branches")

    def __neg__(self) -> Symbol:
        return Symbol(self.recorder, self.node, -self.factor)

    def __add__(self, other: Scalar) -> Scalar:
        if other.__class__ is Symbol:
            return _sum(self.recorder, self.node, self.factor, other.node, other.factor)
        if not isinstance(other, (float, int)):
            return NotImplemented
        return self if other == 0.0 else _sum(self.recorder, self.node, self.factor, ONE, other)

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Scalar:
        if other.__class__ is Symbol:
            return _sum(self.recorder, self.node, self.factor, other.node, -other.factor)
        if not isinstance(other, (float, int)):
            return NotImplemented
        return self if other == 0.0 else _sum(self.recorder, self.node, self.factor, ONE, -other)

    def __rsub__(self, other: Scalar) -> Scalar:
        return (-self).__add__(other)

    def __mul__(self, other: Scalar) -> Scalar:
        recorder = self.recorder
        if other.__class__ is Symbol:
            a, b, factor = self.node, other.node, self.factor * other.factor
            if a > b:
                a, b = b, a
            code, x, y = recorder.nodes[b]
            if code == DIVIDE and y == a:  # a (x / a) = x
                return _as_scalar(recorder, x, factor)
            return Symbol(recorder, recorder.node(MULTIPLY, a, b), factor)
        if not isinstance(other, (float, int)):
            return NotImplemented
        return Symbol(recorder, self.node, self.factor * other) if other else 0.0

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        if other.__class__ is Symbol:
            factor = self.factor / other.factor
            if self.node == other.node:
                return factor
            return Symbol(self.recorder, self.recorder.node(DIVIDE, self.node, other.node), factor)
        if not isinstance(other, (float, int)):
            return NotImplemented
        return Symbol(self.recorder, self.node, self.factor / other)

    def __rtruediv__(self, other: Scalar) -> Scalar:
        if not isinstance(other, (float, int)):
            return NotImplemented
        if not other:
            return 0.0
        return Symbol(self.recorder, self.recorder.node(DIVIDE, ONE, self.node), other / self.factor)

    def sin(self) -> Symbol:
        """Sine, odd: a sign stays outside."""
        sine, _ = self._sine_and_cosine()
        return Symbol(self.recorder, sine, 1.0 if self.factor > 0.0 else -1.0)

    def cos(self) -> Symbol:
        """Cosine, even: a sign is dropped."""
        _, cosine = self._sine_and_cosine()
        return Symbol(self.recorder, cosine, 1.0)

    def _sine_and_cosine(self) -> tuple[int, int]:
        """Both, one behind the other in the list, since they are cheaper to run together; an unused one is dropped."""
        recorder = self.recorder
        angle = recorder.scaled(self.node, abs(self.factor))
        return recorder.node(SIN, angle, 0), recorder.node(COS, angle, 0)

    def sqrt(self) -> Symbol:
        """Square root."""
        return self._of_scaled(SQRT, self.factor, 1.0)

    def sign(self) -> Symbol:
        """Sign; a scale has no effect on it but its own sign."""
        return self._of_scaled(SIGN, 1.0, 1.0 if self.factor > 0.0 else -1.0)

    def stumpff(self, k: int) -> Symbol:
        """Stumpff function c_k."""
        recorder = self.recorder
        return Symbol(recorder, recorder.node(STUMPFF, recorder.scaled(self.node, self.factor), k), 1.0)

    def _of_scaled(self, code: int, inner: float, outer: float) -> Symbol:
        recorder = self.recorder
        return Symbol(recorder, recorder.node(code, recorder.scaled(self.node, inner), 0), outer)


def _sum(recorder: Recorder, a: int, fa: float, b: int, fb: float) -> Scalar:
    """fa a + fb b."""
    if a == b:
        total = fa + fb
        return total if a == ONE or not total else Symbol(recorder, a, total)
    left, right = abs(fa), abs(fb)
    factor = 1.0 if fa > 0.0 else -1.0
    if left == right:
        factor *= left
    else:
        if left != 1.0:
            a = recorder.scaled(a, left)
        if right != 1.0:
            b = recorder.scaled(b, right)
    nodes = recorder.nodes
    if (fa > 0.0) == (fb > 0.0):
        # (x - b) + b = x
        code, x, y = nodes[a]
        if code == SUBTRACT and y == b:
            return _as_scalar(recorder, x, factor)
        code, x, y = nodes[b]
        if code == SUBTRACT and y == a:
            return _as_scalar(recorder, x, factor)
        return Symbol(recorder, recorder.node(ADD, a, b) if a < b else recorder.node(ADD, b, a), factor)
    # (b + x) - b = x, (b - x) - b = -x, and the other way round
    for whole, part, sign in ((a, b, factor), (b, a, -factor)):
        code, x, y = nodes[whole]
        if code == ADD and part in (x, y):
            return _as_scalar(recorder, y if x == part else x, sign)
        if code == SUBTRACT and x == part:
            return _as_scalar(recorder, y, -sign)
    if a < b:
        return Symbol(recorder, recorder.node(SUBTRACT, a, b), factor)
    return Symbol(recorder, recorder.node(SUBTRACT, b, a), -factor)


def _as_scalar(recorder: Recorder, node: int, factor: float) -> Scalar:
    return factor if node == ONE else Symbol(recorder, node, factor)
