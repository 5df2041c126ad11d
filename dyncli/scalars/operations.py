"""The operations a straight-line program is made of: codes, names, and what each counts as."""

from __future__ import annotations

from typing import NamedTuple

INPUT, CONSTANT, ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, SQRT, SIN, COS, SIGN, STUMPFF = range(12)

Node = tuple[int, int, int]
"""(code, first operand, second operand): operands are nodes, but an input or constant has its index as the first, and
STUMPFF its order k as the second."""


class Kind(NamedTuple):
    """`operands` that are nodes, and the column of the operation count; None counts nothing."""

    name: str
    operands: int
    counts_as: str | None


KINDS = (
    Kind("input", 0, None),
    Kind("constant", 0, None),
    Kind("add", 2, "add"),
    Kind("subtract", 2, "add"),
    Kind("multiply", 2, "mul"),
    Kind("divide", 2, "div"),
    Kind("negate", 1, "add"),
    Kind("sqrt", 1, "sqrt"),
    Kind("sin", 1, "trig"),
    Kind("cos", 1, "trig"),
    Kind("sign", 1, "add"),
    Kind("stumpff", 1, "trig"),
)
OPERANDS = tuple(kind.operands for kind in KINDS)
COLUMNS = ("mul", "add", "div", "sqrt", "trig")
