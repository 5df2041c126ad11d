"""Derivatives of a straight-line program: forward along a direction, backward from a weight on the outputs.

The backward sweep walks the recorded list from its end, so that one sweep gives the gradient of a weighted sum of the
outputs for the price of a few evaluations, however many inputs there are. Both sweeps take scalars of any kind; on
symbols they make new programs.
Source: A. Griewank, A. Walther, Evaluating Derivatives (2008), chapters 3.1 and 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyncli import scalars
from dyncli.scalars.dual import jvp
from dyncli.scalars.operations import (
    ADD,
    COS,
    DIVIDE,
    MULTIPLY,
    NEGATE,
    SIGN,
    SIN,
    SQRT,
    SUBTRACT,
)
from dyncli.scalars.program import Program, record

Scalar = Any


def forward(program: Program) -> Program:
    """Program of the derivative along a direction: inputs x, then dx (`d` before the names); outputs dy."""
    n = len(program.inputs)
    names = (*program.inputs, *(f"d{name}" for name in program.inputs))
    return record(lambda x: jvp(program.evaluate, x[:n], x[n:]), names)


def reverse(program: Program) -> Program:
    """Program of the gradient of a weighted sum of outputs: inputs x, then the weights `w0...`; one output an input."""
    n = len(program.inputs)
    names = (*program.inputs, *(f"w{k}" for k in range(len(program.outputs))))
    return record(lambda x: vjp(program, x[:n], x[n:]), names)


def jacobian(program: Program) -> Program:
    """Program of dy/dx, row by row (len(outputs) x len(inputs)): one backward sweep an output, shared values."""
    count = len(program.outputs)

    def rows(x: list[Scalar]) -> list[Scalar]:
        values = program.node_values(x)
        return [
            entry
            for k in range(count)
            for entry in _sweep(program, values, [1.0 if i == k else None for i in range(count)])
        ]

    return record(rows, program.inputs)


def vjp(program: Program, x: Sequence[Scalar], weights: Sequence[Scalar]) -> list[Scalar]:
    """Gradient with respect to x of the sum of weights times outputs, by one backward sweep."""
    return _sweep(program, program.node_values(x), weights)


def _sweep(program: Program, value: Sequence[Scalar], weights: Sequence[Scalar | None]) -> list[Scalar]:
    """Adjoints of the inputs; None stands for a zero that is known beforehand."""
    adjoint: list[Scalar | None] = [None] * len(value)

    def add(node: int, part: Scalar) -> None:
        so_far = adjoint[node]
        adjoint[node] = part if so_far is None else so_far + part

    for node, weight in zip(program.outputs, weights, strict=True):
        if weight is not None:
            add(node, weight)
    first = program.first_operation
    for k in range(len(value) - 1, first - 1, -1):
        g = adjoint[k]
        if g is None:
            continue
        code, a, b = program.operations[k - first]
        if code in (ADD, SUBTRACT):
            add(a, g)
            add(b, g if code == ADD else -g)
        elif code == MULTIPLY:
            add(a, g * value[b])
            add(b, g * value[a])
        elif code == DIVIDE:
            part = g / value[b]
            add(a, part)
            add(b, -(part * value[k]))
        elif code == NEGATE:
            add(a, -g)
        elif code == SQRT:
            add(a, g * (0.5 * scalars.reciprocal(value[k])))
        elif code == SIN:
            add(a, g * scalars.cos(value[a]))
        elif code == COS:
            add(a, g * -scalars.sin(value[a]))
        elif code != SIGN:
            slope = 0.5 * (b * scalars.stumpff(b + 2, value[a]) - scalars.stumpff(b + 1, value[a]))
            add(a, g * slope)
    return [0.0 if part is None else part for part in adjoint[: len(program.inputs)]]
