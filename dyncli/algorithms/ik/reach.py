"""Bounds that prove a target out of reach, whatever the joints do.

Float-only. Position: the points chosen on successive axes keep their distances, so the way from the first to the tip is
a polygon of known lengths: its ends are at most their sum apart, and at least the longest less the others. Where all
axes are parallel that holds in the plane, and the height is fixed. Orientation: the same polygon on the sphere, of
the angles between successive axes.
"""

from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np

from dyncli.algorithms.ik.chain import Array
from dyncli.algorithms.ik.error import rotation_log
from dyncli.algorithms.ik.lines import cross
from dyncli.algorithms.ik.path_geometry import PIVOTS, Path, PathJoint
from dyncli.structs import replace, struct

_PARALLEL = 1e-9
_SWEEPS = 200
_SETTLED = 1e-13
_SLACK = 1e-9
"""Share of the reach by which a target must be out before it counts as proved: well above rounding."""
_SMALLEST = 1e-3
_ANGLE_SLACK = 1e-7


@struct
class Reach:
    """How far a frame gets.

    `center`, `inner`, `outer`: the tip stays between two spheres (m), or cylinders about `normal` if all axes are
    parallel; `height`: range of normal . tip then. `first`, `last` (world axes with the chain at zero), `turn`: the
    angle between the first axis and the last one carried along stays in this range (rad); None if nothing is bounded.
    """

    center: Array
    inner: float
    outer: float
    normal: Array | None = None
    height: tuple[float, float] = (-math.inf, math.inf)
    first: Array | None = None
    last: Array | None = None
    turn: tuple[float, float] = (0.0, math.pi)
    rotation: Array | None = None

    def position_excess(self, position: Array, rows: list[int]) -> Array:
        """How far (T,), m, the tip stays at least from positions (3, T) of which `rows` count; 0 if unknown."""
        if not rows or not math.isfinite(self.outer):
            return np.zeros(position.shape[1])
        chosen = np.zeros(3)
        chosen[rows] = 1.0
        away = (position - self.center[:, None]) * chosen[:, None]
        up = np.zeros(position.shape[1])
        plane = self.normal
        whole = len(rows) == 3
        if plane is not None:
            if whole:
                h = plane @ position
                up = np.maximum(np.maximum(self.height[0] - h, h - self.height[1]), 0.0)
            away = (away - plane[:, None] * (plane @ away)) * chosen[:, None]
            whole = whole or (len(rows) == 2 and bool(abs(plane @ (1.0 - chosen)) > 1.0 - _PARALLEL))
        distance = np.sqrt((away * away).sum(axis=0))
        beyond = np.maximum(distance - self.outer, self.inner - distance if whole else 0.0)
        excess = np.hypot(up, np.maximum(beyond, 0.0))
        return np.where(excess > _SLACK * np.maximum(np.maximum(self.outer, distance), _SMALLEST), excess, 0.0)

    def orientation_excess(self, rotation: Array, rows: list[int]) -> Array:
        """By what angle (T,), rad, the frame stays at least off orientations (3, 3, T); 0 if unknown."""
        if len(rows) < 3 or self.rotation is None:
            return np.zeros(rotation.shape[2])
        Q = np.einsum("ijb,kj->ikb", rotation, self.rotation)
        if self.first is None or self.last is None:
            turn = rotation_log(Q)
            excess = np.sqrt((turn * turn).sum(axis=0))
        else:
            carried = np.einsum("ijb,j->ib", Q, self.last)
            across = cross(np.broadcast_to(self.first[:, None], carried.shape), carried)
            between = np.arctan2(np.sqrt((across * across).sum(axis=0)), self.first @ carried)
            excess = np.maximum(np.maximum(self.turn[0] - between, between - self.turn[1]), 0.0)
        return np.where(excess > _ANGLE_SLACK, excess, 0.0)

    def in_words(self) -> str:
        """The range of distances from the first joint."""
        if not math.isfinite(self.outer):
            return "the reach is unlimited"
        span = f"{self.inner:.6g} to {self.outer:.6g} m" if self.inner > 0.0 else f"{self.outer:.6g} m"
        return f"the reach is {span} from the first joint"


def reach_of(path: Path, *, limits: bool = True) -> Reach:
    """The bounds that hold for this path; without `limits` what slides is unlimited."""
    if not limits:
        path = replace(path, joints=tuple(replace(joint, travel=(-math.inf, math.inf)) for joint in path.joints))
    pivots = [joint for joint in path.joints if joint.kind in PIVOTS]
    if any(joint.kind not in (*PIVOTS, "prismatic") for joint in path.joints):
        return Reach(path.tip, 0.0, math.inf)
    axes = [joint.axis for joint in pivots if joint.kind != "ball"]
    planar = bool(axes) and len(axes) == len(pivots) and all(_parallel(axes[0], axis) for axis in axes)
    normal = axes[0] if planar else None
    points = _points(pivots, path.tip)
    lengths = _segments(path, points, normal)
    inner, outer = _polygon(lengths)
    first, last, turn, rotation = _orientation(path, pivots)
    height = _height(path, normal) if normal is not None else (-math.inf, math.inf)
    return Reach(points[0], inner, outer, normal, height, first, last, turn, rotation)


def _parallel(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) <= _PARALLEL


def _points(pivots: list[PathJoint], tip: Array) -> list[Array]:
    """A point on each axis, such that the polygon through them to the tip is as short as can be; the tip last."""
    points = [*(joint.point for joint in pivots), tip]
    for _ in range(_SWEEPS):
        moved = 0.0
        for i in reversed(range(len(pivots))):
            if pivots[i].kind == "ball":
                continue
            axis, origin = pivots[i].axis, pivots[i].point
            heights, distances = [], []
            for neighbour in (points[i + 1], *((points[i - 1],) if i else ())):
                along = float(axis @ (neighbour - origin))
                heights.append(along)
                distances.append(float(np.linalg.norm(neighbour - origin - along * axis)))
            # unfolded about the axis the two neighbours and the point lie on one line
            if len(heights) == 1 or sum(distances) == 0.0:
                t = heights[0]
            else:
                t = (heights[0] * distances[1] + heights[1] * distances[0]) / sum(distances)
            placed = origin + t * axis
            moved = max(moved, float(np.abs(placed - points[i]).max()))
            points[i] = placed
        if moved <= _SETTLED:
            break
    return points


def _segments(path: Path, points: list[Array], normal: Array | None) -> list[tuple[float, float]]:
    """Least and greatest length of each side of the polygon; sliding joints stretch the side they lie on."""
    sides: list[tuple[float, float]] = []
    ends = iter(points)
    at = next(ends)
    slides: list[PathJoint] = []
    before_first = True
    for joint in path.joints:
        if joint.kind == "prismatic":
            slides.append(joint)
        elif before_first:
            sides.append(_side(np.zeros(3), slides, normal))
            slides, before_first = [], False
        else:
            here = next(ends)
            sides.append(_side(here - at, slides, normal))
            slides, at = [], here
    last = points[-1]
    sides.append(_side(last - at if not before_first else np.zeros(3), slides, normal))
    return sides


def _side(vector: Array, slides: list[PathJoint], normal: Array | None) -> tuple[float, float]:
    def flat(v: Array) -> Array:
        return v if normal is None else v - normal * (normal @ v)

    vector = flat(vector)
    if not slides:
        length = float(np.linalg.norm(vector))
        return length, length
    if any(not math.isfinite(end) for joint in slides for end in joint.travel if np.linalg.norm(flat(joint.axis)) > 0):
        return 0.0, math.inf
    corners = product(*(joint.travel if np.linalg.norm(flat(joint.axis)) > 0 else (0.0,) for joint in slides))
    directions = [flat(joint.axis) for joint in slides]
    longest = max(
        float(np.linalg.norm(vector + sum(s * d for s, d in zip(corner, directions, strict=True))))
        for corner in corners
    )
    return (_shortest(vector, directions[0], slides[0].travel) if len(slides) == 1 else 0.0), longest


def _shortest(vector: Array, direction: Array, travel: tuple[float, float]) -> float:
    """Distance of the origin from a segment."""
    square = float(direction @ direction)
    s = 0.0 if square == 0.0 else float(np.clip(-(vector @ direction) / square, *travel))
    return float(np.linalg.norm(vector + s * direction))


def _polygon(sides: list[tuple[float, float]]) -> tuple[float, float]:
    """Least and greatest distance between the ends of a chain of sides."""
    total = sum(high for _, high in sides)
    if not math.isfinite(total):
        return 0.0, math.inf
    return max(0.0, *(low - (total - high) for low, high in sides)), total


def _height(path: Path, normal: Array) -> tuple[float, float]:
    low = high = float(normal @ path.tip)
    for joint in path.joints:
        share = float(normal @ joint.axis)
        if joint.kind == "prismatic" and abs(share) > _PARALLEL:
            ends = sorted(share * end for end in joint.travel)
            low, high = low + ends[0], high + ends[1]
    return low, high


def _orientation(
    path: Path, pivots: list[PathJoint]
) -> tuple[Array | None, Array | None, tuple[float, float], Array | None]:
    """First and last axis, the range of the angle between them, and the orientation at zero (None: no bound)."""
    if any(joint.kind == "ball" for joint in pivots):
        return None, None, (0.0, math.pi), None
    if not pivots:
        return None, None, (0.0, 0.0), path.rotation
    # an axis and its opposite turn alike: point each so that it is at most a right angle from the one before
    axes = [pivots[0].axis]
    for joint in pivots[1:]:
        axes.append(joint.axis if axes[-1] @ joint.axis >= 0.0 else -joint.axis)
    angles = [_angle(a, b) for a, b in pairwise(axes)]
    total = sum(angles)
    low = max((2.0 * angle - total for angle in angles), default=0.0)
    return axes[0], axes[-1], (max(low, 0.0), min(total, math.pi)), path.rotation


def _angle(a: Array, b: Array) -> float:
    return float(math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b)))
