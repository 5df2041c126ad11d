"""The straight-line program of a function: a list of operations without branches.

Nodes are numbered: inputs 0...n-1, then constants, then operations in an order in which they can be done. A program is
a plain value: `differentiate` derives new ones, `execute` runs it on blocks, `c_code` prints it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from dyncli import scalars
from dyncli.scalars.operations import (
    ADD,
    COLUMNS,
    CONSTANT,
    COS,
    DIVIDE,
    INPUT,
    KINDS,
    MULTIPLY,
    NEGATE,
    OPERANDS,
    SIGN,
    SIN,
    SQRT,
    STUMPFF,
    SUBTRACT,
    Node,
)
from dyncli.scalars.symbol import Recorder, Symbol
from dyncli.structs import struct

Scalar = Any


@struct
class Program:
    """y = f(x) as a list of operations.

    `inputs`: names of x. `constants`: their values. `operations`: (code, operand, operand), see
    `operations`. `outputs`: the node of each entry of y; one that is the constant 0 is a structural zero.
    """

    inputs: tuple[str, ...]
    constants: tuple[float, ...]
    operations: tuple[Node, ...]
    outputs: tuple[int, ...]

    @property
    def first_operation(self) -> int:
        """Number of the first operation's node."""
        return len(self.inputs) + len(self.constants)

    def constant_output(self, k: int) -> float | None:
        """Value of output k if it does not depend on the inputs, else None."""
        node = self.outputs[k] - len(self.inputs)
        return self.constants[node] if 0 <= node < len(self.constants) else None

    def structural_zeros(self) -> list[int]:
        """Outputs that are zero whatever the inputs."""
        return [k for k in range(len(self.outputs)) if self.constant_output(k) == 0.0]

    def count(self) -> dict[str, int]:
        """Operations by kind: mul, add, div, sqrt, trig. A subtraction, a negation and a sign count as add."""
        total = Counter(KINDS[code].counts_as for code, _, _ in self.operations)
        return {column: total[column] for column in COLUMNS}

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """For each operation the number of operations on the longest path that ends with it."""
        first = self.first_operation
        depth = [0] * first
        for code, a, b in self.operations:
            below = depth[a] if OPERANDS[code] == 1 else max(depth[a], depth[b])
            depth.append(below + 1)
        return tuple(depth[first:])

    def critical_path(self) -> int:
        """Steps the program takes however many operations are done at once."""
        return max(self.depths, default=0)

    def width(self) -> list[int]:
        """Operations at each depth, from 1 on: how many could be done at once."""
        at = Counter(self.depths)
        return [at[depth] for depth in range(1, self.critical_path() + 1)]

    def evaluate(self, values: Sequence[Scalar]) -> list[Scalar]:
        """The outputs for inputs of any scalar kind, operation by operation (`execute` is the fast way on arrays)."""
        node = self.node_values(values)
        return [node[k] for k in self.outputs]

    def node_values(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Values of all nodes for inputs of any scalar kind."""
        node: list[Scalar] = [*values, *self.constants]
        for code, a, b in self.operations:
            node.append(_APPLY[code](node[a], node[b] if OPERANDS[code] == 2 else b))
        return node


_APPLY: dict[int, Callable[[Scalar, Scalar], Scalar]] = {
    ADD: lambda a, b: a + b,
    SUBTRACT: lambda a, b: a - b,
    MULTIPLY: lambda a, b: a * b,
    DIVIDE: lambda a, b: a * scalars.reciprocal(b) if isinstance(b, float) and b == 0.0 else a / b,
    NEGATE: lambda a, _: -a,
    SQRT: lambda a, _: scalars.sqrt(a),
    SIN: lambda a, _: scalars.sin(a),
    COS: lambda a, _: scalars.cos(a),
    SIGN: lambda a, _: scalars.sign(a),
    STUMPFF: lambda a, k: scalars.stumpff(k, a),
}


def record(function: Callable[[list[Symbol]], Sequence[Scalar]], inputs: Sequence[str]) -> Program:
    """The program of `function`, which takes a list of scalars (one an input name) and returns a flat list of them."""
    recorder = Recorder()
    results = function(recorder.inputs(len(inputs)))
    return assembled(inputs, recorder, [recorder.place(y) for y in results])


def assembled(inputs: Sequence[str], recorder: Recorder, outputs: Sequence[int]) -> Program:
    """The program that computes `outputs` (nodes of the recorder), without what reaches none of them."""
    nodes = recorder.nodes
    needed = bytearray(len(nodes))
    for k in outputs:
        needed[k] = 1
    for k in range(len(nodes) - 1, -1, -1):
        if needed[k]:
            code, a, b = nodes[k]
            if OPERANDS[code]:
                needed[a] = 1
                if OPERANDS[code] == 2:
                    needed[b] = 1
    number = [0] * len(nodes)
    constants: list[float] = []
    operations: list[Node] = []
    for k, (code, index, _) in enumerate(nodes):
        if code == INPUT:
            number[k] = index
        elif code == CONSTANT and needed[k]:
            number[k] = len(inputs) + len(constants)
            constants.append(recorder.constants[index])
    first = len(inputs) + len(constants)
    for k, (code, a, b) in enumerate(nodes):
        if needed[k] and OPERANDS[code]:
            number[k] = first + len(operations)
            operations.append((code, number[a], number[b] if OPERANDS[code] == 2 else b))
    return Program(tuple(inputs), tuple(constants), tuple(operations), tuple(number[k] for k in outputs))
