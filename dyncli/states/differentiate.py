"""Velocities and accelerations of a log that holds positions and times alone (`--differentiate`).

Around each row a polynomial in time is fitted to the positions of neighbouring rows, seen from the row itself through
`JointType.difference`, so that quaternions are differentiated on their manifold: its slope is qd and its curvature qdd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from dyncli.errors import StateError, UsageError
from dyncli.states.block import Leaf, StateBlock
from dyncli.states.source import Job, States
from dyncli.structs import replace, struct
from dyncli.tree import Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LARGEST_WINDOW = 1001


@struct
class Scheme:
    """How many rows a fit takes and the degree of its polynomial.

    central: the parabola through the row and its two neighbours, of second order; savgol:W: a cubic fitted to W rows
    by least squares, which smooths (A. Savitzky, M. Golay 1964), here for times of any spacing. At the ends of a log
    the window stays inside it.
    """

    window: int
    degree: int


def scheme(text: str) -> Scheme:
    """The scheme that `central` or `savgol:W` (odd W from 5) names."""
    kind, _, window = text.partition(":")
    if text == "central":
        return Scheme(3, 2)
    if kind == "savgol" and window.isdecimal() and int(window) % 2 and 5 <= int(window) <= LARGEST_WINDOW:
        return Scheme(int(window), 3)
    raise UsageError(
        f"--differentiate {text!r} is no scheme",
        hint=f"central, or savgol:W with an odd number of rows W from 5 to {LARGEST_WINDOW}",
    )


class DifferentiatedStates(States):
    """States of a log (`path` in messages) with the qd and qdd that a scheme makes of their positions."""

    def __init__(self, tree: Tree, log: States, how: Scheme, path: str) -> None:
        super().__init__(log.remarks)
        self._tree = tree
        self._log = log
        self._how = how
        self._path = path

    def pieces(self) -> Iterator[Job]:
        """See `States.pieces`: rows are read one block after the other, the fits are left to the jobs."""
        blocks = (piece() for piece in self._log.pieces())
        return differentiated(self._tree, blocks, self._how, self._path, self.place)

    def finish(self) -> None:
        """See `States.finish`."""
        self._log.finish()

    def place(self, line: int) -> str:
        """See `States.place`."""
        return self._log.place(line)


def differentiated(
    tree: Tree, blocks: Iterable[StateBlock], how: Scheme, path: str, place: Callable[[int], str]
) -> Iterator[Job]:
    """Jobs that give the same blocks with qd and qdd; rows whose window holds a row without a position are invalid.

    Keeps `how.window` rows between blocks, however long the log. `path` and `place` name the file and its lines.
    Raises StateError where the log has fewer rows than the window or its times do not increase.
    """
    half = how.window // 2
    kept: _Rows | None = None
    waiting: list[StateBlock] = []
    done = 0  # rows of `kept` that have been given out
    for block in blocks:
        rows = _Rows.of(block)
        _check_times(kept, rows, place)
        waiting.append(block)
        kept = rows if kept is None else kept.followed_by(rows)
        # a block can go once the rows that its last window reaches are there
        while waiting and kept.count - done >= waiting[0].count + half and kept.count >= how.window:
            ready = waiting.pop(0)
            yield partial(_with_rates, tree, ready, kept, done, how)
            done += ready.count
            spare = max(0, done - how.window)
            kept, done = kept.without(spare), done - spare
    if kept is not None and kept.count < how.window:
        raise StateError(f"{path}: {kept.count} rows, --differentiate needs at least {how.window}")
    for block in waiting:
        assert kept is not None
        yield partial(_with_rates, tree, block, kept, done, how)
        done += block.count


@struct(frozen=False)
class _Rows:
    """Rows of a log: positions (nq, count), times (count,), which rows have no position, and the line of each."""

    q: Array
    time: Array
    invalid: NDArray[np.bool_]
    lines: list[int]

    @property
    def count(self) -> int:
        return len(self.lines)

    @staticmethod
    def of(block: StateBlock) -> _Rows:
        import numpy as np

        invalid = np.zeros(block.count, dtype=bool)
        invalid[list(block.invalid)] = True
        lines = list(block.lines) if block.lines is not None else list(range(block.first, block.first + block.count))
        return _Rows(np.array(block.q).reshape(-1, block.count), np.asarray(block.time, float), invalid, lines)

    def followed_by(self, more: _Rows) -> _Rows:
        import numpy as np

        return _Rows(
            np.concatenate([self.q, more.q], axis=1),
            np.concatenate([self.time, more.time]),
            np.concatenate([self.invalid, more.invalid]),
            self.lines + more.lines,
        )

    def without(self, first: int) -> _Rows:
        return _Rows(self.q[:, first:], self.time[first:], self.invalid[first:], self.lines[first:])


def _check_times(before: _Rows | None, rows: _Rows, place: Callable[[int], str]) -> None:
    """Times must increase, row by row, over the rows that have one."""
    import numpy as np

    usable = np.flatnonzero(~rows.invalid)
    times = rows.time[usable]
    lines = [rows.lines[k] for k in usable]
    if before is not None:
        earlier = np.flatnonzero(~before.invalid)[-1:]
        times = np.concatenate([before.time[earlier], times])
        lines = [*(before.lines[k] for k in earlier), *lines]
    steps = np.diff(times)
    if len(steps) and not (steps > 0.0).all():
        k = int(np.argmin(steps > 0.0)) + 1
        raise StateError(f"{place(lines[k])}: time {times[k]:g} after {times[k - 1]:g}: the times must increase")


def _with_rates(tree: Tree, block: StateBlock, rows: _Rows, start: int, how: Scheme) -> StateBlock:
    """A block with qd and qdd; its rows are those of `rows` from `start` on."""
    import numpy as np

    centre = np.arange(start, start + block.count)
    first = np.clip(centre - how.window // 2, 0, rows.count - how.window)
    window = first + np.arange(how.window)[:, None]  # (window, count)
    slope, curvature = _weights(rows.time[window] - rows.time[centre], how.degree)
    velocity: list[Leaf] = [np.zeros(block.count)] * tree.nv
    acceleration: list[Leaf] = [np.zeros(block.count)] * tree.nv
    for joint in tree.joints:
        own = slice(joint.index_q, joint.index_q + joint.nq)
        here, there = list(rows.q[own, centre]), list(rows.q[own, :][:, window])
        for k, along in zip(joint.dofs, joint.type.difference(here, there), strict=True):
            velocity[k] = (slope * along).sum(axis=0)
            acceleration[k] = (curvature * along).sum(axis=0)
    reached = rows.invalid[window].any(axis=0)
    invalid = {int(k): "a row that its velocity depends on has no position" for k in np.flatnonzero(reached)}
    return replace(block, qd=velocity, qdd=acceleration, invalid={**invalid, **block.invalid})


def _weights(offsets: Array, degree: int) -> tuple[Array, Array]:
    """Weights (window, count) of the positions in the slope and curvature at offset 0 of the fitted polynomials.

    `offsets`: times of the window's rows from its row, s. Times are scaled to the window's length before they are
    raised to powers.
    """
    import numpy as np

    scale = np.abs(offsets).max(axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    powers = (offsets / scale).T[..., None] ** np.arange(degree + 1)  # (count, window, degree + 1)
    fitted: Any = np.linalg.pinv(powers)  # (count, degree + 1, window)
    return (fitted[:, 1] / scale[:, None]).T, (2.0 * fitted[:, 2] / scale[:, None] ** 2).T


def needed_blocks(needs: Sequence[str]) -> tuple[str, ...]:
    """What is left to read of a command's blocks once qd and qdd come from the positions."""
    return tuple(name for name in needs if name not in ("qd", "qdd"))
