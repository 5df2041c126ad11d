"""One cell to a number, strictly: what `float` takes beyond that (1_000, other scripts' digits) is no number here."""

from __future__ import annotations

import math
from collections.abc import Sequence

_WORDS = {"": math.nan, "~": math.nan, "null": math.nan, ".nan": math.nan, ".inf": math.inf, "-.inf": -math.inf}
"""Nothing at all, and what YAML calls nothing and infinite."""


def number(text: str) -> float:
    """The double that `text` says; an empty text is NaN. Raises ValueError for anything else."""
    text = text.strip()
    try:
        if "_" not in text and text.isascii():
            return float(text)
    except ValueError:
        if text.lower() in _WORDS:
            return _WORDS[text.lower()]
    raise ValueError(text)


def looks_like_numbers(cells: Sequence[str]) -> bool:
    """Whether a first line is a row and no header: every cell is a number or empty, one at least a finite number."""
    try:
        values = [number(cell) for cell in cells]
    except ValueError:
        return False
    return any(map(math.isfinite, values))
