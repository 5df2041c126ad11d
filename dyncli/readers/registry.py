"""Which reader reads a file: by its suffix; without a known one, and on standard input, by how it begins."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path, PurePath

from dyncli.errors import StateError
from dyncli.readers.folder import FolderTable, files_of
from dyncli.readers.packed import unpacked_name
from dyncli.readers.source import STDIN, Source
from dyncli.readers.table import Table

_BY_SUFFIX = {
    "csv": "delimited",
    "tsv": "delimited",
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "yaml": "yaml",
    "yml": "yaml",
    "npy": "npy",
    "npz": "npz",
    "parquet": "arrow",
    "arrow": "arrow",
    "feather": "arrow",
}
"""Suffix -> module of this package; each has `open_table(source: Source) -> Table`."""

_BY_MAGIC = {b"\x93NUMPY": "npy", b"PK\x03\x04": "npz", b"PAR1": "arrow", b"ARROW1": "arrow"}
_FOREIGN = {
    b"\x89HDF": "HDF5",
    b"\x1f\x8b": "gzip",
    b"(\xb5/\xfd": "Zstandard",
    b"BZh": "bzip2",
}

SUFFIXES = tuple(_BY_SUFFIX)


def open_table(path: str) -> Table:
    """Open a file of states (`-`: standard input), unpacked where its name ends in .gz or .zst, or a folder of files.

    Close the table after use.

    Raises StateError where it cannot be read, is empty, or is of no known format.
    """
    if path != STDIN and Path(path).is_dir():
        return FolderTable(path, files_of(path, [f".{suffix}" for suffix in _BY_SUFFIX]), open_table)
    source = Source(path)
    try:
        name = _BY_SUFFIX.get(_suffix(path)) or _sniffed(source)
        table: Table = import_module(f"dyncli.readers.{name}").open_table(source)
    except BaseException:
        source.close()
        raise
    table.source = source
    return table


def _suffix(path: str) -> str:
    if path == STDIN:
        return ""
    return PurePath(unpacked_name(path).lower()).suffix.removeprefix(".")


def _sniffed(source: Source) -> str:
    beginning = source.peek_line()
    for magic, name in _BY_MAGIC.items():
        if beginning.startswith(magic):
            return name
    for magic, what in _FOREIGN.items():
        if beginning.startswith(magic):
            raise StateError(f"{source.path}: {what} data is not read here", hint=f"formats: {', '.join(SUFFIXES)}")
    text = beginning.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] in (b"{", b"["):
        return "jsonl" if _is_json(text) else "json"
    return "yaml" if text.startswith(b"---") else "delimited"


def _is_json(line: bytes) -> bool:
    """Whether a line is a whole document, so that the next one may be another."""
    import json

    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
