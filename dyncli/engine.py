"""Chooses how a recursion runs on many states: directly on scalars and arrays, or as a straight-line program.

A program has to be recorded first, then it costs a fraction of the direct run for every state. So states are counted,
and the program is made once there are enough of them. Both give the same numbers to rounding.

The environment variable DYN_ENGINE says it instead: `direct`, `program` or `auto`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from dyncli.errors import UsageError
from dyncli.structs import struct

if TYPE_CHECKING:
    from dyncli.scalars.execute import Executable
    from dyncli.scalars.program import Program

Scalar = Any
Block = Sequence[Scalar] | None
"""One of q, qd, qdd, tau: a leaf (float, or array of the states) an entry, or None where it is not given."""
Template = Any
"""Nested mappings and lists of leaves."""
Quantities = Callable[..., Template]
"""A recursion: blocks of scalars in, a template of scalars out."""

MODES = ("auto", "direct", "program")
FEWEST_STATES, STATES_PER_COORDINATE = 1000, 50
"""A robot's program has paid for itself after so many states: see docs/performance.md for the measurement."""


@struct
class Output:
    """Leaf of a recorded template: which output of the program it is."""

    index: int


class Engine:
    """One recursion on one robot, run the cheaper way.

    `direct` is run as it is. `recorded` (default: the same) is what is recorded: it may run on an equivalent tree that
    costs less. It is asked for only when the program is made. `recordable` False: a recursion that cannot be recorded.
    """

    def __init__(
        self, direct: Quantities, recorded: Callable[[], Quantities] | None = None, *, recordable: bool = True
    ) -> None:
        self._recordable = recordable
        self._direct = direct
        self._recorded = recorded
        self._compiled: dict[tuple[int | None, ...], Compiled] = {}
        self._states = 0
        self._lock = Lock()

    def __call__(self, count: int, *blocks: Block, threads: int = 1, before: int | None = None) -> Template:
        """The template for `count` states; leaves that are the same for all states are floats.

        `threads`: how many parts of a long block are computed at once. `before`: how many states came before, where the
        caller counts them, so that the choice does not depend on who is first. May be called from several threads.
        """
        sizes = tuple(None if block is None else len(block) for block in blocks)
        with self._lock:
            self._states = count + (self._states if before is None else before)
            pays = self._pays(blocks)
            if pays and sizes not in self._compiled:
                self._compiled[sizes] = compiled(self._recorded() if self._recorded else self._direct, sizes)
        return self._compiled[sizes].run(count, blocks, threads) if pays else self._direct(*blocks)

    def _pays(self, blocks: Sequence[Block]) -> bool:
        mode = os.environ.get("DYN_ENGINE", "auto")
        if mode not in MODES:
            raise UsageError(f"DYN_ENGINE={mode}: no such engine", hint=f"one of {', '.join(MODES)}")
        enough = self._states >= pays_from(max(len(block) for block in blocks if block is not None))
        return self._recordable and (mode == "program" or (mode == "auto" and enough))


def pays_from(coordinates: int) -> int:
    """States from which a program of a robot with so many coordinates costs less than running directly."""
    return FEWEST_STATES + STATES_PER_COORDINATE * coordinates


class Compiled:
    """A recorded recursion: its program, and where each output stands in the template."""

    def __init__(self, program: Program, template: Template) -> None:
        self.program = program
        self.template = template

    @cached_property
    def executable(self) -> Executable:
        """The program laid out for blocks of states."""
        from dyncli.scalars.execute import Executable

        return Executable(self.program)

    def run(self, count: int, blocks: Sequence[Block], threads: int = 1, out: Any = None) -> Template:
        """The template for `count` states, as the direct run would give it.

        `out`: where the program may write its outputs, (n_out, count): memory that has been used before is faster.
        """
        values = [leaf for block in blocks if block is not None for leaf in block]
        if not any(getattr(leaf, "shape", ()) for leaf in values):
            return _filled(self.template, self.program.evaluate(values))
        return _filled(self.template, list(self.executable.run(values, count, threads=threads, out=out)))


def compiled(function: Quantities, sizes: Sequence[int | None]) -> Compiled:
    """Record a function of blocks of these sizes (None: not given) that returns a template of scalars.

    Inputs of the program are named `x0[0]`: block and entry.
    """
    from dyncli.scalars.program import assembled
    from dyncli.scalars.symbol import Recorder, Symbol

    recorder = Recorder()
    names = [f"x{block}[{k}]" for block, size in enumerate(sizes) for k in range(size or 0)]
    symbols = iter(recorder.inputs(len(names)))
    blocks = [None if size is None else [next(symbols) for _ in range(size)] for size in sizes]
    outputs: dict[int, Output] = {}

    def leaf(x: Scalar) -> Scalar:
        if not isinstance(x, Symbol):
            return x
        return outputs.setdefault(recorder.place(x), Output(len(outputs)))

    template = mapped(leaf, function(*blocks))
    return Compiled(assembled(names, recorder, list(outputs)), template)


def mapped(function: Callable[[Scalar], Scalar], template: Template) -> Template:
    """A template with `function` applied to every leaf; tuples become lists."""
    if isinstance(template, Mapping):
        return {name: mapped(function, inner) for name, inner in template.items()}
    if isinstance(template, (list, tuple)):
        return [mapped(function, inner) for inner in template]
    return function(template)


def _filled(template: Template, outputs: Sequence[Scalar]) -> Template:
    return mapped(lambda leaf: outputs[leaf.index] if isinstance(leaf, Output) else leaf, template)
