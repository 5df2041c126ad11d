"""A thin layer over SVG: elements with numbers as attributes, text escaped by the XML library.

Nothing here has a colour: classes do, and the page's style sheet gives them one in light and one in dark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dyncli.report.text import printable

if TYPE_CHECKING:
    from lxml.etree import _Element

CHARACTER = 0.56
"""Mean width of a character of a sans-serif font over its size."""
BRANCH_CLASSES = 8
"""The style sheet has this many colours for branches, the first one for the trunk."""


class Svg(str):
    """Markup of a drawing, which templates must not escape again."""

    __slots__ = ()

    def __html__(self) -> str:
        """What template engines ask markup for."""
        return self


class Canvas:
    """An element that others are drawn into."""

    def __init__(self, element: _Element) -> None:
        self.element = element

    def add(self, tag: str, text: str = "", **attributes: float | str) -> Canvas:
        """A child; a trailing `_` of an attribute's name falls away, `_` inside it is a hyphen."""
        from lxml import etree

        named = {name.rstrip("_").replace("_", "-"): _value(value) for name, value in attributes.items()}
        child = etree.SubElement(self.element, tag, named)
        if text:
            child.text = printable(text)
        return Canvas(child)

    def group(self, class_: str = "", title: str = "") -> Canvas:
        """A group; `title` is what a pointer that rests on it shows."""
        group = self.add("g", **({"class_": class_} if class_ else {}))
        if title:
            group.add("title", title)
        return group

    def label(
        self, text: str, x: float, y: float, *, size: float, anchor: str = "start", class_: str = "tick"
    ) -> Canvas:
        """A line of text; `anchor` says which point of it stands at x: start, middle or end."""
        return self.add("text", text, class_=class_, x=x, y=y, text_anchor=anchor, font_size=size)

    def markup(self) -> Svg:
        """The element as text for an HTML page."""
        from lxml import etree

        return Svg(etree.tostring(self.element, encoding="unicode"))


def drawing(width: float, height: float, label: str, kind: str) -> Canvas:
    """An empty drawing of a natural size in CSS pixels; `label` says in words what it shows, `kind` is its class."""
    from lxml import etree

    root = Canvas(etree.Element("svg"))
    attributes = {"viewBox": f"0 0 {_value(width)} {_value(height)}", "width": _value(width), "height": _value(height)}
    for name, value in {**attributes, "class": kind, "role": "img", "aria-label": printable(label)}.items():
        root.element.set(name, value)
    return root


def text_width(text: str, size: float) -> float:
    """About how wide a text is."""
    return CHARACTER * size * len(text)


def branch_class(branch: int) -> str:
    """The class that colours a branch; past the last colour they begin again, but for the trunk's."""
    return f"b{branch if branch < BRANCH_CLASSES else 1 + (branch - 1) % (BRANCH_CLASSES - 1)}"


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round values within an interval, `most` at most."""
    if not high > low:
        return [low]
    raw = (high - low) / max(1, most - 1)
    magnitude = 10.0 ** math.floor(math.log10(raw))
    step = next(nice * magnitude for nice in (1.0, 2.0, 5.0, 10.0) if nice * magnitude >= raw * (1.0 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def round_length(most: float) -> float:
    """The longest of 1, 2, 5, 10, 20... that is no longer than `most` (greater than 0)."""
    magnitude = 10.0 ** math.floor(math.log10(most))
    return max(nice * magnitude for nice in (0.5, 1.0, 2.0, 5.0) if nice * magnitude <= most)


def _value(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
