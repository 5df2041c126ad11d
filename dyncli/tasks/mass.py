"""`mass`: the mass matrix and what follows from it."""

from __future__ import annotations

from copy import copy

from dyncli.algorithms.coriolis import coriolis_matrix
from dyncli.algorithms.crba import crba, mass_by_rnea
from dyncli.algorithms.energy import kinetic_energy, potential_energy
from dyncli.algorithms.factor import factor_structure, sparse_factor
from dyncli.algorithms.kinematics import jacobian
from dyncli.algorithms.operational import effective_mass, inverse_task_inertia, task_inertia
from dyncli.result import Matrix
from dyncli.robot import Robot
from dyncli.spatial import Scalar
from dyncli.structs import struct
from dyncli.tasks.base import Answer, Quantities, Scalars, Task, singular_states
from dyncli.tasks.fk import JACOBIAN_ROWS
from dyncli.tree import Frame


@struct
class MassParts:
    """What `mass` gives beside M; `task`: a frame, and a unit direction in world axes or None."""

    inverse: bool = False
    factor: bool = False
    spectrum: bool = False
    energy: bool = False
    coriolis: bool = False
    task: tuple[Frame, tuple[float, float, float] | None] | None = None


class MassTask(Task):
    """The mass matrix and what follows from it."""

    command = "mass"
    unbounded = frozenset({"condition", "task_inertia", "effective_mass"})

    def __init__(self, robot: Robot, parts: MassParts, *, method: str = "crba") -> None:
        super().__init__(robot)
        self.parts = parts
        self.method = method
        self.needs = ("qd",) if parts.energy or parts.coriolis else ()
        matrices = 1 + parts.inverse + parts.factor + parts.coriolis
        self.limit_block(2 * matrices * self.tree.nv**2)  # as numbers and as text

    def for_recording(self) -> MassTask:
        """On base parameters, unless something is asked for that depends on where each mass is."""
        if self.parts.energy or self.parts.coriolis or self.parts.task:
            return self
        task = copy(self)
        task.tree, _ = self.on_base_parameters()
        return task

    def quantities(self, q: Scalars, v: Scalars | None, a: Scalars | None, tau: Scalars | None) -> Quantities:
        """M and its asked-for companions; the pivots of its factor where it is inverted or factored."""
        tree, parts = self.tree, self.parts
        M = mass_by_rnea(tree, q) if self.method == "rnea" else crba(tree, q)
        found: Quantities = {"M": M}
        at_rest = [0.0] * tree.nv
        if parts.inverse or parts.factor or parts.task:
            factor = sparse_factor(M, factor_structure(tree))
            if parts.inverse or parts.task:
                Minv = factor.inverse()
            if parts.inverse:
                found["Minv"] = Minv
            if parts.factor:
                found["L"] = factor.lower()
            found["_pivots"] = factor.pivots
        if parts.energy:
            found["kinetic"] = kinetic_energy(tree, q, v or at_rest)
            found["potential"] = potential_energy(tree, q)
        if parts.coriolis:
            found["C"] = coriolis_matrix(tree, q, v or at_rest)
        if parts.task:
            frame, direction = parts.task
            mobility = inverse_task_inertia(jacobian(tree, q, frame), Minv)
            found["task_inertia"] = task_inertia(mobility)
            if direction is not None:
                found["effective_mass"] = effective_mass(mobility, direction)
        return found

    def answer(self, found: Quantities, count: int) -> Answer:
        """Matrices a row a line; scalars as one-line matrices in the first column."""
        values = dict(found)
        pivots = values.pop("_pivots", None)
        M = values["M"]
        invalid = {}
        if pivots is not None:
            invalid = singular_states(self.tree, pivots, [M[k][k] for k in range(self.tree.nv)], count)
        if self.parts.spectrum:
            values |= _spectrum(M, count)
        dofs = self.tree.dofs
        matrices = []
        for name, value in values.items():
            if name == "task_inertia":
                matrices.append(Matrix(name, JACOBIAN_ROWS, JACOBIAN_ROWS, value))
            elif name == "eigenvalues":
                matrices.append(Matrix(name, ("",), dofs, [value]))
            elif isinstance(value, list):
                matrices.append(Matrix(name, dofs, dofs, value))
            else:
                matrices.append(Matrix(name, ("",), dofs[:1], [[value]]))
        return Answer(values, matrices=matrices, invalid=invalid)


def _spectrum(M: list[list[Scalar]], count: int) -> Quantities:
    """Eigenvalues of M, ascending, and its condition number (infinite where M is singular)."""
    import numpy as np

    n = len(M)
    batch = np.array([[np.broadcast_to(entry, (count,)) for entry in row] for row in M]).reshape(n, n, count)
    eigenvalues = np.linalg.eigvalsh(np.moveaxis(batch, -1, 0))
    low, high = np.abs(eigenvalues).min(axis=1), np.abs(eigenvalues).max(axis=1)
    rounding = n * 2.0**-52 * high
    condition = np.divide(high, low, out=np.full(count, np.inf), where=low > rounding)
    if not any(hasattr(entry, "shape") for row in M for entry in row):
        return {"eigenvalues": eigenvalues[0].tolist(), "condition": float(condition[0])}
    return {"eigenvalues": list(eigenvalues.T), "condition": condition}
