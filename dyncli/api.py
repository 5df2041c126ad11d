"""The public Python API: NumPy arrays in and out, with broadcasting over states.

    robot = dyncli.load("arm.urdf", root="floating")
    tau = dyncli.rnea(robot, q, qd, qdd)              # q (..., nq), qd and qdd (..., nv) -> (..., nv)

Positions in rad, m and unit quaternions in the robot's convention, velocities in rad/s and m/s, forces in N m and N.
Leading axes are states and broadcast against each other. Arrays of the wrong shape raise StateError.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dyncli.algorithms import coriolis, energy, forward, kinematics
from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.methods import Derivative
from dyncli.algorithms.wrenches import Wrench
from dyncli.build import ModelOptions
from dyncli.engine import Engine, Quantities
from dyncli.errors import NumericsError, StateError, UsageError, nearest
from dyncli.robot import Robot, load_robot
from dyncli.run import engine_of
from dyncli.spatial import Vector3
from dyncli.tasks.base import Task, singular_states
from dyncli.tasks.derivs import DerivsTask
from dyncli.tasks.fd import FdTask
from dyncli.tasks.mass import MassParts, MassTask
from dyncli.tasks.rnea import RneaTask
from dyncli.tree import Frame

Array = NDArray[np.float64]

__all__ = [
    "Robot",
    "Wrench",
    "coriolis_matrix",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_poses",
    "inverse_mass_matrix",
    "jacobian",
    "kinetic_energy",
    "load",
    "mass_matrix",
    "potential_energy",
    "rnea",
    "rnea_derivatives",
    "wrench",
]


def load(
    path: str | PathLike[str],
    *,
    root: str | None = None,
    convention: str = "auto",
    gravity: Vector3 | None = None,
    lock: Mapping[str, float | None] | None = None,
    mimic: bool = True,
    armature: bool = True,
    restrict: str | PathLike[str] | None = None,
) -> Robot:
    """Read a URDF or MJCF file; the root element decides which.

    `root` fixed or floating (URDF), `convention` auto, mujoco or pinocchio, `gravity` m/s² in the world frame, `lock`
    joint name -> value (None: neutral). Raises ModelError with every problem of the file.
    """
    options = ModelOptions(root, convention, gravity, dict(lock or {}), mimic=mimic, armature=armature)
    return load_robot(path, options, restrict=restrict)


def rnea(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    wrenches: Sequence[Wrench] = (),
) -> Array:
    """Joint forces (..., nv) that give the acceleration qdd; `qd`, `qdd` None count as zero. O(nv) a state.

    Source: Featherstone (2008), table 5.1.
    """

    engine = _engine(robot, ("rnea", _keys(wrenches)), lambda: engine_of(RneaTask(robot, wrenches=wrenches)))
    return _on_states(robot, engine, "tau", (robot.nv,), q, qd, qdd)


def mass_matrix(robot: Robot, q: ArrayLike) -> Array:
    """Mass matrix M(q), (..., nv, nv), armature included. O(nv depth). Source: Featherstone (2008), table 6.2."""
    engine = _engine(robot, "mass", lambda: engine_of(MassTask(robot, MassParts())))
    return _on_states(robot, engine, "M", (robot.nv, robot.nv), q)


def inverse_mass_matrix(robot: Robot, q: ArrayLike) -> Array:
    """M(q)⁻¹, (..., nv, nv), through M = LᵀL. Raises NumericsError, naming the joint, where M is singular."""
    n = robot.nv
    task = MassTask(robot, MassParts(inverse=True))

    def rows(of: Task) -> Quantities:
        def compute(q: Any) -> Any:
            found = of.quantities(q, None, None, None)
            return [*found["Minv"], found["_pivots"], [found["M"][k][k] for k in range(n)]]

        return compute

    engine = _engine(robot, "inverse", lambda: Engine(rows(task), lambda: rows(task.for_recording())))
    found = _on_states(robot, engine, None, (n + 2, n), q)
    _require_regular(robot, found[..., n, :], found[..., n + 1, :])
    return found[..., :n, :]


def forward_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    method: str = "aba",
    wrenches: Sequence[Wrench] = (),
) -> Array:
    """Joint accelerations (..., nv) under the joint forces tau (None: zero).

    `method`: aba, crba or sparse (see `algorithms.forward`). Raises NumericsError, naming the joint, where M is
    singular at any of the states.
    """
    if method not in forward.METHODS:
        raise UsageError(f"unknown method {method!r}", hint=f"one of {', '.join(forward.METHODS)}")
    task = FdTask(robot, method=method, wrenches=wrenches)

    def rows(of: Task) -> Quantities:
        def compute(q: Any, v: Any, tau: Any) -> Any:
            found = of.quantities(q, v, None, tau)
            return [found["qdd"], found["_pivots"], found["_diagonal"]]

        return compute

    key = ("fd", method, _keys(wrenches))
    engine = _engine(robot, key, lambda: Engine(rows(task), lambda: rows(task.for_recording())))
    found = _on_states(robot, engine, None, (3, robot.nv), q, qd, tau)
    _require_regular(robot, found[..., 1, :], found[..., 2, :])
    return found[..., 0, :]


class InverseDerivatives(NamedTuple):
    """d tau / d(q, qd, qdd), each (..., nv, nv): entry [i, j] is of tau_i by degree of freedom j."""

    dq: Array
    dqd: Array
    dqdd: Array


class ForwardDerivatives(NamedTuple):
    """d qdd / d(q, qd, tau), each (..., nv, nv): entry [i, j] is of qdd_i by degree of freedom j."""

    dq: Array
    dqd: Array
    dtau: Array


def rnea_derivatives(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    wrenches: Sequence[Wrench] = (),
    passive: bool = False,
) -> InverseDerivatives:
    """Derivatives of `rnea` in the tangent space of q (nv columns), in closed form. O(nv depth) a state.

    `passive`: of dampers, springs and gravity compensation too. Source: docs/theory/derivatives.md.
    """
    n = robot.nv
    found = _derivatives(robot, "rnea", 3 * n, wrenches, passive, q, qd, qdd)
    return InverseDerivatives(*(found[..., k * n : (k + 1) * n, :] for k in range(3)))


def forward_dynamics_derivatives(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    wrenches: Sequence[Wrench] = (),
    passive: bool = False,
) -> ForwardDerivatives:
    """Derivatives of `forward_dynamics` in the tangent space of q (nv columns), in closed form. O(nv² depth) a state.

    Raises NumericsError, naming the joint, where M is singular at any of the states.
    """
    n = robot.nv
    found = _derivatives(robot, "fd", 3 * n + 2, wrenches, passive, q, qd, tau)
    _require_regular(robot, found[..., -2, :], found[..., -1, :])
    return ForwardDerivatives(*(found[..., k * n : (k + 1) * n, :] for k in range(3)))


def _derivatives(
    robot: Robot, of: str, rows: int, wrenches: Sequence[Wrench], passive: bool, q: ArrayLike, *others: ArrayLike | None
) -> Array:
    """The matrices of `derivs` one below the other, for `fd` with the rows that say where M is singular."""

    def stacked(task: DerivsTask) -> Quantities:
        def compute(q: Any, v: Any, third: Any) -> Any:
            found = task.quantities(q, v, third, third)
            matrices = [row for name, matrix in found.items() if not name.startswith("_") for row in matrix]
            return [*matrices, found["_pivots"], found["_diagonal"]] if of == "fd" else matrices

        return compute

    def build() -> Engine:
        task = DerivsTask(robot, Derivative(Dynamics(robot.tree, tuple(wrenches), passive), of))
        return Engine(stacked(task), lambda: stacked(task.for_recording()))

    engine = _engine(robot, ("derivatives", of, passive, _keys(wrenches)), build)
    return _on_states(robot, engine, None, (rows, robot.nv), q, *others)


def _require_regular(robot: Robot, pivots: Array, diagonal: Array) -> None:
    """Raise NumericsError for the first state with a singular mass matrix; both arguments are (..., nv)."""
    by_dof = [array.reshape(-1, robot.nv).T for array in (pivots, diagonal)]
    singular = singular_states(robot.tree, list(by_dof[0]), list(by_dof[1]), by_dof[0].shape[1])
    if singular:
        state = min(singular)
        raise NumericsError(f"state {state}: {singular[state]}")


def frame_poses(robot: Robot, q: ArrayLike, frames: Sequence[str] | None = None) -> dict[str, tuple[Array, Array]]:
    """Position (..., 3) in m and rotation matrix (..., 3, 3) of links and sites in the world (default: all)."""
    chosen = [_frame(robot, name) for name in (robot.tree.frames if frames is None else frames)]

    def compute(q: Any) -> Any:
        poses = kinematics.body_poses(robot.tree, q)
        found = [kinematics.frame_pose(frame, poses) for frame in chosen]
        return [[pose.translation, *pose.rotation] for pose in found]

    engine = _engine(robot, ("poses", tuple(frame.name for frame in chosen)), lambda: Engine(compute))
    stacked = _on_states(robot, engine, None, (len(chosen), 4, 3), q)
    return {frame.name: (stacked[..., k, 0, :], stacked[..., k, 1:, :]) for k, frame in enumerate(chosen)}


def jacobian(robot: Robot, q: ArrayLike, frame: str) -> Array:
    """Geometric Jacobian (..., 6, nv) of a frame: rows linear then angular, world axes, at its origin."""
    found = _frame(robot, frame)
    engine = _engine(robot, ("jacobian", frame), lambda: Engine(lambda q: kinematics.jacobian(robot.tree, q, found)))
    return _on_states(robot, engine, None, (6, robot.nv), q)


def coriolis_matrix(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """C(q, qd), (..., nv, nv), with C qd the Coriolis force and dM/dt - 2C skew. See `algorithms.coriolis`."""
    engine = _engine(robot, "coriolis", lambda: Engine(partial(coriolis.coriolis_matrix, robot.tree)))
    return _on_states(robot, engine, None, (robot.nv, robot.nv), q, qd)


def kinetic_energy(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """Kinetic energy (...), J, rotors included."""
    engine = _engine(robot, "kinetic", lambda: Engine(partial(energy.kinetic_energy, robot.tree)))
    return _on_states(robot, engine, None, (), q, qd)


def potential_energy(robot: Robot, q: ArrayLike) -> Array:
    """Potential energy of gravity (...), J, zero at the world's origin."""
    engine = _engine(robot, "potential", lambda: Engine(partial(energy.potential_energy, robot.tree)))
    return _on_states(robot, engine, None, (), q)


def wrench(robot: Robot, frame: str, force: Vector3, moment: Vector3 = (0.0, 0.0, 0.0), *, axes: str) -> Wrench:
    """A force (N) and moment (N m) on the robot at a frame's origin; `axes` must be said: world or local."""
    if axes not in ("world", "local"):
        raise UsageError(f"axes {axes!r}", hint="world or local")
    return Wrench(_frame(robot, frame), axes == "world", force, moment)


def _frame(robot: Robot, name: str) -> Frame:
    if name not in robot.tree.frames:
        raise UsageError(f"no link, body or site named {name!r}", hint=nearest(name, robot.tree.frames))
    return robot.tree.frames[name]


MOST_ENGINES = 32
"""Recorded recursions that a robot keeps; the oldest goes first."""


def _engine(robot: Robot, key: Hashable, make: Callable[[], Engine]) -> Engine:
    """The robot's engine of this name, so that many small calls share one program."""
    if key not in robot.engines:
        if len(robot.engines) >= MOST_ENGINES:
            robot.engines.pop(next(iter(robot.engines)))
        robot.engines[key] = make()
    return robot.engines[key]


def _keys(wrenches: Sequence[Wrench]) -> Hashable:
    return tuple((w.frame.name, w.world_axes, tuple(w.force), tuple(w.moment)) for w in wrenches)


def _on_states(
    robot: Robot, engine: Engine, name: str | None, shape: tuple[int, ...], q: ArrayLike, *others: ArrayLike | None
) -> Array:
    """Run a recursion on arrays of states: batch axes flattened and put last, the result's put first again.

    `name`: which of its named results, None for a recursion with one.
    """
    names = ("q", "second argument", "third argument")
    sizes = (robot.nq, robot.nv, robot.nv)
    arrays = [
        None if given is None else _states_array(given, size, name)
        for given, size, name in zip((q, *others), sizes, names, strict=False)
    ]
    batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays if array is not None))
    count = int(np.prod(batch, dtype=int))
    leaves = [
        None
        if array is None
        else list(np.ascontiguousarray(np.broadcast_to(array, (*batch, array.shape[-1])).reshape(count, -1).T))
        for array in arrays
    ]
    blocks = leaves if name is None else [*leaves, *(None,) * (4 - len(leaves))]
    with np.errstate(all="ignore"):
        found = engine(count, *blocks, threads=os.cpu_count() or 1)
    if name is not None:
        found = found[name]
    out = np.empty((count, *shape))
    _fill(out, found, shape)
    return out.reshape((*batch, *shape))


def _fill(out: Array, nested: Any, shape: tuple[int, ...]) -> None:
    """Write nested lists of leaves into (count, *shape)."""
    if not shape:
        out[...] = nested
        return
    for k, inner in enumerate(nested):
        _fill(out[:, k], inner, shape[1:])


def _states_array(given: ArrayLike, size: int, name: str) -> Array:
    array = np.asarray(given, dtype=float)
    if array.ndim == 0 or array.shape[-1] != size:
        raise StateError(f"{name} has shape {array.shape}, expected (..., {size})")
    return array
