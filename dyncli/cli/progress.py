"""A line on standard error that says how far a long run is, when a person watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dyncli.states import StateBlock

SILENT_SECONDS = 1.0
"""A run that ends within this shows nothing."""
REFRESH_SECONDS = 0.2


def watched(blocks: Iterable[StateBlock], fraction: Callable[[], float | None]) -> Iterator[StateBlock]:
    """The same blocks; shows rows, rows a second and the time left while they pass.

    `fraction`: how much of the input has been read, 0 to 1, None where that is not known.
    """
    start = time.monotonic()
    shown_at, rows = start, 0
    shown = False
    try:
        for block in blocks:
            yield block
            rows += block.count
            now = time.monotonic()
            if now - start > SILENT_SECONDS and now - shown_at > REFRESH_SECONDS:
                shown, shown_at = True, now
                sys.stderr.write(f"\r\x1b[K{line(rows, now - start, fraction())}")
                sys.stderr.flush()
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def line(rows: int, seconds: float, fraction: float | None) -> str:
    """`1,234,567 rows, 823,045 rows/s, 12 s left`."""
    text = f"{rows:,} rows, {rows / seconds:,.0f} rows/s"
    if fraction is None or fraction <= 0.0:
        return text
    left = seconds * (1.0 - fraction) / fraction
    return f"{text}, {100 * fraction:.0f} %, {left:.0f} s left" if left < 120 else f"{text}, {left / 60:.0f} min left"
