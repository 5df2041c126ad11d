"""The pattern of the mass matrix, as `dyn sparsity --plot` draws it, in the page's colours."""

from __future__ import annotations

from dyncli.plots.pattern import PatternPicture, svg_element
from dyncli.report.drawings.svg import Canvas, Svg
from dyncli.report.text import shortened
from dyncli.structs import replace

LONGEST_NAME = 20
READABLE = 60
"""Rows up to which a narrow window scrolls; a larger picture is shown whole, for its structure."""


def pattern_drawing(picture: PatternPicture) -> Svg:
    """SVG of a picture without title and legend; its natural size is that of its view box."""
    element = svg_element(replace(picture, names=[shortened(name, LONGEST_NAME) for name in picture.names]), bare=True)
    _, _, width, height = (element.get("viewBox") or "").split()
    n = len(picture.names)
    label = f"Pattern of the mass matrix, {n} by {n}; the numbers beside it say the same"
    look = "pattern" if n <= READABLE else "pattern fits"
    for name, value in {"class": look, "width": width, "height": height, "role": "img"}.items():
        element.set(name, value)
    element.set("aria-label", label)
    return Canvas(element).markup()
