"""What every writer does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from types import TracebackType
from typing import Any, Self

from dyncli.result import Header, Result
from dyncli.structs import struct
from dyncli.writers.target import NOWHERE, Target

Kept = Mapping[str, Sequence[Any]]


@struct
class Encoded:
    """A block of `count` states as its writer wants it."""

    count: int
    content: Any


@struct
class Layout:
    """What the command line says about looks; see `registry.open_writer`."""

    format: str
    precision: int = 6
    color: bool = False
    width: int | None = None


class Writer(ABC):
    """Writes the blocks of one run, in order.

    Use it as a context manager: an exception inside leaves no file behind. `kept`: columns copied from the input, by
    name, with an entry a state. Every block must have the same sheet and keys as the first one.
    """

    def __init__(self, target: Target, header: Header) -> None:
        self.target = target
        self.header = header
        self.states = 0
        self._closed = False

    def write(self, result: Result, kept: Kept | None = None) -> None:
        """Write a block; what can be shown of it is visible at once."""
        self.put(self.encode(result, kept, self.states))

    def encode(self, result: Result, kept: Kept | None = None, first: int = 0) -> Encoded:
        """A block made ready to be put, on any thread; `first`: index of its first state over all blocks."""
        return Encoded(result.count, self._encode(result, kept or {}, first))

    def for_workers(self) -> Self:
        """A copy that only encodes; it can be pickled and used in another process."""
        encoder = copy(self)
        encoder.target = NOWHERE
        return encoder

    def put(self, encoded: Encoded) -> None:
        """Write an encoded block, in the order of the states."""
        self._put(encoded.content)
        self.states += encoded.count

    def close(self, warnings: Sequence[str] = (), extra: Mapping[str, Any] | None = None) -> None:
        """Finish. `warnings` met since the header and `extra` keys go where a format has a place beside the results."""
        if self._closed:
            return
        self._closed = True
        try:
            self._finish([*self.header.warnings, *warnings], extra or {})
        except BaseException:
            self.target.discard()
            raise
        self.target.commit()

    @abstractmethod
    def _encode(self, result: Result, kept: Kept, first: int) -> Any:
        """The work that does not depend on other blocks."""

    @abstractmethod
    def _put(self, content: Any) -> None:
        """Write what `_encode` made; `self.states` counts the states before it."""

    @abstractmethod
    def _finish(self, warnings: Sequence[str], extra: Mapping[str, Any]) -> None:
        """Write what comes after the last block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        elif not self._closed:
            self._closed = True
            self.target.discard()
