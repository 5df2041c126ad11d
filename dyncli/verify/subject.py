"""What is verified: a tree at some states, the checks' verdicts, and how errors are measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property

from dyncli.algorithms.crba import crba
from dyncli.algorithms.factor import Matrix
from dyncli.states import sample_states
from dyncli.structs import struct
from dyncli.tree import Tree

SINGULAR = 1e-14
"""Share of the greatest eigenvalue of M below which the least one is rounding."""
REFERENCE_SIZE = 6
"""Degrees of freedom of the arm that the tolerances were measured on; rounding grows with the size."""
REFERENCE_CONDITION = 1e4
"""Condition number of its mass matrix; errors of what is solved with M grow with it."""


@struct
class Check:
    """A verdict: the greatest `error` over the states, relative to the natural scale of the quantity, and its bound."""

    name: str
    error: float
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether the error is a number within its bound."""
        return self.error <= self.tolerance


@struct
class Sample:
    """One state: q (nq), v, a, tau (nv); rad, m, s, N m, N."""

    q: list[float]
    v: list[float]
    a: list[float]
    tau: list[float]


class Subject:
    """A tree and the states it is verified at."""

    def __init__(self, tree: Tree, samples: Sequence[Sample]) -> None:
        self.tree = tree
        self.samples = samples

    @classmethod
    def at_random(cls, tree: Tree, count: int, seed: int) -> Subject:
        """At `count` random states: q within the limits, the rest standard normal."""
        return cls(tree, _samples(tree, count, seed))

    def of(self, tree: Tree) -> Subject:
        """Another tree of the same coordinates at the same states."""
        return Subject(tree, self.samples)

    @cached_property
    def masses(self) -> list[Matrix]:
        """M at each sample."""
        return [crba(self.tree, sample.q) for sample in self.samples]

    @cached_property
    def spectra(self) -> list[tuple[float, float]]:
        """Least and greatest eigenvalue of M at each sample."""
        import numpy as np

        spectra = [np.linalg.eigvalsh(np.array(M)) for M in self.masses if M]
        return [(float(values[0]), float(values[-1])) for values in spectra]

    @property
    def is_regular(self) -> bool:
        """Whether M can be inverted at all samples."""
        return all(low > SINGULAR * high for low, high in self.spectra)

    @property
    def condition(self) -> float:
        """The greatest condition number of M at the samples."""
        return max((high / low if low > 0.0 else float("inf") for low, high in self.spectra), default=1.0)

    def bound(self, base: float, *, solved: bool = False) -> float:
        """A tolerance for this robot from the one for the reference arm; `solved`: for what is solved with M."""
        size = max(1.0, self.tree.nv / REFERENCE_SIZE)
        return base * size * (max(1.0, self.condition / REFERENCE_CONDITION) if solved else 1.0)


def _samples(tree: Tree, count: int, seed: int) -> list[Sample]:
    samples: list[Sample] = []
    for block in sample_states(tree, count, seed):
        parts = [block.q, block.qd or [], block.qdd or [], block.tau or []]
        for k in range(block.count):
            q, v, a, tau = ([float(leaf[k]) for leaf in part] for part in parts)
            samples.append(Sample(q, v, a, tau))
    return samples


def greatest(values: Iterable[float]) -> float:
    """The greatest magnitude, 0 for none; nan if there is one."""
    worst = 0.0
    for value in values:
        size = abs(value)
        if math.isnan(size):
            return size
        worst = max(worst, size)
    return worst


def deviation(found: Sequence[float], expected: Sequence[float], scale: float | None = None) -> float:
    """Greatest difference of two vectors over `scale`, or over the greatest entry of `expected`."""
    size = greatest(expected) if scale is None else scale
    error = greatest(x - y for x, y in zip(found, expected, strict=True))
    return error / size if size else error


def flat(M: Matrix) -> list[float]:
    """Entries of a matrix, row by row."""
    return [entry for row in M for entry in row]


def times(M: Matrix, x: Sequence[float]) -> list[float]:
    """M x."""
    return [sum(entry * other for entry, other in zip(row, x, strict=True)) for row in M]
