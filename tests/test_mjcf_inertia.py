"""Mass and tensor of bodies: from geoms of every shape, from inertials, and what the compiler makes of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mjcf_text import BALL, agree, inertia_in_body, link, refusal

from dyncli.formats.mjcf.principal import principal_axes
from dyncli.formats.mjcf.solids import extent, moments
from dyncli.spatial import quaternion_to_matrix

SHAPES = {"sphere": ".1", "capsule": ".1 .2", "cylinder": ".1 .2", "ellipsoid": ".1 .2 .3", "box": ".1 .2 .3"}


def sums_over_points(kind: str, size: tuple[float, float, float]) -> tuple[float, np.ndarray]:
    """Volume and moments per kg of an ellipsoid or box, from points on a fine grid."""
    n = 100
    u = 2.0 * (np.arange(n) + 0.5) / n - 1.0
    x, y, z = np.meshgrid(u, u, u, indexing="ij")
    inside = x * x + y * y + z * z < 1.0 if kind == "ellipsoid" else np.ones(x.shape, bool)
    volume = inside.sum() * np.prod(size) * (2.0 / n) ** 3
    xx, yy, zz = (h * h * (p[inside] ** 2).mean() for h, p in zip(size, (x, y, z), strict=True))
    return volume, np.array([yy + zz, xx + zz, xx + yy])


@pytest.mark.parametrize("kind", ["ellipsoid", "box"])
def test_solids_agree_with_sums_over_their_points(kind: str) -> None:
    size = (0.1, 0.2, 0.3)
    volume, expected = sums_over_points(kind, size)
    assert extent(kind, size, shell=False) == pytest.approx(volume, rel=1e-3)
    assert moments(kind, size, shell=False) == pytest.approx(expected, rel=1e-3)
    assert moments("sphere", (0.2,), shell=False) == pytest.approx(moments("ellipsoid", (0.2,) * 3, shell=False))


def test_a_capsule_of_the_textbook() -> None:
    mass = 1000.0 * extent("capsule", (0.1, 0.2), shell=False)
    assert mass == pytest.approx(16.755161, rel=1e-7)
    x, y, z = moments("capsule", (0.1, 0.2), shell=False)
    assert (mass * x, mass * y, mass * z) == pytest.approx((0.446106, 0.446106, 0.079587), abs=1e-6)


@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "box"])
def test_a_solid_is_a_sum_of_shells(kind: str) -> None:
    """What a solid gains where it grows everywhere alike is its shell (an ellipsoid would not stay one)."""
    size = tuple(float(word) for word in SHAPES[kind].split())
    t = 1e-6
    grows = (1.0, 0.0) if kind == "capsule" else (1.0,) * len(size)

    def grown(h: float) -> np.ndarray:
        larger = tuple(s + h * g for s, g in zip(size, grows, strict=True))
        volume = extent(kind, larger, shell=False)
        return volume * np.array([1.0, *moments(kind, larger, shell=False)])

    rate = (grown(t) - grown(-t)) / (2.0 * t)
    surface = extent(kind, size, shell=True)
    assert rate == pytest.approx(surface * np.array([1.0, *moments(kind, size, shell=True)]), rel=1e-7)


@pytest.mark.parametrize(("kind", "shell"), list(itertools.product(SHAPES, ("true", "false"))))
def test_geoms_weigh_what_they_weigh_in_mujoco(kind: str, shell: str) -> None:
    pose = 'pos=".1 .05 0" euler="20 30 40"'
    for weight in ("", 'mass="1.5"', 'density="30"', 'mass="2" density="5"'):
        geom = f'<geom type="{kind}" size="{SHAPES[kind]}" {pose} shellinertia="{shell}" {weight}/>'
        agree(f"<body><joint/>{geom}</body>")
        agree(f'<body><joint/>{geom}<geom size=".1" pos=".3 0 0"/>{geom}</body>')


@pytest.mark.parametrize("kind", ["capsule", "cylinder", "ellipsoid", "box"])
def test_fromto_gives_length_and_pose_and_the_first_size_the_rest(kind: str) -> None:
    for size in (".06", ".06 .7 .9"):
        geom = f'<geom type="{kind}" size="{size}" fromto="0 0 0 .3 .4 -.1" euler="1 2 3"/>'
        agree(f"<body><joint/>{geom}</body>")
    agree(f'<body><joint/><geom type="{kind}" size=".1" fromto="0 0 0 0 0 -1"/></body>')


@pytest.mark.parametrize("choice", ["true", "false", "auto"])
def test_inertiafromgeom_chooses_between_inertial_and_geoms(choice: str) -> None:
    inertial = '<inertial pos=".1 0 .02" mass="3" diaginertia=".1 .2 .25"/>'
    rest = f'<compiler inertiafromgeom="{choice}"/>'
    agree(f"<body><joint/>{inertial}{BALL}</body>", rest)
    agree(f"<body><joint/>{inertial}</body>", rest)
    agree(f'<body><joint/>{inertial}<geom size=".1" mass="0"/></body>', rest)
    if choice == "false":
        assert "mass" in refusal(f"<body><joint/>{BALL}</body>", rest)[0]


def test_only_groups_in_range_count() -> None:
    geoms = "".join(f'<geom size=".1" pos="{g} 0 0" group="{g}"/>' for g in range(6))
    for span in ("0 5", "0 1", "3 5", "4 4"):
        agree(f"<body><joint/>{geoms}</body>", f'<compiler inertiagrouprange="{span}"/>')


@pytest.mark.parametrize(
    "inertial",
    [
        'diaginertia=".1 .2 .25" quat="1 2 3 4"',
        'diaginertia=".1 .2 .3"',
        'diaginertia=".3 .1 .2" euler="10 20 30"',
        'fullinertia=".3 .4 .5 .01 .02 .03"',
        'fullinertia="3e-12 4e-12 5e-12 1e-13 2e-13 3e-13"',
    ],
)
def test_inertials_of_all_forms(inertial: str) -> None:
    agree(f'<body><joint/><inertial pos=".1 .2 .3" mass="2" {inertial}/></body>')


def test_a_full_tensor_is_kept_as_it_stands() -> None:
    robot = agree('<body name="b"><joint/><inertial pos="1 0 0" mass="2" fullinertia=".3 .4 .5 .01 .02 .03"/></body>')
    _, _, tensor = inertia_in_body(link(robot, "b"))
    assert tensor == pytest.approx(np.array([[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]]), rel=1e-15)


UNPHYSICAL = (
    'diaginertia="1 1 2.1"',
    'diaginertia="1 1 2.000000000000001"',
    'fullinertia="1 1.5 2.6 0 0 0"',
    'diaginertia="-1 1 1"',
    'diaginertia="0 0 0"',
    'fullinertia="0 0 0 0 0 0"',
)


@pytest.mark.parametrize("inertial", UNPHYSICAL)
def test_unphysical_inertials_are_refused_unless_bounds_or_balance_mend_them(inertial: str) -> None:
    world = f'<body name="b"><joint/><inertial pos="0 0 0" mass="1" {inertial}/></body>'
    assert "m.xml:4" in refusal(world)[0]
    agree(world, '<compiler boundinertia="2"/>')
    if inertial in UNPHYSICAL[:3]:
        agree(world, '<compiler balanceinertia="true"/>')


@pytest.mark.parametrize(
    "compiler",
    [
        'boundmass=".5"',
        'boundinertia=".1"',
        'boundmass=".5" boundinertia=".1"',
        'settotalmass="10"',
        'boundmass="2" boundinertia=".01" settotalmass="100"',
        'settotalmass="0"',
    ],
)
def test_bounds_and_total_mass_act_on_static_and_massless_bodies_too(compiler: str) -> None:
    full = '<inertial pos="0 0 0" mass="1" fullinertia=".03 .4 .4 .001 .002 .003"/>'
    bodies = f'{BALL}<body pos="1 0 0" euler="0 0 9">{BALL}</body><body pos="0 1 0"/><body><joint/>{full}</body>'
    agree(f'<body pos="1 2 3" euler="0 0 90">{BALL}{bodies}</body>', f"<compiler {compiler}/>")
    if "boundmass" in compiler and "boundinertia" in compiler:
        agree('<frame pos="5 5 5"><body pos="1 2 3" euler="0 0 90"><joint/></body></frame>', f"<compiler {compiler}/>")


def test_a_moving_body_needs_mass_or_a_welded_body_that_has_some() -> None:
    agree(f"<body><joint/><body><body>{BALL}</body></body></body>")
    assert "needs mass" in refusal("<body><joint/></body>")[0]
    assert "needs mass" in refusal(f'<body><joint/><body><joint axis="1 0 0"/>{BALL}</body></body>')[0]
    assert "needs mass" in refusal(f"<body><joint/><body><body><joint/>{BALL}</body></body></body>")[0]


def test_the_world_and_planes_weigh_nothing_and_height_fields_do() -> None:
    agree(f'<geom size="1"/><body>{BALL}<geom type="plane" size="1 1 1"/></body>')
    field = '<asset><hfield name="h" nrow="3" ncol="3" size="1 2 3 4"/></asset>'
    agree('<body><joint/><geom type="hfield" hfield="h"/></body>', field)


@pytest.mark.parametrize(
    ("geom", "word"),
    [
        ('<geom type="box" size=".1 .2"/>', "3 positive sizes"),
        ("<geom/>", "positive sizes"),
        ('<geom size="-.1"/>', "positive sizes"),
        ('<geom size=".1" mass="-1"/>', "negative"),
        ('<geom size=".1" density="-1"/>', "negative"),
        ('<geom type="plane" size="1 1 1"/>', "static body"),
        ('<geom type="sphere" size=".1" fromto="0 0 0 1 1 1"/>', "fromto is for"),
        ('<geom type="box" size=".1" fromto="0 0 0 1 1 1" pos="1 0 0"/>', "pos and fromto"),
        ('<geom type="box" size=".1" fromto="1 1 1 1 1 1"/>', "the same"),
        ('<geom type="mesh"/>', "must name a mesh"),
        ('<geom size=".1" mesh="m"/>', "no mesh 'm'"),
        ('<geom size=".1" material="m"/>', "no material 'm'"),
        ('<geom type="hfield"/>', "hfield"),
        ('<geom size=".1" condim="2"/>', "condim"),
    ],
)
def test_wrong_geoms_are_refused(geom: str, word: str) -> None:
    assert word in refusal(f'<body name="b"><joint/>{BALL}{geom}</body>')[0]


def test_principal_axes_turn_the_tensor_into_its_moments() -> None:
    rng = np.random.default_rng(1)
    for scale in (1e-9, 1.0, 1e6):
        R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        T = scale * R @ np.diag(rng.uniform(1.0, 2.0, 3)) @ R.T
        found, quaternion = principal_axes((T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[0, 2], T[1, 2]))
        axes = np.array(quaternion_to_matrix(*quaternion))
        assert axes @ np.diag(found) @ axes.T == pytest.approx(T, abs=1e-14 * scale)
        assert list(found) == sorted(found, reverse=True)


@pytest.mark.parametrize("alike", ['align="true"', ""])
def test_an_aligned_free_body_has_its_frame_at_its_center_of_mass(alike: str) -> None:
    held = '<geom type="box" size=".1 .2 .05" pos=".1 .3 0" euler="10 20 30"/><site name="s" pos="1 2 3"/>'
    compiler = "" if alike else '<compiler alignfree="true"/>'
    more = '<geom size=".1" pos="0 .2 .3"/>'
    for geoms in (held, held + more):
        agree(f'<body pos="1 0 0" euler="0 0 50"><freejoint {alike}/>{geoms}</body>', compiler)
    agree(f'<body pos="1 0 0"><freejoint {alike}/>{held}<body><geom size=".1"/></body></body>', compiler)


@pytest.mark.parametrize(
    "inertia",
    [
        '<geom type="box" size=".3 .1 .2"/>',
        '<geom type="box" size=".3 .1 .2"/><geom size=".1"/>',
        '<geom type="box" size=".3 .1 .2"/><geom size=".1" mass="0"/>',
        '<inertial pos="1 2 3" mass="1" diaginertia="1 2 1.5"/>',
        '<inertial pos="1 2 3" mass="1" fullinertia="1 2 1.5 0 0 0"/>',
        '<inertial pos="1 2 3" mass="1" fullinertia="1 1 1 0 0 0"/>',
    ],
)
def test_axes_of_an_aligned_body_come_in_falling_order_only_where_they_had_to_be_found(inertia: str) -> None:
    free = f'<body pos="1 2 3" euler="10 20 30"><freejoint align="true"/>{inertia}</body>'
    for compiler in ("", '<compiler boundinertia=".01"/>', '<compiler boundinertia="1.2" boundmass="3"/>'):
        agree(free, compiler)
