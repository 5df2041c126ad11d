"""What is asked of a chain, with what follows from it once: limits, bounds on the reach, a closed form, random starts.

Float-only, batch last.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from dyncli.algorithms.ik.chain import Array, Bools, Chain, Indices
from dyncli.algorithms.ik.closed_form import EXACT, ClosedForm, recognise
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.limits import Bounds
from dyncli.algorithms.ik.path_geometry import Path, path_of
from dyncli.algorithms.ik.reach import Reach, reach_of
from dyncli.algorithms.ik.settings import DEFAULT_RESTARTS, Settings
from dyncli.errors import UsageError
from dyncli.structs import replace, struct

_PATIENCE = 8
"""`Settings.patience` of a run from the start: where others follow, a fresh start is cheaper than patience."""
RUN_BEFORE_OTHERS = 25
"""Iterations of a run that has others behind it: those that succeed rarely take more."""


@struct
class Problem:
    """What is asked: a chain, the rows that count, how to iterate, and how far to look.

    `analytic`: take the closed form alone; `use_form` False: pass over it. `branch`: words that the label of an answer
    must hold, e.g. ("elbow+",).
    """

    chain: Chain
    rows: tuple[int, ...]
    settings: Settings
    restarts: int = DEFAULT_RESTARTS
    analytic: bool = False
    branch: tuple[str, ...] = ()
    use_form: bool = True

    @property
    def first_run(self) -> Settings:
        """How to run from the start; with restarts to come, without the patience that only a last try deserves."""
        if self.settings.method == "adaptive" and self.restarts:
            return replace(self.settings, patience=_PATIENCE, max_iter=min(self.settings.max_iter, RUN_BEFORE_OTHERS))
        return self.settings

    @cached_property
    def bounds(self) -> Bounds:
        """Limits to keep."""
        return Bounds.of(self.chain, keep=self.settings.limits)

    @cached_property
    def path(self) -> Path:
        """Axes on the way to the frame."""
        return path_of(self.chain)

    @cached_property
    def reach(self) -> Reach:
        """Bounds that prove targets out of reach."""
        return reach_of(self.path, limits=self.settings.limits)

    @cached_property
    def form(self) -> ClosedForm | None:
        """The closed form of this chain and task, if it has one."""
        return recognise(self.path, self.rows) if self.use_form else None

    @property
    def is_complete(self) -> bool:
        """Whether the closed form gives every solution, so that finding none is a proof."""
        return self.form is not None and self.form.deviation <= EXACT

    @cached_property
    def starts(self) -> Array:
        """Random starts (coordinates, restarts)."""
        uniforms = np.random.default_rng(self.settings.seed).random((self.restarts, self.chain.uniforms))
        if not self.restarts:
            return np.empty((len(self.chain.coordinates), 0))
        return self.bounds.enter(self.chain.random(uniforms.T))

    def closed_form(self) -> ClosedForm:
        """The closed form; UsageError if there is none."""
        if self.form is None:
            raise UsageError(
                "this chain and task have no closed form that is known here",
                hint="known: two parallel revolute joints for a position in their plane; six revolute joints, the last "
                "three meeting in a point or the second to fourth parallel, for a full pose",
            )
        return self.form

    def on_branch(self, q: Array) -> Bools:
        """Which lanes are on the branch asked for."""
        labels = self.closed_form().labels(self.chain.kinematics(q))
        wanted = set(self.branch)
        return np.array([wanted <= set(label.split(",")) for label in labels], dtype=bool)

    def out_of_reach(self, targets: Targets, which: Indices) -> Bools:
        """Which of the targets `which` a bound proves unreachable; False for the others."""
        some = targets.take(which)
        far = self.reach.position_excess(some.position, some.position_rows) > 0.0
        turned = self.reach.orientation_excess(some.rotation, some.rotation_rows) > 0.0
        proved = np.zeros(targets.count, dtype=bool)
        proved[which] = far | turned
        return proved
