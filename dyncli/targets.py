"""Poses from the rows of a table: the targets of inverse kinematics.

Columns are found by name: `x y z` (m), and `qw qx qy qz` or `roll pitch yaw` (rad); either part may be absent. Without
a header three numbers are a position, four a quaternion (w first), six position and roll, pitch, yaw, seven position
and quaternion. Roll, pitch and yaw are turns about the fixed x, y, z axes in that order, as in URDF.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyncli.errors import StateError, UsageError, nearest
from dyncli.joints import rotation_about
from dyncli.readers.table import BLOCKS, Table, TableBlock
from dyncli.rotations import quaternion_of
from dyncli.spatial import IDENTITY3, Matrix3, multiply3, quaternion_to_matrix
from dyncli.states.columns import is_result
from dyncli.structs import field, struct

Array = NDArray[np.float64]

POSITION = ("x", "y", "z")
QUATERNION = ("qw", "qx", "qy", "qz")
EULER = ("roll", "pitch", "yaw")
TIME = ("t", "time", "stamp", "timestamp")
_PASSED_OVER = ("state", "frame")
"""Columns that `dyn fk` writes beside its poses."""
_IN_ORDER = {3: POSITION, 4: QUATERNION, 6: POSITION + EULER, 7: POSITION + QUATERNION}
_NORM_TOLERANCE = 1e-3


@struct
class PoseBlock:
    """Rows of targets: `position` (3, count), m; `rotation` (3, 3, count), axes of the target in the world.

    A part that the file does not have is zero or the identity. `time`, s, None without such a column; `kept`: columns
    to copy to the output; `lines`: where each row stands; `invalid`: index -> why the row is none.
    """

    count: int
    position: Array
    rotation: Array
    time: Array | None
    kept: Mapping[str, Sequence[Any]]
    lines: Sequence[int]
    invalid: dict[int, str] = field(default_factory=dict)

    def columns(self, names: Sequence[str]) -> dict[str, Array]:
        """Columns (count,) to be read as targets again; `names` out of x, y, z (m) and qw, qx, qy, qz (qw >= 0)."""
        found = dict(zip(POSITION, self.position, strict=True))
        if any(name in QUATERNION for name in names):
            a, b, c = self.rotation
            found |= zip(QUATERNION, quaternion_of((tuple(a), tuple(b), tuple(c))), strict=True)
        return {name: found[name] for name in names}

    def take(self, which: NDArray[np.intp]) -> PoseBlock:
        """Some of the rows."""
        return PoseBlock(
            len(which),
            self.position[:, which],
            self.rotation[:, :, which],
            None if self.time is None else self.time[which],
            {name: [cells[k] for k in which] for name, cells in self.kept.items()},
            [self.lines[k] for k in which],
        )


class PoseTable:
    """Targets out of an open table; iterate over it once. `has_position`, `has_rotation`: what its rows give.

    `coordinates`: names of the robot's, since `q_NAME` beside the targets is what dyn answered before. Such columns and
    other results are passed over; `skipped` names them.
    """

    def __init__(
        self, table: Table, *, keep: Sequence[str] = (), degrees: bool = False, coordinates: Sequence[str] = ()
    ) -> None:
        self._table = table
        self._degrees = degrees
        columns = self._columns()
        self.has_position = any(name in columns for name in POSITION)
        self._quaternion = any(name in columns for name in QUATERNION)
        self.has_rotation = self._quaternion or any(name in columns for name in EULER)
        if not (self.has_position or self.has_rotation):
            raise StateError(f"{table.path}: no targets in it", hint="expected columns x, y, z or qw, qx, qy, qz")
        self._parts = [*(POSITION if self.has_position else ()), *self._turn_names()]
        missing = [name for name in self._parts if name not in columns]
        if missing:
            raise StateError(f"{table.path}: no column {missing[0]!r}", hint=f"expected {', '.join(self._parts)}")
        self._time = next((name for name in columns if name.lower() in TIME), None)
        kept = [*([self._time] if self._time is not None else []), *(name for name in keep if name != self._time)]
        self.skipped = self._check_rest(columns, kept, {f"q_{name}" for name in coordinates})
        self._kept = {name: columns[name] for name in kept}
        self._numbers = [columns[name] for name in self._parts]
        if self._time is not None:
            self._numbers.append(columns[self._time])

    def __iter__(self) -> Iterator[PoseBlock]:
        empty = True
        for block in self._table.blocks(self._numbers, list(self._kept.values())):
            empty = False
            yield self._poses(block)
        if empty:  # a header alone: its columns are still wanted in the output
            nothing = np.zeros((len(self._numbers), 0))
            yield self._poses(TableBlock(0, nothing, [()] * len(self._kept), ()))

    def _columns(self) -> dict[str, int]:
        """Index of each column by name."""
        table = self._table
        if table.columns is None:
            if table.width not in _IN_ORDER:
                raise StateError(
                    f"{table.path}: {table.width} numbers in a row without a header, expected 3, 4, 6 or 7",
                    hint="x y z, qw qx qy qz, x y z roll pitch yaw, or x y z qw qx qy qz",
                )
            return {name: k for k, name in enumerate(_IN_ORDER[table.width])}
        return {name if isinstance(name, str) else f"{name[0]}_{name[1]}": k for k, name in enumerate(table.columns)}

    def _turn_names(self) -> Sequence[str]:
        if not self.has_rotation:
            return ()
        return QUATERNION if self._quaternion else EULER

    @property
    def given(self) -> tuple[str, ...]:
        """Names of what the rows give, an orientation as the quaternion that it is read to."""
        return given_parts(position=self.has_position, rotation=self.has_rotation)

    def _check_rest(self, columns: Mapping[str, int], kept: Sequence[str], answers: Set[str]) -> list[str]:
        """Results of dyn among the columns.

        StateError for a column that means nothing here, UsageError for one to keep that is not there.
        """
        for name in kept:
            if name not in columns:
                raise UsageError(f"--keep: {self._table.path} has no column {name!r}", hint=nearest(name, columns))
        known = [*self._parts, *kept, *_PASSED_OVER]
        skipped = []
        for name, at in columns.items():
            if name in known:
                continue
            if is_result(name) or name in answers or self._in_block(at):
                skipped.append(name)
            else:
                raise StateError(
                    f"{self._table.path}: column {name!r} is no part of a target",
                    hint=f"{nearest(name, [*POSITION, *QUATERNION, *EULER, *TIME])}; --keep copies a column",
                )
        return skipped

    def _in_block(self, at: int) -> bool:
        """Whether a column is an entry of a state's block (JSON, NPZ), which no target has."""
        column = None if self._table.columns is None else self._table.columns[at]
        return isinstance(column, tuple) and column[0] in BLOCKS

    def _poses(self, block: TableBlock) -> PoseBlock:
        numbers = np.array(block.numbers, dtype=np.float64).reshape(len(self._numbers), block.count)
        finite = np.isfinite(numbers)
        invalid = {}
        for k in np.flatnonzero(~finite.all(axis=0)):
            at = int(np.flatnonzero(~finite[:, k])[0])
            value = numbers[at, k]
            what = "empty or not a number" if math.isnan(value) else "infinite"
            invalid[int(k)] = f"{self._table.column_name(self._numbers[at])} is {what}"
        position = numbers[:3] if self.has_position else np.zeros((3, block.count))
        turn = numbers[3 * self.has_position :][: len(self._turn_names())]
        bad = list(invalid)
        position[:, bad] = 0.0
        turn[:, bad] = np.array([[1.0], [0.0], [0.0], [0.0]])[: len(turn)] if self._quaternion else 0.0
        return PoseBlock(
            block.count,
            position,
            self._rotation(turn, block),
            numbers[-1] if self._time is not None else None,
            dict(zip(self._kept, block.texts, strict=True)),
            block.lines,
            invalid,
        )

    def _rotation(self, turn: Array, block: TableBlock) -> Array:
        if not self.has_rotation:
            return np.repeat(np.eye(3)[:, :, None], block.count, axis=2)
        if not self._quaternion:
            angles = np.radians(turn) if self._degrees else turn
            return _stacked(rotation_of_rpy(*angles), block.count)
        norm = np.sqrt((turn * turn).sum(axis=0))
        off = np.flatnonzero(np.abs(norm - 1.0) > _NORM_TOLERANCE)
        if len(off):
            place = self._table.place(block.lines[int(off[0])])
            raise StateError(f"{place}: the quaternion has norm {norm[off[0]]:.6g}, expected 1")
        return _stacked(quaternion_to_matrix(*(turn / norm)), block.count)


def given_parts(*, position: bool, rotation: bool) -> tuple[str, ...]:
    """Names of the columns that say a target again."""
    return (*(POSITION if position else ()), *(QUATERNION if rotation else ()))


def rotation_of_rpy(roll: Any, pitch: Any, yaw: Any) -> Matrix3:
    """Rotation of turns about the fixed x, y and z axes in that order (rad); floats or arrays."""
    about_x, about_y, about_z = (
        rotation_about(axis, angle) for axis, angle in zip(IDENTITY3, (roll, pitch, yaw), strict=True)
    )
    return multiply3(about_z, multiply3(about_y, about_x))


def _stacked(R: Matrix3, count: int) -> Array:
    """Rows of entries, arrays or numbers, as an array (3, 3, count)."""
    return np.array([[np.broadcast_to(np.asarray(entry, dtype=np.float64), (count,)) for entry in row] for row in R])
