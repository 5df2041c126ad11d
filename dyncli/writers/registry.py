"""Which writer writes: by the format's name, or by the suffix of the output."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path, PurePath

from dyncli.errors import UsageError, nearest
from dyncli.result import Header
from dyncli.writers.base import Layout, Writer
from dyncli.writers.target import open_target

FORMATS = {
    "table": "table",
    "csv": "delimited",
    "tsv": "delimited",
    "json": "json",
    "jsonl": "jsonl",
    "npz": "npz",
    "yaml": "yaml",
    "parquet": "arrow",
    "arrow": "arrow",
}
"""Format -> module of this package; each has `make_writer(target, header, layout) -> Writer`."""

_SUFFIXES = {
    **{name: name for name in FORMATS if name != "table"},
    "yml": "yaml",
    "ndjson": "jsonl",
    "txt": "table",
    "feather": "arrow",
}


def format_of(output: str | Path | None, *, on_terminal: bool) -> str:
    """The format that a suffix means; for standard output a table on a terminal and CSV into a pipe.

    Raises UsageError for a suffix that means none.
    """
    if output is None or str(output) == "-":
        return "table" if on_terminal else "csv"
    suffix = PurePath(output).suffix.removeprefix(".").lower()
    if suffix not in _SUFFIXES:
        raise UsageError(
            f"-o {output}: no format has the suffix {'.' + suffix!r}" if suffix else f"-o {output}: no suffix",
            hint=f"name the format with -f: {nearest(suffix, FORMATS)}",
        )
    return _SUFFIXES[suffix]


def open_writer(
    format: str,
    output: str | Path | None,
    header: Header,
    *,
    precision: int = 6,
    color: bool = False,
    width: int | None = None,
) -> Writer:
    """A writer of `format` (a key of `FORMATS`) to a file, or to standard output (None or `-`).

    `precision`: significant digits in tables; all other formats carry the shortest text that reads back to the same
    double. `color`, `width`: of tables (None: as wide as they are). Raises UsageError where the output cannot be made.
    """
    module = import_module(f"dyncli.writers.{FORMATS[format]}")
    target = open_target(output)
    layout = Layout(format, precision=precision, color=color, width=width)
    writer: Writer = module.make_writer(target, header, layout)
    return writer
