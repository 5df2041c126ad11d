"""A robot's programs as one C99 file that needs nothing but the standard library, with a test of itself.

Names come from files that nobody has checked: in C text they stand in comments alone, with what could end a comment or
splice a line taken out.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from typing import NamedTuple

from dyncli import __version__
from dyncli.algorithms.opcount.routines import ROUTINES, Output
from dyncli.algorithms.opcount.specialised import count_of, specialised_program
from dyncli.errors import NumericsError, UsageError
from dyncli.scalars.c_code import c_declaration, c_function, c_helpers, c_number
from dyncli.scalars.program import Program
from dyncli.tree import Tree

STATES = 3
"""Random states that the test compares at."""
SEED = 1
TOLERANCE = 1e-13
LONGEST_NAME = 60
_C_NAMES = {"q": "q", "v": "qd", "a": "qdd", "tau": "tau"}


class _Function(NamedTuple):
    """A C function: its program, and the arrays it reads and writes."""

    name: str
    algorithm: str
    program: Program
    inputs: list[tuple[str, int]]
    matrices: tuple[Output, ...]

    @staticmethod
    def of(tree: Tree, prefix: str, algorithm: str, program: Program) -> _Function:
        routine = ROUTINES[algorithm]
        inputs = [(_C_NAMES[block], tree.nq if block == "q" else tree.nv) for block in routine.needs]
        return _Function(f"{prefix}_{identifier(algorithm)}", algorithm, program, inputs, routine.outputs(tree))

    @property
    def outputs(self) -> list[tuple[str, int]]:
        return [(matrix.name, matrix.rows * matrix.columns) for matrix in self.matrices]


def c_source(tree: Tree, algorithms: Sequence[str]) -> str:
    """C99 source of these algorithms (keys of `ROUTINES`) for one state of this robot.

    Raises UsageError for a robot that does not move and for an algorithm that does not hold on it.
    """
    if not tree.nv:
        raise UsageError("--emit c: the robot has no degree of freedom, so there is nothing to compute")
    for algorithm in algorithms:
        if ROUTINES[algorithm].free_joints and tree.couples:
            raise UsageError(
                f"--emit c: {algorithm} does not hold where mimic or tendons couple joints", hint="use fd-sparse"
            )
    prefix = identifier(tree.name)
    programs = {algorithm: specialised_program(tree, ROUTINES[algorithm]) for algorithm in algorithms}
    parts = [
        _head(tree, prefix),
        "#include <math.h>",
        "#ifndef DYN_NO_MAIN\n#include <stdio.h>\n#endif\n",
        f"#define {prefix.upper()}_NQ {tree.nq}\n#define {prefix.upper()}_NV {tree.nv}\n",
    ]
    functions = [_Function.of(tree, prefix, algorithm, program) for algorithm, program in programs.items()]
    parts += [f"{c_declaration(f.name, f.inputs, f.outputs)};" for f in functions]
    parts += ["", c_helpers(*programs.values())]
    parts += [_definition(f) for f in functions]
    parts.append(_self_test(tree, functions))
    return "\n".join(parts)


def identifier(name: str) -> str:
    """A C identifier out of a robot's name: letters, digits and single underscores."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", name)[:LONGEST_NAME].strip("_").lower()
    return words if words and words[0].isalpha() else f"robot_{words}".rstrip("_")


def comment(text: str) -> str:
    """Text that is safe inside a C comment: printable ASCII on one line, nothing that a compiler reads there."""
    plain = "".join(c if " " <= c <= "~" and c not in "\\?" else "_" for c in text[:LONGEST_NAME])
    return plain.replace("*/", "*_").replace("/*", "_*")


def _head(tree: Tree, prefix: str) -> str:
    """What a reader must know: conventions, units, the order of the numbers, how to test."""
    lines = [
        f"Dynamics of the robot '{comment(tree.name)}', written by dyn {__version__}.",
        "",
        "Lengths in m, angles in rad, masses in kg, forces in N and N m. Matrices are row by row.",
        f"Gravity: {' '.join(map(repr, tree.gravity))} m/s^2. Joints with quaternions: convention {tree.convention}.",
        "Test: cc -std=c99 FILE -lm, then run it. In a program of yours compile with -DDYN_NO_MAIN.",
        "",
        "Entries of q:",
        *(f"  {k:3} {comment(name)}" for k, name in enumerate(tree.coordinates)),
        "Entries of qd, qdd and tau, rows and columns of matrices:",
        *(f"  {k:3} {comment(name)}" for k, name in enumerate(tree.dofs)),
    ]
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in lines), " */"])


def _definition(function: _Function) -> str:
    """The function under a comment that gives sizes and the number of operations."""
    count = count_of(function.program)
    sizes = [f"{name}[{length}]" for name, length in function.inputs]
    results = [
        f"{m.name}[{m.rows} x {m.columns}]" if m.rows > 1 else f"{m.name}[{m.columns}]" for m in function.matrices
    ]
    operations = ", ".join(f"{value} {kind}" for kind, value in count._asdict().items() if value)
    lines = [f"/* {', '.join(results)} from {', '.join(sizes)}: {operations or 'no operation'} */"]
    return "\n".join([*lines, c_function(function.program, function.name, function.inputs, function.outputs)])


def _self_test(tree: Tree, functions: Sequence[_Function]) -> str:
    """`main`: every function at random states against values that the same program gave in Python."""
    rng = random.Random(SEED)
    states = [_random_state(tree, rng) for _ in range(STATES)]
    tables, calls = [], []
    for f in functions:
        inputs = [[number for name, _ in f.inputs for number in state[name]] for state in states]
        expected = [_values(f, row) for row in inputs]
        tables += [_table(f"{f.name}_inputs", inputs), _table(f"{f.name}_outputs", expected)]
        calls.append(_call(f, len(expected[0])))
    largest = max(sum(length for _, length in f.outputs) for f in functions)
    return f"""\
#ifndef DYN_NO_MAIN

{"".join(tables)}
/* Largest difference of two lists, relative to the largest entry of the second. */
static double difference(const double *found, const double *expected, int length)
{{
    double most = 0.0, scale = 1e-300;
    int k;
    for (k = 0; k < length; k++) {{
        if (!(fabs(found[k] - expected[k]) <= most)) {{
            most = fabs(found[k] - expected[k]);
        }}
        if (fabs(expected[k]) > scale) {{
            scale = fabs(expected[k]);
        }}
    }}
    return most / scale;
}}

static int failed(const char *name, const double *errors)
{{
    double worst = 0.0;
    int state, failures = 0;
    for (state = 0; state < {STATES}; state++) {{
        if (!(errors[state] <= {c_number(TOLERANCE)})) {{
            failures++;
        }}
        if (!(errors[state] <= worst)) {{
            worst = errors[state];
        }}
    }}
    printf("%s: %s, difference %.1e, at most {TOLERANCE:g}\\n", name, failures ? "FAILED" : "passed", worst);
    return failures ? 1 : 0;
}}

int main(void)
{{
    static double found[{largest}];
    double errors[{STATES}];
    int state, failures = 0;
{"".join(calls)}    return failures ? 1 : 0;
}}

#endif
"""


def _values(function: _Function, inputs: Sequence[float]) -> list[float]:
    """What the program gives in Python. Raises NumericsError where that is no number."""
    try:
        values = [float(value) for value in function.program.evaluate(inputs)]
    except ZeroDivisionError:
        values = [math.nan]
    if not all(map(math.isfinite, values)):
        raise NumericsError(
            f"--emit c: {function.algorithm} gives no finite numbers on this robot",
            hint="its mass matrix is singular: see dyn lint",
        )
    return values


def _call(function: _Function, written: int) -> str:
    """The lines of `main` that test one function."""
    arguments, at = [], 0
    for _, length in function.inputs:
        arguments.append(f"{function.name}_inputs[state] + {at}" if at else f"{function.name}_inputs[state]")
        at += length
    at = 0
    for _, length in function.outputs:
        arguments.append(f"found + {at}" if at else "found")
        at += length
    return f"""\
    for (state = 0; state < {STATES}; state++) {{
        {function.name}({", ".join(arguments)});
        errors[state] = difference(found, {function.name}_outputs[state], {written});
    }}
    failures += failed("{function.name}", errors);
"""


def _table(name: str, rows: Sequence[Sequence[float]]) -> str:
    """A constant array, a state a row."""
    text = ",\n".join("    {" + ", ".join(repr(float(number)) for number in row) + "}" for row in rows)
    return f"static const double {name}[{len(rows)}][{len(rows[0])}] = {{\n{text}}};\n"


def _random_state(tree: Tree, rng: random.Random) -> dict[str, list[float]]:
    """A valid position within the limits, and normal velocities, accelerations and forces, by their C names."""
    q: list[float] = []
    for joint in tree.joints:
        q += joint.type.from_uniform([rng.random() for _ in range(joint.type.uniforms)], joint.lower, joint.upper)
    return {"q": q, **{name: [rng.gauss(0.0, 1.0) for _ in range(tree.nv)] for name in ("qd", "qdd", "tau")}}
