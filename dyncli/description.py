"""What a robot file said, format-neutral and with file and line; nothing is computed from it here.

A reader (`dyncli.formats`) makes one `RobotDescription`; `dyncli.tree.build_tree` turns it, with the options of
the command line, into the tree that the algorithms run on. Lengths are in m, angles in rad, masses in kg.
Quaternions are w first. Tensors are xx, yy, zz, xy, xz, yz. Poses are `spatial.Transform` over floats.
"""

from __future__ import annotations

from dyncli.errors import Finding
from dyncli.spatial import IDENTITY, Symmetric3, Transform, Vector3
from dyncli.structs import field, struct


@struct
class InertialDescription:
    """Mass, centre of mass and tensor of one link.

    `placement`: pose of the inertial frame in the link frame, its origin the centre of mass; `tensor`: about
    the centre of mass in the axes of `placement`.
    """

    mass: float
    placement: Transform = IDENTITY
    tensor: Symmetric3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    line: int | None = None


@struct
class GeometryDescription:
    """A primitive that the file attaches to a link: only `lint` and `report` look at it.

    `kind`: box (half lengths), sphere (radius), cylinder and capsule (radius, half length), ellipsoid (half axes)
    or mesh (no size). `role`: visual, collision or geom.
    """

    kind: str
    size: tuple[float, ...]
    placement: Transform = IDENTITY
    role: str = "collision"
    mesh: str = ""
    line: int | None = None


@struct
class LinkDescription:
    """A link (URDF) or body (MJCF).

    `virtual` links are massless ones a reader puts between several joints of one MJCF body; they are no frames.
    `gravity_compensation`: share of the weight that MuJoCo's `gravcomp` carries (a passive force).
    """

    name: str
    inertial: InertialDescription | None = None
    geometries: tuple[GeometryDescription, ...] = ()
    virtual: bool = False
    gravity_compensation: float = 0.0
    line: int | None = None
    path: str = ""


@struct
class MimicDescription:
    """position = multiplier * position of `joint` + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@struct
class JointDescription:
    """A joint between two links.

    `type`: revolute, continuous, prismatic, planar, ball, floating or fixed.
    `placement`: joint frame in the parent link's frame; `child_offset`: child link frame in the moved joint
    frame (the identity for URDF; minus the anchor for an MJCF joint with a `pos`).
    `axis`: unit vector in the joint frame.
    `lower`, `upper`, `velocity`, `effort`: None where the file sets none (rad, m, rad/s, N m, N).
    `damping`: coefficients (c1, c2, c3) of the passive force -(c1 v + c2 v|v| + c3 v³) per degree of freedom.
    `stiffness`: coefficients (k1, k2, k3) of -(k1 x + k2 x² + k3 x³), x the signed deflection from `spring_reference`;
    where x is a vector (the turn of a ball or floating joint, the shift of a floating one) -(k1 + k2|x| + k3|x|²) x.
    An empty tuple for none.
    `reference`: coordinate at which the file draws the joint (MJCF `ref`): the joint turns by q - reference.
    `neutral`: coordinates of the drawn pose: floating (x, y, z, qw, qx, qy, qz) or ball (qw, qx, qy, qz); None means
    the reference of a one-dof joint, the identity otherwise.
    `spring_reference`: coordinate at rest of the spring, as `neutral` for floating and ball joints.
    `motor_carries_weight`: gravity compensation on this joint is its motor's work and no passive force.
    """

    name: str
    type: str
    parent: str
    child: str
    placement: Transform = IDENTITY
    child_offset: Transform = IDENTITY
    axis: Vector3 = (1.0, 0.0, 0.0)
    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None
    damping: tuple[float, ...] = ()
    friction: float = 0.0
    stiffness: tuple[float, ...] = ()
    armature: float = 0.0
    reference: float = 0.0
    neutral: tuple[float, ...] | None = None
    spring_reference: tuple[float, ...] = ()
    motor_carries_weight: bool = False
    mimic: MimicDescription | None = None
    named: bool = True
    line: int | None = None
    path: str = ""


@struct
class SiteDescription:
    """A named frame fixed in a link (an MJCF site)."""

    name: str
    link: str
    placement: Transform = IDENTITY


@struct
class WrapDescription:
    """What a tendon's path bends around: a `sphere`, or a `cylinder` without ends about z of `placement` (in the link).

    `side`: a link and a point in it on whose side the path passes; where it is inside, the path is held from within.
    """

    link: str
    placement: Transform
    shape: str
    radius: float
    side: tuple[str, Vector3] | None = None


@struct
class PathPoint:
    """A point of a spatial tendon's path, fixed in a link; `divisor` scales the segment that starts here (pulleys).

    `breaks`: the path does not run from this point to the next one (a pulley stands between). `around`: what it may
    bend around on the way there.
    """

    link: str
    point: Vector3
    divisor: float = 1.0
    breaks: bool = False
    around: WrapDescription | None = None


@struct
class TransmissionDescription:
    """What couples joints beside the tree: a tendon, or an actuator with rotor inertia.

    Its length (or angle) is `sum coefficient * coordinate` over `terms` (joint name, index of the degree of freedom
    within the joint, coefficient), or the length of the path through `path`.
    `armature` a adds a JᵀJ to M, J the gradient of the length (kg or kg m²).
    `damping`, `stiffness` as for joints, x the signed length by which it is outside `spring_range`.
    """

    name: str
    kind: str
    terms: tuple[tuple[str, int, float], ...] = ()
    path: tuple[PathPoint, ...] = ()
    armature: float = 0.0
    damping: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    spring_range: tuple[float, float] = (0.0, 0.0)
    line: int | None = None


@struct
class KeyframeDescription:
    """A stored state of an MJCF; `qpos` and `qvel` in MuJoCo's order, None where the key leaves them out."""

    name: str
    qpos: tuple[float, ...] | None = None
    qvel: tuple[float, ...] | None = None
    line: int | None = None


@struct
class RobotDescription:
    """Everything a file says that has a part in the dynamics, plus what is told about the rest.

    `links[0]` is the root: the link welded to the world or floating (URDF), or `world` itself (MJCF).
    `joints`: in file order, each with an existing parent and child; they form a tree (the reader has checked it).
    `gravity`: m/s² in the world frame. `ignored`: one line a kind of thing that would change the motion and is
    not used (contacts, equality constraints, fluid). `features`: words for what the file uses (`mimic`, `mesh`...).
    `counts`: numbers a user of the format looks for (nbody, nq, ...), shown by `info`.
    """

    name: str
    format: str
    path: str
    links: tuple[LinkDescription, ...]
    joints: tuple[JointDescription, ...]
    gravity: Vector3 = (0.0, 0.0, -9.81)
    sites: tuple[SiteDescription, ...] = ()
    transmissions: tuple[TransmissionDescription, ...] = ()
    keyframes: tuple[KeyframeDescription, ...] = ()
    findings: tuple[Finding, ...] = ()
    ignored: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    counts: dict[str, float] = field(default_factory=dict)
