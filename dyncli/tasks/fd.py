"""`fd`: joint accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from dyncli.algorithms.crba import mass_diagonal, mass_diagonal_bound
from dyncli.algorithms.forward import forward_dynamics, route
from dyncli.algorithms.passive import passive_forces
from dyncli.algorithms.wrenches import Wrench
from dyncli.robot import Robot
from dyncli.states.block import angular, in_degrees
from dyncli.tasks.base import Answer, Quantities, Scalars, Task, named, singular_states


class FdTask(Task):
    """Joint accelerations."""

    command = "fd"
    needs = ("qd", "tau")

    def __init__(
        self,
        robot: Robot,
        *,
        method: str = "aba",
        wrenches: Sequence[Wrench] = (),
        passive: bool = False,
        degrees: bool = False,
    ) -> None:
        super().__init__(robot)
        self.method = method
        self.wrenches = tuple(wrenches)
        self.passive = passive
        self.degrees = degrees
        self._bound = mass_diagonal_bound(self.tree)

    def notes(self) -> list[str]:
        """Which route was taken, where it is not the one that was asked for."""
        taken = route(self.tree, self.method)
        if taken == self.method:
            return [f"method {taken}"]
        return [f"method {taken}: mimic or tendons couple joints, where plain {self.method} does not hold"]

    def for_recording(self) -> FdTask:
        """On base parameters."""
        task = copy(self)
        task.tree, task.wrenches = self.on_base_parameters(self.wrenches)
        return task

    def quantities(self, q: Scalars, v: Scalars | None, a: Scalars | None, tau: Scalars | None) -> Quantities:
        """qdd, with the pivots and M's diagonal (or its bound) that say whether it can be trusted."""
        tree = self.tree
        driving = [0.0] * tree.nv if tau is None else list(tau)
        if self.passive:
            driving = [x - y for x, y in zip(driving, passive_forces(tree, q, v), strict=True)]
        qdd, pivots = forward_dynamics(tree, q, v, driving, method=self.method, wrenches=self.wrenches)
        return {"qdd": qdd, "_pivots": pivots, "_diagonal": self._bound or mass_diagonal(tree, q)}

    def answer(self, found: Quantities, count: int) -> Answer:
        """One row a state; states with a singular mass matrix are invalid."""
        invalid = singular_states(self.tree, found["_pivots"], found["_diagonal"], count)
        qdd = found["qdd"]
        if self.degrees:
            qdd = in_degrees(qdd, angular(self.tree)[1])
        return Answer({"qdd": qdd}, vectors=[named(self.tree, "qdd", qdd)], invalid=invalid)
