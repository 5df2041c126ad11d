"""A short fall: energy stays, and what drifts is the integrator's, of fourth order in the step."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.steps import step
from dyncli.algorithms.energy import kinetic_energy, potential_energy
from dyncli.verify.subject import Check, Sample, Subject, greatest

DURATION = 0.02
"""s: long enough for gravity to do work, short enough for a humanoid's hundreds of steps in Python."""
FARTHEST = 0.2
"""rad or m: how far the fastest joint may move, for the step to be one of fourth order."""
STEPS = 8
WILDEST = 1e8
"""Condition number of M beyond which a part is so light that no step follows its motion."""
ROUNDING = 1e-10
FOURTH_ORDER = 8.0
"""Half the step leaves a sixteenth of the drift; half of that is asked for."""


def fall(subject: Subject) -> Iterator[Check]:
    """Drift of kinetic plus potential energy over the energy exchanged, without any joint force; where M is regular."""
    if not subject.tree.nv or not subject.is_regular or subject.condition > WILDEST:
        return
    duration = _duration(subject, subject.samples[0])
    coarse = _drift(subject, subject.samples[0], duration, STEPS)
    fine = _drift(subject, subject.samples[0], duration, 2 * STEPS)
    yield Check("energy stays in a fall", fine, max(ROUNDING, coarse / FOURTH_ORDER))


def _duration(subject: Subject, start: Sample) -> float:
    """s: shorter for parts that are so light that they would turn far in that time."""
    still = [0.0] * subject.tree.nv
    fastest = greatest(Dynamics(subject.tree).accelerations(start.q, still, still))
    return min(DURATION, math.sqrt(2.0 * FARTHEST / fastest)) if fastest > 0.0 else DURATION


def _drift(subject: Subject, start: Sample, duration: float, steps: int) -> float:
    tree = subject.tree
    still = [0.0] * tree.nv
    q, v = list(start.q), still
    first = float(potential_energy(tree, q))
    exchanged, total = 0.0, first
    for _ in range(steps):
        q, v = step(tree, Dynamics(tree).accelerations, q, v, still, duration / steps, "rk4")
        kinetic = float(kinetic_energy(tree, q, v))
        total = kinetic + float(potential_energy(tree, q))
        exchanged = max(exchanged, kinetic)
    return abs(total - first) / exchanged if exchanged else abs(total - first)
