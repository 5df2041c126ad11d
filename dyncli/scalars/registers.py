"""Where each value of a program lives while it runs: a register is free once its value is read for the last time."""

from __future__ import annotations

from typing import NamedTuple

from dyncli.scalars.operations import OPERANDS
from dyncli.scalars.program import Program


class Slots(NamedTuple):
    """Slots 0... are the inputs, then the constants, then the outputs, then `registers` work rows.

    `of`: slot of each node. `copies`: (output slot, slot) of outputs that no operation writes: inputs, constants and
    repeated ones.
    """

    of: list[int]
    registers: int
    copies: list[tuple[int, int]]


def allocate(program: Program) -> Slots:
    """Slots by a scan over the operations; a result that is an output goes to its row at once. O(operations)."""
    first = program.first_operation
    last_read = list(range(first + len(program.operations)))
    for k, (code, a, b) in enumerate(program.operations, first):
        last_read[a] = k
        if OPERANDS[code] == 2:
            last_read[b] = k
    row: dict[int, int] = {}
    copies: list[tuple[int, int]] = []
    for index, node in enumerate(program.outputs):
        if node >= first and node not in row:
            row[node] = first + index
    work = first + len(program.outputs)
    of = list(range(first))
    free: list[int] = []
    count = 0
    for k, (code, a, b) in enumerate(program.operations, first):
        for operand in {a, b} if OPERANDS[code] == 2 else (a,):
            if operand >= first and last_read[operand] == k and operand not in row:
                free.append(of[operand])
        if k in row:
            of.append(row[k])
        elif free:
            of.append(free.pop())
        else:
            of.append(work + count)
            count += 1
    for index, node in enumerate(program.outputs):
        if of[node] != first + index:
            copies.append((first + index, of[node]))
    return Slots(of, count, copies)
