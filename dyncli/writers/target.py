"""Where the bytes go: standard output as they come, a file whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from dyncli.errors import UsageError


class Target(Protocol):
    """What writers write to."""

    encoding: str
    interactive: bool
    """Whether a person reads along."""

    def write(self, data: bytes) -> None:
        """Append bytes and let a reader see them."""

    def commit(self) -> None:
        """All is written and right."""

    def discard(self) -> None:
        """An error came: leave nothing behind."""


class Nowhere:
    """The target of a writer that only encodes."""

    encoding = "utf-8"
    interactive = False

    def write(self, data: bytes) -> None:
        """Nothing may come here."""
        raise RuntimeError("a writer without a target was asked to write")

    def commit(self) -> None:
        """Nothing was written."""

    def discard(self) -> None:
        """Nothing was written."""


NOWHERE = Nowhere()


class StreamTarget:
    """A stream that stays open, such as standard output."""

    def __init__(self, stream: BinaryIO, encoding: str = "utf-8") -> None:
        self._stream = stream
        self.encoding = encoding
        self.interactive = stream.isatty()

    def write(self, data: bytes) -> None:
        """Write all of `data`: an unbuffered stream may take it in parts."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._stream.write(rest) :]
        self._stream.flush()

    def commit(self) -> None:
        """Nothing is left to do."""

    def discard(self) -> None:
        """What went out cannot be taken back."""


_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class FileTarget:
    """A file that appears under its name when it is complete; until then it stands beside it under another one."""

    encoding = "utf-8"
    interactive = False

    def __init__(self, path: Path) -> None:
        self._path = Path(os.path.realpath(path))
        self._partial = self._path.with_name(f".{self._path.name}.{os.urandom(6).hex()}")  # `tempfile` takes 5 ms
        try:
            descriptor = os.open(self._partial, _NEW_FILE, 0o600)
        except OSError as error:
            raise _refused(path, error) from error
        self._stream = os.fdopen(descriptor, "wb")
        self._partial.chmod(_mode(self._path))

    def write(self, data: bytes) -> None:
        """Append bytes to the partial file."""
        try:
            self._stream.write(data)
        except OSError as error:
            raise _refused(self._path, error) from error

    def commit(self) -> None:
        """Close the file and give it its name."""
        try:
            self._stream.close()
            self._partial.replace(self._path)
        except OSError as error:
            self.discard()
            raise _refused(self._path, error) from error

    def discard(self) -> None:
        """Remove the partial file."""
        with suppress(OSError):
            self._stream.close()
        with suppress(OSError):
            self._partial.unlink()


def open_target(output: str | Path | None) -> Target:
    """Standard output (None or `-`), or a file that appears when it is complete.

    Raises UsageError where the file cannot be made. A device or a pipe is written as it is.
    """
    if output is None or str(output) == "-":
        return StreamTarget(sys.stdout.buffer, sys.stdout.encoding or "utf-8")
    path = Path(output)
    if path.is_dir():
        raise UsageError(f"-o {output}: this is a folder", hint="name a file in it")
    if path.exists() and not path.is_file():
        try:
            device = path.open("wb", buffering=0)
        except OSError as error:
            raise _refused(path, error) from error
        target = StreamTarget(device)
        weakref.finalize(target, device.close)
        return target
    return FileTarget(path)


def _refused(path: Path, error: OSError) -> UsageError:
    return UsageError(f"-o {path}: cannot be written: {error.strerror or error}")


def _mode(path: Path) -> int:
    """The mode of the file that will be replaced, or the usual one of a new file."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0o666 & ~umask()


def umask() -> int:
    """The bits of a mode that new files and folders do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def ends_quietly() -> Iterator[None]:
    """Run a command whose standard output may be closed by its reader (`| head`): that ends it without a word.

    Standard output is flushed inside, and points to nothing afterwards, so that the interpreter's own flush at exit
    finds nothing to complain about.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
