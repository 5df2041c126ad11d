"""The public Python API: NumPy arrays in and out, with broadcasting over states.

    robot = dyncli.load("arm.urdf", root="floating")
    tau = dyncli.rnea(robot, q, qd, qdd)              # q (..., nq), qd and qdd (..., nv) -> (..., nv)

Positions in rad, m and unit quaternions in the robot's convention, velocities in rad/s and m/s, forces in N m and N.
Leading axes are states and broadcast against each other. Arrays of the wrong shape raise StateError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dyncli.algorithms import coriolis, crba, energy, factor, forward, kinematics
from dyncli.algorithms import rnea as newton_euler
from dyncli.algorithms.wrenches import Wrench
from dyncli.build import ModelOptions
from dyncli.errors import NumericsError, StateError, UsageError, nearest
from dyncli.robot import Robot, load_robot
from dyncli.spatial import Vector3
from dyncli.tasks.base import singular_states
from dyncli.tree import Frame, Tree

Array = NDArray[np.float64]

__all__ = [
    "Robot",
    "Wrench",
    "coriolis_matrix",
    "forward_dynamics",
    "frame_poses",
    "inverse_mass_matrix",
    "jacobian",
    "kinetic_energy",
    "load",
    "mass_matrix",
    "potential_energy",
    "rnea",
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

    def compute(tree: Tree, q: Any, v: Any, a: Any) -> Any:
        return newton_euler.rnea(tree, q, v, a, wrenches=wrenches)

    return _on_states(robot, compute, (robot.nv,), q, qd, qdd)


def mass_matrix(robot: Robot, q: ArrayLike) -> Array:
    """Mass matrix M(q), (..., nv, nv), armature included. O(nv depth). Source: Featherstone (2008), table 6.2."""
    return _on_states(robot, crba.crba, (robot.nv, robot.nv), q)


def inverse_mass_matrix(robot: Robot, q: ArrayLike) -> Array:
    """M(q)⁻¹, (..., nv, nv), through M = LᵀL. Raises NumericsError, naming the joint, where M is singular."""
    n = robot.nv

    def compute(tree: Tree, q: Any) -> Any:
        M = crba.crba(tree, q)
        found = factor.sparse_factor(M, factor.factor_structure(tree))
        return [*found.inverse(), found.pivots, [M[k][k] for k in range(n)]]

    with np.errstate(all="ignore"):
        found = _on_states(robot, compute, (n + 2, n), q)
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
    n = robot.nv

    def compute(tree: Tree, q: Any, v: Any, tau: Any) -> Any:
        qdd, pivots = forward.forward_dynamics(
            tree, q, v, [0.0] * n if tau is None else tau, method=method, wrenches=wrenches
        )
        return [qdd, pivots, crba.mass_diagonal(tree, q)]

    with np.errstate(all="ignore"):
        found = _on_states(robot, compute, (3, n), q, qd, tau)
    _require_regular(robot, found[..., 1, :], found[..., 2, :])
    return found[..., 0, :]


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

    def compute(tree: Tree, q: Any) -> Any:
        poses = kinematics.body_poses(tree, q)
        found = [kinematics.frame_pose(frame, poses) for frame in chosen]
        return [[pose.translation, *pose.rotation] for pose in found]

    stacked = _on_states(robot, compute, (len(chosen), 4, 3), q)
    return {frame.name: (stacked[..., k, 0, :], stacked[..., k, 1:, :]) for k, frame in enumerate(chosen)}


def jacobian(robot: Robot, q: ArrayLike, frame: str) -> Array:
    """Geometric Jacobian (..., 6, nv) of a frame: rows linear then angular, world axes, at its origin."""
    found = _frame(robot, frame)

    def compute(tree: Tree, q: Any) -> Any:
        return kinematics.jacobian(tree, q, found)

    return _on_states(robot, compute, (6, robot.nv), q)


def coriolis_matrix(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """C(q, qd), (..., nv, nv), with C qd the Coriolis force and dM/dt - 2C skew. See `algorithms.coriolis`."""
    return _on_states(robot, coriolis.coriolis_matrix, (robot.nv, robot.nv), q, qd)


def kinetic_energy(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """Kinetic energy (...), J, rotors included."""
    return _on_states(robot, energy.kinetic_energy, (), q, qd)


def potential_energy(robot: Robot, q: ArrayLike) -> Array:
    """Potential energy of gravity (...), J, zero at the world's origin."""
    return _on_states(robot, energy.potential_energy, (), q)


def wrench(robot: Robot, frame: str, force: Vector3, moment: Vector3 = (0.0, 0.0, 0.0), *, axes: str) -> Wrench:
    """A force (N) and moment (N m) on the robot at a frame's origin; `axes` must be said: world or local."""
    if axes not in ("world", "local"):
        raise UsageError(f"axes {axes!r}", hint="world or local")
    return Wrench(_frame(robot, frame), axes == "world", force, moment)


def _frame(robot: Robot, name: str) -> Frame:
    if name not in robot.tree.frames:
        raise UsageError(f"no link, body or site named {name!r}", hint=nearest(name, robot.tree.frames))
    return robot.tree.frames[name]


def _on_states(
    robot: Robot, compute: Callable[..., Any], shape: tuple[int, ...], q: ArrayLike, *others: ArrayLike | None
) -> Array:
    """Run a recursion on arrays of states: batch axes flattened and put last, the result's put first again."""
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
    found = compute(robot.tree, *leaves)
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
