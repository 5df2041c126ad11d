"""The order of a program's operations: of two that give the same values, the one that keeps fewer of them waiting."""

from __future__ import annotations

from collections.abc import Iterable

from dyncli.scalars.operations import COS, OPERANDS, SIN
from dyncli.scalars.program import Program
from dyncli.scalars.registers import allocate
from dyncli.structs import replace


def scheduled(program: Program) -> Program:
    """The program in an order that needs few registers; a sine stays beside its cosine. O(operations).

    As recorded, but for sines and cosines that wait until they are needed: good where a recursion finishes branch by
    branch. With more outputs than inputs (matrices) also on demand of the outputs from the last to the first.
    """
    first = program.first_operation
    found = _on_demand(program, (k for k, (code, *_) in enumerate(program.operations, first) if code not in (SIN, COS)))
    if len(program.outputs) <= len(program.inputs):
        return found
    other = _on_demand(program, reversed(program.outputs))
    return min(found, other, key=lambda candidate: allocate(candidate).registers)


def _on_demand(program: Program, roots: Iterable[int]) -> Program:
    """The operations in the order in which the roots, one after the other, ask for them."""
    first = program.first_operation
    operations = program.operations
    partner = _partners(program)
    number = list(range(first)) + [-1] * len(operations)
    order: list[int] = []
    for root in (*roots, *program.outputs):
        stack = [root] if number[root] < 0 else []
        while stack:
            k = stack[-1]
            code, a, b = operations[k - first]
            if number[a] < 0:
                stack.append(a)
            elif OPERANDS[code] == 2 and number[b] < 0:
                stack.append(b)
            else:
                stack.pop()
                if number[k] < 0:
                    for done in partner.get(k, (k,)):
                        number[done] = first + len(order)
                        order.append(done)
    moved = [operations[k - first] for k in order]
    return replace(
        program,
        operations=tuple((code, number[a], number[b] if OPERANDS[code] == 2 else b) for code, a, b in moved),
        outputs=tuple(number[k] for k in program.outputs),
    )


def _partners(program: Program) -> dict[int, tuple[int, int]]:
    """A sine and the cosine recorded behind it, for either."""
    found: dict[int, tuple[int, int]] = {}
    sine_of = -1
    for k, (code, a, _) in enumerate(program.operations, program.first_operation):
        if code == COS and a == sine_of:
            found[k - 1] = found[k] = (k - 1, k)
        sine_of = a if code == SIN else -1
    return found
