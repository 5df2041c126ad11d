"""What a URDF says, what it leaves out, and what it gets wrong: one test a point."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urdf_text import LIMIT, codes, hip, joint_with, only_finding, read, refusal

from dyncli.description import RobotDescription
from dyncli.errors import ModelError
from dyncli.formats.urdf.elements import rotation_from_rpy
from dyncli.spatial import IDENTITY, multiply3, transpose3

# structure


def test_elements_come_in_any_order_and_the_root_link_first() -> None:
    robot = read(
        '<joint name="j2" type="fixed"><child link="c"/><parent link="b"/></joint>'
        '<link name="c"/><link name="b"/>'
        '<joint name="j1" type="fixed"><parent link="a"/><child link="b"/></joint><link name="a"/>'
    )
    assert [link.name for link in robot.links] == ["a", "c", "b"]
    assert [joint.name for joint in robot.joints] == ["j2", "j1"]
    assert (robot.name, robot.format, robot.gravity) == ("r", "urdf", (0.0, 0.0, -9.81))
    assert robot.counts == {"links": 3, "joints": 2}
    assert not robot.findings


def test_links_and_joints_have_separate_names_with_any_characters() -> None:
    names = ["a b", "x:y/z", "left@1=2", "ä#2"]
    links = "".join(f'<link name="{name}"/>' for name in names)
    joints = "".join(
        f'<joint name="{child}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'
        for parent, child in pairwise(names)
    )
    robot = read(links + joints)
    assert [link.name for link in robot.links] == names
    assert [joint.name for joint in robot.joints] == names[1:]


@pytest.mark.parametrize("kind", ["fixed", "revolute", "continuous", "prismatic", "planar", "floating"])
def test_every_type_of_urdf_is_read(kind: str) -> None:
    assert hip("", kind).type == kind


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", ["no links"]),
        ('<link name="a"/><link name="b"/>', ["'a'", "'b'", "2 root"]),
        ('<link name="a"/>\n<link name="a"/>', ["r.urdf:3", "'a'", "line 2"]),
        ('<link/>', ["<link>", "name"]),
        ('<link name=""/>', ["empty"]),
        ('<link name="a"/><joint name="hip" type="fixed"><parent link="a"/></joint>', ["hip", "<child link"]),
        ('<link name="a"/><joint name="hip" type="fixed"><child link="a"/></joint>', ["hip", "<parent link"]),
        ('<link name="a"/><joint name="hip" type="fixed"><parent/><child link="a"/></joint>', ["hip", "link"]),
        (
            '<link name="arm"/><joint name="hip" type="fixed"><parent link="arm"/><child link="amr"/></joint>',
            ["hip", "'amr'", "'arm'"],
        ),
        (
            '<link name="a"/><link name="b"/><joint name="hip" type="ball"><parent link="a"/><child link="b"/></joint>',
            ["hip", "ball", "continuous"],
        ),
        (
            '<link name="a"/><link name="b"/><joint name="hip"><parent link="a"/><child link="b"/></joint>',
            ["hip", "type"],
        ),
        (
            '<link name="a"/><link name="b"/><joint type="fixed"><parent link="a"/><child link="b"/></joint>',
            ["<joint>", "name"],
        ),
        ('<link name="a"/><joint name="hip" type="fixed"><parent link="a"/><child link="a"/></joint>', ["hip", "own"]),
    ],
)  # fmt: skip
def test_what_is_no_tree_is_refused_in_one_line(body: str, words: list[str]) -> None:
    lines = refusal(body)
    assert len(lines) == 1
    for word in words:
        assert word in lines[0]


def test_a_robot_has_a_name() -> None:
    assert "r.urdf:1: <robot>" in refusal('<link name="a"/>', name="")[0]


def fixed(name: str, parent: str, child: str) -> str:
    return f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>\n'


def test_duplicate_joints_and_two_parents_are_named_with_both_lines() -> None:
    body = '<link name="a"/><link name="b"/><link name="c"/>\n' + fixed("j", "a", "b") + fixed("j", "a", "c")
    assert any("r.urdf:4" in line and "'j'" in line and "line 3" in line for line in refusal(body))
    body = '<link name="a"/><link name="b"/><link name="c"/>\n' + fixed("j", "a", "c") + fixed("k", "b", "c")
    assert any("r.urdf:4" in line and "'c'" in line and "'j'" in line for line in refusal(body))


@pytest.mark.parametrize("tail", [0, 1, 3], ids=lambda tail: f"{tail}-before")
def test_a_loop_names_its_links_and_no_others(tail: int) -> None:
    """A ring that hangs together with links below it; nothing is its root."""
    names = ["n0", "n1", "n2"]
    below = [f"below{k}" for k in range(tail)]
    links = "".join(f'<link name="{name}"/>' for name in below + names)
    ring = "".join(fixed(f"r{k}", names[k], names[(k + 1) % 3]) for k in range(3))
    hanging = "".join(fixed(f"b{k}", names[k], below[k]) for k in range(tail))
    (line,) = refusal(links + ring + hanging)
    assert all(repr(name) in line for name in names)
    assert "below" not in line


def test_all_problems_are_told_at_once_each_with_its_line() -> None:
    body = (
        '<link name="a"><inertial><mass value="heavy"/></inertial></link>\n'
        '<link name="a"/>\n'
        '<link name="b"/>\n'
        '<joint name="j" type="screw"><parent link="a"/><child link="b"/></joint>\n'
        '<joint name="k" type="fixed"><parent link="ghost"/><child link="b"/><origin xyz="1 2"/></joint>\n'
    )
    lines = refusal(body)
    assert sorted(int(line.split(":")[1]) for line in lines) == [2, 3, 5, 6, 6]


def test_a_chain_of_thousands_needs_no_recursion() -> None:
    n = 3000
    body = '<link name="l0"/>' + "".join(
        f'<link name="l{k + 1}"/>{fixed(f"j{k}", f"l{k}", f"l{k + 1}")}' for k in range(n)
    )
    assert len(read(body).joints) == n


# joints


def test_missing_halves_of_an_origin_are_zero() -> None:
    assert hip("").placement == IDENTITY
    assert hip("<origin/>").placement == IDENTITY
    assert hip('<origin xyz="1 2 3"/>').placement.translation == (1.0, 2.0, 3.0)
    turned = hip('<origin rpy="0 0 1.5707963267948966"/>').placement
    assert turned.translation == (0.0, 0.0, 0.0)
    assert turned.rotation == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def test_rpy_turns_about_fixed_axes_x_y_z() -> None:
    # by hand: Rz(1.1) Ry(-0.5) Rx(0.3) takes x to the first column
    c, s = math.cos, math.sin
    R = hip('<origin rpy="0.3 -0.5 1.1"/>').placement.rotation
    assert [row[0] for row in R] == pytest.approx([c(1.1) * c(0.5), s(1.1) * c(0.5), s(0.5)], rel=1e-15)
    assert R[2][1:] == pytest.approx((c(0.5) * s(0.3), c(0.5) * c(0.3)), rel=1e-15)


angles = st.floats(-10, 10) | st.sampled_from([k * math.pi / 2 for k in range(-4, 5)])


@given(angles, angles, angles)
def test_rpy_is_the_product_of_three_turns(roll: float, pitch: float, yaw: float) -> None:
    about_z, about_y, about_x = (
        rotation_from_rpy(0, 0, yaw),
        rotation_from_rpy(0, pitch, 0),
        rotation_from_rpy(roll, 0, 0),
    )
    R = rotation_from_rpy(roll, pitch, yaw)
    product = multiply3(about_z, multiply3(about_y, about_x))
    identity = multiply3(R, transpose3(R))
    for i in range(3):
        assert R[i] == pytest.approx(product[i], abs=1e-15)
        assert identity[i] == pytest.approx(IDENTITY.rotation[i], abs=1e-15)


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "planar"])
def test_the_axis_is_x_where_none_is_given_and_a_unit_vector_always(kind: str) -> None:
    assert hip("", kind).axis == (1.0, 0.0, 0.0)
    robot = joint_with('<axis xyz="0 3 4"/>', kind)
    assert robot.joints[0].axis == pytest.approx((0.0, 0.6, 0.8), rel=1e-15)
    assert "axis-not-unit" in codes(robot)
    assert "axis-not-unit" not in codes(joint_with('<axis xyz="0 0.7071 0.7071"/>', kind))
    assert math.hypot(*hip('<axis xyz="1e-5 0 2e-5"/>', kind).axis) == pytest.approx(1.0, rel=1e-15)


def test_a_zero_axis_is_refused_where_the_joint_moves() -> None:
    with pytest.raises(ModelError) as caught:
        joint_with('<axis xyz="0 0 0"/>')
    assert all(word in caught.value.lines()[0] for word in ("hip", "axis", "0 0 0"))
    assert hip('<axis xyz="0 0 0"/>', "fixed").type == "fixed"


def test_limits_are_read() -> None:
    joint = hip("")
    assert (joint.lower, joint.upper, joint.effort, joint.velocity) == (-1.0, 2.0, 3.0, 4.0)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize(
    ("limit", "code", "severity", "bounds"),
    [
        ("", "missing-limit", "error", (None, None, None, None)),
        ('<limit effort="3" velocity="4"/>', "no-range", "warning", (None, None, 3.0, 4.0)),
        ('<limit lower="0" upper="0" effort="3" velocity="4"/>', "no-range", "warning", (None, None, 3.0, 4.0)),
        ('<limit upper="2" effort="3" velocity="4"/>', "half-range", "warning", (0.0, 2.0, 3.0, 4.0)),
        ('<limit lower="1.2" upper="-0.7" effort="3" velocity="4"/>', "limit-reversed", "error", (1.2, -0.7, 3.0, 4.0)),
        ('<limit lower="-1" upper="2" velocity="4"/>', "missing-effort", "warning", (-1.0, 2.0, None, 4.0)),
        ('<limit lower="-1" upper="2" effort="3"/>', "missing-velocity", "warning", (-1.0, 2.0, 3.0, None)),
        ('<limit lower="-1" upper="2" effort="-3" velocity="4"/>', "negative-effort", "warning", (-1, 2, None, 4.0)),
    ],
)  # fmt: skip
def test_odd_limits_are_told_by_name_and_stop_nothing(
    kind: str, limit: str, code: str, severity: str, bounds: tuple[float | None, ...]
) -> None:
    robot = joint_with("", kind, limit)
    finding = only_finding(robot)
    assert (finding.code, finding.severity, finding.fatal) == (code, severity, False)
    assert "hip" in finding.text()
    assert "limit" in finding.text()
    joint = robot.joints[0]
    assert (joint.lower, joint.upper, joint.effort, joint.velocity) == bounds


def test_a_continuous_joint_has_no_range() -> None:
    robot = joint_with("", "continuous")
    assert (robot.joints[0].lower, robot.joints[0].upper) == (None, None)
    assert (robot.joints[0].effort, robot.joints[0].velocity) == (3.0, 4.0)
    assert only_finding(robot).severity == "note"
    assert not joint_with("", "continuous", "").findings


def test_reversed_limits_are_told_with_both_numbers() -> None:
    robot = joint_with("", "revolute", '<limit lower="1.2" upper="-0.7" effort="3" velocity="4"/>')
    assert all(number in only_finding(robot).message for number in ("1.2", "-0.7"))


def test_damping_and_friction_are_read() -> None:
    joint = hip('<dynamics damping="0.5" friction="0.1"/>')
    assert (joint.damping, joint.friction) == ((0.5,), 0.1)
    assert (hip("").damping, hip("").friction) == ((), 0.0)
    assert hip('<dynamics damping="0"/>').damping == ()
    assert "negative-damping" in codes(joint_with('<dynamics damping="-1"/>'))


# mimic


def with_mimics(*mimics: tuple[str, str]) -> RobotDescription:
    """Joints a, b, c... that each hang on the base, the named ones with the given mimic attributes."""
    inner = dict(mimics)
    joints = "".join(
        f'<link name="{n}"/><joint name="{n}" type="{"fixed" if n == "weld" else "revolute"}"><parent link="base"/>'
        f'<child link="{n}"/>{LIMIT}{f"<mimic {inner[n]}/>" if n in inner else ""}</joint>'
        for n in ("a", "b", "c", "d", "weld")
    )
    return read('<link name="base"/>' + joints)


def tied(robot: RobotDescription) -> dict[str, tuple[str, float, float]]:
    mimics = {joint.name: joint.mimic for joint in robot.joints if joint.mimic is not None}
    return {name: (mimic.joint, mimic.multiplier, mimic.offset) for name, mimic in mimics.items()}


def test_mimics_are_read_with_their_defaults_whatever_the_order() -> None:
    robot = with_mimics(("a", 'joint="b"'), ("b", 'joint="d" multiplier="-0.5" offset="0.2"'))
    assert tied(robot) == {"a": ("b", 1.0, 0.0), "b": ("d", -0.5, 0.2)}
    assert not robot.findings
    assert robot.features == ("mimic",)


@pytest.mark.parametrize(
    ("attributes", "word"),
    [('joint="ghost"', "ghost"), ('joint="a"', "itself"), ('joint="weld"', "weld"), ("", "no joint")],
)
def test_a_mimic_of_nothing_leaves_the_joint_free(attributes: str, word: str) -> None:
    robot = with_mimics(("a", attributes))
    assert tied(robot) == {}
    finding = only_finding(robot)
    assert finding.severity == "error"
    assert all(part in finding.text() for part in ("mimic", '"a"', word))


def test_a_circle_of_mimics_is_freed_and_what_follows_it_stays_tied() -> None:
    robot = with_mimics(("a", 'joint="b"'), ("b", 'joint="c"'), ("c", 'joint="b"'), ("d", 'joint="a"'))
    assert tied(robot) == {"a": ("b", 1.0, 0.0), "d": ("a", 1.0, 0.0)}
    assert codes(robot) == ["mimic", "mimic"]


# numbers


@pytest.mark.parametrize(
    ("inner", "element", "attribute"),
    [
        ('<origin xyz=""/>', "origin", 'xyz=""'),
        ('<origin xyz="0 0.1"/>', "origin", "xyz"),
        ('<origin xyz="0.1,0,0.2"/>', "origin", "0.1,0,0.2"),
        ('<origin rpy="0 0 0 1"/>', "origin", "rpy"),
        ('<origin rpy="0 0 nan"/>', "origin", "nan"),
        ('<axis xyz="0 0 0x1"/>', "axis", "0x1"),
        ('<dynamics damping="low"/>', "dynamics", "low"),
        ('<mimic joint="x" multiplier="1e400"/>', "mimic", "1e400"),
    ],
)
def test_broken_numbers_are_refused_with_element_attribute_and_value(inner: str, element: str, attribute: str) -> None:
    with pytest.raises(ModelError) as caught:
        joint_with(inner)
    line = caught.value.lines()[0]
    assert line.startswith("r.urdf:2:")
    assert all(word in line for word in ("hip", f"<{element}>", attribute))


def test_a_limit_that_is_no_number_is_refused() -> None:
    with pytest.raises(ModelError, match=r"-1\.57\."):
        joint_with("", "revolute", '<limit lower="-1.57." upper="0" effort="1" velocity="1"/>')


def test_numbers_may_be_parted_by_any_white_space() -> None:
    assert hip('<origin xyz="&#10; 1\t+2.\n .3e1 "/>').placement.translation == (1.0, 2.0, 3.0)


# what has no part in the dynamics


@pytest.mark.parametrize(
    "inner",
    [
        '<geometry><mesh filename="a.stl" scale="1 1 1 1"/></geometry>',
        '<geometry><cdf radius="1"/></geometry>',
        '<geometry><sphere radius="big"/></geometry>',
        '<geometry><box/></geometry>',
        "<geometry/>",
        "",
        '<origin xyz="a b c"/><geometry><sphere radius="1"/></geometry>',
        '<origin rpy="$(arg r) 0 0"/><geometry><sphere radius="1"/></geometry>',
    ],
)  # fmt: skip
@pytest.mark.parametrize("role", ["visual", "collision"])
def test_broken_looks_stop_nothing(role: str, inner: str) -> None:
    sound = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    robot = read(f'<link name="a"><{role}>{inner}</{role}>{sound}</link>')
    assert only_finding(robot).severity == "warning"
    assert [geometry.kind for geometry in robot.links[0].geometries] == ["sphere"]


def test_primitives_are_recorded_in_half_lengths() -> None:
    shapes = (
        '<box size="2 4 6"/>',
        '<sphere radius="1"/>',
        '<cylinder radius="1" length="4"/>',
        '<capsule radius="1" length="4"/>',
        '<mesh filename="package://nowhere/a.stl"/>',
    )
    robot = read(
        '<link name="a">'
        + "".join(f'<visual><origin xyz="1 2 3"/><geometry>{shape}</geometry></visual>' for shape in shapes)
        + "</link>"
    )
    geometries = robot.links[0].geometries
    assert [(geometry.kind, geometry.size) for geometry in geometries] == [
        ("box", (1.0, 2.0, 3.0)),
        ("sphere", (1.0,)),
        ("cylinder", (1.0, 2.0)),
        ("capsule", (1.0, 2.0)),
        ("mesh", ()),
    ]
    assert geometries[4].mesh == "package://nowhere/a.stl"
    assert all(geometry.placement.translation == (1.0, 2.0, 3.0) for geometry in geometries)
    assert not robot.findings


def test_rotors_and_reductions_of_transmissions_are_told_once() -> None:
    geared = '<transmission name="{}"><actuator><mechanicalReduction>50</mechanicalReduction></actuator></transmission>'
    rotor = '<transmission name="c"><actuator><drake:rotor_inertia value="1"/></actuator></transmission>'
    robot = read('<link name="base"/>' + geared.format("a") + geared.format("b") + rotor)
    assert only_finding(robot).severity == "warning"
    assert len(robot.ignored) == 1
    plain = '<transmission name="a"><actuator><mechanicalReduction>1</mechanicalReduction></actuator></transmission>'
    assert not read('<link name="base"/>' + plain).findings


def test_extensions_are_read_past() -> None:
    robot = read(
        '<mujoco><compiler angle="degree"/></mujoco><gazebo reference="a"><mu1>0.2</mu1></gazebo><material name="m"/>'
        '<drake:x/><link name="a"><drake:y/></link>'
    )
    assert not robot.findings
    assert robot.features == ("gazebo",)


def test_a_slip_of_the_pen_is_told_with_what_was_meant() -> None:
    finding = only_finding(joint_with('<origin xzy="1 0 0"/>'))
    assert (finding.code, finding.severity) == ("unknown-attribute", "warning")
    assert "xyz" in finding.hint
    finding = only_finding(read('<link name="a"><intertial/></link>'))
    assert "inertial" in finding.hint
    assert finding.line == 2


def test_of_an_element_that_stands_twice_the_first_counts() -> None:
    robot = joint_with('<axis xyz="0 1 0"/><axis xyz="0 0 1"/>')
    assert robot.joints[0].axis == (0.0, 1.0, 0.0)
    assert only_finding(robot).code == "repeated-element"
