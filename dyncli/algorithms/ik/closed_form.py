"""All solutions of arms that have a closed form: recognised from the tree, solved, polished, told apart.

Float-only, batch last. Files have rounded axes, so a structure is recognised to within `TOLERANCE` and its solutions
are polished by Newton's method on the robot as it is. Only where the structure is exact (`EXACT`) does "no solution"
count as proved, and the list as complete.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from dyncli.algorithms.ik.chain import TURN, Array, Bools, Chain, Kinematics
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.parallel_axes import ParallelAxes
from dyncli.algorithms.ik.path_geometry import Path
from dyncli.algorithms.ik.planar_arm import PlanarArm
from dyncli.algorithms.ik.settings import Settings
from dyncli.algorithms.ik.solver import solve
from dyncli.algorithms.ik.spherical_wrist import SphericalWrist
from dyncli.structs import replace, struct

TOLERANCE = 1e-3
"""Axes count as parallel within so many rad, as meeting within this share of the arm's size."""
EXACT = 1e-9
_POLISH = Settings(damping=0.0, tol=1e-11, max_iter=6, limits=False, kicks=0)
_SAME = 1e-5
"""Solutions whose joints differ by less (rad, modulo whole turns) are one."""
_NEAR = 0.1
"""Polishing moves a joint by less (rad): else it went to another solution, which is found in its own place."""


class ClosedForm(Protocol):
    """What a closed form answers; see `planar_arm`, `spherical_wrist` and `parallel_axes`."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def choices(self) -> tuple[str, ...]:
        """What a branch decides: each word of a label is one of these and a sign."""

    @property
    def deviation(self) -> float:
        """What recognition passed over (rad, or share of the arm's size)."""

    def candidates(self, targets: Targets, reference: Array) -> Array:
        """Joint angles (n, branches, T), nan where there is none."""

    def labels(self, at: Kinematics) -> list[str]:
        """Name of the branch of each lane."""


_RECOGNISERS: tuple[Callable[[Path, tuple[int, ...], float], ClosedForm | None], ...] = (
    PlanarArm.recognise,
    SphericalWrist.recognise,
    ParallelAxes.recognise,
)


def recognise(path: Path, rows: tuple[int, ...]) -> ClosedForm | None:
    """The closed form of a path for a task, None if it has none here."""
    if not path.is_simple:
        return None
    for recogniser in _RECOGNISERS:
        form = recogniser(path, rows, TOLERANCE)
        if form is not None:
            return form
    return None


@struct
class Solutions:
    """`q` (n, branches, T), limits not yet looked at; `found` (branches, T): which are solutions, each once."""

    q: Array
    found: Bools


def all_solutions(chain: Chain, form: ClosedForm, targets: Targets, reference: Array, tol: float) -> Solutions:
    """The solutions of each target; `reference` (n, 1 or T) stands in where a singular pose leaves a joint free."""
    with np.errstate(invalid="ignore"):
        raw = form.candidates(targets, reference)
    n, branches, count = raw.shape
    lanes = np.flatnonzero(np.isfinite(raw).all(axis=0).reshape(-1))
    flat = raw.reshape(n, -1)
    found = np.zeros(branches * count, dtype=bool)
    if len(lanes):
        start = flat[:, lanes]
        wanted = targets.take(lanes % count)
        polished = solve(chain, wanted, start, replace(_POLISH, tol=min(_POLISH.tol, tol)))
        at = wanted.error(chain.kinematics(polished.q))
        near = np.abs(polished.q - start).max(axis=0) <= _NEAR
        found[lanes] = (at.position <= tol) & (at.orientation <= tol) & near
        flat[:, lanes] = polished.q
    q = flat.reshape(n, branches, count)
    return Solutions(q, _each_once(q, found.reshape(branches, count)))


def _each_once(q: Array, found: Bools) -> Bools:
    """`found` without those that an earlier branch gives as well (double solutions)."""
    once = found.copy()
    for k in range(1, q.shape[1]):
        for earlier in range(k):
            apart = q[:, k] - q[:, earlier]
            apart = np.abs(apart - TURN * np.round(apart / TURN)).max(axis=0)
            once[k] &= ~(once[earlier] & (apart <= _SAME))
    return once
