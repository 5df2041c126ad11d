"""Results out: one module a format, chosen by name or by the output's suffix."""

from dyncli.writers.base import Writer
from dyncli.writers.registry import FORMATS, format_of, open_writer
from dyncli.writers.target import ends_quietly

__all__ = ["FORMATS", "Writer", "ends_quietly", "format_of", "open_writer"]
