"""Mass and tensor of every body: from its `inertial`, from its geoms, and after the corrections of `compiler`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from dyncli.formats.mjcf.element import Report
from dyncli.formats.mjcf.geoms import Geom
from dyncli.formats.mjcf.orientation import ORIGIN, Pose, read_pose
from dyncli.formats.mjcf.parts import Body, Part
from dyncli.formats.mjcf.principal import principal_axes
from dyncli.formats.mjcf.settings import Settings
from dyncli.spatial import ZERO3, Symmetric3, Vector3, add3, rotate_symmetric, scale3, subtract3
from dyncli.structs import replace, struct

LEAST = 1e-15
"""Mass (kg) and moments (kg m²) below this count as none for a body that moves, as in MuJoCo."""
POSITIVE = 1e-14
"""Moments (kg m²) of a tensor that is not diagonal must exceed this, unless `boundinertia` lifts them."""
_ROUNDING = 1e-12


@struct
class Inertial:
    """Mass (kg) and tensor (kg m²) of a body: about the origin of `pose`, its centre of mass, in the axes of `pose`.

    `bounded`: whether `boundmass` or `boundinertia` made it what it is. `full`: whether it came as a full tensor, whose
    principal axes are found in falling order of the moments even where the tensor is diagonal.
    """

    mass: float = 0.0
    pose: Pose = ORIGIN
    tensor: Symmetric3 = (0.0,) * 6
    bounded: bool = False
    full: bool = False

    @property
    def moments(self) -> Vector3:
        """Principal moments, in the order of the axes where these are principal."""
        return self.tensor[:3] if self.is_principal else principal_axes(self.tensor)[0]

    @property
    def is_principal(self) -> bool:
        """Whether the axes of `pose` are principal ones."""
        return not any(self.tensor[3:])

    def principal(self) -> Inertial:
        """The same in principal axes."""
        if self.is_principal and not self.full:
            return self
        moments, axes = principal_axes(self.tensor)
        return Inertial(self.mass, self.pose.then(Pose(ZERO3, axes)), (*moments, 0.0, 0.0, 0.0))

    def scaled(self, factor: float) -> Inertial:
        """The same with all masses multiplied by a factor."""
        xx, yy, zz, xy, xz, yz = (factor * entry for entry in self.tensor)
        return replace(self, mass=factor * self.mass, tensor=(xx, yy, zz, xy, xz, yz))

    def seen_from(self, pose: Pose) -> Inertial:
        """The same in the parent frame of `pose`, the pose of the frame it stands in."""
        return replace(self, pose=pose.then(self.pose))


def body_inertia(body: Body, geoms: Sequence[Geom], report: Report) -> Inertial:
    """Mass and tensor of one body, its `inertial` or geoms, bounded and balanced as `compiler` asks."""
    settings = body.model.settings
    heavy = [geom for geom in geoms if geom.mass > 0.0]
    if heavy:
        found = combine([Inertial(geom.mass, geom.pose, (*geom.moments, 0.0, 0.0, 0.0)) for geom in heavy])
        if not found.is_principal and not settings.bound_inertia and min(found.moments) < POSITIVE:
            report.fatal("tiny-inertia", body.element, f"moments of inertia {shown(found.moments)} are too small")
    elif body.inertial is not None:
        found = read_inertial(body.inertial, report)
    else:
        # nothing to weigh: should boundmass give it mass, MuJoCo puts that at the body's own pose, taken as an offset
        found = Inertial(pose=body.own_pose)
    return _corrected(body, found, settings, report) if body.parent is not None else found


def combine(parts: Sequence[Inertial]) -> Inertial:
    """Inertia of bodies that move as one and have mass together, in the axes of the frame they are given in."""
    if len(parts) == 1:
        return parts[0]
    mass = sum(part.mass for part in parts)
    center = ZERO3
    for part in parts:
        center = add3(center, scale3(part.mass / mass, part.pose.position))
    total = [0.0] * 6
    for part in parts:
        x, y, z = subtract3(part.pose.position, center)
        m = part.mass
        shift = (m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y), -m * x * y, -m * x * z, -m * y * z)
        turned = rotate_symmetric(part.pose.rotation(), part.tensor)
        total = [sum(entries) for entries in zip(total, turned, shift, strict=True)]
    return Inertial(mass, Pose(center), cast("Symmetric3", tuple(total)), full=True)


def read_inertial(part: Part, report: Report) -> Inertial:
    """What an `inertial` element says, in the frame of its body."""
    values = part.values
    mass = cast("tuple[float]", values["mass"])[0]
    pose = part.frame.then(read_pose(part.element, values, part.model.settings, report))
    if "fullinertia" not in values:
        moments = cast("Vector3", values.get("diaginertia", ZERO3))
        return Inertial(mass, pose, (*moments, 0.0, 0.0, 0.0))
    if any(cast("Vector3", values.get("diaginertia", ZERO3))):
        report.fatal("inertial", part.element, "fullinertia and diaginertia cannot both be given")
    tensor = cast("Symmetric3", values["fullinertia"])
    least = min(principal_axes(tensor)[0])
    if least < 0.0 or (least < POSITIVE and not part.model.settings.bound_inertia):
        message = f"fullinertia has the principal moments {shown(principal_axes(tensor)[0])}: all must be positive"
        report.fatal("inertia-not-positive", part.element, message)
    return Inertial(mass, pose, tensor, full=True)


def scale_to_total(inertials: Sequence[Inertial], settings: Settings) -> list[Inertial]:
    """All bodies scaled alike where `settotalmass` asks for a total mass."""
    total = max(LEAST, sum(inertial.mass for inertial in inertials))
    if settings.set_total_mass <= 0.0:
        return list(inertials)
    return [inertial.scaled(settings.set_total_mass / total) for inertial in inertials]


def weighs(inertial: Inertial) -> bool:
    """Whether there is mass and inertia enough to be moved."""
    return inertial.mass >= LEAST and min(inertial.moments) >= LEAST


def massless(body: Body, inertial: Inertial, report: Report) -> None:
    """Report a body that moves without mass."""
    message = f"a body that moves needs mass and inertia, this one has {inertial.mass:g} kg"
    hint = f"moments {shown(inertial.moments)}; give it an <inertial>, a geom with mass, or boundmass"
    report.fatal("massless-body", body.element, message, hint)


def _corrected(body: Body, found: Inertial, settings: Settings, report: Report) -> Inertial:
    mass = max(found.mass, settings.bound_mass, 0.0)
    bound = max(settings.bound_inertia, 0.0)
    lifted = min(found.moments) < bound
    bounded = lifted or mass > found.mass
    if lifted:
        found = found.principal()
        moments = cast("Vector3", tuple(max(moment, bound) for moment in found.moments))
        found = replace(found, tensor=(*moments, 0.0, 0.0, 0.0))
    low, middle, high = sorted(found.moments)
    slack = 0.0 if found.is_principal else _ROUNDING * high
    if low + middle < high - slack:
        if settings.balance_inertia:
            mean = sum(found.moments) / 3.0
            found = replace(found, tensor=(mean, mean, mean, 0.0, 0.0, 0.0))
        else:
            element = body.inertial.element if body.inertial is not None else body.element
            message = f"principal moments {shown(found.moments)}: the greatest exceeds the sum of the others"
            report.fatal("inertia-triangle", element, message, 'balanceinertia="true" makes them equal')
    return replace(found, mass=mass, bounded=bounded)


def shown(moments: Vector3) -> str:
    """Moments as a message has them."""
    return ", ".join(f"{moment:.6g}" for moment in moments)
