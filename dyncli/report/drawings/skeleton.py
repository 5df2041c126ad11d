"""The robot at rest as lines between its joints, seen from the front and a little from above."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dyncli.algorithms.kinematics import body_poses, center_of_mass
from dyncli.report.drawings.svg import Canvas, Svg, branch_class, drawing, round_length
from dyncli.report.text import drawable
from dyncli.spatial import Vector3
from dyncli.tree import Frame, Tree

WIDTH, HEIGHT, MARGIN = 380.0, 380.0, 24.0
TURN, TILT = math.radians(-58.0), math.radians(16.0)
"""Where the eye stands: turned about z from x, and raised."""
FOOT = 44.0
"""Room below for scale and axes."""
ARROW = 22.0
MANY = 60
"""Bodies beyond which joints are small dots."""
FONT = 11


class _Line(NamedTuple):
    start: Vector3
    end: Vector3
    branch: int


def skeleton_drawing(tree: Tree, q: Sequence[float], tips: Mapping[int, Frame], branches: Sequence[int]) -> Svg | None:
    """SVG of a tree at q; `tips`: where its ends reach, by body. None where there is no room to draw anything in."""
    lines = list(_lines(tree, q, tips, branches))
    points = [point for line in lines for point in (line.start, line.end)]
    if not points or not drawable(value for point in points for value in point):
        return None
    size = max(max(p[k] for p in points) - min(p[k] for p in points) for k in range(3))
    if size < 1e-9:
        return None
    mass, center = center_of_mass(tree, q)
    flat = [_seen(point) for point in points]
    left, right = min(x for x, _ in flat), max(x for x, _ in flat)
    low, high = min(y for _, y in flat), max(y for _, y in flat)
    scale = min((WIDTH - 2 * MARGIN) / (right - left or 1e-9), (HEIGHT - 2 * MARGIN) / (high - low or 1e-9))
    height = (high - low) * scale + 2 * MARGIN + FOOT
    shift = 0.5 * (WIDTH - (right - left) * scale)

    def at(point: Sequence[float]) -> tuple[float, float]:
        x, y = _seen(point)
        return shift + (x - left) * scale, MARGIN + (high - y) * scale

    root = drawing(WIDTH, height, f"{tree.name} at rest as lines between its joints", "skeleton")
    for line in lines:
        (x1, y1), (x2, y2) = at(line.start), at(line.end)
        root.add("line", class_=f"bone {branch_class(line.branch)}", x1=x1, y1=y1, x2=x2, y2=y2)
    radius = 3.4 if len(tree.bodies) <= MANY else 1.6
    for i, pose in enumerate(body_poses(tree, q)):
        x, y = at(pose.translation)
        dot = root.group(title=tree.bodies[i].joint.name)
        dot.add("circle", class_=f"joint {branch_class(branches[i])}", cx=x, cy=y, r=radius)
    if mass and drawable(center):
        mark = root.group(class_="center", title="centre of mass")
        _center(mark, *at(center))
    _axes(root, WIDTH - 46.0, height - 30.0)
    _scale(root, round_length(0.5 * size), scale, height - 14.0)
    return root.markup()


def center_symbol() -> Svg:
    """The mark of the centre of mass alone, for a legend."""
    root = drawing(20, 20, "centre of mass", "symbol")
    _center(root.group(class_="center"), 10, 10)
    return root.markup()


def _center(mark: Canvas, x: float, y: float) -> None:
    mark.add("circle", cx=x, cy=y, r=6)
    mark.add("path", d=f"M{x - 9:.1f} {y:.1f}H{x + 9:.1f}M{x:.1f} {y - 9:.1f}V{y + 9:.1f}")


def _axes(root: Canvas, x: float, y: float) -> None:
    """The directions of the world's axes, in a corner."""
    for k, name in enumerate("xyz"):
        right, up = _seen([float(k == axis) for axis in range(3)])
        root.add("line", class_="axis", x1=x, y1=y, x2=x + ARROW * right, y2=y - ARROW * up)
        root.label(name, x + 1.4 * ARROW * right, y - 1.4 * ARROW * up + 4, size=FONT, anchor="middle")


def _scale(root: Canvas, length: float, scale: float, y: float) -> None:
    """A bar as long as a round number of metres."""
    end = MARGIN + length * scale
    path = f"M{MARGIN} {y:.1f}H{end:.1f}M{MARGIN} {y - 3:.1f}v6M{end:.1f} {y - 3:.1f}v6"
    root.add("path", class_="scale", d=path)
    root.label(f"{length:g} m", end + 7, y + 4, size=FONT)


def _lines(tree: Tree, q: Sequence[float], tips: Mapping[int, Frame], branches: Sequence[int]) -> list[_Line]:
    """From each body's joint to the next ones; from the last to the tip, or to the centre of mass where that is all."""
    poses = body_poses(tree, q)
    lines = []
    for i, (body, pose) in enumerate(zip(tree.bodies, poses, strict=True)):
        start = poses[body.parent].translation if body.parent >= 0 else (0.0, 0.0, 0.0)
        lines.append(_Line(start, pose.translation, branches[i]))
        if i in tree.parents:
            continue
        end = tips[i].placement.translation if i in tips else (0.0, 0.0, 0.0)
        if math.hypot(*end) < 1e-9 and body.inertia.mass > 0.0:
            x, y, z = body.inertia.moment
            end = (x / body.inertia.mass, y / body.inertia.mass, z / body.inertia.mass)
        lines.append(_Line(pose.translation, pose.point_to_parent(end), branches[i]))
    return lines


def _seen(point: Sequence[float]) -> tuple[float, float]:
    """Parallel projection: to the right and up, m."""
    x, y, z = point
    right = -math.sin(TURN) * x + math.cos(TURN) * y
    toward = math.cos(TURN) * x + math.sin(TURN) * y
    return right, math.cos(TILT) * z - math.sin(TILT) * toward
