"""What an adapter of another library answers, in dyn's own coordinates and order.

A peer is made from a `Robot` whose tree counts in the peer's convention; it loads the same robot by the library's own
reader where that reads the file as dyn does, else from dyn's tree. Quantities that a library does not have are None.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from dyncli.robot import Robot
from dyncli.structs import replace
from dyncli.tree import Body, Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Order = NDArray[np.intp]
    Inertias = Mapping[str, tuple[float, Array, Array]]
    """Mass, centre of mass (link frame) and tensor about it (link axes) by link."""

Vector = Sequence[float]

FROM_TREE = "dyn's tree"


class UnavailableError(Exception):
    """A library that is not installed, or cannot hold this robot; the text says why."""


class Peer(ABC):
    """A robot in another library.

    `name`: of the library on the command line; `package`: what to install; `convention`: of its floating and ball
    joints, None if it has none. `derivative_error`: relative error of its derivatives (more than rounding where it
    takes finite differences), `reader_error` that of all it computes, where its reader rounds. `takes_mimic`: whether a
    joint can follow another in it.
    """

    name: ClassVar[str]
    package: ClassVar[str]
    convention: ClassVar[str | None] = None
    joint_types: ClassVar[frozenset[str]] = frozenset({"revolute", "continuous", "prismatic", "fixed"})
    derivative_error: ClassVar[float] = 0.0
    reader_error: ClassVar[float] = 0.0
    takes_mimic: ClassVar[bool] = False

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.tree: Tree = robot.tree
        self.loaded_by = FROM_TREE
        self.notes: list[str] = []

    @classmethod
    @abstractmethod
    def version(cls) -> str:
        """Version of the installed library; ImportError where there is none."""

    @classmethod
    def takes_armature(cls, tree: Tree) -> bool:
        """Whether it can hold the rotor inertia of this robot's joints as dyn does."""
        return False

    @classmethod
    def takes_tendons(cls, robot: Robot) -> bool:
        """Whether it has this robot's tendons and actuators that couple joints."""
        return False

    def mass(self, q: Vector) -> Array | None:
        """M (nv, nv)."""
        return None

    def bias(self, q: Vector, v: Vector) -> Array | None:
        """Coriolis, centrifugal and gravity torque h (nv)."""
        return None

    def torques(self, q: Vector, v: Vector, a: Vector) -> Array | None:
        """tau (nv) that gives the acceleration a."""
        return None

    def accelerations(self, q: Vector, v: Vector, tau: Vector) -> Array | None:
        """The acceleration (nv) that tau causes."""
        return None

    def frames(self, q: Vector) -> Mapping[str, tuple[Array, Array]] | None:
        """Rotation (3, 3) and origin (3) of links in the world, by name."""
        return None

    def torque_derivatives(self, q: Vector, v: Vector, a: Vector) -> Mapping[str, Array] | None:
        """dtau_dq, dtau_dqd and dtau_dqdd (nv, nv), as far as it has them."""
        return None

    def acceleration_derivatives(self, q: Vector, v: Vector, tau: Vector) -> Mapping[str, Array] | None:
        """dqdd_dq, dqdd_dqd and dqdd_dtau (nv, nv), as far as it has them."""
        return None

    def inertias(self) -> Inertias:
        """What the library holds for each link or body, to find what it replaced; empty where it does not tell."""
        return {}


def suited(robot: Robot, peer: type[Peer]) -> tuple[Robot, list[str]]:
    """The robot as a library can hold it (convention, no couplings), and notes on what is left out.

    Raises `UnavailableError` for joint types that the library does not have.
    """
    options = robot.options
    notes = []
    if peer.convention is not None:
        options = replace(options, convention=peer.convention)
    tree = robot.tree
    if tree.has_mimic and not peer.takes_mimic:
        options = replace(options, mimic=False)
        notes.append("mimic: it holds every joint as free, so dyn does too here (--no-mimic)")
    coupled = any(transmission.armature for transmission in tree.transmissions)
    without_rotors = any(tree.armature) and not peer.takes_armature(tree)
    if without_rotors or (coupled and not peer.takes_tendons(robot)):
        options = replace(options, armature=False)
        notes.append("armature: it has none of this kind, so dyn leaves it out here (--no-armature)")
    used = Robot(robot.description, options)
    unknown = sorted({body.joint.type.name for body in used.tree.bodies} - peer.joint_types)
    if unknown:
        raise UnavailableError(f"has no {' or '.join(unknown)} joints")
    return used, notes


def reads_the_file(robot: Robot, format: str) -> bool:
    """Whether the library's reader would see this robot: a file is there, and the options leave its model as it is."""
    options, description = robot.options, robot.description
    changed = options.lock or options.payloads or not options.armature or not options.merge_fixed
    return description.format == format and not changed and Path(description.path).is_file()


def placed(body: Body) -> tuple[Array, Array]:
    """Rotation and origin of a body's frame in its parent body with the joint at zero."""
    import numpy as np

    joint, X = body.joint, body.placement
    if joint.reference:
        X = X.then(joint.type.transform(joint.axis, (-joint.reference,)))
    return np.array(X.rotation, float), np.array(X.translation, float)


def about_center(body: Body) -> tuple[float, Array, Array]:
    """Mass, centre of mass and tensor about it, in the body's frame; the centre of a massless body is its origin."""
    import numpy as np

    mass = body.inertia.mass
    xx, yy, zz, xy, xz, yz = body.inertia.rotational
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float)
    if not mass:
        return 0.0, np.zeros(3), tensor
    c = np.array(body.inertia.moment, float) / mass
    return mass, c, tensor - mass * (c @ c * np.eye(3) - np.outer(c, c))


def spatial_inertia(body: Body) -> Array:
    """6x6 inertia about the body frame's origin, angular first."""
    import numpy as np

    mass, c, tensor = about_center(body)
    skew = np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
    return np.block([[tensor + mass * skew @ skew.T, mass * skew], [mass * skew.T, mass * np.eye(3)]])


def link_frames(tree: Tree) -> Iterator[tuple[str, int, Array, Array]]:
    """Name, body, rotation and origin in the body of each link that moves."""
    import numpy as np

    for frame in tree.frames.values():
        if frame.body >= 0 and frame.kind == "link":
            X = frame.placement
            yield frame.name, frame.body, np.array(X.rotation, float), np.array(X.translation, float)
