"""Rules on masses and tensors that are possible but improbable, or that need the rest of the robot to judge."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from dyncli.description import InertialDescription, LinkDescription
from dyncli.errors import Finding
from dyncli.formats.inertial import NEGLIGIBLE_GYRATION, ROUNDING, principal_moments
from dyncli.lint.model import Model, listed
from dyncli.spatial import Symmetric3, Vector3, rotate_back

MOMENTS = ("ixx", "iyy", "izz")
FAR_BEYOND = 4.0
"""Radius of gyration over reach above which a tensor is doubted: shells reach beyond the joints, but not so far."""
FAR_BELOW = 0.01
"""The same below which it is doubted: a ball of a tenth of the reach has 0.06."""
HARMLESS_SHARE = 1e-3
"""Share of the robot's mass, or of its greatest tensor, below which an odd value changes nothing."""
OFF_CENTER = 0.5
"""Share of the reach that the centre of mass must be off for a tensor about the origin to be told apart."""


def triangle_inequality(model: Model) -> Iterator[Finding]:
    """The reader's finding with what helps to repair it: which entry, its radius of gyration, the other links'."""
    for link in model.weighed:
        if link.inertial and breaks_triangle(link.inertial):
            low, middle, high = principal_moments(link.inertial.tensor)
            message = (
                f"{_greatest_entry(link.inertial)}: principal moments {low:.6g}, {middle:.6g}, {high:.6g} kg m², "
                f"the greatest exceeds the sum of the others; {_gyration_in_words(model, link, link.inertial)}"
            )
            yield model.finding("inertia-triangle", "warning", link, message, line=link.inertial.line)


def radius_of_gyration(model: Model) -> Iterator[Finding]:
    """A tensor whose mass would have to lie far outside of the link."""
    heaviest = max((max(link.inertial.tensor[:3]) for link in model.weighed if link.inertial), default=0.0)
    for link in model.weighed:
        inertial = link.inertial
        if inertial is None or not _positive(inertial) or breaks_triangle(inertial) or is_placeholder(inertial):
            continue
        reach, radius = model.reach(link), gyration(inertial)
        if principal_moments(inertial.tensor)[2] < HARMLESS_SHARE * heaviest:
            continue
        known = reach > 0.1 * model.longest_reach
        if radius > FAR_BEYOND * (reach if known else max(reach, model.longest_reach)) > 0.0:
            message = f"{_greatest_entry(inertial)}: {_gyration_in_words(model, link, inertial)}"
            yield model.finding("radius-of-gyration", "warning", link, message, line=inertial.line)


def small_inertia(model: Model) -> Iterator[Finding]:
    """A tensor of a body hundreds of times smaller than the link."""
    for link in model.weighed:
        inertial = link.inertial
        if inertial is None or not model.moves(link) or not _positive(inertial) or is_placeholder(inertial):
            continue
        if inertial.mass > HARMLESS_SHARE * model.total_mass and gyration(inertial) < FAR_BELOW * model.reach(link):
            message = f"{_greatest_entry(inertial)}: {_gyration_in_words(model, link, inertial)}"
            yield model.finding("small-inertia", "note", link, message, line=inertial.line)


def point_mass(model: Model) -> Iterator[Finding]:
    """A moving body without extent; on a link welded to another one a point does no harm."""
    for body in model.tree.bodies:
        link = model.links.get(body.link)
        inertial = link.inertial if link else None
        if link and inertial and inertial.mass > 0.0 and not any(inertial.tensor):
            message = f"mass {inertial.mass:g} kg with ixx = iyy = izz = 0: taken as a point"
            yield model.finding("point-mass", "note", link, message, line=inertial.line)


def tensor_about_origin(model: Model) -> Iterator[Finding]:
    """A tensor that holds the offset of the centre of mass already, as CAD programs export it on request."""
    for link in model.weighed:
        inertial = link.inertial
        if inertial is None or not _positive(inertial) or breaks_triangle(inertial) or is_placeholder(inertial):
            continue
        distance = math.hypot(*inertial.placement.translation)
        if not distance or distance < OFF_CENTER * model.reach(link) or not _holds_offset(inertial):
            continue
        name, value = _greatest(inertial)
        message = (
            f"{name} = {value:.6g} kg m²: radius of gyration {gyration(inertial):.3g} m about a centre of mass "
            f"{distance:.3g} m from the link's origin; less m d² = {inertial.mass * distance**2:.6g} kg m² it would "
            "be a plausible tensor"
        )
        yield model.finding("tensor-about-origin", "note", link, message, line=inertial.line)


def placeholders(model: Model) -> Iterator[Finding]:
    """Tensors a x 1 with a a power of ten, one finding for each a."""
    groups: dict[float, list[LinkDescription]] = {}
    for link in model.weighed:
        if link.inertial and is_placeholder(link.inertial):
            groups.setdefault(link.inertial.tensor[0], []).append(link)
    for moment, links in groups.items():
        masses = [link.inertial.mass for link in links if link.inertial]
        harmless = sum(masses) < HARMLESS_SHARE * model.total_mass or not any(model.moves(link) for link in links)
        if len(links) == 1 and harmless:
            continue
        radii = [math.sqrt(moment / mass) for mass in masses]
        span = " to ".join(dict.fromkeys(f"{radius:.3g}" for radius in (min(radii), max(radii))))
        who = listed([link.name for link in links])
        message = (
            f"ixx = iyy = izz = {moment:g} kg m² on {len(links)} link{'s' if len(links) > 1 else ''} ({who}), "
            f"radius of gyration {span} m: a placeholder"
        )
        first = links[0]
        line = first.inertial.line if first.inertial else None
        # one small tensor of that kind may be a cube; a unit tensor is no part of any robot
        severity = "note" if harmless or (len(links) == 1 and moment < 1.0) else "warning"
        yield model.finding("placeholder-inertia", severity, first, message, line=line)


def breaks_triangle(inertial: InertialDescription) -> bool:
    """Whether the greatest principal moment exceeds the sum of the others by more than rounding."""
    low, middle, high = principal_moments(inertial.tensor)
    slack = ROUNDING * max(abs(low), abs(high)) + NEGLIGIBLE_GYRATION**2 * abs(inertial.mass)
    return low >= -slack and low + middle < high - slack


def gyration(inertial: InertialDescription) -> float:
    """The greatest radius of gyration, m."""
    return math.sqrt(principal_moments(inertial.tensor)[2] / inertial.mass)


def is_placeholder(inertial: InertialDescription) -> bool:
    """Whether a tensor is a x 1 with a power of ten a, which no real part has by chance."""
    xx, yy, zz, *products = inertial.tensor
    if not xx == yy == zz > 0.0 or any(products):
        return False
    digits = f"{xx:.12e}".partition("e")[0]
    return float(digits) == 1.0


def _positive(inertial: InertialDescription) -> bool:
    return inertial.mass > 0.0 and principal_moments(inertial.tensor)[0] > 0.0


def _greatest(inertial: InertialDescription) -> tuple[str, float]:
    """Name and value of the greatest moment as the file gives them."""
    value = max(inertial.tensor[:3])
    return MOMENTS[inertial.tensor.index(value)], value


def _greatest_entry(inertial: InertialDescription) -> str:
    name, value = _greatest(inertial)
    return f"{name} = {value:.6g} kg m² with mass {inertial.mass:g} kg"


def _gyration_in_words(model: Model, link: LinkDescription, inertial: InertialDescription) -> str:
    radius, reach = gyration(inertial), model.reach(link)
    size = f"the link reaches {reach:.3g} m from its centre of mass" if reach else "the file gives the link no size"
    others = [
        gyration(other.inertial)
        for other in model.weighed
        if other is not link and other.inertial and _positive(other.inertial)
    ]
    compared = f", the median of the other links is {median(others):.3g} m" if others else ""
    return f"radius of gyration {radius:.6g} m, {size}{compared}"


def _holds_offset(inertial: InertialDescription) -> bool:
    """Whether the tensor less m (d² 1 - d dᵀ) is that of a body slender along d: a link with its joint at one end."""
    d = rotate_back(inertial.placement.rotation, inertial.placement.translation)
    reduced = _less_offset(inertial.tensor, inertial.mass, d)
    low, middle, high = principal_moments(reduced)
    slack = ROUNDING * max(inertial.tensor[:3])
    if low < -slack or low + middle < high - slack:
        return False
    # of a slender body about its end, what is left across d is a quarter of what was there, and little is left along d
    distance = math.hypot(*d)
    along = _moment_about(inertial.tensor, tuple(x / distance for x in d))
    return along < 0.25 * max(inertial.tensor[:3]) and high < 0.5 * inertial.mass * distance**2


def _less_offset(tensor: Symmetric3, mass: float, d: Vector3) -> Symmetric3:
    x, y, z = d
    xx, yy, zz, xy, xz, yz = tensor
    return (
        xx - mass * (y * y + z * z),
        yy - mass * (x * x + z * z),
        zz - mass * (x * x + y * y),
        xy + mass * x * y,
        xz + mass * x * z,
        yz + mass * y * z,
    )


def _moment_about(tensor: Symmetric3, axis: tuple[float, ...]) -> float:
    xx, yy, zz, xy, xz, yz = tensor
    x, y, z = axis
    return float(xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z))
