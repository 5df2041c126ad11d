"""Description + options -> Tree: order, merging of fixed joints, locks, payloads, mimic, conventions, names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise

from dyncli.description import (
    JointDescription,
    LinkDescription,
    RobotDescription,
    TransmissionDescription,
    WrapDescription,
)
from dyncli.errors import UsageError, nearest
from dyncli.joints import CONVENTIONS, JointType, coordinates_from_quaternion_first, joint_type
from dyncli.spatial import (
    IDENTITY,
    ZERO3,
    ZERO_INERTIA,
    Inertia,
    Symmetric3,
    Transform,
    Vector3,
    inertia_about_center,
    rotate_symmetric,
)
from dyncli.structs import field, replace, struct
from dyncli.tree import Anchor, Body, Frame, Joint, Obstacle, Stretch, Transmission, Tree

WORLD = -1


@struct
class Payload:
    """A mass (kg) rigidly added to a link: centre of mass in the link frame (m), tensor about it (kg m²)."""

    link: str
    mass: float
    center: Vector3 = ZERO3
    tensor: Symmetric3 = (0.0,) * 6


@struct
class ModelOptions:
    """What shapes the model beside its file; the same for every command (CLI.md, "Options that shape the model").

    `lock`: joint name -> value, None for the neutral position; with `lock_degrees` angles are in degrees.
    `merge_fixed` False keeps fixed joints as joints of no
    degree of freedom, so that their reactions can be computed.
    """

    root: str | None = None
    convention: str = "auto"
    gravity: Vector3 | None = None
    lock: Mapping[str, float | None] = field(default_factory=dict)
    lock_degrees: bool = False
    payloads: tuple[Payload, ...] = ()
    mimic: bool = True
    armature: bool = True
    merge_fixed: bool = True


def build_tree(description: RobotDescription, options: ModelOptions | None = None) -> Tree:
    """The tree of a described robot.

    Raises UsageError for an option that names nothing in the model or does not apply to its format. O(number of links).
    """
    return _Builder(description, options or ModelOptions()).build()


def unique_name(wanted: str, taken: Iterable[str]) -> str:
    """`wanted`, or with #2, #3... behind it where that is taken."""
    taken = set(taken)
    name, k = wanted, 2
    while name in taken:
        name, k = f"{wanted}#{k}", k + 1
    return name


def link_inertia(link: LinkDescription) -> Inertia:
    """Inertia of one link about its own origin in its own axes."""
    if link.inertial is None:
        return ZERO_INERTIA
    rotation, center = link.inertial.placement
    return inertia_about_center(link.inertial.mass, center, rotate_symmetric(rotation, link.inertial.tensor))


def root_joint(description: RobotDescription, options: ModelOptions) -> JointDescription:
    """The joint between the world and the root link: floating, or the weld that `--root fixed` means."""
    name = unique_name("root", (joint.name for joint in description.joints))
    kind = "floating" if options.root == "floating" else "fixed"
    return JointDescription(name, kind, "", description.links[0].name)


def _compensated(inertia: Inertia, share: float) -> Inertia:
    x, y, z = inertia.moment
    return Inertia(share * inertia.mass, (share * x, share * y, share * z), (0.0,) * 6)


@struct(frozen=False)
class _Growing:
    """A body while links are still being merged into it."""

    link: str
    parent: int
    joint: Joint
    placement: Transform
    link_placement: Transform
    inertia: Inertia = ZERO_INERTIA
    compensated: Inertia | None = None


class _Builder:
    """Walks the description depth first, children in the order in which the file names their joints."""

    def __init__(self, description: RobotDescription, options: ModelOptions) -> None:
        self.description = description
        self.options = options
        self.convention = self._convention()
        self.links = {link.name: link for link in description.links}
        self.joints = {joint.name: joint for joint in description.joints}
        self.root = self._root()
        self.types = {name: joint_type(joint.type, self.convention) for name, joint in self.joints.items()}
        self.payloads = self._payloads()
        self.locked = self._locked()
        self.bodies: list[_Growing] = []
        self.frames: dict[str, Frame] = {}
        self.coordinates: list[str] = []
        self.dofs: list[str] = []
        self.fixed_inertia = ZERO_INERTIA
        self.owner: dict[str, Joint] = {}

    # options ------------------------------------------------------------------------------------------------

    def _convention(self) -> str:
        wanted = self.options.convention
        if wanted == "auto":
            return "pinocchio" if self.description.format == "urdf" else "mujoco"
        if wanted not in CONVENTIONS:
            raise UsageError(f"unknown convention {wanted!r}", hint=f"one of auto, {', '.join(CONVENTIONS)}")
        return wanted

    def _root(self) -> JointDescription | None:
        """The weld or floating joint of a URDF's root link; an MJCF says itself what floats."""
        if self.description.format != "urdf":
            if self.options.root is not None:
                raise UsageError(
                    "--root is for URDF: an MJCF says itself, with a freejoint, whether its root floats",
                    hint="leave the option out",
                )
            return None
        if self.options.root not in (None, "fixed", "floating"):
            raise UsageError(f"unknown root {self.options.root!r}", hint="fixed or floating")
        joint = root_joint(self.description, self.options)
        self.joints[joint.name] = joint
        return joint

    def _payloads(self) -> dict[str, list[Payload]]:
        by_link: dict[str, list[Payload]] = {}
        names = [link.name for link in self.description.links if not link.virtual]
        for payload in self.options.payloads:
            if payload.link not in names:
                raise UsageError(f"--payload: no link named {payload.link!r}", hint=nearest(payload.link, names))
            if not payload.mass >= 0.0:
                raise UsageError(f"--payload: the mass on {payload.link!r} is {payload.mass}, expected 0 kg or more")
            by_link.setdefault(payload.link, []).append(payload)
        return by_link

    def _locked(self) -> dict[str, tuple[float, ...]]:
        """Coordinates at which each locked joint is welded, followers of locked joints included."""
        movable = [name for name, kind in self.types.items() if kind.nq]
        locked: dict[str, tuple[float, ...]] = {}
        for name, value in self.options.lock.items():
            if name not in movable:
                what = "is fixed already" if name in self.joints else "does not exist"
                raise UsageError(f"--lock: joint {name!r} {what}", hint=nearest(name, movable))
            kind = self.types[name]
            if value is not None and kind.nq != 1:
                raise UsageError(
                    f"--lock: joint {name!r} ({kind.name}) has {kind.nq} coordinates and takes no single value",
                    hint=f"--lock {name} welds it at its neutral position",
                )
            if value is not None and self.options.lock_degrees and kind.coordinate_units == ("rad",):
                value = math.radians(value)
            locked[name] = self._neutral(self.joints[name], kind) if value is None else (value,)
        if self.options.mimic:
            for name in self.joints:
                if name not in locked and (follows := self._driver(name, locked)) and follows[0] in locked:
                    driver, multiplier, offset = follows
                    locked[name] = (multiplier * locked[driver][0] + offset,)
        return locked

    def _driver(self, name: str, locked: Mapping[str, object]) -> tuple[str, float, float] | None:
        """The joint that `name` follows at the end of its chain of mimics, with multiplier and offset."""
        multiplier, offset = 1.0, 0.0
        seen = {name}
        driver = name
        while (mimic := self.joints[driver].mimic) is not None and driver not in locked:
            driver = mimic.joint
            if driver in seen or driver not in self.joints:
                return None
            seen.add(driver)
            multiplier, offset = multiplier * mimic.multiplier, multiplier * mimic.offset + offset
        return None if driver == name else (driver, multiplier, offset)

    @staticmethod
    def _neutral(joint: JointDescription, kind: JointType) -> tuple[float, ...]:
        if joint.neutral is not None:
            return tuple(coordinates_from_quaternion_first(kind, joint.neutral))
        return (joint.reference,) if kind.nq == 1 else kind.neutral()

    # the walk -----------------------------------------------------------------------------------------------

    def build(self) -> Tree:
        children: dict[str, list[JointDescription]] = {}
        for joint in self.description.joints:
            children.setdefault(joint.parent, []).append(joint)
        root = self.description.links[0]
        if self.root is None:
            self._settle(root, WORLD, IDENTITY)
            stack = [(joint, WORLD, IDENTITY) for joint in reversed(children.get(root.name, []))]
        else:
            stack = [(self.root, WORLD, IDENTITY)]
        walked: list[tuple[JointDescription, int]] = []
        while stack:
            joint, body, parent_link = stack.pop()
            placement = parent_link.then(joint.placement)
            body, link_placement = self._attach(joint, body, placement)
            walked.append((joint, body))
            self._settle(self.links[joint.child], body, link_placement)
            stack += [(child, body, link_placement) for child in reversed(children.get(joint.child, []))]
        self._name_coordinates()
        for joint, body in walked:
            if self._moves(joint):
                self.bodies[body].joint = self._joint(joint)
        self._add_sites()
        self.movable = [(joint.name, self.types_of(joint)) for joint, _ in walked if self.types_of(joint).nq]
        return self._tree()

    def _moves(self, joint: JointDescription) -> bool:
        return joint.name not in self.locked and self.types_of(joint).nq > 0

    def types_of(self, joint: JointDescription) -> JointType:
        """The record of a joint's type, that of the root joint included."""
        return self.types[joint.name]

    def _attach(self, joint: JointDescription, parent: int, placement: Transform) -> tuple[int, Transform]:
        """The body that the child link belongs to, and the link's pose in it."""
        kind = self.types_of(joint)
        if not self._moves(joint):
            if kind.nq:
                at = self.locked[joint.name]
                value = (at[0] - joint.reference,) if kind.nq == 1 else at
                placement = placement.then(kind.transform(joint.axis, value))
            if self.options.merge_fixed:
                return parent, placement.then(joint.child_offset)
            kind = joint_type("fixed", self.convention)
        stationary = Joint(joint.name, joint_type("fixed", self.convention), joint.axis, 0, 0, ())
        self.bodies.append(_Growing(joint.child, parent, stationary, placement, joint.child_offset))
        return len(self.bodies) - 1, joint.child_offset

    def _settle(self, link: LinkDescription, body: int, placement: Transform) -> None:
        """Put a link's inertia (and payloads) into its body and keep its frame."""
        if not link.virtual:
            self.frames[link.name] = Frame(link.name, "link", body, placement)
        inertia = link_inertia(link)
        for payload in self.payloads.get(link.name, ()):
            inertia = inertia.plus(inertia_about_center(payload.mass, payload.center, payload.tensor))
        inertia = inertia.to_parent(placement)
        if body == WORLD:
            self.fixed_inertia = self.fixed_inertia.plus(inertia)
            return
        into = self.bodies[body]
        into.inertia = into.inertia.plus(inertia)
        if link.gravity_compensation:
            own = _compensated(link_inertia(link).to_parent(placement), link.gravity_compensation)
            into.compensated = own if into.compensated is None else into.compensated.plus(own)

    def _name_coordinates(self) -> None:
        """Slices of q and v in the order of the bodies; joints that mimic get none."""
        self.start: dict[str, tuple[int, int]] = {}
        for body in self.bodies:
            name = body.joint.name
            joint = self.joints[name]
            if not self._moves(joint) or self._mimics(joint):
                continue
            kind = self.types_of(joint)
            self.start[name] = (len(self.coordinates), len(self.dofs))
            self.coordinates += [f"{name}.{suffix}" if suffix else name for suffix in kind.coordinate_suffixes]
            self.dofs += [f"{name}.{suffix}" if suffix else name for suffix in kind.velocity_suffixes]

    def _mimics(self, joint: JointDescription) -> tuple[str, float, float] | None:
        return self._driver(joint.name, self.locked) if self.options.mimic else None

    def _joint(self, joint: JointDescription) -> Joint:
        kind = self.types_of(joint)
        follows = self._mimics(joint)
        driver, multiplier, offset = follows or (joint.name, 1.0, 0.0)
        index_q, index_v = self.start[driver]
        rest = coordinates_from_quaternion_first(kind, joint.spring_reference) if joint.spring_reference else ()
        made = Joint(
            name=joint.name,
            type=kind,
            axis=joint.axis,
            index_q=index_q,
            index_v=index_v,
            neutral=self._neutral(joint, kind),
            mimics=driver if follows else None,
            multiplier=multiplier,
            offset=offset,
            reference=joint.reference,
            lower=joint.lower,
            upper=joint.upper,
            velocity_limit=joint.velocity,
            effort_limit=joint.effort,
            armature=joint.armature if self.options.armature else 0.0,
            damping=joint.damping,
            friction=joint.friction,
            stiffness=joint.stiffness,
            spring_reference=tuple(rest),
            motor_carries_weight=joint.motor_carries_weight,
        )
        self.owner[joint.name] = made
        return made

    def _add_sites(self) -> None:
        for site in self.description.sites:
            link = self.frames[site.link]
            name = f"site:{site.name}" if site.name in self.frames else site.name
            self.frames[name] = Frame(name, "site", link.body, link.placement.then(site.placement))

    # what couples joints ----------------------------------------------------------------------------------------

    def _transmission(self, said: TransmissionDescription) -> Transmission:
        terms: dict[tuple[int, int], float] = {}
        constant = 0.0
        for name, component, coefficient in said.terms:
            if name in self.owner:
                joint = self.owner[name]
                at = (joint.index_q + component, joint.index_v + component)
                terms[at] = terms.get(at, 0.0) + coefficient * joint.multiplier
                constant += coefficient * joint.offset
            elif name in self.locked:
                constant += coefficient * self.locked[name][component]
        path = tuple(
            Stretch(self._anchor(a.link, a.point), self._anchor(b.link, b.point), a.divisor, self._obstacle(a.around))
            for a, b in pairwise(said.path)
            if not a.breaks
        )
        return Transmission(
            name=said.name,
            kind=said.kind,
            terms=tuple((q, v, coefficient) for (q, v), coefficient in terms.items()),
            constant=constant,
            path=path,
            armature=said.armature if self.options.armature else 0.0,
            damping=said.damping,
            stiffness=said.stiffness,
            spring_range=said.spring_range,
        )

    def _anchor(self, link: str, point: Vector3) -> Anchor:
        frame = self.frames[link]
        return Anchor(frame.body, frame.placement.point_to_parent(point))

    def _obstacle(self, said: WrapDescription | None) -> Obstacle | None:
        if said is None:
            return None
        frame = self.frames[said.link]
        side = None if said.side is None else self._anchor(*said.side)
        return Obstacle(frame.body, frame.placement.then(said.placement), said.shape, said.radius, side)

    def _tree(self) -> Tree:
        armature = [0.0] * len(self.dofs)
        for body in self.bodies:
            for k in body.joint.dofs:
                armature[k] += body.joint.armature * body.joint.multiplier**2
        transmissions = []
        for said in self.description.transmissions:
            made = self._transmission(said)
            if len(made.terms) == 1 and not made.path:  # one degree of freedom: nothing couples, it is a rotor
                (_, k, coefficient), *_ = made.terms
                armature[k] += made.armature * coefficient**2
                made = replace(made, armature=0.0)
            if made.armature or made.damping or made.stiffness:
                transmissions.append(made)
        gravity = self.options.gravity or self.description.gravity
        if not all(math.isfinite(component) for component in gravity):
            raise UsageError(f"gravity {gravity} is not finite")
        return Tree(
            name=self.description.name,
            format=self.description.format,
            convention=self.convention,
            gravity=gravity,
            bodies=tuple(
                Body(b.link, b.parent, b.joint, b.placement, b.inertia, b.link_placement, b.compensated)
                for b in self.bodies
            ),
            frames=self.frames,
            coordinates=tuple(self.coordinates),
            dofs=tuple(self.dofs),
            armature=tuple(armature),
            fixed_inertia=self.fixed_inertia,
            transmissions=tuple(transmissions),
            keyframes=self.description.keyframes,
            locked=self.locked,
            movable=tuple(self.movable),
        )
