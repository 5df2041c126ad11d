"""Meshes as sources of inertia: file formats, ways to count volume, fitted primitives, hulls, and missing files."""

from __future__ import annotations

import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_text import agree, agree_on_file, our_refusal, refusal
from test_mjcf_include import refused_by_both, write

from dyncli.errors import ModelError
from dyncli.formats.load import load_description
from dyncli.formats.mjcf.hull import convex_hull
from dyncli.formats.mjcf.mesh_files import read_mesh
from dyncli.formats.mjcf.meshes import make_mesh

# a prism with a notch, so that the ways to count its volume differ
NOTCHED = np.array(
    [
        *(
            (0, 0, 0),
            (0.3, 0, 0),
            (0.3, 0.3, 0),
            (0.2, 0.3, 0),
            (0.2, 0.1, 0),
            (0.1, 0.1, 0),
            (0.1, 0.3, 0),
            (0, 0.3, 0),
        ),
        *((0, 0, 0.05), (0.3, 0, 0.05), (0.3, 0.3, 0.05), (0.2, 0.3, 0.05), (0.2, 0.1, 0.05), (0.1, 0.1, 0.05)),
        *((0.1, 0.3, 0.05), (0, 0.3, 0.05)),
    ]
)
BOTTOM = [(0, 5, 1), (1, 5, 4), (1, 4, 2), (2, 4, 3), (0, 6, 5), (0, 7, 6)]
FACES = np.array(
    [
        *BOTTOM,
        *((8 + a, 8 + c, 8 + b) for a, b, c in BOTTOM),
        *(face for k in range(8) for j in [(k + 1) % 8] for face in ((k, j, 8 + j), (k, 8 + j, 8 + k))),
    ]
)
TETRAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
TETRAHEDRON_FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
SHOWN = '<body name="b"><joint/><geom type="mesh" mesh="m" pos=".1 0 0" euler="10 20 30"/></body>'
POINTS = " ".join(str(v) for v in NOTCHED.ravel())
INDICES = " ".join(str(k) for k in FACES.ravel())


def asset(attributes: str = "", faces: bool = True) -> str:
    face = f'face="{INDICES}"' if faces else ""
    return f'<asset><mesh name="m" vertex="{POINTS}" {face} {attributes}/></asset>'


def stl(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    corners = vertices[faces].reshape(-1, 9)
    return b"\0" * 80 + struct.pack("<i", len(faces)) + b"".join(struct.pack("<12fH", 0, 0, 0, *c, 0) for c in corners)


def msh(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    header = struct.pack("<4i", len(vertices), 0, len(vertices), len(faces))
    texture = np.zeros((len(vertices), 2), "<f4")
    return header + vertices.astype("<f4").tobytes() + texture.tobytes() + faces.astype("<i4").tobytes()


def obj(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a + 1}/1 {b + 1} {c + 1}//2" for a, b, c in faces]
    return "\n".join(lines).encode()


def test_modes_of_inertia_differ_as_known_on_a_notched_prism() -> None:
    vertices = NOTCHED.astype(np.float32).astype(float)
    volumes = {mode: make_mesh(vertices, FACES, mode).volume for mode in ("legacy", "exact", "convex", "shell")}
    assert volumes["exact"] == pytest.approx(0.07 * 0.05, rel=1e-6)
    assert volumes["convex"] == pytest.approx(0.09 * 0.05, rel=1e-6)
    assert volumes["legacy"] == pytest.approx(4.308592e-3, rel=1e-6)
    assert volumes["shell"] == pytest.approx(2.0 * 0.07 + 1.6 * 0.05, rel=1e-6)


@pytest.mark.parametrize("mode", ["", 'inertia="legacy"', 'inertia="exact"', 'inertia="convex"', 'inertia="shell"'])
@pytest.mark.parametrize(
    "moved",
    ["", 'scale="2 1 .5"', 'scale="-1 2 1"', 'refpos=".1 .05 0" refquat="1 2 0 1"', 'scale="1 -1 -1" refpos="0 0 3"'],
)
def test_meshes_weigh_what_they_weigh_in_mujoco(mode: str, moved: str) -> None:
    agree(SHOWN, asset(f"{mode} {moved}"))


def test_points_without_faces_are_their_hull_and_defaults_scale_meshes() -> None:
    agree(SHOWN, asset(faces=False))
    agree(SHOWN, asset(faces=False) + '<default><mesh scale="2 2 2"/></default>')


@pytest.mark.parametrize("kind", ["", "sphere", "capsule", "cylinder", "ellipsoid", "box"])
@pytest.mark.parametrize("box", ["false", "true"])
def test_primitives_are_fitted_to_meshes(kind: str, box: str) -> None:
    named = f'type="{kind}"' if kind else ""
    tall = asset('scale="1 1 9"') + f'<compiler fitaabb="{box}"/>'
    agree(f'<body><joint/><geom {named} mesh="m" pos=".1 0 0" euler="10 20 30" fitscale="1.5"/></body>', tall)


def test_two_geoms_may_show_one_mesh_in_two_ways() -> None:
    geoms = '<geom type="box" mesh="m"/><geom type="mesh" mesh="m" pos="1 0 0"/><geom mesh="m" mass="3" pos="0 1 0"/>'
    agree(f"<body><joint/>{geoms}</body>", asset())


@pytest.mark.parametrize(("suffix", "written"), [("stl", stl), ("STL", stl), ("msh", msh), ("obj", obj)])
def test_files_of_all_formats_are_read(tmp_path: Path, suffix: str, written: object) -> None:
    for name, vertices, faces in (("notched", NOTCHED, FACES), ("tetrahedron", TETRAHEDRON, TETRAHEDRON_FACES)):
        (tmp_path / f"{name}.{suffix}").write_bytes(written(vertices, faces))  # type: ignore[operator]
        text = f'<mujoco><asset><mesh name="m" file="{name}.{suffix}"/></asset><worldbody>{SHOWN}</worldbody></mujoco>'
        agree_on_file(write(tmp_path, {f"{name}.xml": text}))


@pytest.mark.parametrize(
    "text",
    [
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 .5 1\nf 1 4 3 2\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n",
        "v 0 0 0\nv 1 0 0\nv 2 .7 0\nv 1 1 0\nv 0 1 0\nv .5 .5 1\n"
        "f 1 5 4 3 2\nf 1 2 6\nf 2 3 6\nf 3 4 6\nf 4 5 6\nf 5 1 6",
        "v 0 0 0\nv 1 0 0\nv .2 .2 0\nv 0 1 0\nv .1 .1 1\nf 1 4 3 2\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n",
        "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf -4 -2 -3\nf 1 2 4\nf 1 4 3\nf 2 3 4\no two\nv 5 5 5\nf 1 2 5\n",
    ],
)
def test_polygons_and_groups_of_obj_files(tmp_path: Path, text: str) -> None:
    name = f"m{abs(hash(text)) % 10**8}"  # MuJoCo caches meshes by their path
    model = f'<mujoco><asset><mesh name="m" file="{name}.obj"/></asset><worldbody>{SHOWN}</worldbody></mujoco>'
    agree_on_file(write(tmp_path, {"main.xml": model, f"{name}.obj": text}))


@pytest.mark.parametrize("seed", range(12))
def test_notched_polygons_are_cut_as_mujoco_cuts_them(tmp_path: Path, seed: int) -> None:
    """Prisms over stars, turned anyhow and either way round, with faces of too few corners between."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 11))
    angles, radii = np.sort(rng.uniform(0, 2 * np.pi, n)), rng.uniform(0.1, 0.5, n)
    star = np.column_stack([radii * np.cos(angles), radii * np.sin(angles), np.zeros(n)]) + rng.uniform(-1, 1, 3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0] if seed % 3 else np.eye(3)
    corners = np.concatenate([star, star + np.array((0, 0, 0.4))]) @ turn
    sides = [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    faces = [tuple(range(n))[::-1], (0, 1), tuple(range(n, 2 * n)), *sides]
    lines = ["v {:.6f} {:.6f} {:.6f}".format(*corner) for corner in corners]
    lines += ["f " + " ".join(str(index + 1) for index in face) for face in faces]
    name = f"star{seed}"
    model = f'<mujoco><asset><mesh name="m" file="{name}.obj"/></asset><worldbody>{SHOWN}</worldbody></mujoco>'
    agree_on_file(write(tmp_path, {"main.xml": model, f"{name}.obj": "\n".join(lines)}))


@pytest.mark.parametrize(
    ("data", "suffix", "word"),
    [
        (b"solid x\nfacet normal 0 0 1\n" + b" " * 100, ".stl", "ASCII"),
        (b"short", ".stl", "too short"),
        (stl(TETRAHEDRON, TETRAHEDRON_FACES)[:-1], ".stl", "283"),
        (msh(TETRAHEDRON, TETRAHEDRON_FACES)[:-4], ".msh", "does not fit"),
        (b"v 0 0\n", ".obj", "three numbers"),
        (b"v 0 0 0\nf 1 2 3\n", ".obj", "vertex 2 of 1"),
        (b"v 0 0 0\nf 0 1 1\n", ".obj", "names no vertex"),
        (b"", ".dae", "not as .dae"),
    ],
)
def test_broken_files_are_refused_with_what_is_wrong(data: bytes, suffix: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        read_mesh(data, suffix)


def test_a_missing_file_matters_only_where_it_gives_inertia(tmp_path: Path) -> None:
    mesh = '<asset><mesh name="m" file="no_such.stl"/></asset>'
    needed = write(tmp_path, {"a.xml": f"<mujoco>{mesh}<worldbody>{SHOWN}</worldbody></mujoco>"})
    assert all(word in " ".join(refused_by_both(needed)) for word in ("no_such.stl", "'b'"))
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    for world in (
        SHOWN.replace("<joint/>", f"<joint/>{inertial}"),
        SHOWN.replace("<joint/>", "").replace("mesh=", 'mass="0" mesh='),
    ):
        shown = write(tmp_path, {"b.xml": f"<mujoco>{mesh}<worldbody>{world}</worldbody></mujoco>"})
        (finding,) = load_description(shown).findings
        assert (finding.code, finding.severity) == ("missing-mesh", "note")


@pytest.mark.parametrize("compiler", ["", '<compiler fusestatic="true"/>'])
@pytest.mark.parametrize(
    "world",
    [
        SHOWN,
        SHOWN + SHOWN.replace('name="b"', 'name="c"'),
        f'<body name="a"><joint/>{SHOWN.replace("<joint/>", "")}</body>',
    ],
    ids=["in the body", "in two bodies", "in what is welded to it"],
)
def test_a_missing_file_is_one_finding(tmp_path: Path, world: str, compiler: str) -> None:
    mesh = '<asset><mesh name="m" file="no_such.stl"/></asset>'
    with pytest.raises(ModelError) as caught:
        load_description(write(tmp_path, {"a.xml": f"<mujoco>{compiler}{mesh}<worldbody>{world}</worldbody></mujoco>"}))
    assert [finding.code for finding in caught.value.findings] == ["mesh"]


def test_a_body_without_mass_is_told_beside_the_missing_file_of_another(tmp_path: Path) -> None:
    mesh = '<asset><mesh name="m" file="no_such.stl"/></asset>'
    world = f'{SHOWN}<body name="light"><joint/></body>'
    with pytest.raises(ModelError) as caught:
        load_description(write(tmp_path, {"a.xml": f"<mujoco>{mesh}<worldbody>{world}</worldbody></mujoco>"}))
    assert {finding.code for finding in caught.value.findings} == {"mesh", "massless-body"}


@pytest.mark.parametrize(
    ("files", "compiler", "mesh"),
    [
        ({"m.stl": 1.0}, "", "m.stl"),
        ({"m.stl": 1.0, "meshes/m.stl": 2.0}, '<compiler meshdir="meshes"/>', "m.stl"),
        ({"m.stl": 1.0, "meshes/m.stl": 2.0}, '<compiler assetdir="meshes"/>', "m.stl"),
        ({"meshes/m.stl": 2.0, "other/m.stl": 3.0}, '<compiler assetdir="meshes" meshdir="other"/>', "m.stl"),
        (
            {"meshes/m.stl": 2.0, "other/m.stl": 3.0},
            '<compiler meshdir="other"/><compiler assetdir="meshes"/>',
            "m.stl",
        ),
        ({"m.stl": 1.0, "meshes/m.stl": 2.0}, '<compiler strippath="true"/>', "meshes/m.stl"),
        ({"m.stl": 1.0, "meshes/m.stl": 2.0}, '<compiler meshdir="meshes"/>', "../m.stl"),
    ],
)
def test_files_are_found_where_mujoco_finds_them(
    tmp_path: Path, files: dict[str, float], compiler: str, mesh: str
) -> None:
    for name, size in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(stl(size * TETRAHEDRON, TETRAHEDRON_FACES))
    asset = f'<asset><mesh name="m" file="{mesh}"/></asset>'
    agree_on_file(write(tmp_path, {"main.xml": f"<mujoco>{compiler}{asset}<worldbody>{SHOWN}</worldbody></mujoco>"}))


def test_meshes_of_included_and_attached_files(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/m.stl").write_bytes(stl(TETRAHEDRON, TETRAHEDRON_FACES))
    asset = '<asset><mesh file="m.stl"/></asset>'
    child = f"<mujoco>{asset}<worldbody>{SHOWN}</worldbody></mujoco>"
    attach = '<asset><model name="c" file="sub/c.xml"/></asset><worldbody><attach model="c" prefix=""/></worldbody>'
    files = {
        "main.xml": f'<mujoco><include file="sub/part.xml"/><worldbody>{SHOWN}</worldbody></mujoco>',
        "attach.xml": f"<mujoco>{attach}</mujoco>",
        "sub/part.xml": f"<x>{asset}</x>",
        "sub/c.xml": child,
    }
    write(tmp_path, files)
    agree_on_file(tmp_path / "main.xml")
    agree_on_file(tmp_path / "attach.xml")


def test_faces_of_mixed_orientation_have_no_exact_inertia() -> None:
    flipped = FACES.copy()
    flipped[3] = flipped[3][::-1]
    indices = " ".join(str(k) for k in flipped.ravel())
    rest = asset('inertia="exact"').replace(INDICES, indices)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(f"<mujoco>{rest}<worldbody>{SHOWN}</worldbody></mujoco>")
    assert "oriented" in our_refusal(SHOWN, rest)[0]


def test_a_mesh_cannot_be_turned_by_nothing() -> None:
    assert "refquat" in refusal(SHOWN, asset('refquat="0 0 0 0"'))[0]


@pytest.mark.parametrize("kind", ["normal", "sphere", "grid", "repeated"])
def test_hulls_are_closed_and_hold_all_points(kind: str) -> None:
    rng = np.random.default_rng(5)
    points = rng.normal(size=(300, 3))
    if kind == "sphere":
        points /= np.linalg.norm(points, axis=1)[:, None]
    if kind == "grid":
        points = np.round(points)
    if kind == "repeated":
        points = np.repeat(points[:40], 8, axis=0)
    faces = convex_hull(points)
    edges = {tuple(edge) for face in faces for edge in zip(face, np.roll(face, -1), strict=True)}
    assert len(edges) == 3 * len(faces)
    assert all((b, a) in edges for a, b in edges)
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    heights = np.einsum("fi,pfi->pf", normals, points[:, None] - corners[None, :, 0])
    assert heights.max() < 1e-12


def test_points_in_a_plane_have_no_hull() -> None:
    with pytest.raises(ValueError, match="plane"):
        convex_hull(np.random.default_rng(1).normal(size=(20, 3)) * [1.0, 1.0, 0.0])


def test_a_hull_of_few_vertices_is_the_hull_and_a_cut_one_refused() -> None:
    agree(SHOWN, asset('inertia="convex" maxhullvert="64"'))
    assert "maxhullvert" in our_refusal(SHOWN, asset('inertia="convex" maxhullvert="4"'))[0]


def test_numbers_beyond_all_range_are_refused() -> None:
    assert "not finite" in our_refusal(SHOWN, asset().replace("0.3", "1e200"))[0]
    assert "range of numbers" in our_refusal('<body name="b"><joint/><geom size="1e200"/></body>')[0]
