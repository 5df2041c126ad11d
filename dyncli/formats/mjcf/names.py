"""Names for what an MJCF leaves unnamed: a body is called after its number, a joint after its body.

What the file names keeps its name; a name given here that is taken already gets #2, #3 and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


class Names:
    """Names of one kind of thing, `taken` by the file itself."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._last: Counter[str] = Counter()

    def unused(self, wanted: str) -> str:
        """`wanted`, or with the first number behind it that makes it new; it is taken from now on."""
        name = wanted
        while name in self._taken:
            self._last[wanted] += 1
            name = f"{wanted}#{self._last[wanted] + 1}"
        self._taken.add(name)
        return name
