"""Templates of one state filled in: the values of state k as plain lists, mappings and numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dyncli.result import Result
from dyncli.writers.base import Kept

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

Getter = Callable[[int], Any]


def state_values(result: Result, kept: Kept) -> list[dict[str, Any]]:
    """One mapping a state: kept columns, then the result's keys; numbers that are not finite become None.

    A state without an answer has None for each key, `invalid` and `why`.
    """
    getters = {key: _getter(value) for key, value in result.values.items()}
    made = []
    for k in range(result.count):
        state: dict[str, Any] = {"kept": {name: kept_value(column[k]) for name, column in kept.items()}} if kept else {}
        if k in result.invalid:
            state |= dict.fromkeys(getters)
            state |= {"invalid": True, "why": result.invalid[k]}
        else:
            state |= {key: get(k) for key, get in getters.items()}
        made.append(state)
    return made


def kept_value(value: Any) -> Any:
    """A copied cell: a number if it reads like one of JSON, else as it stands."""
    if isinstance(value, str) and _JSON_NUMBER.fullmatch(value):
        number = float(value)
        if not math.isfinite(number):
            return value
        return number if any(mark in value for mark in ".eE") else int(value)
    return finite(value)


def finite(value: Any) -> Any:
    """Plain values with every number that is not finite made None."""
    value = plain(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def plain(value: Any) -> Any:
    """A NumPy scalar or array of any shape as Python's own."""
    return value.tolist() if hasattr(value, "tolist") else value


def is_floats(leaf: Any) -> bool:
    """Whether a leaf is a batch of floats."""
    return is_array(leaf) and leaf.dtype.kind == "f"


def is_array(leaf: Any) -> bool:
    """Whether a leaf is a batch."""
    return hasattr(leaf, "tolist") and getattr(leaf, "ndim", 0) == 1


def _getter(template: Any) -> Getter:
    """A function from the index of a state to its value; lists of batches are turned into lists of rows at once."""
    if is_array(template):
        column = [finite(value) for value in template.tolist()]
        return column.__getitem__
    if isinstance(template, Mapping):
        members = {key: _getter(value) for key, value in template.items()}
        return lambda k: {key: get(k) for key, get in members.items()}
    if isinstance(template, (list, tuple)):
        if any(map(is_floats, template)) and all(isinstance(leaf, float) or is_floats(leaf) for leaf in template):
            return _rows(template)
        items = [_getter(value) for value in template]
        return lambda k: [get(k) for get in items]
    constant = finite(template)
    return lambda k: constant


def _rows(leaves: Sequence[Any]) -> Getter:
    import numpy as np

    matrix = np.stack(np.broadcast_arrays(*leaves), axis=-1)
    rows: list[list[Any]] = matrix.tolist()
    if not np.isfinite(matrix).all():
        rows = [finite(row) for row in rows]
    return rows.__getitem__
