"""The algorithms that are counted, as plain functions from a state to a flat list of numbers.

Each is the recursion that the commands run; scalars decide whether it is run, counted or recorded. Inverse dynamics
is in its three-dimensional form: what the 6x6 form comes to once its zero blocks are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from dyncli.algorithms.aba import aba
from dyncli.algorithms.crba import crba, mass_by_rnea
from dyncli.algorithms.derivatives.accelerations import forward_derivatives
from dyncli.algorithms.derivatives.analytic import rnea_derivatives
from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.seeds import moving, tangents
from dyncli.algorithms.factor import Matrix
from dyncli.algorithms.forward import forward_dynamics, mass_inverse
from dyncli.algorithms.kinematics import body_poses, frame_pose, jacobian
from dyncli.algorithms.newton_euler import newton_euler
from dyncli.scalars.dual import level_of
from dyncli.spatial import Scalar
from dyncli.tree import Frame, Tree

POSE = 12
"""Numbers of a pose: position, then the rows of the rotation matrix."""


class State(NamedTuple):
    """q (nq) and v, a, tau (nv); a routine reads those of its `needs`."""

    q: Sequence[Scalar]
    v: Sequence[Scalar] = ()
    a: Sequence[Scalar] = ()
    tau: Sequence[Scalar] = ()


class Output(NamedTuple):
    """A vector (one row) or matrix that a routine gives."""

    name: str
    rows: int
    columns: int


class Routine(NamedTuple):
    """`run`: tree and state -> the outputs in a row, matrices row by row.

    `outputs`: their names and numbers of rows and columns. `free_joints`: whether it holds only where nothing couples
    branches (`tree.couples` false).
    """

    run: Callable[[Tree, State], list[Scalar]]
    needs: tuple[str, ...]
    outputs: Callable[[Tree], tuple[Output, ...]]
    free_joints: bool = False


def flat(matrix: Matrix) -> list[Scalar]:
    """Entries row by row."""
    return [entry for row in matrix for entry in row]


def tip(tree: Tree) -> Frame:
    """The frame with the most moving joints between it and the world; of equals the first."""

    def joints_below(frame: Frame) -> int:
        return sum(tree.bodies[i].joint.type.nv > 0 for i in tree.ancestors(frame.body))

    return max(tree.frames.values(), key=joints_below)


def _rnea_by_tangents(tree: Tree, state: State) -> list[Scalar]:
    """d tau/dq and d tau/dv by dual numbers that move with each degree of freedom; the values are computed once."""
    q, v = moving(tree, state.q, state.v, range(tree.nv))
    level = max(map(level_of, (*q, *v)), default=0)
    rows = tangents(newton_euler(tree, q, v, state.a), level, 2 * tree.nv)
    return [*(entry for row in rows for entry in row[: tree.nv]), *(entry for row in rows for entry in row[tree.nv :])]


def _rnea_derivatives(tree: Tree, state: State) -> list[Scalar]:
    found = rnea_derivatives(tree, state.q, state.v, state.a)
    return [*flat(found.dq), *flat(found.dv)]


def _forward_derivatives(tree: Tree, state: State) -> list[Scalar]:
    found = forward_derivatives(Dynamics(tree), state.q, state.v, state.tau)
    return [*flat(found.dq), *flat(found.dv), *flat(found.dtau)]


def _inverse_by_aba(tree: Tree, state: State) -> list[Scalar]:
    """M⁻¹ row by row (it is symmetric): the acceleration that one unit force causes at rest, gravity aside."""
    units = [[1.0 if i == k else 0.0 for i in range(tree.nv)] for k in range(tree.nv)]
    return [entry for unit in units for entry in aba(tree, state.q, None, unit, gravity=False)[0]]


def _accelerations(method: str, tree: Tree, state: State) -> list[Scalar]:
    return forward_dynamics(tree, state.q, state.v, state.tau, method=method)[0]


def _poses(tree: Tree, state: State) -> list[Scalar]:
    poses = body_poses(tree, state.q)
    numbers: list[Scalar] = []
    for frame in tree.frames.values():
        pose = frame_pose(frame, poses)
        numbers += [*pose.translation, *(entry for row in pose.rotation for entry in row)]
    return numbers


def _vector(name: str) -> Callable[[Tree], tuple[Output, ...]]:
    """One number a degree of freedom."""
    return lambda tree: (Output(name, 1, tree.nv),)


def _matrices(*names: str) -> Callable[[Tree], tuple[Output, ...]]:
    """Matrices of nv x nv."""
    return lambda tree: tuple(Output(name, tree.nv, tree.nv) for name in names)


_TAU_BY_STATE = _matrices("dtau_dq", "dtau_dqd")

ROUTINES: dict[str, Routine] = {
    "rnea": Routine(lambda tree, s: newton_euler(tree, s.q, s.v, s.a), ("q", "v", "a"), _vector("tau")),
    "crba": Routine(lambda tree, s: flat(crba(tree, s.q)), ("q",), _matrices("M")),
    "aba": Routine(lambda tree, s: aba(tree, s.q, s.v, s.tau)[0], ("q", "v", "tau"), _vector("qdd"), free_joints=True),
    "fd-crba": Routine(partial(_accelerations, "crba"), ("q", "v", "tau"), _vector("qdd")),
    "fd-sparse": Routine(partial(_accelerations, "sparse"), ("q", "v", "tau"), _vector("qdd")),
    "minv": Routine(lambda tree, s: flat(mass_inverse(tree, crba(tree, s.q))), ("q",), _matrices("Minv")),
    "minv-aba": Routine(_inverse_by_aba, ("q",), _matrices("Minv"), free_joints=True),
    "mass-rnea": Routine(lambda tree, s: flat(mass_by_rnea(tree, s.q)), ("q",), _matrices("M")),
    "rnea-derivs": Routine(_rnea_by_tangents, ("q", "v", "a"), _TAU_BY_STATE),
    "rnea-derivs-fast": Routine(_rnea_derivatives, ("q", "v", "a"), _TAU_BY_STATE),
    "fd-derivs": Routine(_forward_derivatives, ("q", "v", "tau"), _matrices("dqdd_dq", "dqdd_dqd", "dqdd_dtau")),
    "fk": Routine(_poses, ("q",), lambda tree: (Output("frames", len(tree.frames), POSE),)),
    "jacobian": Routine(
        lambda tree, s: flat(jacobian(tree, s.q, tip(tree))), ("q",), lambda tree: (Output("J", 6, tree.nv),)
    ),
}
