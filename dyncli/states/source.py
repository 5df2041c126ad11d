"""Where states come from, as blocks one after the other or as jobs for several threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator

from dyncli.states.block import Remarks, StateBlock

Job = Callable[[], StateBlock]


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
