"""A map of the manipulability of a tip, seen along one axis of the world."""

from __future__ import annotations

from dyncli.report.drawings.svg import Svg, drawing, ticks
from dyncli.report.workspace import View, Workspace

SIDE = 250.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 10.0, 8.0, 38.0
FONT = 11
STEPS = 8
"""Shades of the map."""


def workspace_drawing(workspace: Workspace, view: View) -> Svg:
    """SVG of a view: the stronger the colour of a cell, the better the tip moves there."""
    side = SIDE / max(view.columns, view.rows)
    width, height = view.columns * side, view.rows * side
    across, up = view.across, view.up
    label = f"Manipulability of {workspace.frame} seen {view.name}: {across} to the right, {up} up, m"
    root = drawing(width + LEFT + RIGHT, height + TOP + BOTTOM, label, "map")

    def x(value: float) -> float:
        return LEFT + (value - view.low[0]) / view.cell * side

    def y(value: float) -> float:
        return TOP + height - (value - view.low[1]) / view.cell * side

    shades: dict[int, list[str]] = {}
    for (column, row), share in view.cells.items():
        corner = f"M{LEFT + column * side:.1f} {TOP + height - (row + 1) * side:.1f}"
        shades.setdefault(shade(share), []).append(f"{corner}h{side:.2f}v{side:.2f}h-{side:.2f}z")
    for step, cells in sorted(shades.items()):
        root.add("path", class_=f"h{step}", d="".join(cells))
    root.add("rect", class_="frame", x=LEFT, y=TOP, width=width, height=height)
    for value in ticks(view.low[0], view.low[0] + view.columns * view.cell, max(2, round(5 * width / SIDE))):
        root.add("line", class_="axis", x1=x(value), x2=x(value), y1=TOP + height, y2=TOP + height + 4)
        root.label(f"{value:.3g}", x(value), TOP + height + 16, size=FONT, anchor="middle")
    for value in ticks(view.low[1], view.low[1] + view.rows * view.cell, max(2, round(5 * height / SIDE))):
        root.add("line", class_="axis", x1=LEFT - 4, x2=LEFT, y1=y(value), y2=y(value))
        root.label(f"{value:.3g}", LEFT - 7, y(value) + 4, size=FONT, anchor="end")
    root.label(f"{across} in m", LEFT + width / 2, TOP + height + 32, size=FONT, anchor="middle")
    turned = f"translate(11 {TOP + height / 2:.1f}) rotate(-90)"
    root.add("text", f"{up} in m", class_="tick", transform=turned, text_anchor="middle", font_size=FONT)
    if LEFT < x(0.0) < LEFT + width:
        root.add("line", class_="origin", x1=x(0.0), x2=x(0.0), y1=TOP, y2=TOP + height)
    if TOP < y(0.0) < TOP + height:
        root.add("line", class_="origin", x1=LEFT, x2=LEFT + width, y1=y(0.0), y2=y(0.0))
    return root.markup()


def shade(share: float) -> int:
    """The shade of a share between 0 and 1."""
    return min(STEPS - 1, int(STEPS * share))
