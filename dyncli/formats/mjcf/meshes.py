"""Mass properties of meshes, and the primitives that are fitted to them.

A mesh is moved so that its centre of mass is its origin and its principal axes are its axes; a geom that shows it
has that pose behind its own. What counts as its inertia is what `inertia` of the asset says:

    legacy  every triangle makes a tetrahedron with the centroid of the surface, all volumes counted positive
    exact   the same with signed volumes, which is right for every closed surface
    convex  the convex hull
    shell   the surface itself
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dyncli.errors import ModelError
from dyncli.formats import xml
from dyncli.formats.mjcf.element import Element, Report
from dyncli.formats.mjcf.geoms import Geom, mass_of, number, with_mass, wrong_size
from dyncli.formats.mjcf.model import Model
from dyncli.formats.mjcf.orientation import ORIGIN, Pose, Quaternion, unit
from dyncli.formats.mjcf.parts import Body, Part
from dyncli.formats.mjcf.principal import principal_axes
from dyncli.spatial import ZERO3, Symmetric3, Vector3, quaternion_to_matrix
from dyncli.structs import struct

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

TINY = 1e-15
"""Surfaces and volumes (m², m³) up to this count as none, as in MuJoCo."""
MESH_TOLERANCE = 1e-7
"""MuJoCo lets products of inertia of a mesh be where they are below this share of the greatest entry."""
INERTIA_SLACK = 1e-6
"""Relative slack of the triangle inequality of a mesh's moments, which are sums over many triangles."""


@struct
class Mesh:
    """A mesh in its principal frame, whose pose in the frame of the file (after refpos, refquat, scale) is `pose`.

    `volume`: m³, or m² for a shell; `half`: half lengths of the box of the same mass and moments;
    `vertices`: (V, 3) in the principal frame.
    """

    pose: Pose
    volume: float
    half: Vector3
    vertices: Array

    def moments(self, mass: float) -> Vector3:
        """Principal moments (kg m²) at that mass."""
        a, b, c = (h * h for h in self.half)
        return (mass * (b + c) / 3.0, mass * (a + c) / 3.0, mass * (a + b) / 3.0)


class Meshes:
    """Reads meshes when a geom needs them, each once."""

    def __init__(self, restrict: Path | None, report: Report) -> None:
        self.restrict = restrict
        self.report = report
        self.used: set[Element] = set()
        self._read: dict[Element, Mesh | None] = {}

    def compile_geom(self, part: Part, body: Body, kind: str, pose: Pose, name: str) -> Geom | None:
        """A geom that shows a mesh, or a primitive fitted to it, with its mass; None where the mesh is no good."""
        asset = part.model.assets["mesh"][name]
        if asset not in self._read:
            self._read[asset] = self._load(asset, part.model, body)
        mesh = self._read[asset]
        if mesh is None:
            return None
        if kind in ("mesh", "sdf"):
            mass = mass_of(part, mesh.volume, self.report)
            placed = part.frame.then(pose).then(mesh.pose)
            return Geom("mesh", (), placed, mass, mesh.moments(mass), name)
        scale = number(part, "fitscale", 1.0)
        center, size = fit(mesh, kind, part.model.settings.fit_bounding_box)
        placed = part.frame.then(pose).then(mesh.pose).then(Pose(center))
        size = tuple(scale * value for value in size)
        if complaint := wrong_size(kind, size):
            self.report.fatal("geom-size", part.element, f"fitted to the mesh {name!r}: {complaint}")
            return None
        geom = Geom(kind, size, placed)
        return with_mass(part, geom, kind, self.report)

    def note_missing(self, models: Sequence[Model]) -> None:
        """Tell in one note which files no inertia needed and are not there."""
        unread = [
            (asset, path)
            for model in models
            for asset in model.assets.get("mesh", {}).values()
            if asset not in self.used and "file" in asset.values
            if not xml.is_there(path := mesh_path(asset, str(asset.values["file"]), model))
        ]
        if unread:
            more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
            message = f"mesh files are not there, which no inertia depends on: {str(unread[0][1])!r}{more}"
            self.report.note("missing-mesh", unread[0][0], message)

    def _load(self, asset: Element, model: Model, body: Body) -> Mesh | None:
        """The mesh of an asset; what stops it is reported with the body that needs it."""
        import numpy as np

        self.used.add(asset)
        values = model.defaults.resolve(asset)
        whose = f"its volume gives the inertia of body {body.name!r}" if body.name else "it gives a body its inertia"
        try:
            if any(asset.named("plugin")) or values.get("builtin", "none") != "none":
                raise ValueError("meshes made by a plugin or `builtin` are not supported as sources of inertia")
            mode = str(values.get("inertia", "legacy"))
            # numbers too large for the formats come out infinite and are refused as such
            with np.errstate(over="ignore", invalid="ignore"):
                return self._made(asset, values, model, mode)
        except (ValueError, ModelError) as error:
            message = error.findings[0].text() if isinstance(error, ModelError) else str(error)
            file = f"file {str(values['file'])!r}: " if "file" in values else ""
            self.report.fatal(
                "mesh", asset, f"{file}{message}", f"{whose}; an <inertial> in the body makes it needless"
            )
            return None

    def _made(self, asset: Element, values: dict[str, Any], model: Model, mode: str) -> Mesh:
        vertices, triangles = self._data(asset, values, model)
        if not any(cast("Quaternion", values.get("refquat", ORIGIN.quaternion))):
            raise ValueError("refquat: a quaternion of length 0 is no rotation")
        most = cast("tuple[int]", values.get("maxhullvert", (-1,)))[0]
        if most != -1 and (mode == "convex" or not len(triangles)) and _hull_size(vertices) > most:
            raise ValueError(f"its hull has more than maxhullvert={most} vertices, and cut hulls are not supported")
        scale = cast("Vector3", values.get("scale", (1.0, 1.0, 1.0)))
        if scale[0] * scale[1] * scale[2] < 0.0:
            triangles = triangles[:, ::-1]  # a mirror image turns the faces inside out
        return make_mesh(_transformed(vertices, values), triangles, mode)

    def _data(self, asset: Element, values: dict[str, Any], model: Model) -> tuple[Any, Any]:
        """Vertices and triangles, those of the file where it has them, else those written in the model."""
        import numpy as np

        from dyncli.formats.mjcf.mesh_files import read_mesh

        own = np.array(values.get("vertex", ()), dtype=np.float32), np.array(values.get("face", ()), dtype=np.int64)
        if any(len(numbers) % 3 for numbers in own):
            raise ValueError("vertex and face take numbers in threes")
        vertices, triangles = own[0].reshape(-1, 3), own[1].reshape(-1, 3)
        if "file" in values:
            path = mesh_path(asset, str(values["file"]), model)
            read = read_mesh(xml.read_file(path, restrict=self.restrict), path.suffix)
            vertices = read[0] if len(read[0]) else vertices
            triangles = read[1] if len(read[1]) else triangles
        if len(vertices) < 4:
            raise ValueError(f"a mesh needs at least 4 vertices, found {len(vertices)}")
        if not np.isfinite(vertices).all():
            raise ValueError("a vertex is not finite")
        if len(triangles) and not (triangles.min() >= 0 and triangles.max() < len(vertices)):
            raise ValueError(f"a face names a vertex that is not there (of {len(vertices)}, counted from 0)")
        return vertices.astype(np.float64), triangles


def mesh_path(asset: Element, file: str, model: Model) -> Path:
    """Where the file of a mesh is: in the mesh folder, which starts from the main file's own folder."""
    settings = model.settings
    if settings.strip_path:
        file = file.replace("\\", "/").rpartition("/")[2]
    file = file.replace("\\", "/")
    base = settings.main.parent / settings.mesh_folder
    including = Path(asset.path)
    if including == settings.main or xml.is_there(base / file):
        return base / file
    # what an included file names is looked for beside that file, as far as the mesh folder allows
    return base / os.path.relpath(including.parent, settings.main.parent) / file


def make_mesh(vertices: Array, triangles: npt.NDArray[np.int64], mode: str) -> Mesh:
    """Mass properties of vertices (V, 3) and triangles (F, 3); without triangles those of the hull.

    Raises ValueError for a surface or volume of nothing, misoriented faces, or moments no body has.
    """
    import numpy as np

    from dyncli.formats.mjcf.hull import convex_hull

    if not len(triangles):
        triangles = convex_hull(vertices)
    if mode == "exact":
        _check_orientation(vertices, triangles)
    apex = _surface_centroid(vertices[triangles])
    corners = vertices[convex_hull(vertices) if mode == "convex" else triangles]
    center, volume = _center(corners, apex, mode)
    if volume < TINY:
        if mode == "shell":
            raise ValueError("its surface is too small")
        hint = 'try inertia="shell"' if volume >= 0.0 else "its faces look inwards"
        raise ValueError(f"its volume is {volume:.3g} m³: {hint}")
    volume, tensor = _second_moments(corners - center, mode)
    if not all(map(math.isfinite, (volume, *tensor))):
        raise ValueError("its volume or inertia is beyond the range of numbers")
    moments, axes = principal_axes(tensor, MESH_TOLERANCE)
    low, middle, high = sorted(moments)
    if low <= 0.0 or low + middle < high * (1.0 - INERTIA_SLACK) - 1e-9:
        raise ValueError(f"its moments of inertia {low:.3g}, {middle:.3g}, {high:.3g} are those of no body")
    a, b, c = moments
    half = [0.5 * math.sqrt(max(0.0, 6.0 * edge / volume)) for edge in (b + c - a, a + c - b, a + b - c)]
    pose = Pose((float(center[0]), float(center[1]), float(center[2])), axes)
    turned = (vertices - center) @ np.array(quaternion_to_matrix(*axes))
    return Mesh(pose, volume, (half[0], half[1], half[2]), turned)


def fit(mesh: Mesh, kind: str, bounding_box: bool) -> tuple[Vector3, tuple[float, ...]]:
    """Centre (in the principal frame) and sizes of a primitive fitted to a mesh."""
    return _fit_bounding_box(mesh, kind) if bounding_box else (ZERO3, _fit_inertia_box(mesh.half, kind))


def _fit_inertia_box(half: Vector3, kind: str) -> tuple[float, ...]:
    a, b, c = half
    if kind == "sphere":
        return ((a + b + c) / 3.0,)
    radius = 0.5 * (a + b)
    if kind == "capsule":
        return (radius, max(0.0, c - 0.5 * radius))
    return (radius, c) if kind == "cylinder" else half


def _fit_bounding_box(mesh: Mesh, kind: str) -> tuple[Vector3, tuple[float, ...]]:
    """Primitive at the middle of the bounding box, as large as the greatest half lengths of the box."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    x, y, z = (float(value) for value in 0.5 * (low + high))
    a, b, c = (float(value) for value in 0.5 * (high - low))
    radius = max(a, b)
    sizes = {"sphere": (max(a, b, c),), "capsule": (radius, max(0.0, c - radius)), "cylinder": (radius, c)}
    return (x, y, z), sizes.get(kind, (a, b, c))


def _hull_size(vertices: Array) -> int:
    import numpy as np

    from dyncli.formats.mjcf.hull import convex_hull

    return len(np.unique(convex_hull(vertices)))


def _transformed(vertices: Array, values: dict[str, Any]) -> Array:
    """The vertices after refpos is taken off, refquat undone and scale applied."""
    import numpy as np

    vertices = vertices - np.array(values.get("refpos", ZERO3))
    turn = cast("Quaternion", values.get("refquat", ORIGIN.quaternion))
    turned = vertices @ np.array(quaternion_to_matrix(*unit(turn)))
    return cast("Array", turned * np.array(values.get("scale", (1.0, 1.0, 1.0))))


def _areas(corners: Array) -> tuple[Array, Array]:
    """Area vectors (F, 3) and areas (F,) of triangles (F, 3 corners, 3)."""
    import numpy as np

    vectors = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return vectors, np.linalg.norm(vectors, axis=1)


def _surface_centroid(corners: Array) -> Array:
    _, areas = _areas(corners)
    total = float(areas.sum())
    if total < TINY:
        raise ValueError("its surface is too small")
    return cast("Array", (areas[:, None] * corners.mean(axis=1)).sum(axis=0) / total)


def _center(corners: Array, apex: Array, mode: str) -> tuple[Array, float]:
    """Centre of mass and volume (surface for a shell) of tetrahedra between the triangles and an apex."""
    import numpy as np

    vectors, areas = _areas(corners)
    middles = corners.mean(axis=1)
    shares = areas if mode == "shell" else np.einsum("fi,fi->f", vectors, middles - apex) / 3.0
    if mode == "legacy":
        shares = np.abs(shares)
    total = float(shares.sum())
    center = (shares[:, None] * (0.75 * middles + 0.25 * apex)).sum(axis=0)
    return (center / total if total >= TINY else center), total


def _second_moments(corners: Array, mode: str) -> tuple[float, Symmetric3]:
    """Volume (surface for a shell) and tensor of inertia per unit of density about the origin."""
    import numpy as np

    vectors, areas = _areas(corners)
    shares = areas if mode == "shell" else np.einsum("fi,fi->f", vectors, corners.mean(axis=1)) / 3.0
    if mode == "legacy":
        shares = np.abs(shares)
    total = corners.sum(axis=1)
    squares = np.einsum("f,fci,fcj->ij", shares, corners, corners) + np.einsum("f,fi,fj->ij", shares, total, total)
    squares = squares / (12.0 if mode == "shell" else 20.0)
    xx, yy, zz = float(squares[0, 0]), float(squares[1, 1]), float(squares[2, 2])
    products = (-float(squares[0, 1]), -float(squares[0, 2]), -float(squares[1, 2]))
    return float(shares.sum()), (yy + zz, xx + zz, xx + yy, *products)


def _check_orientation(vertices: Array, triangles: npt.NDArray[np.int64]) -> None:
    """Two faces must run along their common edge in opposite directions, or signed volumes mean nothing."""
    import numpy as np

    _, areas = _areas(vertices[triangles])
    sound = triangles[areas > math.sqrt(TINY)]
    # vertices of STL files are repeated for every triangle: equal ones are one vertex here
    _, same = np.unique(vertices, axis=0, return_inverse=True)
    sound = same.reshape(-1)[sound]
    edges = np.concatenate([sound[:, (0, 1)], sound[:, (1, 2)], sound[:, (2, 0)]])
    _, counts = np.unique(edges, axis=0, return_counts=True)
    if (counts > 1).any():
        raise ValueError("its faces are not oriented alike, which exact inertia needs")
