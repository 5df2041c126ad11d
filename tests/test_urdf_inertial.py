"""Mass, centre of mass and tensor of a URDF's links: as they stand, with what is odd told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urdf_text import INERTIA, only_finding, read, refusal

from dyncli.description import RobotDescription
from dyncli.formats.inertial import principal_moments
from dyncli.formats.urdf.elements import rotation_from_rpy
from dyncli.spatial import multiply3, transpose3


def link_with(inertial: str) -> RobotDescription:
    return read(f'<link name="arm"><inertial>{inertial}</inertial></link>')


def test_an_inertial_is_read_in_its_own_axes() -> None:
    inertial = link_with(
        '<origin xyz="1 2 3" rpy="1.5707963267948966 0 0"/><mass value="4"/>'
        '<inertia ixx="1" iyy="2" izz="3" ixy="0.1" ixz="0.2" iyz="0.3"/>'
    ).links[0].inertial  # fmt: skip
    assert inertial is not None
    assert inertial.mass == 4.0
    assert inertial.placement.translation == (1.0, 2.0, 3.0)
    assert inertial.placement.rotation == ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    assert inertial.tensor == (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)


def test_a_link_without_inertial_is_massless_whatever_it_looks_like() -> None:
    robot = read(
        '<link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link>',
    )
    assert robot.links[0].inertial is None
    assert not robot.findings


def test_mass_alone_is_a_point_mass_and_a_tensor_alone_nothing() -> None:
    robot = link_with('<mass value="2"/>')
    inertial = robot.links[0].inertial
    assert inertial is not None
    assert (inertial.mass, inertial.tensor) == (2.0, (0.0,) * 6)
    assert only_finding(robot).code == "inertial-without-tensor"
    robot = link_with(INERTIA)
    assert robot.links[0].inertial is None
    assert only_finding(robot).code == "inertial-without-mass"
    assert only_finding(link_with("")).code == "inertial-without-mass"


def test_missing_products_are_zero_with_a_warning_and_missing_moments_refused() -> None:
    robot = link_with('<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0.5"/>')
    inertial = robot.links[0].inertial
    assert inertial is not None
    assert inertial.tensor == (1.0, 1.0, 1.0, 0.5, 0.0, 0.0)
    finding = only_finding(robot)
    assert all(word in finding.text() for word in ("arm", "ixz", "iyz"))
    (line,) = refusal('<link name="arm"><inertial><mass value="1"/><inertia ixx="1" izz="1"/></inertial></link>')
    assert all(word in line for word in ("arm", "iyy"))


@pytest.mark.parametrize(
    ("mass", "diagonal", "products", "code", "severity"),
    [
        ("-1", "1 1 1", "0 0 0", "negative-mass", "error"),
        ("0", "1 1 1", "0 0 0", "inertia-without-mass", "warning"),
        ("1", "0.01 0.01 0.01", "0.02 0 0", "inertia-not-positive", "error"),
        ("1", "-0.01 0.01 0.01", "0 0 0", "inertia-not-positive", "error"),
        ("1", "0.1 0.1 1", "0 0 0", "inertia-triangle", "warning"),
    ],
)
def test_the_unphysical_is_told_and_taken_as_it_stands(
    mass: str, diagonal: str, products: str, code: str, severity: str
) -> None:
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    numbers = diagonal.split() + products.split()
    written = " ".join(f'{name}="{number}"' for name, number in zip(names, numbers, strict=True))
    robot = link_with(f'<mass value="{mass}"/><inertia {written}/>')
    finding = only_finding(robot)
    assert (finding.code, finding.severity) == (code, severity)
    assert "arm" in finding.text()
    inertial = robot.links[0].inertial
    assert inertial is not None
    assert inertial.mass == float(mass)
    assert inertial.tensor == tuple(map(float, numbers))


@pytest.mark.parametrize("diagonal", ["0.5 0.5 1", "0.0016667 0.0016667 0.0033333", "0 1 1", "1e-20 1e-20 -1e-20"])
def test_plates_rods_and_rounding_are_physical(diagonal: str) -> None:
    xx, yy, zz = diagonal.split()
    robot = link_with(f'<mass value="1"/><inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/>')
    assert not robot.findings


def test_the_message_on_a_tensor_gives_its_principal_moments() -> None:
    robot = link_with('<mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy=".02" ixz="0" iyz="0"/>')
    assert all(moment in only_finding(robot).message for moment in ("-0.01", "0.01", "0.03"))


@given(
    st.lists(st.floats(-5, 5), min_size=3, max_size=3),
    st.lists(st.floats(-4, 4), min_size=3, max_size=3),
)
def test_principal_moments_are_the_eigenvalues(moments: list[float], rpy: list[float]) -> None:
    R = rotation_from_rpy(*rpy)
    diagonal = tuple(tuple(moments[i] if i == j else 0.0 for j in range(3)) for i in range(3))
    A = multiply3(R, multiply3(diagonal, transpose3(R)))  # type: ignore[arg-type]
    tensor = (A[0][0], A[1][1], A[2][2], A[0][1], A[0][2], A[1][2])
    assert principal_moments(tensor) == pytest.approx(sorted(moments), abs=2e-14)
