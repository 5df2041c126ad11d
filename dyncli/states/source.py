"""Where states come from, as blocks one after the other or as jobs for several threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from dyncli.errors import UsageError
from dyncli.states.block import Remarks, StateBlock
from dyncli.structs import struct
from dyncli.tree import Tree

if TYPE_CHECKING:
    from dyncli.states.checks import Seen

Job = Callable[[], StateBlock]


class StatesPart(ABC):
    """A stretch of states that another process can make by itself; it can be pickled.

    `rows`: how many states. `offset`: what is added to the lines of its blocks to make them lines of all states.
    """

    rows: int
    offset: int

    @abstractmethod
    def open(self, tree: Tree) -> AbstractContextManager[States]:
        """The states of this stretch alone. Raises StateError where they cannot be read any more."""

    def first_rows(self, count: int) -> StatesPart:
        """A part that begins as this one and has at least `count` rows, or all that there are: the less, the better."""
        return self

    def last_rows(self, count: int) -> StatesPart:
        """A part that ends as this one and has at least `count` rows, or all that there are: the less, the better."""
        return self


@struct
class Observed:
    """What only all states together say: values outside the limits, differences from what the model makes a column."""

    limits: Seen
    differences: tuple[tuple[float, int, str], ...]


class States(ABC):
    """States in blocks: iterate over them once, or run the jobs of `pieces` in any threads and then call `finish`.

    `remarks`: what a user should be told; complete when the last block has been made and `finish` called (iterating
    does so). `watcher` hears how many states a block had whenever one has been dealt with.
    """

    def __init__(self, remarks: Remarks) -> None:
        self.remarks = remarks
        self.watcher: Callable[[int], None] | None = None

    @abstractmethod
    def pieces(self) -> Iterator[Job]:
        """Jobs that each make one block, in the order of the states; `first` of their blocks is not to be relied on."""

    def finish(self) -> None:
        """Say in `remarks` what only all states together show; nothing by default."""
        return

    def parts(self, blocks: int = 1) -> Iterator[StatesPart]:
        """All states in stretches of so many blocks each. Raises UsageError where they cannot be cut."""
        raise UsageError(
            "states that are given one by one cannot be shared out",
            hint="--cluster is for the rows of a file (--states) and for --samples",
        )

    def blocks_to_share(self) -> int:
        """About how many blocks `parts` would share out, 0 where the states cannot be cut or that is not known."""
        return 0

    def observed(self) -> Observed | None:
        """What `finish` goes by, for `take` of all states where these are a part of them."""
        return None

    def take(self, observed: Observed, offset: int = 0) -> None:
        """Take into account what was observed in a part whose lines are counted from `offset`; nothing by default."""
        return

    def place(self, line: int) -> str:
        """A line of a block as messages call it."""
        return f"line {line}"

    def passed(self, count: int) -> None:
        """Say that a block of `count` states has been dealt with."""
        if self.watcher is not None:
            self.watcher(count)

    def __iter__(self) -> Iterator[StateBlock]:
        first = 0
        for piece in self.pieces():
            block = piece()
            block.first = first
            first += block.count
            yield block
            self.passed(block.count)
        self.finish()


class GivenStates(States):
    """Blocks that are made as they are asked for."""

    def __init__(self, blocks: Iterable[StateBlock], remarks: Remarks | None = None) -> None:
        super().__init__(remarks or Remarks())
        self._blocks = blocks

    def pieces(self) -> Iterator[Job]:
        """See `States.pieces`."""
        for block in self._blocks:
            yield lambda block=block: block  # type: ignore[misc]
