"""Operation counts on a logarithmic axis: a row an algorithm, a mark a model of counting."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dyncli.report.drawings.svg import Canvas, Svg, drawing
from dyncli.report.operations import AlgorithmCount

WIDTH, LEFT, RIGHT, TOP, ROW, FOOT = 345.0, 92.0, 16.0, 10.0, 24.0, 40.0
FONT = 12
MODELS = ("dense", "structured", "specialised")


def operations_drawing(algorithms: Sequence[AlgorithmCount]) -> Svg | None:
    """SVG of the totals; None where nothing is counted."""
    rows = [(algorithm, _totals(algorithm)) for algorithm in algorithms]
    rows = [(algorithm, totals) for algorithm, totals in rows if totals]
    if not rows:
        return None
    exponents = [math.log10(total) for _, totals in rows for total in totals.values()]
    low, high = math.floor(min(exponents)), math.ceil(max(exponents))
    high = max(high, low + 1)

    def x(total: float) -> float:
        return LEFT + (math.log10(total) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    end = TOP + ROW * len(rows)
    root = drawing(WIDTH, end + FOOT, "Operations of each algorithm, logarithmic; the table has the numbers", "counts")
    for exponent in range(low, high + 1):
        at = x(10.0**exponent)
        root.add("line", class_="grid", x1=at, x2=at, y1=TOP, y2=end)
        label = root.label("10", at, end + 16, size=FONT, anchor="middle")
        label.add("tspan", str(exponent), dy=-4, font_size=9)
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    root.label("operations", middle, end + 34, size=FONT, anchor="middle")
    for k, (algorithm, totals) in enumerate(rows):
        y = TOP + (k + 0.5) * ROW
        root.label(algorithm.name, LEFT - 10, y + 4, size=FONT, anchor="end", class_="name")
        places = [x(total) for total in totals.values()]
        row = root.group(title=", ".join(f"{model} {total}" for model, total in totals.items()))
        row.add("line", class_="span", x1=min(places), x2=max(places), y1=y, y2=y)
        for model, total in totals.items():
            count_mark(row, model, x(total), y)
    return root.markup()


def model_symbol(model: str) -> Svg:
    """The mark of a model alone, for a legend."""
    root = drawing(14, 14, model, "symbol")
    count_mark(root, model, 7, 7)
    return root.markup()


def count_mark(canvas: Canvas, model: str, x: float, y: float) -> None:
    """A ring for dense, a square for structured, a disc for specialised."""
    if model == "structured":
        canvas.add("rect", class_="count structured", x=x - 4.2, y=y - 4.2, width=8.4, height=8.4)
    else:
        canvas.add("circle", class_=f"count {model}", cx=x, cy=y, r=4.6)


def _totals(algorithm: AlgorithmCount) -> dict[str, int]:
    return {model: count.total for model, count in algorithm.counts.items() if count is not None and count.total}
