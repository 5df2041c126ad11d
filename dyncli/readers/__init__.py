"""Files of states in: one module a format, chosen by the suffix or by how standard input begins."""

from dyncli.readers.registry import open_table
from dyncli.readers.table import Column, Table, TableBlock

__all__ = ["Column", "Table", "TableBlock", "open_table"]
