"""The tree of moving bodies: a row a body, a line a branch, one symbol a kind of joint.

A body that alone hangs on another one stands straight below it, so that a long chain takes one column; where a tree
parts, its branches move one column to the right.
"""

from __future__ import annotations

from collections import Counter

from dyncli.report.drawings.svg import Canvas, Svg, branch_class, drawing, text_width
from dyncli.report.text import counted, measure, shortened
from dyncli.structs import struct
from dyncli.tree import Body, Tree

ROOMY_ROWS = 80
"""Up to this many rows have two lines of text."""
TALL, LOW = 38, 19
FONT, SMALL = 13, 11.5
LEFT, TOP = 14, 18
COLUMN, COLUMNS_WIDTH = 22, 220
"""Distance of columns, and the width that many of them share."""
GAP = 15
LONGEST_NAME = 26


@struct
class Row:
    """What a body's row says: the `name` of its joint, a `note` below it, all of it in `full`; `column` from 0 on."""

    name: str
    note: str
    full: str
    column: int
    branch: int


def tree_drawing(tree: Tree, base: str, welded: dict[int, list[str]], branches: list[int]) -> Svg:
    """SVG of a tree on `base`; `welded`: links by body (-1: the base); `branches`: the branch of each body."""
    columns = _columns(tree)
    rows = [_row(body, welded.get(i, []), columns[i], branches[i]) for i, body in enumerate(tree.bodies)]
    roomy = len(rows) <= ROOMY_ROWS
    height = TALL if roomy else LOW
    pitch = min(COLUMN, COLUMNS_WIDTH / max(1, *columns)) if columns else COLUMN
    ground = _base_row(base, welded.get(-1, []))

    def x(column: int) -> float:
        return LEFT + column * pitch

    def y(body: int) -> float:
        return TOP + (body + 1) * height

    width = max(x(row.column) + GAP + _row_width(row, roomy=roomy) for row in [ground, *rows])
    bodies = counted(len(rows), "moving body", "moving bodies")
    label = f"Tree of {tree.name}: {bodies} on {base}; the tables of joints and bodies say the same in words"
    root = drawing(width, y(len(rows) - 1) + TALL / 2, label, "tree")
    # outer branches first, so that the line of a trunk stays whole where they leave it
    for i in reversed(range(len(rows))):
        parent = tree.parents[i]
        start = x(columns[parent]) if parent >= 0 else x(0)
        path = _connection(start, y(parent), x(columns[i]), y(i))
        root.add("path", class_=f"line {branch_class(branches[i])}", d=path)
    _ground(root, x(0), y(-1))
    _text(root, x(0), y(-1), ground, roomy=roomy)
    for i, row in enumerate(rows):
        group = root.group(title=row.full)
        kind = joint_class(tree.bodies[i])
        symbol(group, kind, x(row.column), y(i), branch_class(row.branch))
        _text(group, x(row.column), y(i), row, roomy=roomy)
    return root.markup()


def joint_kinds(tree: Tree) -> dict[str, int]:
    """Kinds of joints that occur, with their counts: what the legend explains."""
    return dict(Counter(joint_class(body) for body in tree.bodies))


def kind_symbol(kind: str) -> Svg:
    """The symbol of a kind of joint alone, for a legend."""
    root = drawing(16, 16, kind, "symbol")
    symbol(root, kind, 8, 8, branch_class(0))
    return root.markup()


def joint_class(body: Body) -> str:
    """The kind of a joint: its type, or `mimic`."""
    return "mimic" if body.joint.mimics else body.joint.type.name


def symbol(canvas: Canvas, kind: str, x: float, y: float, color: str) -> None:
    """A disc that turns, a ring with a point without end stops, a square that slides; hollow where it follows."""
    if kind in ("prismatic", "planar"):
        canvas.add("rect", class_=f"joint {color}", x=x - 5.5, y=y - 5.5, width=11, height=11, rx=1.5)
        if kind == "planar":
            canvas.add("path", class_="mark", d=f"M{x - 3} {y}H{x + 3}M{x} {y - 3}V{y + 3}")
    elif kind == "floating":
        canvas.add("path", class_=f"joint {color}", d=f"M{x} {y - 7.5}L{x + 7.5} {y}L{x} {y + 7.5}L{x - 7.5} {y}Z")
    else:
        hollow = " hollow" if kind == "mimic" else ""
        canvas.add("circle", class_=f"joint {color}{hollow}", cx=x, cy=y, r=6)
        if kind == "continuous":
            canvas.add("circle", class_="mark", cx=x, cy=y, r=2)
        elif kind == "ball":
            canvas.add("path", class_="mark", d=f"M{x - 3} {y}H{x + 3}M{x} {y - 3}V{y + 3}")


def _columns(tree: Tree) -> list[int]:
    """The column of each body: its parent's where it is the only child, else one more."""
    children = Counter(tree.parents)
    columns: list[int] = []
    for parent in tree.parents:
        columns.append((columns[parent] if parent >= 0 else 0) + (children[parent] > 1))
    return columns


def _row(body: Body, links: list[str], column: int, branch: int) -> Row:
    joint = body.joint
    mass = measure(body.inertia.mass, "kg", 3)
    kind = f"follows {shortened(joint.mimics, LONGEST_NAME)}" if joint.mimics else joint.type.name
    more = f" · {len(links) - 1} more welded" if len(links) > 1 else ""
    note = f"{shortened(body.link, LONGEST_NAME)} · {kind} · {mass}{more}"
    full = f"joint {joint.name} ({joint.type.name}) moves {', '.join(links) or body.link}: {mass}"
    return Row(shortened(joint.name, LONGEST_NAME), note, full, column, branch)


def _base_row(base: str, links: list[str]) -> Row:
    others = counted(sum(name != base for name in links), "more link")
    note = (
        f"fixed to the world with {others}"
        if len(links) > 1
        else "fixed to the world"
        if links
        else "what does not move"
    )
    return Row(shortened(base, LONGEST_NAME), note, ", ".join(links), 0, 0)


def _row_width(row: Row, *, roomy: bool) -> float:
    name, note = text_width(row.name, 1.08 * FONT), text_width(row.note, SMALL)
    return (max(name, note) if roomy else name + note + 10) + 6


def _connection(x0: float, y0: float, x1: float, y1: float) -> str:
    """Straight down, and with a round corner to the right where the columns differ."""
    if x0 == x1:
        return f"M{x0:.1f} {y0:.1f}V{y1:.1f}"
    r = min(9.0, x1 - x0)
    return f"M{x0:.1f} {y0:.1f}V{y1 - r:.1f}Q{x0:.1f} {y1:.1f} {x0 + r:.1f} {y1:.1f}H{x1:.1f}"


def _ground(root: Canvas, x: float, y: float) -> None:
    """The world: a hatched line."""
    hatches = "".join(f"M{x + k:.1f} {y - 3:.1f}l-4 -6" for k in (-4, 0, 4, 8))
    root.add("path", class_="ground", d=f"M{x - 9:.1f} {y - 3:.1f}H{x + 9:.1f}{hatches}M{x:.1f} {y - 3:.1f}V{y:.1f}")


def _text(canvas: Canvas, x: float, y: float, row: Row, *, roomy: bool) -> None:
    at = x + GAP
    if roomy:
        canvas.label(row.name, at, y - 1, size=FONT, class_="name")
        canvas.label(row.note, at, y + 13, size=SMALL, class_="note")
        return
    line = canvas.label("", at, y + 4, size=FONT)
    line.add("tspan", row.name, class_="name")
    line.add("tspan", row.note, class_="note", dx=8, font_size=SMALL)
