"""Agreement with another library: quantity by quantity at random states, and why where there is none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.methods import Derivative
from dyncli.algorithms.factor import coupled_dofs
from dyncli.algorithms.forward import forward_dynamics
from dyncli.algorithms.kinematics import body_poses, frame_pose
from dyncli.algorithms.rnea import rnea
from dyncli.errors import MissingExtraError
from dyncli.robot import Robot
from dyncli.structs import field, struct
from dyncli.verify.attribution import reasons
from dyncli.verify.peers import PEERS, peer_class
from dyncli.verify.peers.base import Peer, UnavailableError, suited
from dyncli.verify.subject import Sample, Subject, greatest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MASS, TORQUE, ACCELERATION, POSE = 4e-14, 4e-14, 1e-12, 1e-13
"""Relative bounds on the reference arm (see `Subject.bound`) of M, forces, accelerations and poses."""
DERIVATIVE, FORWARD_DERIVATIVE = 2e-13, 2e-11
ZEROS = "zeros of M"
ZERO = 1e-13
"""Share of the greatest entry of M below which another library's entry counts as a zero."""


@struct
class Agreement:
    """What a library says of a robot beside dyn: errors relative to the greatest entry, by quantity, and their bounds.

    `why`: what explains a quantity beyond its bound, or what was left out; `unavailable`: why there are no numbers.
    """

    name: str
    version: str = ""
    loaded_by: str = ""
    errors: Mapping[str, float] = field(default_factory=dict)
    tolerances: Mapping[str, float] = field(default_factory=dict)
    why: tuple[str, ...] = ()
    explained: bool = False
    unavailable: str = ""

    @property
    def beyond(self) -> list[str]:
        """Quantities that do not agree."""
        return [name for name, error in self.errors.items() if not error <= self.tolerances[name]]

    @property
    def passed(self) -> bool:
        """Whether all agree, or what does not is explained by a difference of the models."""
        return not self.beyond or self.explained


def agree(robot: Robot, name: str, *, samples: int, seed: int, required: bool = False) -> Agreement:
    """Compare a robot with a library. `required`: raise MissingExtraError where it is not installed."""
    peer_type = peer_class(name)
    try:
        version = peer_type.version()
    except ImportError as error:
        if required:
            raise MissingExtraError(peer_type.package, "", f"--against {name}") from error
        return Agreement(name, unavailable="is not installed")
    try:
        used, notes = suited(robot, peer_type)
        if not used.tree.nv:
            raise UnavailableError("has nothing to compare: no joint moves")
        peer = peer_type(used)
        subject = Subject.at_random(used.tree, samples, seed)
        found = _measure(peer, subject)
    except UnavailableError as error:
        return Agreement(name, version, unavailable=str(error))
    except Exception as error:  # foreign code: it may raise anything on a robot it does not expect
        what = " ".join(str(error).split())
        return Agreement(name, version, unavailable=f"fails on this robot: {type(error).__name__}: {what}")
    errors = {quantity: error for quantity, (error, _) in found.items()}
    tolerances = {quantity: bound for quantity, (_, bound) in found.items()}
    agreement = Agreement(name, version, peer.loaded_by, errors, tolerances, (*notes, *peer.notes))
    if not agreement.beyond:
        return agreement
    explanations, explained = reasons(peer, subject, agreement.beyond, lambda other: _measure(peer, other))
    why = (*agreement.why, *explanations)
    return Agreement(name, version, peer.loaded_by, errors, tolerances, why, explained)


def _measure(peer: Peer, subject: Subject) -> dict[str, tuple[float, float]]:
    """The greatest error of each quantity the library has, and its bound."""
    worst: dict[str, tuple[float, float]] = {}
    for index, sample in enumerate(subject.samples):
        for name, error, bound in _quantities(peer, subject, index, sample):
            known = worst.get(name, (0.0, bound))[0]
            least = 0.0 if name == ZEROS else peer.reader_error
            worst[name] = (greatest((known, error)), max(bound, least))
    return worst


def _quantities(peer: Peer, subject: Subject, index: int, sample: Sample) -> Iterator[tuple[str, float, float]]:
    tree, (q, v, a, tau) = subject.tree, (sample.q, sample.v, sample.a, sample.tau)
    scale = greatest((*rnea(tree, q), *rnea(tree, q, v, gravity=False), *rnea(tree, q, a=a, gravity=False)))
    M = peer.mass(q)
    if M is not None:
        yield "M", _apart(M, subject.masses[index]), subject.bound(MASS)
        yield ZEROS, float(_stray(M, subject)), 0.0
    bias = peer.bias(q, v)
    if bias is not None:
        yield "bias", _apart(bias, rnea(tree, q, v), scale), subject.bound(TORQUE)
    torques = peer.torques(q, v, a)
    if torques is not None:
        yield "tau", _apart(torques, rnea(tree, q, v, a), scale), subject.bound(TORQUE)
    if subject.is_regular:
        qdd = peer.accelerations(q, v, tau)
        if qdd is not None:
            ours = forward_dynamics(tree, q, v, tau)[0]
            yield "qdd", _apart(qdd, ours), subject.bound(ACCELERATION, solved=True)
    frames = peer.frames(q)
    if frames:
        yield "fk", _frames_apart(frames, subject, sample), POSE
    yield from _derivatives(peer, subject, sample)


def _derivatives(peer: Peer, subject: Subject, sample: Sample) -> Iterator[tuple[str, float, float]]:
    q, v = sample.q, sample.v
    by_force = peer.torque_derivatives(q, v, sample.a)
    by_acceleration = peer.acceleration_derivatives(q, v, sample.tau) if subject.is_regular else None
    for of, x, found in (("rnea", sample.a, by_force), ("fd", sample.tau, by_acceleration)):
        if not found:
            continue
        ours = Derivative(Dynamics(subject.tree), of).blocks(q, v, x)
        bound = subject.bound(DERIVATIVE) if of == "rnea" else subject.bound(FORWARD_DERIVATIVE, solved=True)
        for name, block in found.items():
            yield name.replace("_", "/"), _apart(block, ours[name]), max(bound, peer.derivative_error)


def _apart(theirs: Any, ours: Any, scale: float | None = None) -> float:
    """Greatest difference over `scale`, or over the greatest entry of ours."""
    import numpy as np

    expected = np.asarray(ours, float)
    size = (float(np.abs(expected).max()) if expected.size else 0.0) if scale is None else scale
    error = float(np.abs(np.asarray(theirs, float) - expected).max()) if expected.size else 0.0
    return error / size if size else error


def _stray(M: Array, subject: Subject) -> int:
    """Entries of another library's M that are not zero where dyn's tree says they are."""
    predicted = coupled_dofs(subject.tree)
    bound = ZERO * float(abs(M).max()) if M.size else 0.0
    return sum(
        abs(M[k, i]) > bound or abs(M[i, k]) > bound
        for k, row in enumerate(predicted)
        for i in set(range(k)) - set(row)
    )


def _frames_apart(frames: Mapping[str, tuple[Array, Array]], subject: Subject, sample: Sample) -> float:
    """Greatest difference of rotations, and of origins over the greatest distance of one (at least 1 m)."""
    import numpy as np

    poses = body_poses(subject.tree, sample.q)
    errors = []
    for name, (rotation, origin) in frames.items():
        pose = frame_pose(subject.tree.frames[name], poses)
        size = max(1.0, math.hypot(*pose.translation))
        errors.append(float(np.abs(rotation - np.array(pose.rotation)).max()))
        errors.append(float(np.abs(origin - np.array(pose.translation)).max()) / size)
    return greatest(errors)


def agreements(robot: Robot, names: list[str] | None, *, samples: int, seed: int) -> list[Agreement]:
    """With the libraries that are named, or with all (those that are not installed say so)."""
    required = names is not None
    chosen = list(PEERS) if names is None else names
    return [agree(robot, name, samples=samples, seed=seed, required=required) for name in chosen]
