"""What a sample robot is made of: a tree of bodies, each a few solids with mass, hung on joints.

Lengths in m, masses in kg, angles in rad; `rpy` are fixed-axis roll, pitch, yaw as in URDF. Mass properties follow
from the solids and are rounded once, here, so that both writers print the same decimals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from math import cos, pi, sin
from textwrap import fill

Vector = tuple[float, float, float]
Rows = tuple[Vector, Vector, Vector]

ORIGIN: Vector = (0.0, 0.0, 0.0)
X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)

LENGTH_DECIMALS = 4
TENSOR_DIGITS = 5


@dataclass(frozen=True)
class Solid:
    """A homogeneous box (edges), cylinder (radius, length, along its z) or sphere (radius) placed in a link.

    `moments`: principal moments about its centre, along its own axes (kg m²).
    """

    shape: str
    size: tuple[float, ...]
    mass: float
    xyz: Vector
    rpy: Vector = ORIGIN

    @property
    def moments(self) -> Vector:
        """Textbook formulas of the homogeneous solid."""
        m = self.mass
        if self.shape == "box":
            x, y, z = self.size
            return (m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12)
        if self.shape == "cylinder":
            radius, length = self.size
            across = m * (3 * radius * radius + length * length) / 12
            return (across, across, m * radius * radius / 2)
        (radius,) = self.size
        return (0.4 * m * radius * radius,) * 3


def box(mass: float, edges: Vector, at: Vector = ORIGIN, rpy: Vector = ORIGIN) -> Solid:
    """A box with full edge lengths, centred at `at`."""
    return Solid("box", edges, mass, at, rpy)


def sphere(mass: float, radius: float, at: Vector = ORIGIN) -> Solid:
    """A ball centred at `at`."""
    return Solid("sphere", (radius,), mass, at)


def cylinder(mass: float, radius: float, length: float, at: Vector = ORIGIN, along: str = "z") -> Solid:
    """A cylinder centred at `at`, its axis along x, y or z of the link."""
    rpy = {"x": (0.0, pi / 2, 0.0), "y": (pi / 2, 0.0, 0.0), "z": ORIGIN}[along]
    return Solid("cylinder", (radius, length), mass, at, rpy)


def tilted_cylinder(mass: float, radius: float, length: float, at: Vector, rpy: Vector) -> Solid:
    """A cylinder in any direction: its link gets an inertial frame turned with it."""
    return Solid("cylinder", (radius, length), mass, at, rpy)


@dataclass(frozen=True)
class Inertial:
    """Mass, pose of the inertial frame in the link, tensor (xx, yy, zz, xy, xz, yz) about its origin in its axes."""

    mass: float
    xyz: Vector
    rpy: Vector
    tensor: tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class Joint:
    """How a body hangs on its parent; `kind` is a URDF joint type.

    `limits`: lower and upper limit, None for a continuous or fixed joint. `mimic`: name of the joint it follows 1:1.
    """

    name: str
    kind: str = "revolute"
    xyz: Vector = ORIGIN
    axis: Vector = Z
    limits: tuple[float, float] | None = None
    effort: float = 0.0
    velocity: float = 0.0
    rpy: Vector = ORIGIN
    damping: float = 0.0
    friction: float = 0.0
    mimic: str = ""


@dataclass(frozen=True)
class Body:
    """A link with the joint above it (None at the root) and the bodies below it.

    `note` becomes a comment in both files.
    """

    name: str
    solids: tuple[Solid, ...]
    joint: Joint | None = None
    children: tuple[Body, ...] = ()
    material: str = "aluminium"
    note: str = ""

    def walk(self) -> Iterator[Body]:
        """This body and all below it, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def inertial(self) -> Inertial | None:
        """Mass properties, rounded as they are printed; None for a body that is only a frame."""
        if not self.solids:
            return None
        if len(self.solids) == 1:
            return _inertial_of_one(self.solids[0])
        return _inertial_of_many(self.solids)


@dataclass(frozen=True)
class Robot:
    """A model: `title` opens both files, `poses` become keyframes of the MJCF.

    `floating`: the root is meant to be free (URDF: `--root floating`, MJCF: a freejoint). A pose is the height of
    that root and joint values by name, the rest zero.
    """

    name: str
    title: str
    root: Body
    floating: bool = False
    poses: dict[str, tuple[float, dict[str, float]]] = field(default_factory=dict)


def frame(name: str, xyz: Vector, rpy: Vector = ORIGIN, note: str = "") -> Body:
    """A massless body welded to its parent: a named place such as the tip of a tool."""
    return Body(name, (), Joint(f"{name}_mount", "fixed", xyz, rpy=rpy), note=note)


def heading(robot: Robot) -> str:
    """The title as a comment of lines that fit a screen."""
    return fill(f"<!-- {robot.title} -->", width=110, subsequent_indent="     ")


def text(number: float) -> str:
    """The shortest decimal without exponent that reads back as `number`."""
    return format(Decimal(repr(number)).normalize() + 0, "f") if number else "0"


def texts(numbers: tuple[float, ...]) -> str:
    """Numbers separated by blanks."""
    return " ".join(text(number) for number in numbers)


def _inertial_of_one(solid: Solid) -> Inertial:
    """A solid along the link's axes keeps them; a tilted one brings its own frame."""
    rotation = _rotation(solid.rpy)
    if any(0 < abs(entry) < 1 for row in rotation for entry in row):
        return Inertial(solid.mass, solid.xyz, solid.rpy, _round_tensor((*solid.moments, 0.0, 0.0, 0.0)))
    return Inertial(solid.mass, solid.xyz, ORIGIN, _round_tensor(_turned(rotation, solid.moments)))


def _inertial_of_many(solids: tuple[Solid, ...]) -> Inertial:
    """The sum about the common centre of mass (parallel-axis theorem), along the link's axes."""
    mass = sum(solid.mass for solid in solids)
    com = [sum(solid.mass * solid.xyz[k] for solid in solids) / mass for k in range(3)]
    total = [0.0] * 6
    for solid in solids:
        x, y, z = (solid.xyz[k] - com[k] for k in range(3))
        shift = (y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z)
        own = _turned(_rotation(solid.rpy), solid.moments)
        total = [t + o + solid.mass * s for t, o, s in zip(total, own, shift, strict=True)]
    x, y, z = (round(c, LENGTH_DECIMALS) for c in com)
    return Inertial(round(mass, LENGTH_DECIMALS), (x, y, z), ORIGIN, _round_tensor(tuple(total)))


def _rotation(rpy: Vector) -> Rows:
    """Rz(yaw) Ry(pitch) Rx(roll), with quarter turns exact."""
    (sr, cr), (sp, cp), (sy, cy) = (_sin_cos(angle) for angle in rpy)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def _sin_cos(angle: float) -> tuple[float, float]:
    """Sine and cosine without the 6e-17 that the double nearest to pi / 2 leaves."""
    return (round(sin(angle), 15), round(cos(angle), 15))


def _turned(rotation: Rows, moments: Vector) -> tuple[float, ...]:
    """R diag(moments) Rᵀ as (xx, yy, zz, xy, xz, yz)."""
    return tuple(
        sum(rotation[i][k] * moments[k] * rotation[j][k] for k in range(3))
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    )


def _round_tensor(tensor: tuple[float, ...]) -> tuple[float, float, float, float, float, float]:
    """To significant digits; off-diagonal entries that are rounding noise become 0."""
    noise = 1e-9 * max(tensor[:3])
    xx, yy, zz, xy, xz, yz = (float(f"{e:.{TENSOR_DIGITS}g}") if abs(e) > noise else 0.0 for e in tensor)
    return (xx, yy, zz, xy, xz, yz)
