"""Checks of the derivatives: analytic against the complex step, of inverse and forward dynamics and of one step."""

from __future__ import annotations

from collections.abc import Iterator

from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.methods import Derivative
from dyncli.verify.subject import Check, Subject, deviation, flat, greatest

STATES = 2
"""Samples at which derivatives are checked: the complex step takes 3 nv calls each."""


def derivatives(subject: Subject) -> Iterator[Check]:
    """Each block of the analytic Jacobians against the complex step, over the greatest entry of the block."""
    if not subject.tree.nv:
        return
    yield from _checks(subject, "rnea", subject.bound(1.5e-14))
    if subject.is_regular:
        yield from _checks(subject, "fd", subject.bound(1e-12, solved=True))
        yield from _checks(subject, "step", subject.bound(1e-12, solved=True))


def _checks(subject: Subject, of: str, tolerance: float) -> Iterator[Check]:
    dynamics = Dynamics(subject.tree)
    analytic, stepped = (Derivative(dynamics, of, method) for method in ("analytic", "complex"))
    errors: dict[str, list[float]] = {}
    for sample in subject.samples[:STATES]:
        x = sample.a if of == "rnea" else sample.tau
        expected = stepped.blocks(sample.q, sample.v, x)
        for name, block in analytic.blocks(sample.q, sample.v, x).items():
            errors.setdefault(name, []).append(deviation(flat(block), flat(expected[name])))
    for name, found in errors.items():
        label = f"{name} of one step" if of == "step" else name.replace("_", "/")
        yield Check(f"{label} = complex step", greatest(found), tolerance)
