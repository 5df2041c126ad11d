"""Names for what an MJCF leaves unnamed: a body is called after its number, a joint after its body.

What the file names keeps its name; a name given here that is taken already gets #2, #3 and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dyncli.formats.mjcf.robot import Link
from dyncli.structs import replace


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


def give_names(links: list[Link]) -> None:
    """Give every body and joint a name; bodies are numbered as MuJoCo counts them, the world being 0."""
    bodies = Names(link.name for link in links if link.name)
    joints = Names(joint.name for link in links for joint in link.joints if joint.name)
    for number, link in enumerate(links):
        link.name = link.name or bodies.unused(f"body{number}")
        link.joints = [joint if joint.name else replace(joint, name=joints.unused(link.name)) for joint in link.joints]
