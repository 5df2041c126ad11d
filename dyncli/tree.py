"""The kinematic tree that algorithms run on: frozen, parents before children, fixed joints merged.

`dyncli.build.build_tree` makes one from a `RobotDescription` and `ModelOptions`; nothing ever changes it.

Frames. Body i's frame is the frame of its joint after the motion; `placement` is the joint frame in the parent
body's frame (`parent` -1: the world). Links and sites are `Frame`s with a pose in a body. Index sets (slices of q
and v, ancestors, subtrees) are computed once, here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from dyncli.description import KeyframeDescription
from dyncli.joints import JointType
from dyncli.spatial import IDENTITY, Inertia, Motion, Scalar, Transform, Vector3
from dyncli.structs import replace, struct

Attachment = Callable[[int], tuple[int, Transform]]
"""For a body of one tree the body of another that carries its frame, and the pose of the frame there."""


@struct
class Joint:
    """A joint that moves: where its coordinates stand, and what the file says beside the motion.

    `index_q`, `index_v`: first coordinate in q and first degree of freedom in v. A joint that mimics another reads
    the driver's coordinate: position = multiplier q[index_q] + offset.
    `reference`: the coordinate at which the joint frame and the moved frame coincide (0 but for MJCF `ref`).
    `damping`, `stiffness`, `motor_carries_weight`: passive forces, see `description.JointDescription`.
    """

    name: str
    type: JointType
    axis: Vector3
    index_q: int
    index_v: int
    neutral: tuple[float, ...]
    mimics: str | None = None
    multiplier: float = 1.0
    offset: float = 0.0
    reference: float = 0.0
    lower: float | None = None
    upper: float | None = None
    velocity_limit: float | None = None
    effort_limit: float | None = None
    armature: float = 0.0
    damping: tuple[float, ...] = ()
    friction: float = 0.0
    stiffness: tuple[float, ...] = ()
    spring_reference: tuple[float, ...] = ()
    motor_carries_weight: bool = False

    @property
    def nq(self) -> int:
        """Coordinates of its own in q: none if it mimics another joint."""
        return 0 if self.mimics else self.type.nq

    @property
    def nv(self) -> int:
        """Degrees of freedom of its own in v: none if it mimics another joint."""
        return 0 if self.mimics else self.type.nv

    @property
    def dofs(self) -> range:
        """Indices in v of the degrees of freedom that move it (the driver's, if it mimics)."""
        return range(self.index_v, self.index_v + self.type.nv)

    def position(self, q: Sequence[Scalar]) -> Sequence[Scalar]:
        """Coordinates of this joint out of the robot's q, as `type` wants them."""
        if self.type.nq != 1:
            return q[self.index_q : self.index_q + self.type.nq]
        own = self.own_position(q)
        return (own - self.reference if self.reference else own,)

    def own_position(self, q: Sequence[Scalar]) -> Scalar:
        """The one coordinate of a one-dof joint as the file counts it (before `reference`)."""
        own = q[self.index_q]
        if self.multiplier != 1.0:
            own = self.multiplier * own
        return own + self.offset if self.offset else own

    def velocity(self, v: Sequence[Scalar]) -> Sequence[Scalar]:
        """Velocity (or acceleration) of this joint out of the robot's v."""
        own = v[self.index_v : self.index_v + self.type.nv]
        return [self.multiplier * component for component in own] if self.multiplier != 1.0 else own

    def add_force(self, tau: list[Scalar], own: Sequence[Scalar]) -> None:
        """Add this joint's own force to the robot's tau, through the multiplier if it mimics."""
        for k, force in enumerate(own):
            tau[self.index_v + k] = tau[self.index_v + k] + (
                self.multiplier * force if self.multiplier != 1.0 else force
            )


@struct
class Body:
    """A moving body: one joint, and the inertia of its link with all links fixed to it (body frame, kg, kg m, kg m²).

    `link`: name of the link the joint moves; `link_placement`: that link's frame in the body frame.
    `compensated`: mass and first moment weighted by `gravcomp`, None where there is none.
    """

    link: str
    parent: int
    joint: Joint
    placement: Transform
    inertia: Inertia
    link_placement: Transform = IDENTITY
    compensated: Inertia | None = None


@struct
class Frame:
    """A named frame: pose `placement` in body `body` (-1: the world). `kind`: link or site."""

    name: str
    kind: str
    body: int
    placement: Transform


class Anchor(NamedTuple):
    """A point fixed in a body (-1: the world)."""

    body: int
    point: Vector3

    def attached(self, to: Attachment) -> Anchor:
        """The same point in another tree."""
        if self.body < 0:
            return self
        body, pose = to(self.body)
        return Anchor(body, pose.point_to_parent(self.point))


@struct
class Obstacle:
    """A solid that a tendon bends around, see `description.WrapDescription`; its pose in the body is `placement`."""

    body: int
    placement: Transform
    shape: str
    radius: float
    side: Anchor | None = None

    def attached(self, to: Attachment) -> Obstacle:
        """The same solid in another tree."""
        side = None if self.side is None else self.side.attached(to)
        if self.body < 0:
            return replace(self, side=side)
        body, pose = to(self.body)
        return replace(self, body=body, placement=pose.then(self.placement), side=side)


@struct
class Stretch:
    """A stretch of a spatial tendon between two points; it counts 1/divisor in the length (pulleys)."""

    start: Anchor
    end: Anchor
    divisor: float = 1.0
    around: Obstacle | None = None

    @property
    def bodies(self) -> set[int]:
        """The bodies on which its length depends (-1: the world)."""
        found = {self.start.body, self.end.body}
        if self.around is not None:
            found.add(self.around.body)
            if self.around.side is not None:
                found.add(self.around.side.body)
        return found

    def attached(self, to: Attachment) -> Stretch:
        """The same stretch in another tree."""
        around = None if self.around is None else self.around.attached(to)
        return Stretch(self.start.attached(to), self.end.attached(to), self.divisor, around)


@struct
class Transmission:
    """What couples joints beside the tree (a tendon, an actuator on several degrees of freedom).

    `terms`: (index in q, index in v, coefficient) of a length linear in coordinates; `constant`: what locked joints
    add to it. `path`: the stretches of a spatial tendon.
    `armature`: kg (or kg m²), adds armature JᵀJ to M.
    """

    name: str
    kind: str
    terms: tuple[tuple[int, int, float], ...] = ()
    constant: float = 0.0
    path: tuple[Stretch, ...] = ()
    armature: float = 0.0
    damping: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    spring_range: tuple[float, float] = (0.0, 0.0)

    def attached(self, to: Attachment) -> Transmission:
        """The same transmission on the bodies of another tree."""
        return replace(self, path=tuple(stretch.attached(to) for stretch in self.path))


@struct
class Tree:
    """A robot ready for the algorithms; see the module's docstring.

    `coordinates` and `dofs` name the entries of q (nq) and v (nv); `armature` is added to M's diagonal per degree of
    freedom (kg or kg m²); `transmissions` couple several degrees of freedom; `fixed_inertia` is what is welded to the
    world; `locked` holds the coordinates at which joints were welded on request; `movable` names every joint of the
    file that is not fixed, in file order, locked and mimicking ones too, with its type.
    """

    name: str
    format: str
    convention: str
    gravity: Vector3
    bodies: tuple[Body, ...]
    frames: dict[str, Frame]
    coordinates: tuple[str, ...]
    dofs: tuple[str, ...]
    armature: tuple[float, ...]
    fixed_inertia: Inertia
    transmissions: tuple[Transmission, ...] = ()
    keyframes: tuple[KeyframeDescription, ...] = ()
    locked: dict[str, tuple[float, ...]] | None = None
    movable: tuple[tuple[str, JointType], ...] = ()

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of degrees of freedom."""
        return len(self.dofs)

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints with coordinates of their own, in the order of q."""
        return tuple(body.joint for body in self.bodies if body.joint.nq)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Parent body of each body, -1 for the world."""
        return tuple(body.parent for body in self.bodies)

    @cached_property
    def neutral(self) -> tuple[float, ...]:
        """The neutral position: zero, the identity, or the pose the file draws (nq numbers)."""
        return tuple(value for joint in self.joints for value in joint.neutral)

    @cached_property
    def dof_body(self) -> tuple[int, ...]:
        """For each degree of freedom the body whose joint owns it."""
        return tuple(i for i, body in enumerate(self.bodies) for _ in range(body.joint.nv))

    @cached_property
    def has_mimic(self) -> bool:
        """Whether a joint follows another one."""
        return any(body.joint.mimics for body in self.bodies)

    @cached_property
    def couples(self) -> bool:
        """Whether M has more than the tree's bodies and rotors (mimic, armature of tendons): ABA does not hold then."""
        return self.has_mimic or any(transmission.armature for transmission in self.transmissions)

    @cached_property
    def _lineage(self) -> tuple[frozenset[int], ...]:
        """For each body its ancestors, itself included."""
        return tuple(frozenset(self.ancestors(i)) for i in range(len(self.bodies)))

    def on_one_branch(self, k: int, l: int) -> bool:  # noqa: E741
        """Whether of two degrees of freedom one carries the other (or both are of one joint)."""
        first, second = self.dof_body[k], self.dof_body[l]
        return first in self._lineage[second] or second in self._lineage[first]

    def ancestors(self, body: int) -> list[int]:
        """Bodies from `body` (included) up to the one on the world."""
        chain = []
        while body >= 0:
            chain.append(body)
            body = self.bodies[body].parent
        return chain

    def subspace(self, body: int, q: Sequence[Scalar]) -> tuple[Motion, ...]:
        """Columns of body's motion subspace at q, in the body frame."""
        joint = self.bodies[body].joint
        return joint.type.subspace(joint.axis, joint.position(q))

    def joint_transform(self, body: int, q: Sequence[Scalar]) -> Transform:
        """Pose of the body's frame in its parent body's frame at q."""
        this = self.bodies[body]
        return this.placement.then(this.joint.type.transform(this.joint.axis, this.joint.position(q)))
