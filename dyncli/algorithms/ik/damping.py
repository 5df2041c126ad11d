"""What keeps a step small: the methods `dls`, `pinv` and `adaptive`, one class each.

Float-only, batch last. Sources: Y. Nakamura, H. Hanafusa, Inverse kinematic solutions with singularity robustness
(1986); A. A. Maciejewski, C. A. Klein, Numerical filtering for the operation of robotic manipulators (1988).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from dyncli.algorithms.ik.chain import Array, Bools
from dyncli.algorithms.ik.linear import NormalEquations, pseudoinverse_step
from dyncli.algorithms.ik.settings import Settings

_MORE, _LESS, _FIRST = 5.0, 0.2, 0.1
"""Damping grows by _MORE from _FIRST each time a step is taken back, and falls by _LESS after a good one."""
_NEGLIGIBLE = 1e-3
_HOPELESS = 1e10


class Damping(ABC):
    """Damping of B lanes. `squared` (B,): λ² of the step that comes next."""

    squared: Array
    takes_back = False
    """Whether a step that does not lower the error is taken back."""

    @abstractmethod
    def step(self, J: Array, e: Array, lanes: Bools | None) -> Array:
        """dq (n, k) for J (m, n, k) and e (m, k) of some lanes (a mask of k, None: all)."""

    def judge(self, good: Bools, cost: Array) -> None:  # noqa: B027 - most methods learn nothing
        """Learn which steps were good, and half the squared error of each lane as it is now."""

    def hopeless(self) -> Bools:
        """Lanes on which no step was good for long."""
        return np.zeros(len(self.squared), dtype=bool)

    def keep(self, going: Bools) -> None:
        """Drop the other lanes."""
        self.squared = self.squared[going]


def damping_of(settings: Settings, size: int, cost: Array, *, guided: bool) -> Damping:
    """The damping of a method for as many lanes as `cost` has; see `Adaptive` for `size` and `guided`."""
    if settings.method == "pinv":
        return Undamped(len(cost))
    if settings.method == "dls":
        return Fixed(settings.largest_damping, len(cost))
    return Adaptive(settings, size, cost, guided=guided)


class Fixed(Damping):
    """dq = Jᵀ (J Jᵀ + λ²)⁻¹ e with one λ: a singular value s passes s / (s² + λ²), at most 1 / 2λ."""

    def __init__(self, damping: float, count: int) -> None:
        self.squared = np.full(count, damping**2)

    def step(self, J: Array, e: Array, lanes: Bools | None) -> Array:
        """With the one λ."""
        squared = self.squared if lanes is None else self.squared[lanes]
        return NormalEquations.of(J).factor(squared).step(e)


class Undamped(Damping):
    """dq = J⁺ e."""

    def __init__(self, count: int) -> None:
        self.squared = np.zeros(count)

    def step(self, J: Array, e: Array, lanes: Bools | None) -> Array:
        """By singular values."""
        return pseudoinverse_step(J, e)


class Adaptive(Damping):
    """λ = 0 except near singularities and after steps that were taken back.

    Below the threshold S of the smallest singular value s: λ² = λmax² (1 - s²/S²) min(1, |e|²/2), which fades with the
    error so that a singular target is still reached fast. s is followed by one inverse iteration a step, so it lags by
    one step. `guided` False: the Jacobian is singular everywhere (a planar arm in space), where s says nothing.
    """

    takes_back = True

    def __init__(self, settings: Settings, size: int, cost: Array, *, guided: bool) -> None:
        count = len(cost)
        self._largest, self._threshold, self._guided = settings.largest_damping**2, settings.threshold**2, guided
        self._direction = np.full((size, count), size**-0.5)
        self._extra = np.zeros(count)
        self._near = np.zeros(count)
        self.squared = np.zeros(count)
        self._fresh = True

    def step(self, J: Array, e: Array, lanes: Bools | None) -> Array:
        """With the λ of each lane."""
        equations = NormalEquations.of(J)
        if lanes is not None:
            return equations.factor(self.squared[lanes]).step(e)
        if not self._guided:
            return equations.factor(self.squared).step(e)
        if self._fresh:  # nothing is known of the start yet: look before the first step
            self._fresh = False
            self._step_and_look(equations, e)
            self._damp(0.5 * (e * e).sum(axis=0))
        return self._step_and_look(equations, e)

    def judge(self, good: Bools, cost: Array) -> None:
        """More damping after a step that was taken back, less after a good one."""
        weaker = np.where(self._extra < _NEGLIGIBLE, 0.0, self._extra * _LESS)
        self._extra = np.where(good, weaker, np.maximum(self._extra * _MORE, _FIRST))
        self._damp(cost)

    def hopeless(self) -> Bools:
        """Lanes damped to a standstill."""
        return self._extra > _HOPELESS

    def keep(self, going: Bools) -> None:
        """Drop the other lanes."""
        super().keep(going)
        self._direction = self._direction[:, going]
        self._extra, self._near = self._extra[going], self._near[going]

    def _step_and_look(self, equations: NormalEquations, e: Array) -> Array:
        factor = equations.factor(self.squared)
        dq, smallest, self._direction = factor.step_and_weakest(e, self._direction, self.squared)
        self._near = self._largest * np.maximum(1.0 - smallest / self._threshold, 0.0)
        return dq

    def _damp(self, cost: Array) -> None:
        self.squared = self._near * np.minimum(1.0, cost) + self._extra * cost
