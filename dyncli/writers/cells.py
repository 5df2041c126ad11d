"""Sheets to rows of text cells, one representation for CSV and tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dyncli.result import STATE, Result
from dyncli.writers.base import Kept
from dyncli.writers.fast import json_text
from dyncli.writers.templates import is_array, is_floats, plain

Number = Callable[[float], str]


def sheet_rows(result: Result, kept: Kept, first: int, number: Number) -> Iterator[list[str]]:
    """Rows of text of a block, kept cells in front; `first`: index of its first state, `number`: float to text.

    Of a state without an answer the kept cells and the labels remain, all other cells are empty.
    """
    labels = result.sheet.labels
    templates = [[_column(leaf, number) for leaf in row] for row in result.sheet.rows]
    for k in range(result.count):
        front = [cell_text(column[k], number) for column in kept.values()]
        for template in templates:
            if k in result.invalid:
                shown = [_cell(leaf, k, first) for leaf in template[:labels]]
                yield [*front, *shown, *[""] * (len(template) - labels)]
            else:
                yield front + [_cell(leaf, k, first) for leaf in template]


def _column(leaf: Any, number: Number) -> Any:
    """A leaf as text: one for all states, or a list with one a state; `STATE` stays."""
    if leaf is STATE:
        return STATE
    if is_array(leaf):
        return [cell_text(value, number) for value in leaf.tolist()]
    return cell_text(leaf, number)


def _cell(column: Any, k: int, first: int) -> str:
    if column is STATE:
        return str(first + k)
    text: str = column[k] if isinstance(column, list) else column
    return text


def cell_text(value: Any, number: Number) -> str:
    """One value as a cell; nothing, and a number that is none, are empty."""
    value = plain(value)
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "" if math.isnan(value) else number(value)
    if isinstance(value, int):
        return str(value)
    return json_text(value).decode()


def only_numbers(row: Sequence[Any]) -> bool:
    """Whether a row template holds nothing but floats, batches of them among these."""
    return all(isinstance(leaf, float) or is_floats(leaf) for leaf in row) and any(map(is_floats, row))
