"""Convex hull of points in space, for meshes without faces and for `inertia="convex"`.

Source: C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The Quickhull algorithm for convex hulls (1996).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from dyncli.spatial import cross3
from dyncli.structs import field, struct

Points = npt.NDArray[np.float64]

_THICKNESS = 1e-13
"""Points nearer to a face than this, relative to the size of the cloud, lie on it."""


@struct(frozen=False, eq=False)
class _Face:
    """A triangle seen counter-clockwise from outside; `outside`: points beyond it that are not dealt with."""

    corners: tuple[int, int, int]
    normal: Points
    offset: float
    outside: npt.NDArray[np.int64]
    neighbours: dict[tuple[int, int], _Face] = field(default_factory=dict)

    def edges(self) -> tuple[tuple[int, int], ...]:
        a, b, c = self.corners
        return ((a, b), (b, c), (c, a))


def convex_hull(points: Points) -> npt.NDArray[np.int64]:
    """Triangles (F, 3) of the hull of points (V, 3), counter-clockwise from outside; expected O(V log V).

    Raises ValueError where the points lie in a plane.
    """
    center = points.mean(axis=0)
    cloud = points - center
    size = float(np.abs(cloud).max())
    tolerance = _THICKNESS * size
    faces = _simplex(cloud, tolerance)
    pending = list(faces)
    alive = set(faces)
    while pending:
        face = pending.pop()
        if face not in alive or not len(face.outside):
            continue
        heights = cloud[face.outside] @ face.normal - face.offset
        apex = int(face.outside[int(np.argmax(heights))])
        visible, horizon = _seen_from(cloud[apex], face, tolerance)
        alive -= visible
        left = np.unique(np.concatenate([seen.outside for seen in visible]))
        fresh = _cone(cloud, apex, horizon, left[left != apex], tolerance)
        alive.update(fresh)
        pending.extend(fresh)
    return np.array([face.corners for face in alive], dtype=np.int64)


def _face(cloud: Points, a: int, b: int, c: int, inside: Points | None = None) -> _Face:
    # plain floats: arrays of three cost more than they save
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = cloud[[a, b, c]].tolist()
    x, y, z = cross3((bx - ax, by - ay, bz - az), (cx - ax, cy - ay, cz - az))
    length = math.sqrt(x * x + y * y + z * z) or 1.0
    normal = np.array((x / length, y / length, z / length))
    offset = (x * ax + y * ay + z * az) / length
    if inside is not None and normal @ inside > offset:
        return _face(cloud, a, c, b)
    return _Face((a, b, c), normal, offset, np.empty(0, np.int64))


def _simplex(cloud: Points, tolerance: float) -> list[_Face]:
    """A tetrahedron of far points to begin with, and the other points shared out to its faces."""
    a = int(np.argmin(cloud[:, 0]))
    b = int(np.argmax(np.linalg.norm(cloud - cloud[a], axis=1)))
    axis = cloud[b] - cloud[a]
    c = int(np.argmax(np.linalg.norm(np.cross(cloud - cloud[a], axis), axis=1)))
    normal = np.cross(axis, cloud[c] - cloud[a])
    heights = (cloud - cloud[a]) @ normal
    d = int(np.argmax(np.abs(heights)))
    if abs(heights[d]) <= tolerance * float(np.linalg.norm(normal)):
        raise ValueError("all vertices lie in a plane: they have no hull with a volume")
    inside = cloud[[a, b, c, d]].mean(axis=0)
    faces = [_face(cloud, *corners, inside) for corners in ((a, b, c), (a, b, d), (a, c, d), (b, c, d))]
    _join(faces)
    _share(cloud, np.arange(len(cloud)), faces, tolerance)
    return faces


def _join(faces: list[_Face]) -> None:
    """Make faces that share an edge neighbours of each other across it."""
    owner = {edge: face for face in faces for edge in face.edges()}
    for face in faces:
        for a, b in face.edges():
            if (b, a) in owner:
                face.neighbours[a, b] = owner[b, a]


def _share(cloud: Points, left: npt.NDArray[np.int64], faces: list[_Face], tolerance: float) -> None:
    """Give every point to the first face that it lies beyond; those beyond none are inside."""
    for face in faces:
        beyond = cloud[left] @ face.normal - face.offset > tolerance
        face.outside = left[beyond]
        left = left[~beyond]


def _seen_from(point: Points, start: _Face, tolerance: float) -> tuple[set[_Face], list[tuple[tuple[int, int], _Face]]]:
    """Faces that a point beyond `start` sees, and the edges around them with the face on the far side."""
    visible, pending = {start}, [start]
    horizon = []
    while pending:
        face = pending.pop()
        for edge, neighbour in face.neighbours.items():
            if neighbour in visible:
                continue
            if neighbour.normal @ point - neighbour.offset > tolerance:
                visible.add(neighbour)
                pending.append(neighbour)
            else:
                horizon.append((edge, neighbour))
    return visible, [(edge, far) for edge, far in horizon if far not in visible]


def _cone(
    cloud: Points,
    apex: int,
    horizon: list[tuple[tuple[int, int], _Face]],
    left: npt.NDArray[np.int64],
    tolerance: float,
) -> list[_Face]:
    """Faces from the apex to every edge of the horizon, joined to each other and to what lies behind."""
    faces = []
    for (a, b), far in horizon:
        face = _face(cloud, a, b, apex)
        face.neighbours[a, b] = far
        far.neighbours[b, a] = face
        faces.append(face)
    _join(faces)
    _share(cloud, left, faces, tolerance)
    return faces
