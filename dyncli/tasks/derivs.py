"""`derivs`: derivatives of inverse and forward dynamics, transition matrices, and directional derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from dyncli.algorithms.crba import crba
from dyncli.algorithms.derivatives.methods import Derivative
from dyncli.algorithms.factor import factor_structure, sparse_factor
from dyncli.result import Matrix
from dyncli.robot import Robot
from dyncli.structs import replace
from dyncli.tasks.base import Answer, Quantities, Scalars, Task, named, singular_states

LIVE_IN_CLOSED_FORM, LIVE_ELSEWHERE = 6, 200
"""Numbers alive for each state, in squares of nv: the matrices, or every quantity of the recursions for each column."""

Direction = tuple[Sequence[float], Sequence[float], Sequence[float]]


class DerivsTask(Task):
    """Derivatives at each state by one method; with `direction` the derivative along it, in one pass."""

    command = "derivs"

    def __init__(self, robot: Robot, derivative: Derivative, *, direction: Direction | None = None) -> None:
        super().__init__(robot)
        self.derivative = derivative
        self.direction = direction
        self.needs = ("qd", "qdd") if derivative.of == "rnea" else ("qd", "tau")
        # a program is recorded of what runs on real scalars and is worth it; the other methods are there to compare
        self.recordable = direction is not None or derivative.method == "analytic"
        if direction is None:
            self.limit_block((LIVE_IN_CLOSED_FORM if self.recordable else LIVE_ELSEWHERE) * self.tree.nv**2)

    def for_recording(self) -> DerivsTask:
        """On base parameters."""
        task = copy(self)
        task.tree, wrenches = self.on_base_parameters(self.derivative.dynamics.wrenches)
        dynamics = replace(self.derivative.dynamics, tree=task.tree, wrenches=wrenches)
        task.derivative = replace(self.derivative, dynamics=dynamics)
        return task

    def quantities(self, q: Scalars, v: Scalars | None, a: Scalars | None, tau: Scalars | None) -> Quantities:
        """The named matrices, or the rates along the direction; pivots of M where its inverse is in them."""
        rest = [0.0] * self.tree.nv
        third = a if self.derivative.of == "rnea" else tau
        point = (q, rest if v is None else v, rest if third is None else third)
        if self.direction is None:
            found: Quantities = dict(self.derivative.blocks(*point))
        else:
            rates = self.derivative.along(*point, self.direction)
            n = self.tree.nv
            found = {name: rates[k * n : k * n + n] for k, name in enumerate(RATE_NAMES[self.derivative.of])}
        if self.derivative.of != "rnea":
            M = crba(self.tree, q)
            found["_pivots"] = sparse_factor(M, factor_structure(self.tree)).pivots
            found["_diagonal"] = [M[k][k] for k in range(self.tree.nv)]
        return found

    def answer(self, found: Quantities, count: int) -> Answer:
        """A matrix row a line, or one row a state along a direction."""
        values = {name: value for name, value in found.items() if not name.startswith("_")}
        invalid = {}
        if "_pivots" in found:
            invalid = singular_states(self.tree, found["_pivots"], found["_diagonal"], count)
        if self.direction is not None:
            vectors = [named(self.tree, name, leaves) for name, leaves in values.items()]
            return Answer(values, vectors=vectors, invalid=invalid)
        return Answer(values, matrices=[self._labelled(name, rows) for name, rows in values.items()], invalid=invalid)

    def _labelled(self, name: str, rows: Scalars) -> Matrix:
        dofs = self.tree.dofs
        if name not in ("A", "B"):
            return Matrix(name, dofs, dofs, rows)
        state = (*(f"q_{dof}" for dof in dofs), *(f"qd_{dof}" for dof in dofs))
        return Matrix(name, state, state if name == "A" else tuple(f"tau_{dof}" for dof in dofs), rows)

    def notes(self) -> list[str]:
        """Which tangent space, method and step the numbers belong to."""
        derivative = self.derivative
        what = {
            "rnea": "derivatives of tau",
            "fd": "derivatives of qdd",
            "step": f"transition matrices of one {derivative.integrator} step of {derivative.dt:g} s: "
            "A = d(q, qd)next/d(q, qd), B = d(q, qd)next/dtau",
            "continuous": "d/dt (dq, dqd) = A (dq, dqd) + B dtau",
        }[derivative.of]
        method = "dual numbers along the direction" if self.direction is not None else derivative.method
        step = "" if derivative.used_step is None or self.direction is not None else f", step {derivative.used_step:g}"
        return [f"{what}; method {method}{step}", tangent_space(self)]


RATE_NAMES = {"rnea": ("dtau",), "fd": ("dqdd",), "step": ("dq", "dqd"), "continuous": ("dq", "dqd")}


def tangent_space(task: Task) -> str:
    """One line that says what a column for q means."""
    tree = task.tree
    text = f"columns for q: tangent space ({tree.nv}), q moved as by unit velocity"
    curved = [joint.name for joint in tree.joints if joint.nq != joint.nv or not joint.type.vector_space]
    if not curved:
        return text
    floating = any(joint.type.name == "floating" for joint in tree.joints)
    linear = "the joint frame's" if tree.convention == "mujoco" else "body"
    axes = f"rotation vectors in body axes, displacements in {linear} axes" if floating else "vectors in body axes"
    return f"{text}; {', '.join(curved[:3])}{'...' if len(curved) > 3 else ''}: {axes}"


def friction_joints(task: Task) -> list[str]:
    """Joints with Coulomb friction, whose derivative counts as zero."""
    return [body.joint.name for body in task.tree.bodies if body.joint.friction]
