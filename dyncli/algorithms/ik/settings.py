"""How to iterate: the options of a run, and what they mean where they are not given."""

from __future__ import annotations

import math

from dyncli.structs import struct

METHODS = ("dls", "adaptive", "pinv")
DEFAULT_RESTARTS = 124
"""4 + 8 + ... + 64: five rounds, each twice the one before."""

_DAMPING = {"dls": 0.05, "adaptive": 0.2, "pinv": 0.0}
_MAX_STEP = {"dls": math.inf, "adaptive": 1.0, "pinv": math.inf}


@struct
class Settings:
    """How to iterate.

    `damping`: lambda, squared in the formula; `max_step`: largest change of a joint in a step, rad or m; None for the
    method's own. `threshold`: smallest singular value below which `adaptive` damps. `tol`: m and rad. `kicks`: how
    often a run may be pushed off a stationary place, by random numbers from `seed`. `patience`: a run ends when its
    squared error has not fallen by a tenth in so many steps; None: it goes on.
    """

    method: str = "adaptive"
    damping: float | None = None
    threshold: float = 0.1
    tol: float = 1e-6
    max_iter: int = 100
    max_step: float | None = None
    limits: bool = True
    kicks: int = 2
    seed: int = 0
    patience: int | None = None

    @property
    def largest_damping(self) -> float:
        """Lambda of this method."""
        return _DAMPING[self.method] if self.damping is None else self.damping

    @property
    def largest_step(self) -> float:
        """Largest change of a joint in one step, infinite for none."""
        return _MAX_STEP[self.method] if self.max_step is None else self.max_step
