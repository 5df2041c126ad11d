"""The order of a program's operations: of two that give the same values, the one that keeps fewer of them waiting."""

from __future__ import annotations

from collections.abc import Iterable

from dyncli.scalars.operations import COS, OPERANDS, SIN
from dyncli.scalars.program import Program
from dyncli.structs import replace


def scheduled(program: Program) -> Program:
    """The program in an order that needs few registers; a sine stays beside its cosine. O(operations).

    As recorded, which is good where a recursion finishes branch by branch, but for sines and cosines that wait until
    they are needed, and for operations that need no room of their own, which do not wait.
    """
    recorded = (k for k, (code, *_) in enumerate(program.operations, program.first_operation) if code not in (SIN, COS))
    return _Order(program).on_demand(recorded)


class _Order:
    """An order that grows: a root and what it needs, and after each operation those that need no room of their own.

    Such an operation is the last one that reads some value: its result takes that one's register. Done at once, it
    finds its operands where they have just been written.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._first = first = program.first_operation
        self._partner = _partners(program)
        count = first + len(program.operations)
        self._number = [*range(first), *([-1] * len(program.operations))]
        self._order: list[int] = []
        self._operands: list[tuple[int, ...]] = [()] * first
        self._readers: list[list[int]] = [[] for _ in range(count)]
        self._missing = [0] * first  # operands of each operation that are not there yet
        for k, (code, a, b) in enumerate(program.operations, first):
            self._readers[a].append(k)
            if OPERANDS[code] == 2 and a != b:
                self._operands.append((a, b))
                self._missing.append((a >= first) + (b >= first))
                self._readers[b].append(k)
            else:
                self._operands.append((a,))
                self._missing.append(int(a >= first))
        self._unread = [len(readers) for readers in self._readers]

    def on_demand(self, roots: Iterable[int]) -> Program:
        """The operations in the order in which the roots, one after the other, ask for them."""
        number, operands, missing = self._number, self._operands, self._missing
        for root in (*roots, *self._program.outputs):
            stack = [root] if number[root] < 0 else []
            while stack:
                k = stack[-1]
                if not missing[k]:
                    stack.pop()
                    if number[k] < 0:
                        self._do(k)
                elif number[operands[k][0]] < 0:
                    stack.append(operands[k][0])
                else:
                    stack.append(operands[k][1])
        operations = self._program.operations
        moved = [operations[k - self._first] for k in self._order]
        return replace(
            self._program,
            operations=tuple((code, number[a], number[b] if OPERANDS[code] == 2 else b) for code, a, b in moved),
            outputs=tuple(number[k] for k in self._program.outputs),
        )

    def _do(self, ready: int) -> None:
        """An operation, and all that can follow it without more registers."""
        first, number, operands, readers = self._first, self._number, self._operands, self._readers
        missing, unread = self._missing, self._unread
        todo = [ready]
        while todo:
            k = todo.pop()
            if number[k] >= 0:
                continue
            done = self._partner.get(k) or (k,)
            for node in done:
                number[node] = first + len(self._order)
                self._order.append(node)
                for reader in readers[node]:
                    missing[reader] -= 1
                for operand in operands[node]:
                    unread[operand] -= 1
            for node in (*done, *operands[k]):
                if unread[node] == 1 and node >= first:
                    for last in readers[node]:
                        if number[last] < 0:
                            if not missing[last] and last not in self._partner:
                                todo.append(last)
                            break


def _partners(program: Program) -> dict[int, tuple[int, int]]:
    """A sine and the cosine recorded behind it, for either."""
    found: dict[int, tuple[int, int]] = {}
    sine_of = -1
    for k, (code, a, _) in enumerate(program.operations, program.first_operation):
        if code == COS and a == sine_of:
            found[k - 1] = found[k] = (k - 1, k)
        sine_of = a if code == SIN else -1
    return found
