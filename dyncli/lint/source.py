"""Rules on elements of a URDF that no description holds: transmissions, controllers, simulator extensions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dyncli.errors import Finding, nearest
from dyncli.formats import xml
from dyncli.lint.catalogue import advice
from dyncli.lint.model import Model

if TYPE_CHECKING:
    from dyncli.formats.xml import Element


def transmission_joint(model: Model) -> Iterator[Finding]:
    """Transmissions and ros2_control systems that drive a joint the file does not have, or none."""
    for element in _top_level(model, "transmission", "ros2_control"):
        driven = [child for child in element if xml.tag_of(child).lower().endswith("joint") and child.get("name")]
        if not driven and xml.tag_of(element) == "transmission":
            yield _finding(model, "transmission-joint", "warning", element, "drives no joint", "")
        for child in driven:
            name = child.get("name", "")
            if name not in model.joints:
                message = f"drives joint {xml.shorten(name)!r}, which does not exist"
                yield _finding(model, "transmission-joint", "warning", element, message, nearest(name, model.joints))


def gazebo_reference(model: Model) -> Iterator[Finding]:
    """Gazebo elements that refer to neither a link nor a joint."""
    for element in _top_level(model, "gazebo"):
        name = element.get("reference")
        if name and name not in model.links and name not in model.joints:
            message = f"refers to {xml.shorten(name)!r}, which is neither a link nor a joint"
            hint = nearest(name, {**model.links, **model.joints})
            yield _finding(model, "gazebo-reference", "note", element, message, hint)


def _top_level(model: Model, *tags: str) -> list[Element]:
    if model.source is None or model.description.format != "urdf":
        return []
    return [child for child in model.source if xml.tag_of(child) in tags]


def _finding(model: Model, code: str, severity: str, element: Element, message: str, hint: str) -> Finding:
    place, line = xml.describe(element), xml.line_of(element)
    return Finding(code, severity, place, message, hint or advice(code), model.description.path, line)
