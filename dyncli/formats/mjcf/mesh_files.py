"""Vertices and triangles from mesh files: binary STL, OBJ and MuJoCo's MSH.

A mesh is (vertices, triangles): arrays (V, 3) of single precision, as the formats and MuJoCo keep them, and (F, 3) of
indices. Errors are `ValueError`s that say what is wrong with the bytes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Vertices = npt.NDArray[np.float32]
Triangles = npt.NDArray[np.int64]
MeshData = tuple[Vertices, Triangles]

MAX_STL_TRIANGLES = 200_000
"""More than these MuJoCo takes for a sign of an ASCII file."""
_STL_HEADER = 84
_STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_MSH_HEADER = 16


def read_mesh(data: bytes, suffix: str) -> MeshData:
    """Parse the bytes of a mesh file by the suffix of its name (`.stl`, `.obj`, `.msh`, in any case)."""
    reader = _READERS.get(suffix.lower())
    if reader is None:
        raise ValueError(f"meshes come as {', '.join(_READERS)}, not as {suffix or 'a file without a suffix'}")
    return reader(data)


def read_stl(data: bytes) -> MeshData:
    """Binary STL: 80 bytes of anything, the number of triangles, 50 bytes a triangle."""
    if len(data) < _STL_HEADER:
        raise ValueError("too short for the header of a binary STL")
    count = int.from_bytes(data[80:84], "little", signed=True)
    hint = ", perhaps this is an ASCII file, which MuJoCo does not read" if data[:5].lower() == b"solid" else ""
    if not 1 <= count <= MAX_STL_TRIANGLES:
        raise ValueError(f"says it holds {count} triangles, expected 1 to {MAX_STL_TRIANGLES}{hint}")
    expected = _STL_HEADER + _STL_TRIANGLE.itemsize * count
    if len(data) != expected:
        raise ValueError(f"says it holds {count} triangles, which take {expected} bytes, but has {len(data)}{hint}")
    corners = np.frombuffer(data, _STL_TRIANGLE, count, _STL_HEADER)["corners"].reshape(-1, 3)
    return corners.astype(np.float32), np.arange(3 * count).reshape(-1, 3)


def read_msh(data: bytes) -> MeshData:
    """MuJoCo's own format: counts of vertices, normals, texture coordinates and triangles, then these."""
    if len(data) < _MSH_HEADER:
        raise ValueError("too short for the header of an MSH")
    vertices, normals, texture, triangles = (int(count) for count in np.frombuffer(data, "<i4", 4))
    sound = vertices >= 4 and triangles >= 0 and normals in (0, vertices) and texture in (0, vertices)
    expected = _MSH_HEADER + 12 * vertices + 12 * normals + 8 * texture + 12 * triangles
    if not sound or len(data) != expected:
        found = f"{vertices} vertices, {normals} normals, {texture} texture coordinates, {triangles} triangles"
        raise ValueError(f"header with {found} does not fit a file of {len(data)} bytes")
    points = np.frombuffer(data, "<f4", 3 * vertices, _MSH_HEADER).reshape(-1, 3)
    indices = np.frombuffer(data, "<i4", 3 * triangles, expected - 12 * triangles).reshape(-1, 3)
    return points.astype(np.float32), indices.astype(np.int64)


def read_obj(data: bytes) -> MeshData:
    """Wavefront OBJ: the faces of its first object or group, polygons cut into triangles."""
    vertices: list[tuple[float, float, float]] = []
    polygons: list[list[int]] = []
    done = False
    for row, line in enumerate(data.decode("utf-8", errors="replace").splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append(_vertex(words, row))
        elif words[0] in ("o", "g"):
            done = done or bool(polygons)
        elif words[0] == "f" and not done:
            polygon = [_index(word, len(vertices), row) for word in words[1:]]
            if len(polygon) > 2:  # others have no area
                polygons.append(polygon)
    points = np.array(vertices, dtype=np.float32).reshape(-1, 3)
    wrong = next((index for polygon in polygons for index in polygon if index >= len(points)), None)
    if wrong is not None:
        raise ValueError(f"a face names vertex {wrong + 1} of {len(points)}")
    triangles = [triangle for polygon in polygons for triangle in _cut(polygon, points)]
    return points, np.array(triangles, dtype=np.int64).reshape(-1, 3)


def _vertex(words: list[str], row: int) -> tuple[float, float, float]:
    try:
        x, y, z = (float(word) for word in words[1:4])
    except ValueError:
        raise ValueError(f"line {row}: a vertex needs three numbers, found {' '.join(words[1:4])!r}") from None
    return x, y, z


def _index(word: str, count: int, row: int) -> int:
    """The vertex index from 0 of a word such as `7/3/2` or, counted back from the last vertex so far, `-1//2`."""
    head = word.partition("/")[0]
    try:
        number = int(head)
    except ValueError:
        number = 0
    index = number - 1 if number > 0 else count + number
    if number == 0 or index < 0:
        raise ValueError(f"line {row}: {word!r} names no vertex")
    return index


def _cut(polygon: list[int], points: Vertices) -> list[tuple[int, int, int]]:
    """Triangles of a polygon: quadrilaterals along the shorter diagonal, others ear by ear."""
    if len(polygon) == 3:
        return [(polygon[0], polygon[1], polygon[2])]
    if len(polygon) == 4:
        a, b, c, d = polygon
        first, second = points[c] - points[a], points[d] - points[b]
        if np.dot(first, first) < np.dot(second, second):
            return [(a, b, c), (a, c, d)]
        return [(a, b, d), (b, c, d)]
    return _cut_ears(polygon, points)


def _cut_ears(polygon: list[int], points: Vertices) -> list[tuple[int, int, int]]:
    """Ear clipping as the OBJ reader of MuJoCo does it, whose mass follows from these very triangles.

    It takes the turn at a corner for right by the side on which the corner's first edge passes the origin of the
    plane, and gives up what remains when no corner is an ear: a notched polygon may lose a part.
    """
    flat = points[:, _plane(polygon, points)]
    ring, triangles, at, rejected = list(polygon), [], 0, 0
    while len(ring) > 3 and rejected <= len(ring):
        at %= len(ring)
        a, b, c, *others = ring[at:] + ring[:at]
        corner = flat[[a, b, c]]
        turn, side = _cross(corner[1] - corner[0], corner[2] - corner[1]), _cross(corner[0], corner[1])
        if turn * side < 0.0 or _any_inside(flat[others], corner):
            at, rejected = at + 1, rejected + 1
            continue
        triangles.append((a, b, c))
        del ring[(at + 1) % len(ring)]
        rejected = 0
    return [*triangles, (ring[0], ring[1], ring[2])] if len(ring) == 3 else triangles


def _plane(polygon: list[int], points: Vertices) -> list[int]:
    """The two axes to look along the third of: the greatest of the area at the first corner that is one."""
    for k in range(len(polygon)):
        a, b, c = (points[polygon[(k + step) % len(polygon)]] for step in range(3))
        x, y, z = np.abs(np.cross(b - a, c - b))
        if max(x, y, z) > np.finfo(np.float32).eps:
            return [1, 2] if x > y and x > z else [0, 1] if z > x and z > y else [0, 2]
    return [1, 2]


def _cross(u: Vertices, v: Vertices) -> np.float32:
    return np.float32(u[0] * v[1] - u[1] * v[0])


def _any_inside(points: Vertices, triangle: Vertices) -> bool:
    """Whether from any of the points a ray along x meets the border of the triangle an odd number of times."""
    x, y = points.T
    inside = np.zeros(len(points), dtype=bool)
    for a, b in zip(triangle, triangle[[2, 0, 1]], strict=True):
        if a[1] != b[1]:
            crosses = (a[1] > y) != (b[1] > y)
            inside ^= crosses & (x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0])
    return bool(inside.any())


_READERS: dict[str, Callable[[bytes], MeshData]] = {".stl": read_stl, ".obj": read_obj, ".msh": read_msh}
