"""A folder of files, one a part of the states, that appears when it is complete."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dyncli.errors import UsageError
from dyncli.result import Result
from dyncli.writers.base import Encoded, Kept, Writer
from dyncli.writers.target import umask


def names_folder(output: str | Path | None) -> bool:
    """Whether an output is meant as a folder: it is one already, or its name ends in a slash."""
    return output is not None and str(output) != "-" and (str(output).endswith("/") or Path(output).is_dir())


class PartFiles:
    """Writes each part of a run to a file of its own, `part-00000.SUFFIX` and so on, in the order of the states.

    `opener` makes the writer of a file. Use it as a context manager: an exception inside leaves no folder behind.
    Raises UsageError where the folder has something in it already, or cannot be made.
    """

    def __init__(self, folder: str | Path, suffix: str, opener: Callable[[Path], Writer]) -> None:
        self._folder = Path(folder).resolve()
        if self._folder.is_dir() and any(self._folder.iterdir()):
            raise UsageError(f"-o {folder}: this folder is not empty", hint="name a new one")
        try:
            self._partial = Path(tempfile.mkdtemp(prefix=f".{self._folder.name}.", dir=self._folder.parent))
        except OSError as error:
            raise UsageError(f"-o {folder}: cannot be made: {error.strerror or error}") from error
        self._suffix = suffix
        self._opener = opener
        self._parts = 0
        self._states = 0
        self._writer = self._next()

    def for_workers(self) -> Writer:
        """A writer that only encodes; it can be pickled and used in another process."""
        return self._writer.for_workers()

    def write(self, result: Result, kept: Kept | None = None) -> None:
        """See `Writer.write`."""
        self.put(self.encode(result, kept, self._states))

    def encode(self, result: Result, kept: Kept | None = None, first: int = 0) -> Encoded:
        """See `Writer.encode`."""
        return self._writer.encode(result, kept, first)

    def put(self, encoded: Encoded) -> None:
        """See `Writer.put`."""
        self._writer.put(encoded)
        self._states += encoded.count

    def begin_part(self) -> None:
        """What is put from now on goes to the next file; the first one is there from the start."""
        if self._states:
            self._writer.close()
            self._writer = self._next()

    def close(self, warnings: Sequence[str] = (), extra: Mapping[str, Any] | None = None) -> None:
        """Finish the last file, and give the folder its name."""
        self._writer.close(warnings, extra)
        try:
            if self._folder.is_dir():
                self._folder.rmdir()
            self._partial.chmod(0o777 & ~umask())
            self._partial.rename(self._folder)
        except OSError as error:
            self._discard()
            raise UsageError(f"-o {self._folder}: cannot be made: {error.strerror or error}") from error

    def _next(self) -> Writer:
        path = self._partial / f"part-{self._parts:05}.{self._suffix}"
        self._parts += 1
        return self._opener(path)

    def _discard(self) -> None:
        with suppress(OSError):
            shutil.rmtree(self._partial)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._writer.__exit__(kind, error, trace)
            self._discard()
