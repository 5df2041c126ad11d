"""The verdict on an answer: computed on the numbers that are printed, with the reason where they miss the target.

Float-only, batch last. A target counts as unreachable only where a bound or an exact closed form proves it; all other
reasons say what was observed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dyncli.algorithms.ik.chain import Array, Bools
from dyncli.algorithms.ik.error import Targets
from dyncli.algorithms.ik.limits import Bounds
from dyncli.algorithms.ik.planar_arm import PlanarArm
from dyncli.algorithms.ik.problem import Problem
from dyncli.algorithms.ik.restarts import Answers, find
from dyncli.algorithms.ik.singularity import JacobianReports, generic_rank, report, sample_jacobians
from dyncli.algorithms.ik.solver import End
from dyncli.structs import replace, struct

UNREACHABLE = "unreachable"
LIMITS = "limits"
TOO_FEW = "too few joints"
SINGULAR = "singular"
ITERATIONS = "iterations"
NOT_FOUND = "no solution found"

_FAR_OUT = 20.0
"""A target so many times the reach away is asked about in the wrong units, most likely."""
_LOST_SHARE = 0.99
"""A run ended at a singularity if so much of the error lies in directions that no joint can give any more."""
_STIFF = 1e-3
"""Directions count as lost below this share of the largest singular value."""


@struct
class Verdicts:
    """What there is to say of T answers.

    `position`, `orientation` (T,): errors in the rows that count, m and rad. `within` (T,): inside the file's limits.
    `reasons`, `details`: empty where converged. `branches`: label of the closed-form branch, None where there is none.
    `jacobian` (m, n, T): of the rows that count.
    """

    q: Array
    converged: Bools
    position: Array
    orientation: Array
    within: Bools
    reasons: Sequence[str]
    details: Sequence[str]
    branches: Sequence[str | None]
    jacobian: Array


def judge(problem: Problem, targets: Targets, answers: Answers) -> Verdicts:
    """Look at the answers anew, from nothing but their coordinates."""
    chain, tol = problem.chain, problem.settings.tol
    at = chain.kinematics(answers.q)
    error = targets.error(at)
    inside = Bounds.of(chain).contain(answers.q)
    converged = (error.position <= tol) & (error.orientation <= tol)
    if problem.settings.limits:
        converged &= inside
    count = targets.count
    branches: list[str | None] = [None] * count
    if problem.form is not None:
        branches = list(problem.form.labels(at))
    if problem.branch:
        converged &= problem.on_branch(answers.q)
    reasons, details = [""] * count, [""] * count
    failed = np.flatnonzero(~converged)
    if len(failed):
        some = Answers(
            answers.q[:, failed],
            answers.found[failed],
            answers.iterations[failed],
            answers.restarts[failed],
            answers.end[failed],
        )
        for k, (reason, detail) in zip(failed, _Doctor(problem, targets.take(failed), some).reasons(), strict=True):
            reasons[k], details[k] = reason, detail
    return Verdicts(
        answers.q,
        converged,
        error.position,
        error.orientation,
        inside,
        reasons,
        details,
        branches,
        error.J,
    )


def jacobian_reports(problem: Problem, J: Array) -> JacobianReports:
    """Reports on Jacobians (m, n, B) of the problem's rows."""
    return report(J, sample_jacobians(problem.chain, problem.rows), problem.chain.names, problem.rows)


class _Doctor:
    """Why answers do not reach their targets."""

    def __init__(self, problem: Problem, targets: Targets, answers: Answers) -> None:
        self.problem, self.targets, self.answers = problem, targets, answers
        self.error = targets.error(problem.chain.kinematics(answers.q))
        reach = problem.reach
        self.far = reach.position_excess(targets.position, targets.position_rows)
        self.turned = reach.orientation_excess(targets.rotation, targets.rotation_rows)
        self.elsewhere = self._without_limits()

    def reasons(self) -> list[tuple[str, str]]:
        """Reason and detail of each."""
        return [self._reason(k) for k in range(self.targets.count)]

    def _without_limits(self) -> Answers | None:
        """What would be found if the joints had no limits."""
        problem = self.problem
        if not problem.settings.limits or not problem.bounds.any:
            return None
        free = replace(problem, settings=replace(problem.settings, limits=False))
        return find(free, self.targets, self.answers.q)

    def _reason(self, k: int) -> tuple[str, str]:
        problem, limits = self.problem, self.problem.settings
        if self.far[k] > 0.0 or self.turned[k] > 0.0:
            return UNREACHABLE, self._out_of_reach(k)
        if self.elsewhere is not None and self.elsewhere.found[k]:
            return LIMITS, self._beyond_limits(self.elsewhere.q[:, k : k + 1])
        if problem.branch:
            return NOT_FOUND, f"no solution on the branch {','.join(problem.branch)}"
        if problem.is_complete:
            return UNREACHABLE, f"{self._form_name()} has no solution here; {self._closest(k)}"
        rank, rows = generic_rank(problem.chain, problem.rows), len(problem.rows)
        if rank < rows:
            return TOO_FEW, (
                f"{rows} rows are asked for, and the {problem.chain.n} joints of this chain move {rank} of them "
                "independently: --axes asks for fewer"
            )
        if (singular := self._at_singularity(k)) is not None:
            return SINGULAR, singular
        if self.answers.end[k] == End.ITERATIONS and not self.answers.restarts[k]:
            return ITERATIONS, f"the run from the start had not ended after {limits.max_iter} iterations"
        tried = int(self.answers.restarts[k])
        more = f" and {tried} random starts" if tried else ""
        return NOT_FOUND, f"the run from the start{more} ended short of the target; {self._closest(k)}"

    def _out_of_reach(self, k: int) -> str:
        words = []
        if self.far[k] > 0.0:
            reach = self.problem.reach
            words.append(f"the target is {self.far[k]:.6g} m out of reach: {reach.in_words()}")
            distance = float(np.linalg.norm(self.targets.position[:, k] - reach.center))
            if math.isfinite(reach.outer) and distance > _FAR_OUT * max(reach.outer, 1e-9):
                words.append(f"it is {distance:.6g} m from that joint, which looks like millimetres: targets are in m")
            if isinstance(self.problem.form, PlanarArm):
                words.append(self.problem.form.why_none(self.targets.take([k])))
        if self.turned[k] > 0.0:
            words.append(f"no turn of the joints comes nearer to the orientation than {self.turned[k]:.6g} rad")
        return "; ".join(words)

    def _beyond_limits(self, q: Array) -> str:
        """Which joints a solution without limits would drive where they cannot go."""
        chain = self.problem.chain
        bounds = self.problem.bounds
        p = bounds.nearest_turn(q, q)[chain.coordinate_of_dof, 0]
        named = [
            f"{name} would be at {value:.6g} {joint.type.coordinate_units[0]}, its limits are {low:.6g} to {high:.6g}"
            for name, joint, value, low, high in zip(chain.names, chain.owner, p, chain.lower, chain.upper, strict=True)
            if value < low or value > high
        ]
        return (
            f"the nearest solution found is beyond limits: {'; '.join(named)}" if named else "limits stand in the way"
        )

    def _at_singularity(self, k: int) -> str | None:
        """What to say if the error that is left lies in directions that are lost."""
        J, e = self.error.J[:, :, k], self.error.e[:, k]
        U, values, _ = np.linalg.svd(J)
        rank = int((values > _STIFF * values[0]).sum()) if values[0] > 0.0 else 0
        if rank >= generic_rank(self.problem.chain, self.problem.rows):
            return None
        lost = U[:, rank:]
        if np.linalg.norm(lost.T @ e) < _LOST_SHARE * np.linalg.norm(e):
            return None
        singularity = jacobian_reports(self.problem, J[:, :, None]).singularities[0]
        who = f" of {', '.join(singularity.joints)}" if singularity else ""
        return (
            f"the runs end at a singularity{who} where no joint moves the frame towards the target; {self._closest(k)}"
        )

    def _form_name(self) -> str:
        form = self.problem.form
        return f"the closed form ({form.name})" if form is not None else "the closed form"

    def _closest(self, k: int) -> str:
        parts = []
        if self.targets.position_rows:
            parts.append(f"{self.error.position[k]:.6g} m")
        if self.targets.rotation_rows:
            parts.append(f"{self.error.orientation[k]:.6g} rad")
        return f"the closest pose found is {' and '.join(parts)} away"
