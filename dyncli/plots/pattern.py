"""The pattern of a matrix as a picture: blocks of characters for a terminal, SVG, and PNG through matplotlib.

Cells are coloured by the branch of the robot that they belong to; names stand at the rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from dyncli.errors import MissingExtraError, UsageError
from dyncli.structs import struct

if TYPE_CHECKING:
    from lxml.etree import _Element

OUTSIDE, SEEN, STRUCTURAL, ACCIDENTAL, MISMATCH = range(5)
"""What an entry is: not predicted, non-zero, a proved zero, a zero only seen, non-zero where none is predicted."""

BRANCH_COLORS = ("#4d4d4d", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8c6d31")
"""Grey for the trunk, then Okabe and Ito's palette, which the colour-blind can tell apart."""
TERMINAL_COLORS = ("white", "blue", "red", "green", "magenta", "cyan", "yellow")
ALARM = "bright_red"
MOST_CELLS = 60
"""More rows than these are drawn in groups."""
LONGEST_NAME = 24

Span = tuple[str, str | None]
"""Text and the name of its terminal colour."""

_GLYPHS = {OUTSIDE: " ", SEEN: "█", STRUCTURAL: "·", ACCIDENTAL: "o", MISMATCH: "!"}
_ASCII_GLYPHS = {**_GLYPHS, SEEN: "#", STRUCTURAL: "."}
_CLASSES = {SEEN: "seen", STRUCTURAL: "hollow", ACCIDENTAL: "hollow", MISMATCH: "mismatch"}
_WORDS = {
    SEEN: "non-zero",
    STRUCTURAL: "zero at every position, proved",
    ACCIDENTAL: "zero at the positions seen",
    MISMATCH: "non-zero where none is predicted",
}
_SHADES, _ASCII_SHADES = " ░▒▓█", " .:+#"


@struct
class PatternPicture:
    """`kinds`: what each entry is; `branches`: number of the branch of each row, the deeper of two colours a cell."""

    title: str
    names: Sequence[str]
    kinds: Sequence[Sequence[int]]
    branches: Sequence[int]

    def branch(self, i: int, j: int) -> int:
        """The branch that an entry is coloured by: that of the later degree of freedom, which the other one carries."""
        return self.branches[max(i, j)]


# Terminal ---------------------------------------------------------------------------------------------------------


class Blocks(NamedTuple):
    """Lines of a picture, and the line below that says what its characters mean."""

    lines: list[list[Span]]
    legend: str


def blocks(picture: PatternPicture, *, width: int, unicode: bool = True) -> Blocks:
    """A picture that fits `width` characters: a cell an entry, or a shade for a group of them."""
    n = len(picture.names)
    labels = [f"{name} {k:>{len(str(n - 1))}} " for k, name in enumerate(_row_names(picture.names))]
    room = max(8, width - max(map(len, labels), default=0))
    group = math.ceil(n / min(MOST_CELLS, room)) if n else 1
    if group > 1:
        shades = _SHADES if unicode else _ASCII_SHADES
        legend = f"a cell is {group} x {group} entries, the darker the more of them are non-zero: {shades.strip()}"
        return Blocks(_shaded(picture, labels, group, shades), legend)
    glyphs = _GLYPHS if unicode else _ASCII_GLYPHS
    wide = 2 if 2 * n <= room else 1
    lines: list[list[Span]] = []
    for i, label in enumerate(labels):
        line: list[Span] = [(label, _terminal_color(picture.branches[i]))]
        for j, kind in enumerate(picture.kinds[i]):
            color = ALARM if kind == MISMATCH else _terminal_color(picture.branch(i, j))
            text = glyphs[kind] * wide if kind == SEEN else glyphs[kind].ljust(wide)
            line.append((text, color if kind != OUTSIDE else None))
        lines.append(line)
    there = {kind for row in picture.kinds for kind in row}
    return Blocks(lines, "   ".join(f"{glyphs[kind]} {text}" for kind, text in _WORDS.items() if kind in there))


def _shaded(picture: PatternPicture, labels: Sequence[str], group: int, shades: str) -> list[list[Span]]:
    """A cell for group x group entries: the more of them are non-zero, the darker."""
    n = len(labels)
    starts = range(0, n, group)
    lines: list[list[Span]] = []
    for top in starts:
        line: list[Span] = [(labels[top], _terminal_color(picture.branches[top]))]
        for left in starts:
            cells = [
                (picture.kinds[i][j], i, j)
                for i in range(top, min(top + group, n))
                for j in range(left, min(left + group, n))
            ]
            seen = [(i, j) for kind, i, j in cells if kind in (SEEN, MISMATCH)]
            shade = shades[math.ceil(len(seen) / len(cells) * (len(shades) - 1))]
            alarm = any(kind == MISMATCH for kind, _, _ in cells)
            color = ALARM if alarm else _terminal_color(picture.branch(*seen[0])) if seen else None
            line.append((shade, color))
        lines.append(line)
    return lines


def _row_names(names: Sequence[str]) -> list[str]:
    """Names of one length, the end of long ones cut; what is no printable character is shown as `?`."""
    plain = ["".join(c if c.isprintable() else "?" for c in name) for name in names]
    width = min(LONGEST_NAME, max(map(len, plain), default=0))
    return [(name if len(name) <= width else name[: width - 2] + "..").rjust(width) for name in plain]


def _terminal_color(branch: int) -> str:
    return TERMINAL_COLORS[branch % len(TERMINAL_COLORS)]


# Files ------------------------------------------------------------------------------------------------------------

CELL = 14
FONT = 11
MARGIN = 12


def picture_file(picture: PatternPicture, path: str) -> bytes:
    """The picture as the suffix of `path` says: .svg, or .png with the extra `plot`.

    Raises UsageError for another suffix, MissingExtraError without matplotlib.
    """
    suffix = PurePath(path).suffix.lower()
    if suffix == ".svg":
        return svg(picture)
    if suffix == ".png":
        return _png(picture)
    raise UsageError(f"--plot {path}: unknown kind of picture {suffix!r}", hint="expected .svg or .png")


def svg(picture: PatternPicture) -> bytes:
    """An SVG document: rows and columns named, cells coloured by branch, hollow where zero inside the prediction."""
    from lxml import etree

    document: bytes = etree.tostring(svg_element(picture), xml_declaration=True, encoding="utf-8", pretty_print=True)
    return document


def svg_element(picture: PatternPicture, *, bare: bool = False) -> _Element:
    """The same as an element; `bare`: without ground, title and legend, for a page that has its own.

    Names and cells have classes (`b3`: of the fourth branch, `seen`, `hollow`...) by which a page can colour them anew.
    """
    from lxml import etree

    n = len(picture.names)
    label = MARGIN + 0.62 * FONT * max(map(len, picture.names), default=0)
    left, top = label, label if bare else label + 2 * FONT + MARGIN
    width, height = left + n * CELL + MARGIN, top + n * CELL + MARGIN + (0 if bare else 3 * FONT)
    root = etree.Element("svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width:.0f} {height:.0f}")
    root.set("font-family", "sans-serif")
    root.set("font-size", str(FONT))

    def add(tag: str, attributes: Mapping[str, float | str], text: str | None = None) -> None:
        values = {name: v if isinstance(v, str) else f"{v:.1f}".removesuffix(".0") for name, v in attributes.items()}
        etree.SubElement(root, tag, values).text = text

    if not bare:
        add("rect", {"width": width, "height": height, "fill": "white"})
        add("text", {"x": MARGIN, "y": 1.5 * FONT, "font-size": FONT + 2}, picture.title)
    for k, name in enumerate(picture.names):
        number, middle = picture.branches[k] % len(BRANCH_COLORS), (k + 0.5) * CELL
        look = {"class": f"b{number}", "fill": BRANCH_COLORS[number]}
        add("text", {"x": left - 4, "y": top + middle + 0.35 * FONT, "text-anchor": "end", **look}, name)
        turned = f"translate({left + middle + 0.35 * FONT:.1f} {top - 4:.1f}) rotate(-90)"
        add("text", {"transform": turned, **look}, name)
    frame = {"x": left, "y": top, "width": n * CELL, "height": n * CELL}
    add("rect", {"class": "frame", **frame, "fill": "none", "stroke": "#cccccc"})
    square = f"h{CELL - 2}v{CELL - 2}h-{CELL - 2}z"
    for (kind, number), corners in _alike(picture).items():
        path = "".join(f"M{left + x:.1f} {top + y:.1f}{square}" for x, y in corners)
        add("path", {"class": f"{_CLASSES[kind]} b{number}", "d": path, **_look(kind, BRANCH_COLORS[number])})
    at = float(MARGIN)
    for kind, text in () if bare else _WORDS.items():
        if any(kind in row for row in picture.kinds):
            sample = {"x": at, "y": height - 2 * FONT, "width": FONT, "height": FONT}
            add("rect", {**sample, **_look(kind, BRANCH_COLORS[0])})
            add("text", {"x": at + FONT + 4, "y": height - 1.1 * FONT}, text)
            at += 0.56 * FONT * len(text) + 3 * FONT
    return root


def _alike(picture: PatternPicture) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Corners of the cells that look alike, by kind and number of the colour: a path each keeps files small."""
    alike: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for i, row in enumerate(picture.kinds):
        for j, kind in enumerate(row):
            if kind != OUTSIDE:
                look = kind, picture.branch(i, j) % len(BRANCH_COLORS)
                alike.setdefault(look, []).append((j * CELL + 1, i * CELL + 1))
    return alike


def _look(kind: int, color: str) -> dict[str, str]:
    """How a cell is filled: full, hollow for a proved zero, dashed for one only seen, red for a mismatch."""
    if kind == SEEN:
        return {"fill": color}
    if kind == MISMATCH:
        return {"fill": "#ff0000"}
    return {"fill": "none", "stroke": color, **({"stroke-dasharray": "2 2"} if kind == ACCIDENTAL else {})}


def _color(branch: int) -> str:
    return BRANCH_COLORS[branch % len(BRANCH_COLORS)]


def _png(picture: PatternPicture) -> bytes:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.patches import Rectangle
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a PNG picture") from None
    n = len(picture.names)
    size = min(40.0, 2.5 + 0.2 * n)
    figure = Figure(figsize=(size, size), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for i, row in enumerate(picture.kinds):
        for j, kind in enumerate(row):
            if kind != OUTSIDE:
                color = "#ff0000" if kind == MISMATCH else _color(picture.branch(i, j))
                axes.add_patch(
                    Rectangle(
                        (j - 0.45, i - 0.45),
                        0.9,
                        0.9,
                        facecolor=color if kind in (SEEN, MISMATCH) else "none",
                        edgecolor=color,
                        linestyle=":" if kind == ACCIDENTAL else "-",
                    )
                )
    # names are text, not formulas: a dollar sign must not start one
    names = [name.replace("$", r"\$") for name in picture.names]
    axes.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal", title=picture.title.replace("$", r"\$"))
    axes.set_xticks(range(n), names, rotation=90, fontsize=7)
    axes.set_yticks(range(n), names, fontsize=7)
    for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
        for k, tick in enumerate(ticks):
            tick.set_color(_color(picture.branches[k]))
    data = BytesIO()
    figure.savefig(data, format="png", dpi=100)
    return data.getvalue()
