"""A program as C99: one function without branches, loops or allocation."""

from __future__ import annotations

import math

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


def c_function(program: Program, name: str) -> str:
    """`void name(const double *x, double *y)`: x and y in the order of the program's inputs and outputs.

    Needs <math.h>, and `stumpff` (see `c_helpers`) where the program has such an operation. x and y do not overlap.
    """
    first = program.first_operation
    count = len(program.inputs)
    text = [f"x[{k}]" for k in range(count)] + [c_number(value) for value in program.constants]
    lines = []
    for k, (code, a, b) in enumerate(program.operations, first):
        expression = _FORMATS[code].format(a=text[a], b=text[b] if OPERANDS[code] == 2 else "", k=b)
        lines.append(f"    const double t{k - first} = {expression};")
        text.append(f"t{k - first}")
    lines += [f"    y[{k}] = {text[node]};" for k, node in enumerate(program.outputs)]
    if all(a >= count and (OPERANDS[code] == 1 or b >= count) for code, a, b in program.operations) and all(
        node >= count for node in program.outputs
    ):
        lines.insert(0, "    (void)x;")
    return "\n".join([f"void {name}(const double *x, double *y)", "{", *lines, "}", ""])


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
