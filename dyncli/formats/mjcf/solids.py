"""Volume (or surface) and principal moments of the primitive geoms, solid or shell, with their axes of symmetry.

Sizes are MuJoCo's: sphere (radius), capsule and cylinder (radius, half length along z), ellipsoid (half axes) and box
(half lengths). Moments are about the centre, per unit of mass.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dyncli.spatial import Vector3

Size = tuple[float, ...]

SIZES = {
    "plane": 3,
    "hfield": 0,
    "sphere": 1,
    "capsule": 2,
    "ellipsoid": 3,
    "cylinder": 2,
    "box": 3,
    "mesh": 0,
    "sdf": 0,
}
"""How many numbers of `size` a geom of each type uses."""

_THOMSEN = 1.6075
_THICKNESS = 1e-6


def extent(kind: str, size: Size, shell: bool) -> float:
    """Volume in m³, or surface in m² for a shell; 0 for what has none (a plane), infinite beyond all numbers."""
    measure = (_SURFACES if shell else _VOLUMES).get(kind)
    try:
        return measure(*size[: SIZES[kind]]) if measure else 0.0
    except OverflowError:
        return math.inf


def moments(kind: str, size: Size, shell: bool) -> Vector3:
    """Principal moments about x, y and z at a mass of 1 kg (m²); infinite beyond all numbers."""
    try:
        return (_SHELL_MOMENTS if shell else _SOLID_MOMENTS)[kind](*size[: SIZES[kind]])
    except OverflowError:
        return (math.inf,) * 3


def _capsule_moments(radius: float, half: float) -> Vector3:
    """A cylinder and two half balls, each moved out by half the cylinder."""
    ball = 4.0 * radius / (4.0 * radius + 6.0 * half)
    tube = 1.0 - ball
    across = tube * (3.0 * radius**2 + 4.0 * half**2) / 12.0
    across += ball * (0.4 * radius**2 + half * (3.0 * radius + 4.0 * half) / 4.0)
    return (across, across, tube * radius**2 / 2.0 + ball * 0.4 * radius**2)


def _capsule_shell_moments(radius: float, half: float) -> Vector3:
    """An open tube and two half spheres, whose centres of mass are half a radius beyond its ends."""
    sphere = 4.0 * radius / (4.0 * radius + 4.0 * half)
    tube = 1.0 - sphere
    across = tube * (6.0 * radius**2 + 4.0 * half**2) / 12.0
    across += sphere * (2.0 / 3.0 * radius**2 + half**2 + half * radius)
    return (across, across, tube * radius**2 + sphere * 2.0 / 3.0 * radius**2)


def _cylinder_shell_moments(radius: float, half: float) -> Vector3:
    """An open tube and two discs."""
    disc = radius / (2.0 * radius + 4.0 * half)
    tube = 1.0 - 2.0 * disc
    across = tube * (6.0 * radius**2 + 4.0 * half**2) / 12.0 + 2.0 * disc * (radius**2 / 4.0 + half**2)
    return (across, across, tube * radius**2 + disc * radius**2)


def _ellipsoid_moments(a: float, b: float, c: float) -> Vector3:
    return ((b * b + c * c) / 5.0, (a * a + c * c) / 5.0, (a * a + b * b) / 5.0)


def _ellipsoid_surface(a: float, b: float, c: float) -> float:
    """Thomsen's formula, within 1.1 % of the true surface."""
    mean = ((a * b) ** _THOMSEN + (b * c) ** _THOMSEN + (c * a) ** _THOMSEN) / 3.0
    return 4.0 * math.pi * float(mean ** (1.0 / _THOMSEN))


def _ellipsoid_shell_moments(a: float, b: float, c: float) -> Vector3:
    """A layer of 1e-6 m around the ellipsoid, as MuJoCo takes it."""
    outer = (a + _THICKNESS, b + _THICKNESS, c + _THICKNESS)
    inside, outside = _ellipsoid_volume(a, b, c), _ellipsoid_volume(*outer)
    x, y, z = (
        (outside * large - inside * small) / (outside - inside)
        for large, small in zip(_ellipsoid_moments(*outer), _ellipsoid_moments(a, b, c), strict=True)
    )
    return (x, y, z)


def _ellipsoid_volume(a: float, b: float, c: float) -> float:
    return 4.0 * math.pi * a * b * c / 3.0


def _box_moments(a: float, b: float, c: float) -> Vector3:
    return ((b * b + c * c) / 3.0, (a * a + c * c) / 3.0, (a * a + b * b) / 3.0)


def _box_shell_moments(a: float, b: float, c: float) -> Vector3:
    """Three pairs of plates; a pair across x holds the share yz / (xy + yz + zx) of the surface."""
    total = a * b + b * c + c * a
    across_x, across_y, across_z = b * c / total, c * a / total, a * b / total
    x = across_x * (b * b + c * c) / 3.0 + across_y * (b * b + c * c / 3.0) + across_z * (c * c + b * b / 3.0)
    y = across_y * (a * a + c * c) / 3.0 + across_x * (a * a + c * c / 3.0) + across_z * (c * c + a * a / 3.0)
    z = across_z * (a * a + b * b) / 3.0 + across_x * (a * a + b * b / 3.0) + across_y * (b * b + a * a / 3.0)
    return (x, y, z)


_VOLUMES: dict[str, Callable[..., float]] = {
    "sphere": lambda r: 4.0 * math.pi * r**3 / 3.0,
    "capsule": lambda r, h: math.pi * (2.0 * r**2 * h + 4.0 * r**3 / 3.0),
    "cylinder": lambda r, h: 2.0 * math.pi * r**2 * h,
    "ellipsoid": _ellipsoid_volume,
    "box": lambda a, b, c: 8.0 * a * b * c,
}
_SURFACES: dict[str, Callable[..., float]] = {
    "sphere": lambda r: 4.0 * math.pi * r**2,
    "capsule": lambda r, h: 4.0 * math.pi * r**2 + 4.0 * math.pi * r * h,
    "cylinder": lambda r, h: 2.0 * math.pi * r**2 + 4.0 * math.pi * r * h,
    "ellipsoid": _ellipsoid_surface,
    "box": lambda a, b, c: 8.0 * (a * b + b * c + c * a),
}
_SOLID_MOMENTS: dict[str, Callable[..., Vector3]] = {
    "sphere": lambda r: (0.4 * r**2,) * 3,
    "capsule": _capsule_moments,
    "cylinder": lambda r, h: (*((3.0 * r**2 + 4.0 * h**2) / 12.0,) * 2, r**2 / 2.0),
    "ellipsoid": _ellipsoid_moments,
    "box": _box_moments,
}
_SHELL_MOMENTS: dict[str, Callable[..., Vector3]] = {
    "sphere": lambda r: (2.0 / 3.0 * r**2,) * 3,
    "capsule": _capsule_shell_moments,
    "cylinder": _cylinder_shell_moments,
    "ellipsoid": _ellipsoid_shell_moments,
    "box": _box_shell_moments,
}
