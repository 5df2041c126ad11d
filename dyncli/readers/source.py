"""Bytes from a file, a compressed file or standard input, cut at line ends, without waiting for more than there is."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from dyncli.errors import StateError
from dyncli.readers.packed import open_packed, unpacking_errors

STDIN = "-"
FIRST_SIZE = 1 << 16
"""Bytes of the first piece from a source that may wait; later ones double."""
LARGEST_SIZE = 2 << 20
"""Bytes of all others, see docs/performance.md; a stretch that begins with a piece is cut into the same ones."""
LONGEST_LINE = 1 << 26
PATIENCE = 0.05
"""Seconds for which whole lines wait for more from a pipe: a block for each few rows would cost more."""

_READ = 1 << 16


class Source:
    """An open file (`-`: standard input), unpacked if its name says so (.gz, .zst); raises StateError where it cannot.

    `path`: its name in messages. `start`, `stop`: bytes of a plain file to which it is confined (None: to its end).
    `text`: what it holds, where that is known already and the file need not be opened.
    """

    def __init__(self, path: str, start: int = 0, stop: int | None = None, text: bytes | None = None) -> None:
        self.path = "standard input" if path == STDIN else path
        self.file = _opened(path) if text is None else io.BytesIO(text)
        if path != STDIN:
            weakref.finalize(self, self.file.close)
        self._rest = b""
        self._ended = False
        self._left = None if stop is None else stop - start
        if start:
            self.file.seek(start)
        self._waits = _waits(self.file)
        # what waits is read below its buffer, so that `select` knows all that there is
        self._reader: Any = self.file.raw if self._waits and isinstance(self.file, io.BufferedReader) else self.file

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.file is not sys.stdin.buffer:
            self.file.close()

    def position(self) -> int:
        """How many bytes of a plain file have been taken."""
        return self.file.tell() - len(self._rest)

    def size(self) -> int | None:
        """Bytes of a plain file (or of the stretch of it); None for anything else."""
        if self._left is not None:
            return self._left
        return None if self.on_disk is None else os.fstat(self.file.fileno()).st_size

    def stored_size(self) -> int:
        """Bytes of the file as it stands there, packed or not; 0 for standard input and whatever else has no size."""
        file = Path(self.path)
        return file.stat().st_size if self.file is not sys.stdin.buffer and file.is_file() else 0

    def fraction(self) -> float | None:
        """How much of the file has been read, 0 to 1; None for an input without a known size."""
        size = self.size()
        if size is None:
            return None
        return min(1.0, self.file.tell() / size) if size else 1.0

    @property
    def on_disk(self) -> str | None:
        """The path of a regular file as it stands there, not packed; None for anything else."""
        plain = isinstance(self.file, io.BufferedReader) and not self._waits and self.file is not sys.stdin.buffer
        return self.path if plain else None

    def seekable(self) -> BinaryIO:
        """The whole input as a file that can be read in any order."""
        if self.on_disk is None:
            return io.BytesIO(self.everything())
        self.file.seek(0)
        return self.file

    def everything(self) -> bytes:
        """All bytes not yet taken, for formats that are read as a whole."""
        parts = [self._rest]
        while part := self._read(-1):
            parts.append(part)
        self._rest = b""
        return b"".join(parts)

    def peek_line(self) -> bytes:
        """The next line, which stays to be read; empty at the end of the input."""
        while (at := self._rest.find(b"\n")) < 0 and not self._ended:
            self._append(self._read(_READ))
        return self._rest[: at + 1] if at >= 0 else self._rest

    def peek(self, count: int) -> bytes:
        """The next `count` bytes, which stay to be read; fewer where the input ends before."""
        while len(self._rest) < count and not self._ended:
            self._append(self._read(_READ))
        return self._rest[:count]

    def first_line(self) -> bytes | None:
        """Take the next line, its end included where it has one; None at the end of the input."""
        line = self.peek_line()
        self._rest = self._rest[len(line) :]
        return line or None

    def put_back(self, line: bytes) -> None:
        """Let `line` be read again."""
        self._rest = line + self._rest

    def pieces(self) -> Iterator[bytes]:
        """Pieces of whole lines; the first are small where a source may wait, so that its first row shows at once."""
        size = FIRST_SIZE if self._waits else LARGEST_SIZE
        while True:
            self._fill(size)
            cut = len(self._rest) if self._ended else self._rest.rfind(b"\n") + 1
            piece, self._rest = self._rest[:cut], self._rest[cut:]
            if piece:
                yield piece
            if self._ended:
                return
            size = min(2 * size, LARGEST_SIZE)

    def _fill(self, size: int) -> None:
        """Read until `size` bytes are there, or whole lines are and no more come for a moment."""
        self.peek_line()
        parts, have = [self._rest], len(self._rest)
        until = time.monotonic() + PATIENCE
        while have < size and not self._ended and not (self._waits and not _ready(self._reader, until)):
            part = self._read(max(size - have, _READ))
            self._ended = not part
            parts.append(part)
            have += len(part)
        self._rest = b"".join(parts)

    def _append(self, part: bytes) -> None:
        self._rest += part
        self._ended = not part
        if len(self._rest) > LONGEST_LINE:
            raise StateError(f"{self.path}: a line longer than {LONGEST_LINE >> 20} MB", hint="is it a text file?")

    def _read(self, size: int) -> bytes:
        if self._left is not None:
            size = self._left if size < 0 else min(size, self._left)
        try:
            data: bytes = self._reader.read(size) or b""
        except unpacking_errors() as error:
            raise StateError(f"{self.path}: cannot be read to its end: {error}") from error
        if self._left is not None:
            self._left -= len(data)
        return data


def _opened(path: str) -> BinaryIO:
    if path == STDIN:
        return sys.stdin.buffer
    try:
        return open_packed(path) or Path(path).open("rb")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StateError(f"{path}: {reason}") from error


def _waits(source: BinaryIO) -> bool:
    """Whether reading may wait for another program: a pipe, a socket or a terminal."""
    if not (isinstance(source, io.BufferedReader) and isinstance(source.raw, io.FileIO)):
        return False
    return not stat.S_ISREG(os.fstat(source.fileno()).st_mode)


def _ready(reader: Any, until: float) -> bool:
    """Whether bytes can be read at once or before `until` (of `time.monotonic`); where the system cannot tell, no."""
    try:
        return bool(select.select([reader], [], [], max(0.0, until - time.monotonic()))[0])
    except (OSError, ValueError):
        return False
