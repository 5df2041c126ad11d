"""What a geom is once its attributes are worked out: shape, size, pose in its body, and the mass it gives the body."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from dyncli.errors import nearest
from dyncli.formats.mjcf.element import Report
from dyncli.formats.mjcf.orientation import Pose, along_z, read_orientation
from dyncli.formats.mjcf.parts import Body, Part
from dyncli.formats.mjcf.solids import SIZES, Size, extent, moments
from dyncli.spatial import ZERO3, Vector3, scale3, subtract3
from dyncli.structs import replace, struct

if TYPE_CHECKING:
    from dyncli.formats.mjcf.meshes import Meshes

WATER = 1000.0
"""Density of a geom that says neither mass nor density, kg/m³ (kg/m² for a shell)."""
TOO_CLOSE = 1e-7
"""Points of a fromto nearer than this (m) have no direction between them, as in MuJoCo."""
NO_VOLUME = 1e-15
"""Volume (m³) up to which a geom takes no mass, even where one is given, as in MuJoCo."""
_FROMTO_TYPES = ("capsule", "cylinder", "ellipsoid", "box")
_CONTACT_DIMENSIONS = (1, 3, 4, 6)


@struct
class Geom:
    """A geom in its body. `moments`: principal moments of inertia (kg m²) about its centre, in the axes of `pose`.

    `mesh`: name of the mesh that gives the shape, empty for a primitive one. `type`: as the file says it; that of a
    primitive fitted to a mesh which was not read differs from `kind`. `name`: empty where it has none.
    """

    kind: str
    size: Size
    pose: Pose
    mass: float = 0.0
    moments: Vector3 = ZERO3
    mesh: str = ""
    type: str = ""
    name: str = ""

    def seen_from(self, pose: Pose) -> Geom:
        """The same in the parent frame of `pose`, the pose of the frame it stands in."""
        return replace(self, pose=pose.then(self.pose))


def compile_geom(part: Part, body: Body, moving: bool, meshes: Meshes, report: Report) -> Geom | None:
    """Work out a geom of `body`; None where it is wrong, which is then reported.

    `moving`: whether the body moves in the world. A mesh is read only if the body's inertia comes from it.
    """
    values = part.values
    kind = str(values.get("type", "sphere"))
    mesh = str(values.get("mesh", ""))
    known = _check_references(part, kind, mesh, moving, report)
    shape = _shape(part, kind, report)
    if shape is None or not known:
        return None
    weighs = gives_inertia(part, body) and kind != "plane" and _weighs(part)
    if mesh:
        geom = _mesh_geom(part, body, kind, shape[1], meshes if weighs else None)
    else:
        geom = _primitive_geom(part, kind, shape, weighs, report)
    return None if geom is None else replace(geom, type=kind, name=part.name)


def _mesh_geom(part: Part, body: Body, kind: str, pose: Pose, meshes: Meshes | None) -> Geom | None:
    """A geom that shows a mesh or is fitted to one; `meshes` None: it has no mass, and the mesh is not read."""
    mesh = str(part.values["mesh"])
    if meshes is None:
        return Geom("mesh", (), part.frame.then(pose), mesh=mesh)
    return meshes.compile_geom(part, body, kind, pose, mesh)


def _primitive_geom(part: Part, kind: str, shape: tuple[Size, Pose], weighs: bool, report: Report) -> Geom | None:
    size, pose = shape
    if kind == "hfield":
        size = _height_field_size(part)
    complaint = wrong_size(kind, size)
    if complaint:
        report.fatal("geom-size", part.element, complaint)
        return None
    geom = Geom(kind, size, part.frame.then(pose))
    return with_mass(part, geom, _solid(kind), report) if weighs else geom


def gives_inertia(part: Part, body: Body) -> bool:
    """Whether a geom counts for the inertia of its body: by what `compiler` says, and by group."""
    settings = part.model.settings
    least, most = settings.inertia_groups
    wanted = {"true": True, "false": False, "auto": body.inertial is None}[settings.inertia_from_geoms]
    return body.parent is not None and wanted and least <= _integer(part, "group", 0) <= most


def with_mass(part: Part, geom: Geom, solid: str, report: Report) -> Geom:
    """The geom with the mass and moments of its primitive shape, solid or shell, by mass or else by density."""
    shell = part.values.get("shellinertia") == "true"
    volume = extent(solid, geom.size, shell)
    mass = mass_of(part, volume, report)
    if not mass:
        return geom
    return replace(geom, mass=mass, moments=scale3(mass, moments(solid, geom.size, shell)))


def mass_of(part: Part, volume: float, report: Report) -> float:
    """Mass of a geom of that volume (or surface): its own, else by its density. Negative ones are reported."""
    density = number(part, "density", WATER)
    if "mass" in part.values:
        mass = number(part, "mass", 0.0)
        mass = mass if mass <= 0.0 or volume > NO_VOLUME else 0.0
    else:
        mass = density * volume
    if mass < 0.0:
        report.fatal("negative-mass", part.element, f"mass {mass:g} kg is negative")
    return mass


def number(part: Part, name: str, otherwise: float) -> float:
    """The one number of an attribute."""
    return cast("tuple[float]", part.values.get(name, (otherwise,)))[0]


def wrong_size(kind: str, size: Size) -> str:
    """What is wrong with the size of a geom; empty if nothing is."""
    if kind == "plane":
        return "" if size[2] > 0.0 else f"the third size of a plane must be positive, found {size[2]:g}"
    wrong = [index for index in range(SIZES[kind]) if not size[index] > 0.0]
    if not wrong:
        return ""
    shown = " ".join(f"{value:g}" for value in size[: SIZES[kind]])
    return f"a geom of type {kind} needs {SIZES[kind]} positive sizes, found {shown} (0 where none is given)"


def read_fromto(part: Part, report: Report) -> tuple[float, Pose] | None:
    """Half length and pose from the two points of `fromto`, z running from the second to the first; None if wrong."""
    points = cast("tuple[float, ...]", part.values["fromto"])
    if part.values.get("type") not in _FROMTO_TYPES:
        message = f"fromto is for the types {', '.join(_FROMTO_TYPES)}, this is a {part.values.get('type', 'sphere')}"
        report.fatal("fromto", part.element, message)
        return None
    if any(cast("tuple[float, ...]", part.values.get("pos", ()))):
        report.fatal("fromto", part.element, "pos and fromto cannot both be given")
        return None
    start, end = cast("Vector3", points[:3]), cast("Vector3", points[3:])
    length = math.dist(start, end)
    if length <= TOO_CLOSE:
        report.fatal("fromto", part.element, "the two points of fromto are the same")
        return None
    middle = scale3(0.5, (start[0] + end[0], start[1] + end[1], start[2] + end[2]))
    return 0.5 * length, Pose(middle, along_z(scale3(1.0 / length, subtract3(start, end))))


def _shape(part: Part, kind: str, report: Report) -> tuple[Size, Pose] | None:
    """Size and pose in the innermost frame; sizes not given are 0."""
    size = (*cast("tuple[float, ...]", part.values.get("size", ())), 0.0, 0.0, 0.0)[:3]
    if "fromto" not in part.values:
        position = cast("Vector3", part.values.get("pos", ZERO3))
        return size, Pose(position, read_orientation(part.element, part.values, part.model.settings, report))
    found = read_fromto(part, report)
    if found is None:
        return None
    half, pose = found
    return ((size[0], size[0], half) if kind in ("ellipsoid", "box") else (size[0], half, 0.0)), pose


def _check_references(part: Part, kind: str, mesh: str, moving: bool, report: Report) -> bool:
    """Whether the assets that a geom names are there and fit its type."""
    assets, before = part.model.assets, len(report.items)
    field = str(part.values.get("hfield", ""))
    for tag, name in (("mesh", mesh), ("hfield", field), ("material", str(part.values.get("material", "")))):
        if name and name not in assets.get(tag, {}):
            report.fatal(
                "unknown-asset", part.element, f"there is no {tag} {name!r}", nearest(name, assets.get(tag, ()))
            )
    if kind in ("mesh", "sdf") and not mesh:
        report.fatal("unknown-asset", part.element, f"a geom of type {kind} must name a mesh")
    if (kind == "hfield") != bool(field):
        report.fatal("unknown-asset", part.element, "type hfield and the name of an hfield belong together")
    if mesh and "fromto" in part.values:
        report.fatal("fromto", part.element, "fromto cannot be used with a mesh")
    if kind in ("mesh", "sdf") and part.values.get("shellinertia") == "true":
        report.fatal("shell-mesh", part.element, 'shellinertia is for primitives: use inertia="shell" on the mesh')
    if kind == "plane" and moving:
        report.fatal("moving-plane", part.element, "a plane can only stand in a static body")
    if _integer(part, "condim", 3) not in _CONTACT_DIMENSIONS:
        report.fatal("bad-number", part.element, f"condim must be one of {_CONTACT_DIMENSIONS}")
    return len(report.items) == before


def _height_field_size(part: Part) -> Size:
    """MuJoCo weighs a height field as a box half as high as its greatest elevation."""
    name = str(part.values["hfield"])
    x, y, top, base = cast("tuple[float, ...]", part.model.assets["hfield"][name].values["size"])
    return (x, y, 0.25 * top + 0.5 * base)


def _solid(kind: str) -> str:
    return "box" if kind == "hfield" else kind


def _weighs(part: Part) -> bool:
    """Whether mass or density say that the geom has mass at all."""
    if "mass" in part.values:
        return number(part, "mass", 0.0) != 0.0
    return number(part, "density", WATER) != 0.0


def _integer(part: Part, name: str, otherwise: int) -> int:
    return cast("tuple[int]", part.values.get(name, (otherwise,)))[0]
