"""Equality constraints: no part of the open tree, but their names must be right."""

from __future__ import annotations

from dyncli.formats.mjcf.element import Report
from dyncli.formats.mjcf.expand import WORLD
from dyncli.formats.mjcf.references import References, Referring, plain_references

_ALONE = {"body": WORLD}
"""What a side that is left out stands for; of other kinds it stands for nothing."""


def read_equalities(references: References, report: Report) -> list[Referring]:
    """The constraints that are active; one that holds a thing to itself is reported."""
    found = list(references.referring("equality", "equality", plain_references, mixes=False))
    for referring in found:
        for kind in ("body", "site", "joint", "tendon"):
            one, other = (_side(referring, kind, number) for number in "12")
            if one and one == other:
                message = f"it holds the {kind} {one!r} to itself"
                hint = "without body2 that is the world" if one == WORLD else ""
                report.fatal("equality", referring.element, message, hint)
    return [referring for referring in found if referring.element.values.get("active") != "false"]


def _side(referring: Referring, kind: str, number: str) -> str:
    """Final name of what stands on one side of a constraint; empty where it has no such side."""
    values = referring.element.values
    if f"{kind}1" not in values:
        return ""
    name = values.get(f"{kind}{number}", _ALONE.get(kind, ""))
    return WORLD if (kind, name) == ("body", WORLD) else referring.final(kind, name) if name else ""
