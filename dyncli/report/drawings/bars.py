"""A bar for a share, drawn into a cell of a table."""

from __future__ import annotations

from dyncli.report.drawings.svg import Canvas, Svg, branch_class, drawing

WIDTH, HEIGHT = 120, 12


def share_bar(share: float, branch: int | None) -> Svg:
    """SVG of a share of the greatest, between 0 and 1, in the colour of a branch (None: of what does not move)."""
    root = drawing(WIDTH, HEIGHT, f"{100.0 * share:.0f} % of the heaviest", "bar")
    root.add("rect", class_="rail", x=0, y=5, width=WIDTH, height=2)
    length = WIDTH * min(1.0, max(0.0, share))
    if length:
        look = "still" if branch is None else f"joint {branch_class(branch)}"
        root.add("rect", class_=look, x=0, y=1, width=max(1.5, length), height=10, rx=1.5)
    return root.markup()


def color_ramp(steps: int) -> Svg:
    """The colours of a map from nothing to the greatest value, for a legend."""
    root = drawing(14 * steps, HEIGHT, "colours from 0 to the greatest value", "ramp")
    for step in range(steps):
        _cell(root, 14.0 * step, step)
    return root.markup()


def _cell(root: Canvas, x: float, step: int) -> None:
    root.add("rect", class_=f"h{step}", x=x, y=0, width=14, height=HEIGHT)
