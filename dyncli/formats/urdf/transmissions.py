"""Transmissions of a URDF: no part of its rigid-body model, so what they would add is told and not used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dyncli.formats import xml
from dyncli.formats.findings import Findings

if TYPE_CHECKING:
    from dyncli.formats.xml import Element

_REDUCTIONS = {"mechanicalReduction", "mechanical_reduction", "gear_ratio"}


def find_transmissions(findings: Findings, robot: Element) -> list[str]:
    """Tell once which transmissions have a rotor inertia or a reduction; a line for `RobotDescription.ignored`."""
    geared = [element for element in robot.iterchildren("transmission") if any(_reflected(element))]
    if not geared:
        return []
    names = ", ".join(repr(xml.shorten(element.get("name", ""))) for element in geared[:3])
    more = f" and {len(geared) - 3} more" if len(geared) > 3 else ""
    message = f"rotor inertias and reductions of transmissions are not used: {names}{more}"
    findings.warning("transmission-ignored", geared[0], message)
    return [message]


def _reflected(transmission: Element) -> Iterator[bool]:
    """Whether each element in a transmission says something that a motor adds to its joint's inertia."""
    for element in transmission.iter():
        tag = xml.tag_of(element).rpartition(":")[2]
        stated = (element.get("value") or element.text or "").strip()
        if tag in _REDUCTIONS:
            yield stated not in ("", "1", "1.0")
        elif "rotor" in tag.lower():
            yield bool(stated)
