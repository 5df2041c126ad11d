"""A line on standard error that says how far a long run is, when a person watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

SILENT_SECONDS = 1.0
"""A run that ends within this shows nothing."""
REFRESH_SECONDS = 0.2
_WIPED = "\r\x1b[K"


class Progress:
    """The line; `advance` is told of every block, `wipe` clears it before other text.

    `fraction`: how much of the input has been read, 0 to 1, None where that is not known.
    """

    def __init__(self, fraction: Callable[[], float | None]) -> None:
        self._fraction = fraction
        self._start = self._shown_at = time.monotonic()
        self._rows = 0
        self._shown = False

    def advance(self, rows: int) -> None:
        """More rows have been dealt with; shows the line now and then."""
        self._rows += rows
        now = time.monotonic()
        if now - self._start > SILENT_SECONDS and now - self._shown_at > REFRESH_SECONDS:
            self._shown, self._shown_at = True, now
            sys.stderr.write(f"{_WIPED}{line(self._rows, now - self._start, self._fraction())}")
            sys.stderr.flush()

    def wipe(self) -> None:
        """Clear the line, if it is there."""
        if self._shown:
            self._shown = False
            sys.stderr.write(_WIPED)
            sys.stderr.flush()


def line(rows: int, seconds: float, fraction: float | None) -> str:
    """`1,234,567 rows, 823,045 rows/s, 12 s left`."""
    text = f"{rows:,} rows, {rows / seconds:,.0f} rows/s"
    if fraction is None or fraction <= 0.0:
        return text
    left = seconds * (1.0 - fraction) / fraction
    return f"{text}, {100 * fraction:.0f} %, {left:.0f} s left" if left < 120 else f"{text}, {left / 60:.0f} min left"
