"""Checks of positions: quaternions that are none, values outside the limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dyncli.errors import StateError
from dyncli.states.block import Leaf
from dyncli.structs import struct
from dyncli.tree import Tree

NORM_TOLERANCE = 1e-3
"""A quaternion whose norm is off by more is an error; within, it is made unit."""

_SLACK = 1e-9  # what a conversion from degrees may lose at a limit
_NAMED = 4


def normalise_quaternions(tree: Tree, q: list[Leaf], place: Callable[[int], str]) -> None:
    """Make the quaternions in q unit, in place; `place(k)` says where state k stands.

    Raises StateError for the first state with a norm off by more than `NORM_TOLERANCE`.
    """
    for joint in tree.joints:
        at = joint.type.quaternion_at
        if at is None:
            continue
        own = slice(joint.index_q, joint.index_q + joint.nq)
        start = joint.index_q + at
        norm = _norm(q[start : start + 4])
        wrong = _first_wrong(norm)
        if wrong is not None:
            k, found = wrong
            values = ", ".join(f"{_entry(q[start + i], k):.6g}" for i in range(4))
            raise StateError(
                f"{place(k)}: the quaternion of {joint.name!r} ({values}) has norm {found:.6g}, expected 1",
                hint=f"order: {', '.join(tree.coordinates[start : start + 4])}",
            )
        q[own] = joint.type.normalised(q[own])


def _norm(quaternion: list[Leaf]) -> Leaf:
    if isinstance(quaternion[0], float):
        return math.hypot(*quaternion)
    import numpy as np

    with np.errstate(over="ignore"):
        return np.sqrt(sum(c * c for c in quaternion))


def _first_wrong(norm: Leaf) -> tuple[int, float] | None:
    if isinstance(norm, float):
        return None if abs(norm - 1.0) <= NORM_TOLERANCE else (0, norm)
    wrong = (~(abs(norm - 1.0) <= NORM_TOLERANCE)).nonzero()[0]
    return (int(wrong[0]), float(norm[wrong[0]])) if len(wrong) else None


def _entry(leaf: Leaf, k: int) -> float:
    return leaf if isinstance(leaf, float) else float(leaf[k])


@struct
class Seen:
    """How many states were looked at, and (joint, how many were outside its limits, the farthest of them)."""

    states: int
    outside: tuple[tuple[str, int, float], ...]


class LimitCheck:
    """Counts the states outside the position limits, joint by joint, over any number of blocks (from any thread)."""

    def __init__(self, tree: Tree, *, degrees: bool) -> None:
        self._degrees = degrees
        self._joints = [
            (body.joint, -math.inf if lower is None else lower, math.inf if upper is None else upper)
            for body in tree.bodies
            for lower, upper in [(body.joint.lower, body.joint.upper)]
            if body.joint.type.nq == 1 and (lower is not None or upper is not None)
            if lower is None or upper is None or lower <= upper
        ]
        self._seen: list[tuple[str, int, float]] = []
        self._states: list[int] = []

    def look(self, q: list[Leaf], count: int) -> None:
        """Take a block of states into account."""
        self._states.append(count)
        for joint, lower, upper in self._joints:
            position = joint.own_position(q)
            slack = _SLACK * max(1.0, *(abs(limit) for limit in (lower, upper) if math.isfinite(limit)))
            outside, worst = _outside(position, lower - slack, upper + slack)
            if outside:
                self._seen.append((joint.name, outside, worst))

    def seen(self) -> Seen:
        """All that was seen so far, for `add` of another check of the same robot."""
        return Seen(sum(self._states), tuple(self._seen))

    def add(self, seen: Seen) -> None:
        """Take into account what another check saw."""
        self._states.append(seen.states)
        self._seen += seen.outside

    def remark(self) -> str | None:
        """One line about all that was seen, None if nothing was outside."""
        by_joint: dict[str, tuple[int, float]] = {}
        for name, outside, worst in list(self._seen):
            before, far = by_joint.get(name, (0, 0.0))
            by_joint[name] = (before + outside, max(far, worst, key=abs))
        if not by_joint:
            return None
        limits = {joint.name: (joint, lower, upper) for joint, lower, upper in self._joints}
        total = sum(self._states)
        parts = []
        suspicious = False
        for name, (outside, worst) in by_joint.items():
            joint, lower, upper = limits[name]
            turns = joint.type.coordinate_units == ("rad",)
            scale = math.degrees(1.0) if turns and self._degrees else 1.0
            suspicious |= turns and not self._degrees and abs(worst) > 2.0 * math.pi
            count = "" if total == 1 else f" in {outside} of {total} states, farthest"
            parts.append(f"{name}{count} {scale * worst:.6g} (limits [{scale * lower:.6g}, {scale * upper:.6g}])")
        shown = "; ".join(parts[:_NAMED]) + (f"; and {len(parts) - _NAMED} more joints" if len(parts) > _NAMED else "")
        hint = "; angles beyond a full turn: are they in degrees (--degrees)?" if suspicious else ""
        return f"q outside the limits: {shown}{hint}"


def _outside(position: Any, lower: float, upper: float) -> tuple[int, float]:
    """How many positions are outside, and the one that is farthest from zero among them."""
    if isinstance(position, float):
        return (0, 0.0) if lower <= position <= upper else (1, position)
    least, most = float(position.min(initial=math.inf)), float(position.max(initial=-math.inf))
    if lower <= least and most <= upper:
        return 0, 0.0
    beyond = position[(position < lower) | (position > upper)]
    return len(beyond), float(max(beyond.min(), beyond.max(), key=abs))
