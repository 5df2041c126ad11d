"""Curves on two logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import PurePath
from xml.sax.saxutils import escape

from dyncli.errors import MissingExtraError, UsageError
from dyncli.writers.target import open_target

Curves = Mapping[str, Sequence[tuple[float, float]]]
"""Name -> points (x, y), both greater than 0."""

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Okabe and Ito's palette, which the colour-blind can tell apart."""
MARKS = "fcix+*"
WIDTH, HEIGHT = 720, 460
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 40, 55
TEXT_WIDTH, TEXT_HEIGHT = 64, 18


class _Axis:
    """Whole decades around some values, mapped onto a length."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        exponents = [math.log10(value) for value in values] or [0.0]
        self.low, self.high = math.floor(min(exponents)), math.ceil(max(exponents))
        if self.low == self.high:
            self.high += 1
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        """Where a value stands."""
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    def decades(self, most: int) -> list[int]:
        """Exponents to label, `most` at most."""
        stride = max(1, math.ceil((self.high - self.low) / most))
        return list(range(self.low, self.high + 1, stride))


def save(path: str, curves: Curves, *, x_label: str, y_label: str, title: str) -> None:
    """Write a picture, whole or not at all; the suffix decides: .svg, or .png with the extra `plot`.

    Raises UsageError for another suffix or a path that cannot be written, MissingExtraError without matplotlib.
    """
    suffix = PurePath(path).suffix.lower()
    if suffix == ".svg":
        picture = svg(curves, x_label=x_label, y_label=y_label, title=title).encode()
    elif suffix == ".png":
        picture = _png(curves, x_label, y_label, title)
    else:
        raise UsageError(f"--plot {path}: unknown kind of picture {suffix!r}", hint="expected .svg or .png")
    target = open_target(path)
    target.write(picture)
    target.commit()


def svg(curves: Curves, *, x_label: str, y_label: str, title: str) -> str:
    """The curves as an SVG document with a legend at the right."""
    xs, ys = _all_points(curves)
    x = _Axis(xs, LEFT, WIDTH - RIGHT)
    y = _Axis(ys, HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="14">{escape(title)}</text>',
    ]
    for exponent in x.decades(9):
        at = x.at(10.0**exponent)
        parts.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">1e{exponent}</text>')
    for exponent in y.decades(9):
        at = y.at(10.0**exponent)
        parts.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">1e{exponent}</text>')
    for k, (name, points) in enumerate(curves.items()):
        color = COLORS[k % len(COLORS)]
        places = [(x.at(a), y.at(b)) for a, b in points]
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{color}"/>' for a, b in places]
        height = TOP + 18 * k + 10
        parts.append(f'<rect x="{WIDTH - RIGHT + 16}" y="{height - 9}" width="12" height="12" fill="{color}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 34}" y="{height + 2}">{escape(name)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 14}" text-anchor="middle">{escape(x_label)}</text>')
    parts.append(
        f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.1f}) rotate(-90)" '
        f'text-anchor="middle">{escape(y_label)}</text>'
    )
    return "\n".join([*parts, "</svg>", ""])


def text(curves: Curves, *, x_label: str, y_label: str) -> str:
    """The curves as a small picture in characters, for a terminal; a letter a curve."""
    xs, ys = _all_points(curves)
    x = _Axis(xs, 0, TEXT_WIDTH - 1)
    y = _Axis(ys, TEXT_HEIGHT - 1, 0)
    grid = [[" "] * TEXT_WIDTH for _ in range(TEXT_HEIGHT)]
    marks = _marks(list(curves))
    for name, points in curves.items():
        for a, b in points:
            grid[round(y.at(b))][round(x.at(a))] = marks[name]
    labels = {round(y.at(10.0**exponent)): f"1e{exponent}" for exponent in y.decades(5)}
    lines = [f"{labels.get(k, ''):>6} |{''.join(row).rstrip()}" for k, row in enumerate(grid)]
    ticks = [" "] * (TEXT_WIDTH + 8)
    for exponent in x.decades(6):
        at = min(round(x.at(10.0**exponent)), TEXT_WIDTH - 1)
        ticks[at : at + len(f"1e{exponent}")] = f"1e{exponent}"
    legend = "   ".join(f"{mark} {name}" for name, mark in marks.items())
    return "\n".join(
        [
            y_label,
            *lines,
            f"{'':>6} +{'-' * TEXT_WIDTH}",
            f"{'':>8}{''.join(ticks).rstrip()}  {x_label}",
            f"{'':>8}{legend}",
        ]
    )


def _marks(names: Sequence[str]) -> dict[str, str]:
    """A character for each curve: a letter of its name that no other one has."""
    marks: dict[str, str] = {}
    for name in names:
        free = [letter for letter in name + MARKS if letter.isalnum() and letter not in marks.values()]
        marks[name] = free[0] if free else "*"
    return marks


def _all_points(curves: Curves) -> tuple[list[float], list[float]]:
    points = [point for curve in curves.values() for point in curve]
    return [a for a, _ in points], [b for _, b in points]


def _png(curves: Curves, x_label: str, y_label: str, title: str) -> bytes:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a PNG picture") from None
    figure = Figure(figsize=(8, 5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for k, (name, points) in enumerate(curves.items()):
        axes.loglog(*zip(*points, strict=True), marker="o", color=COLORS[k % len(COLORS)], label=name)
    axes.set(xlabel=x_label, ylabel=y_label, title=title)
    axes.grid(visible=True, color="#dddddd")
    axes.legend()
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=150)
    return picture.getvalue()
