"""Velocities and accelerations of a log that holds positions and times alone (`--differentiate`).

Around each row a polynomial in time is fitted to the positions of neighbouring rows, seen from the row itself through
`JointType.difference`, so that quaternions are differentiated on their manifold: its slope is qd and its curvature qdd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from dyncli.errors import StateError, UsageError
from dyncli.readers.table import line_of, source_and_line
from dyncli.states.block import Leaf, StateBlock
from dyncli.states.source import Job, Observed, States, StatesPart
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
    """States of a log (`path` in messages) with the qd and qdd that a scheme makes of their positions.

    `before`, `after`: states around those of `log` that the scheme looks at too, where `log` is part of a longer one.
    """

    def __init__(
        self,
        tree: Tree,
        log: States,
        how: Scheme,
        path: str,
        before: Sequence[States] = (),
        after: Sequence[States] = (),
    ) -> None:
        super().__init__(log.remarks)
        self._tree = tree
        self._log = log
        self._how = how
        self._path = path
        self._before = before
        self._after = after

    def pieces(self) -> Iterator[Job]:
        """See `States.pieces`: rows are read one block after the other, the fits are left to the jobs."""
        logs = [self._log, *self._before, *self._after]

        def place(line: int) -> str:
            if len(logs) == 1:
                return self.place(line)
            at, own = source_and_line(line)
            return logs[at].place(own)

        before = [block for k, log in enumerate(self._before, 1) for block in _blocks(log, k)]
        after = (block for k, log in enumerate(self._after, 1 + len(self._before)) for block in _blocks(log, k))
        return differentiated(self._tree, _blocks(self._log, 0), self._how, self._path, place, before, after)

    def parts(self, blocks: int = 1) -> Iterator[StatesPart]:
        """See `States.parts`: those of the log, each with its neighbours."""
        for before, part, after in _with_neighbours(self._log.parts(blocks), self._how.window):
            yield DifferentiatedPart(part.rows, part.offset, part, before, after, self._how, self._path)

    def blocks_to_share(self) -> int:
        """See `States.blocks_to_share`."""
        return self._log.blocks_to_share()

    def observed(self) -> Observed | None:
        """See `States.observed`."""
        return self._log.observed()

    def take(self, observed: Observed, offset: int = 0) -> None:
        """See `States.take`."""
        self._log.take(observed, offset)

    def finish(self) -> None:
        """See `States.finish`."""
        self._log.finish()

    def place(self, line: int) -> str:
        """See `States.place`."""
        return self._log.place(line)


Parts = tuple[StatesPart, ...]


@struct
class DifferentiatedPart(StatesPart):
    """A part of a log, and parts before and after it with as many rows as a window of the scheme, or all there are."""

    rows: int
    offset: int
    part: StatesPart
    before: Parts
    after: Parts
    how: Scheme
    path: str

    @contextmanager
    def open(self, tree: Tree) -> Iterator[States]:
        """See `StatesPart.open`."""
        window = self.how.window
        before = _up_to(window, reversed(self.before), lambda part, rows: part.last_rows(rows))[::-1]
        after = _up_to(window, self.after, lambda part, rows: part.first_rows(rows))
        with ExitStack() as opened:
            log, *around = (opened.enter_context(part.open(tree)) for part in (self.part, *before, *after))
            yield DifferentiatedStates(tree, log, self.how, self.path, around[: len(before)], around[len(before) :])


def _with_neighbours(parts: Iterable[StatesPart], rows: int) -> Iterator[tuple[Parts, StatesPart, Parts]]:
    """Each part with those before and after it that have at least so many rows together, or all there are."""
    known: Parts = ()
    at = 0  # of the first one that has not been given out
    for part in parts:
        known += (part,)
        while at < len(known) and _count(known[at + 1 :]) >= rows:
            yield known[:at], known[at], known[at + 1 :]
            at += 1
            while _count(known[1:at]) >= rows:
                known, at = known[1:], at - 1
    for k in range(at, len(known)):
        yield known[:k], known[k], known[k + 1 :]


def _up_to(rows: int, parts: Iterable[StatesPart], cut: Callable[[StatesPart, int], StatesPart]) -> list[StatesPart]:
    """Parts with at least so many rows together, or all there are, the last one cut."""
    found: list[StatesPart] = []
    for part in parts:
        if rows <= 0:
            break
        found.append(cut(part, rows))
        rows -= found[-1].rows
    return found


def _count(parts: Parts) -> int:
    return sum(part.rows for part in parts)


def _blocks(log: States, number: int) -> Iterator[StateBlock]:
    """The blocks of a log, whose lines say which one of several it is."""
    for piece in log.pieces():
        block = piece()
        yield replace(block, lines=[line_of(number, line) for line in block.lines or ()]) if number else block


def differentiated(
    tree: Tree,
    blocks: Iterable[StateBlock],
    how: Scheme,
    path: str,
    place: Callable[[int], str],
    before: Iterable[StateBlock] = (),
    after: Iterable[StateBlock] = (),
) -> Iterator[Job]:
    """Jobs that give the same blocks with qd and qdd; rows whose window holds a row without a position are invalid.

    Keeps `how.window` rows between blocks, however long the log. `path` and `place` name the file and its lines.
    `before`, `after`: rows around those of `blocks`, to be looked at only. Raises StateError where all have fewer rows
    than the window or their times do not increase.
    """
    half = how.window // 2
    kept: _Rows | None = None
    waiting: list[StateBlock] = []
    done = 0  # rows of `kept` that have been given out or are not to be
    for own, block in chain(((False, x) for x in before), ((True, x) for x in blocks), ((False, x) for x in after)):
        rows = _Rows.of(block)
        _check_times(kept, rows, place)
        if own:
            waiting.append(block)
        elif not waiting:
            done += block.count
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
