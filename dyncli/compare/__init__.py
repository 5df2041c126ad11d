"""Two robot files side by side: what differs, and what each difference adds to the mass matrix and gravity torque.

The trees are matched joint by joint (`matched`), their differences listed (`differences`); then A is turned into B one
difference at a time, and what M and the gravity torque change by at a step is that difference's part. The parts add up
to the whole: M(B) - M(A) is their sum, in the order of the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dyncli.algorithms.crba import crba
from dyncli.algorithms.rnea import rnea
from dyncli.compare.differences import Difference, differences
from dyncli.compare.matched import Matched, match
from dyncli.errors import UsageError
from dyncli.robot import Robot
from dyncli.states import sample_states
from dyncli.structs import struct
from dyncli.tree import Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TOLERANCE = 1e-6
"""Relative; files carry rounded numbers, and converters round again."""
POSES = 16


@struct
class Change:
    """The greatest change of an array over the poses, absolute (kg m², N m...) and over the greatest entry of A's.

    `at`: names of the degrees of freedom of that entry.
    """

    greatest: float
    relative: float
    at: tuple[str, ...]


@struct
class Effect:
    """A difference with what it changes of M and of the gravity torque; None where it has no part in them."""

    difference: Difference
    mass_matrix: Change | None
    gravity_torque: Change | None


@struct
class Comparison:
    """The answer of `compare`: effects in order, the whole change, and the rest of it below the tolerance.

    `whole` and `rest` hold the change of M and of the gravity torque, None where the structures differ.
    """

    matched: Matched
    effects: tuple[Effect, ...]
    whole: tuple[Change, Change] | None
    rest: tuple[Change, Change] | None
    poses: int


def compare(a: Robot, b: Robot, *, tolerance: float = TOLERANCE, poses: int = POSES, seed: int = 0) -> Comparison:
    """What differs between two robots, at the zero position and `poses` - 1 random ones within A's limits.

    `tolerance`: relative difference below which two values of the files are the same. O(differences x poses x n²).
    """
    if poses < 1:
        raise UsageError(f"cannot compare at {poses} poses", hint="one is the zero position alone")
    matched = match(a, b)
    if not matched.comparable:
        return Comparison(matched, (), None, None, poses)
    found = differences(matched.a, matched.b, tolerance)
    q = sample_poses(matched.a, poses, seed)
    first = before = _evaluate(matched.a, q)
    effects = [Effect(_tie(name, *drivers), None, None) for name, drivers in matched.ties.items()]
    tree = matched.a
    for difference in found:
        if difference.step is None:
            effects.append(Effect(difference, None, None))
            continue
        tree = difference.step(tree)
        now = _evaluate(tree, q)
        effects.append(Effect(difference, *_changes(tree, before, now, first)))
        before = now
    last = _evaluate(matched.b, q)
    whole, rest = (_changes(matched.a, start, last, first) for start in (first, before))
    return Comparison(matched, tuple(effects), whole, rest, poses)


def _tie(name: str, ours: str | None, theirs: str | None) -> Difference:
    return Difference("mimic", f"joint {name!r}", "follows", ours, theirs)


def sample_poses(tree: Tree, count: int, seed: int) -> list[Array]:
    """nq arrays (count,): the zero position, then random ones within the limits; the same on every machine."""
    import numpy as np

    zero = [value for joint in tree.joints for value in joint.type.neutral()]
    drawn = [block.q for block in sample_states(tree, count - 1, seed, ("q",))] if count > 1 else []
    return [np.concatenate([[value], *(q[k] for q in drawn)]) for k, value in enumerate(zero)]


def _evaluate(tree: Tree, q: Sequence[Array]) -> tuple[Array, Array]:
    """M (nv, nv, count) and gravity torque (nv, count)."""
    import numpy as np

    count = len(q[0]) if q else 1
    M = np.array([[np.broadcast_to(entry, (count,)) for entry in row] for row in crba(tree, q)])
    weight = np.array([np.broadcast_to(entry, (count,)) for entry in rnea(tree, q)])
    return M.reshape(tree.nv, tree.nv, count), weight.reshape(tree.nv, count)


def _changes(
    tree: Tree, before: tuple[Array, Array], after: tuple[Array, Array], first: tuple[Array, Array]
) -> tuple[Change, Change]:
    mass, weight = (_change(tree, y - x, whole) for x, y, whole in zip(before, after, first, strict=True))
    return mass, weight


def _change(tree: Tree, change: Array, whole: Array) -> Change:
    import numpy as np

    if not change.size:
        return Change(0.0, 0.0, ())
    size = np.abs(change)
    *index, _ = np.unravel_index(int(size.argmax()), size.shape)
    greatest, scale = float(size.max()), float(np.abs(whole).max())
    return Change(greatest, greatest / scale if scale else float(greatest > 0.0), tuple(tree.dofs[k] for k in index))
