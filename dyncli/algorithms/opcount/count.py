"""What a count of operations is."""

from __future__ import annotations

from typing import NamedTuple


class OperationCount(NamedTuple):
    """Multiplications, additions (subtractions and signs too), divisions, square roots, trigonometric functions."""

    mul: int
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0

    @property
    def total(self) -> int:
        """All operations, each counted once."""
        return sum(self)
