"""Compressed files as the bytes that were packed: .gz, and .zst where a library for it is there (extra `zstd`)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, BinaryIO, cast

from dyncli.errors import MissingExtraError


def _gzip(path: str) -> BinaryIO:
    import gzip

    return cast("BinaryIO", gzip.open(path, "rb"))


def _zstd(path: str) -> BinaryIO:
    for name in _ZSTD:
        try:
            library: Any = import_module(name)
        except ImportError:
            continue
        return cast("BinaryIO", library.open(path, "rb"))
    raise MissingExtraError("backports.zstd", "zstd", f"{path}: reading .zst files")


_ZSTD = ("compression.zstd", "backports.zstd")
"""Python's own from 3.14 on, and the same for earlier ones."""

_OPENERS: dict[str, Callable[[str], BinaryIO]] = {".gz": _gzip, ".zst": _zstd}

SUFFIXES = tuple(_OPENERS)


def open_packed(path: str) -> BinaryIO | None:
    """The unpacked bytes of a file whose suffix says that it is packed; None for any other.

    Raises MissingExtraError where the library is not there, OSError where the file cannot be opened.
    """
    opener = next((opener for suffix, opener in _OPENERS.items() if path.lower().endswith(suffix)), None)
    return None if opener is None else opener(path)


def unpacked_name(path: str) -> str:
    """A path without the suffix that says it is packed."""
    suffix = next((suffix for suffix in SUFFIXES if path.lower().endswith(suffix)), "")
    return path[: len(path) - len(suffix)]


def unpacking_errors() -> tuple[type[Exception], ...]:
    """What reading damaged data raises; the libraries' own errors are known once something has been unpacked."""
    known = [("zlib", "error"), *((name, "ZstdError") for name in _ZSTD)]
    return (OSError, EOFError, *(getattr(sys.modules[name], error) for name, error in known if name in sys.modules))
