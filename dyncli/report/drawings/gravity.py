"""Small multiples: the gravity torque of a joint over its range."""

from __future__ import annotations

import math

from dyncli.report.drawings.svg import Canvas, Svg, drawing
from dyncli.report.gravity import ROUNDING, Sweep
from dyncli.report.text import number

WIDTH, HEIGHT = 190.0, 118.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, 6.0, 8.0, 20.0
FONT = 10.5
NEAR = 2.0
"""An effort limit up to this many times the greatest torque is drawn; a farther one would flatten the curve."""


def gravity_drawing(sweep: Sweep, scale: float, *, degrees: bool) -> Svg:
    """SVG of a finite sweep; `scale`: the greatest torque of the robot, beside which rounding is zero."""
    name, unit = sweep.joint.name, "N m" if sweep.is_angle else "N"
    label = f"Gravity torque of joint {name}, {number(min(sweep.least))} to {number(max(sweep.greatest))} {unit}"
    root = drawing(WIDTH, HEIGHT, label, "sweep")
    zero = sweep.peak <= ROUNDING * scale
    low, high = (0.0, 0.0) if zero else (min(0.0, *sweep.least), max(0.0, *sweep.greatest))
    limits = _limits_near(sweep.joint.effort_limit, low, high)
    bottom, top = min([low, *limits]), max([high, *limits])
    if bottom == top:
        bottom, top = -1.0, 1.0
    span = sweep.positions[-1] - sweep.positions[0] or 1.0

    def x(position: float) -> float:
        return LEFT + (position - sweep.positions[0]) / span * (WIDTH - LEFT - RIGHT)

    def y(torque: float) -> float:
        return TOP + (top - torque) / (top - bottom) * (HEIGHT - TOP - BOTTOM)

    def line(values: list[float]) -> str:
        return "L".join(f"{x(p):.1f} {y(0.0 if zero else v):.1f}" for p, v in zip(sweep.positions, values, strict=True))

    root.add("rect", class_="frame", x=LEFT, y=TOP, width=WIDTH - LEFT - RIGHT, height=HEIGHT - TOP - BOTTOM)
    back = "L".join(reversed(line(sweep.least).split("L")))
    root.add("path", class_="band", d=f"M{line(sweep.greatest)}L{back}Z")
    root.add("line", class_="axis", x1=LEFT, x2=WIDTH - RIGHT, y1=y(0.0), y2=y(0.0))
    for value in limits:
        root.add("line", class_="limit", x1=LEFT, x2=WIDTH - RIGHT, y1=y(value), y2=y(value))
    root.add("path", class_="curve", d=f"M{line(sweep.resting)}")
    labelled = [0.0] if zero else [value for value in (bottom, top) if value]
    # next to an end of the axis the zero would stand on that end's number
    if not zero and all(abs(y(value) - y(0.0)) > FONT for value in labelled):
        labelled.append(0.0)
    for value in labelled:
        root.label(number(value, 2), LEFT - 4, y(value) + 3.5, size=FONT, anchor="end")
    _ends(root, sweep, degrees=degrees)
    return root.markup()


def _limits_near(limit: float | None, low: float, high: float) -> list[float]:
    """The effort limits on the sides of zero where the torque comes near them."""
    if limit is None or limit <= 0.0:
        return []
    return [sign * limit for sign, peak in ((1.0, high), (-1.0, -low)) if limit <= NEAR * peak]


def _ends(root: Canvas, sweep: Sweep, *, degrees: bool) -> None:
    """The two ends of the range below the frame."""
    foot = HEIGHT - 6
    turn = math.degrees(1.0) if sweep.is_angle and degrees else 1.0
    unit = ("°" if degrees else " rad") if sweep.is_angle else " m"
    for position, x, anchor in ((sweep.positions[0], LEFT, "start"), (sweep.positions[-1], WIDTH - RIGHT, "end")):
        root.label(f"{number(turn * position, 3)}{unit}", x, foot, size=FONT, anchor=anchor)
