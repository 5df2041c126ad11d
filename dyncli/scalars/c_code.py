"""A program as C99: one function without branches, loops or allocation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dyncli.scalars import SERIES_BOUND, SERIES_TERMS
from dyncli.scalars.operations import (
    ADD,
    COS,
    DIVIDE,
    MULTIPLY,
    NEGATE,
    OPERANDS,
    SIGN,
    SIN,
    SQRT,
    STUMPFF,
    SUBTRACT,
)
from dyncli.scalars.program import Program

_FORMATS = {
    ADD: "{a} + {b}",
    SUBTRACT: "{a} - {b}",
    MULTIPLY: "{a} * {b}",
    DIVIDE: "{a} / {b}",
    NEGATE: "-{a}",
    SQRT: "sqrt({a})",
    SIN: "sin({a})",
    COS: "cos({a})",
    SIGN: "(double)(({a} > 0.0) - ({a} < 0.0))",
    STUMPFF: "stumpff({k}, {a})",
}


Arrays = Sequence[tuple[str, int]]
"""Names and lengths of C arrays that hold numbers one after the other."""


def c_function(program: Program, name: str, inputs: Arrays = (), outputs: Arrays = ()) -> str:
    """`void name(const double *x, double *y)`: x and y in the order of the program's inputs and outputs.

    `inputs`, `outputs`: the arrays that take the place of x and y; no two of them overlap. Needs <math.h>, and
    `stumpff` (see `c_helpers`) where the program has such an operation.
    """
    first = program.first_operation
    inputs = inputs or (("x", len(program.inputs)),)
    outputs = outputs or (("y", len(program.outputs)),)
    text = _entries(inputs) + [c_number(value) for value in program.constants]
    lines = []
    for k, (code, a, b) in enumerate(program.operations, first):
        expression = _FORMATS[code].format(a=text[a], b=text[b] if OPERANDS[code] == 2 else "", k=b)
        lines.append(f"    const double t{k - first} = {expression};")
        text.append(f"t{k - first}")
    lines += [f"    {entry} = {text[node]};" for entry, node in zip(_entries(outputs), program.outputs, strict=True)]
    read = {text[node].partition("[")[0] for node in _read_inputs(program)}
    lines = [f"    (void){array};" for array, _ in inputs if array not in read] + lines
    return "\n".join([c_declaration(name, inputs, outputs), "{", *lines, "}", ""])


def c_declaration(name: str, inputs: Arrays, outputs: Arrays) -> str:
    """The head of the function."""
    parameters = [f"const double *{array}" for array, _ in inputs] + [f"double *{array}" for array, _ in outputs]
    return f"void {name}({', '.join(parameters)})"


def _entries(arrays: Arrays) -> list[str]:
    return [f"{array}[{k}]" for array, length in arrays for k in range(length)]


def _read_inputs(program: Program) -> set[int]:
    """Inputs that an operation or an output reads."""
    read = {a for _, a, _ in program.operations} | set(program.outputs)
    read |= {b for code, _, b in program.operations if OPERANDS[code] == 2}
    return {node for node in read if node < len(program.inputs)}


def c_helpers(*programs: Program) -> str:
    """Definitions that the functions of these programs call; empty where they call none."""
    if not any(code == STUMPFF for program in programs for code, _, _ in program.operations):
        return ""
    top = max(b for program in programs for code, _, b in program.operations if code == STUMPFF)
    inverse_factorials = ", ".join(c_number(1.0 / math.factorial(k)) for k in range(2 * SERIES_TERMS + top + 1))
    return f"""\
/* Stumpff function c_k(s): the sum over i of (-s)^i / (2i + k)! */
static double stumpff(int k, double s)
{{
    static const double inverse_factorial[] = {{{inverse_factorials}}};
    double value;
    int i;
    if (fabs(s) < {c_number(SERIES_BOUND)}) {{
        value = inverse_factorial[{2 * SERIES_TERMS} + k];
        for (i = {SERIES_TERMS - 1}; i >= 0; i--) {{
            value = inverse_factorial[2 * i + k] - s * value;
        }}
        return value;
    }}
    value = k % 2 == 0 ? cos(sqrt(s)) : sin(sqrt(s)) / sqrt(s);
    for (i = k % 2; i < k; i += 2) {{
        value = (inverse_factorial[i] - value) / s;
    }}
    return value;
}}
"""


def c_number(value: float) -> str:
    """A double as the shortest text that reads back to it; parenthesised where it has a sign."""
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text
