"""Files of states in: one module a format, chosen by the suffix or by how standard input begins."""

from typing import TYPE_CHECKING

from dyncli.lazy import lazy_names

if TYPE_CHECKING:
    from dyncli.readers.registry import open_table
    from dyncli.readers.table import Column, Table, TableBlock

__all__ = ["Column", "Table", "TableBlock", "open_table"]

__getattr__ = lazy_names(
    __name__,
    {
        "Column": "dyncli.readers.table",
        "Table": "dyncli.readers.table",
        "TableBlock": "dyncli.readers.table",
        "open_table": "dyncli.readers.registry",
    },
)
