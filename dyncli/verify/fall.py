"""A short fall: energy stays, and what drifts is the integrator's, of fourth order in the step."""

from __future__ import annotations

from collections.abc import Iterator

from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.steps import step
from dyncli.algorithms.energy import kinetic_energy, potential_energy
from dyncli.verify.subject import Check, Sample, Subject

DURATION = 0.02
"""s: long enough for gravity to do work, short enough for a humanoid's hundreds of steps in Python."""
STEPS = 8
ROUNDING = 1e-10
FOURTH_ORDER = 8.0
"""Half the step leaves a sixteenth of the drift; half of that is asked for."""


def fall(subject: Subject) -> Iterator[Check]:
    """Drift of kinetic plus potential energy over the energy exchanged, without any joint force; where M is regular."""
    if not subject.is_regular or not subject.samples or not subject.tree.nv:
        return
    coarse = _drift(subject, subject.samples[0], STEPS)
    fine = _drift(subject, subject.samples[0], 2 * STEPS)
    yield Check("energy stays in a fall", fine, max(ROUNDING, coarse / FOURTH_ORDER))


def _drift(subject: Subject, start: Sample, steps: int) -> float:
    tree = subject.tree
    still = [0.0] * tree.nv
    q, v = list(start.q), still
    first = float(potential_energy(tree, q))
    exchanged, total = 0.0, first
    for _ in range(steps):
        q, v = step(tree, Dynamics(tree).accelerations, q, v, still, DURATION / steps, "rk4")
        kinetic = float(kinetic_energy(tree, q, v))
        total = kinetic + float(potential_energy(tree, q))
        exchanged = max(exchanged, kinetic)
    return abs(total - first) / exchanged if exchanged else abs(total - first)
