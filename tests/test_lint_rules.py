"""Each rule on a small robot that has its fault, and on the same robot without it."""

from __future__ import annotations

import pytest
from robots import joint, robot

from dyncli.description import (
    GeometryDescription,
    InertialDescription,
    KeyframeDescription,
    LinkDescription,
    RobotDescription,
)
from dyncli.errors import Finding
from dyncli.formats import xml
from dyncli.formats.load import parse_description
from dyncli.lint import lint
from dyncli.lint.twins import twins
from dyncli.spatial import IDENTITY3, Transform
from dyncli.structs import replace

LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'
ROD = (0.001, 0.0134, 0.0136, 0.0, 0.0, 0.0)
"""A rod of 1 kg along x with a reach of 0.2 m from its middle."""


def inertial(mass: float, tensor: tuple[float, ...], center: str = "0.2 0 0") -> str:
    xx, yy, zz, xy, xz, yz = tensor
    return (
        f'<inertial><origin xyz="{center}"/><mass value="{mass}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial>'
    )


SOUND = inertial(1.0, ROD)


def arm(upper: str = SOUND, fore: str = SOUND, *, limit: str = LIMIT, more: str = "") -> str:
    """Two links of 0.4 m; `fore` begins on line 3."""
    return (
        f'<robot name="arm"><link name="base"/>\n<link name="upper">{upper}</link>\n<link name="fore">{fore}</link>\n'
        f'<joint name="lift" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>{LIMIT}'
        f'</joint>\n<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>'
        f'<origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>{limit}</joint>\n{more}</robot>'
    )


def lint_text(text: str) -> tuple[Finding, ...]:
    data = text.encode()
    return lint(parse_description(data, "arm.urdf"), source=xml.parse(data, "arm.urdf"))


def only(code: str, findings: tuple[Finding, ...]) -> Finding:
    """The one finding; whatever is found says where it is and what to do."""
    assert [finding.code for finding in findings] == [code]
    assert findings[0].line
    assert findings[0].hint
    return findings[0]


def test_a_sound_arm_has_no_findings():
    assert lint_text(arm()) == ()


# inertia


def test_a_lost_decimal_point_names_the_moment_its_radius_and_the_other_links():
    found = only("inertia-triangle", lint_text(arm(fore=inertial(1.6, (0.0027, 0.0023, 1.8, 0, 0, 0)))))
    assert found.severity == "warning"
    assert found.line == 3
    assert "izz = 1.8" in found.message
    assert "1.06066" in found.message
    assert "0.117" in found.message  # the upper arm's


def test_a_tensor_of_a_body_far_larger_than_the_link():
    found = only("radius-of-gyration", lint_text(arm(fore=inertial(1.0, (1.1, 1.3, 1.5, 0, 0, 0)))))
    assert "izz = 1.5" in found.message
    assert "1.22474" in found.message


def test_a_tensor_of_a_body_far_smaller_than_the_link():
    found = only("small-inertia", lint_text(arm(fore=inertial(1.0, (2e-8, 3e-8, 3.5e-8, 0, 0, 0)))))
    assert found.severity == "note"


def test_a_point_mass_that_moves():
    found = only("point-mass", lint_text(arm(fore=inertial(1.0, (0, 0, 0, 0, 0, 0)))))
    assert "'fore'" in found.element


def test_a_rod_with_its_tensor_about_the_end():
    found = only("tensor-about-origin", lint_text(arm(fore=inertial(2.0, (0.0004, 0.1067, 0.1068, 0, 0, 0)))))
    assert "m d² = 0.08" in found.message


def test_a_rod_with_its_tensor_about_the_middle_is_sound():
    assert lint_text(arm(fore=inertial(2.0, (0.0004, 0.0267, 0.0268, 0, 0, 0)))) == ()


def test_placeholders_are_one_finding_for_all_links_that_share_one():
    unit = inertial(1.0, (1.0, 1.0, 1.0, 0, 0, 0))
    found = only("placeholder-inertia", lint_text(arm(unit, unit)))
    assert found.severity == "warning"
    assert "'upper', 'fore'" in found.message
    assert "ixx = iyy = izz = 1" in found.message


def test_a_negative_mass_is_told_by_the_reader_and_once():
    found = lint_text(arm(fore=inertial(-1.0, (0.01, 0.01, 0.01, 0, 0, 0))))
    assert [(finding.code, finding.severity) for finding in found] == [("negative-mass", "error")]


# joints


def test_a_drive_without_effort_and_speed():
    limit = '<limit lower="-1" upper="1" effort="0" velocity="0"/>'
    found = lint_text(arm(limit=limit))
    assert [finding.code for finding in found] == ["zero-effort", "zero-velocity"]
    assert all(finding.element == "joint 'elbow'" and finding.severity == "warning" for finding in found)


def test_limits_that_leave_no_room():
    found = only("empty-range", lint_text(arm(limit='<limit lower="0.5" upper="0.5" effort="1" velocity="1"/>')))
    assert "both 0.5" in found.message


def test_limits_in_degrees():
    found = only("limit-in-degrees", lint_text(arm(limit='<limit lower="-90" upper="180" effort="1" velocity="1"/>')))
    assert "upper 180" in found.message


def test_a_winch_of_many_turns_is_no_slip():
    assert lint_text(arm(limit='<limit lower="-62.83" upper="62.83" effort="1" velocity="1"/>')) == ()


# structure


def test_a_massless_branch_is_an_error_that_names_joint_and_link():
    found = only("massless-branch", lint_text(arm(fore="")))
    assert found.severity == "error"
    assert found.element == "joint 'elbow'"
    assert "'fore'" in found.message


def test_a_massless_finger_is_one_finding_with_all_its_joints():
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    names = ("base", "arm", "knuckle", "tip")
    joints = [joint(names[k + 1], parent=f"{names[k]}_link", axis=axes[k]) for k in range(3)]
    found = only("massless-branch", lint(placed(with_mass(robot(*joints), "arm_link"))))
    assert found.element == "joint 'knuckle'"
    assert "'tip'" in found.message


def test_a_robot_without_mass_is_one_finding():
    found = lint(placed(robot(joint("a"), joint("b", parent="a_link"))))
    assert [finding.code for finding in found if finding.severity == "error"] == ["massless-branch"]
    assert "'a', 'b'" in found[0].message


def test_armature_gives_a_massless_branch_inertia():
    geared = joint("b", parent="a_link", axis=(0.0, 1.0, 0.0), armature=0.1)
    assert lint(placed(with_mass(robot(joint("a"), geared), "a_link"))) == ()


def test_a_massless_link_between_two_with_mass_is_a_note():
    found = only("massless-link", lint_text(arm(upper="")))
    assert found.severity == "note"
    assert found.element == "link 'upper'"


def test_a_mass_that_is_written_as_zero_is_a_warning():
    found = only("massless-link", lint_text(arm(upper=inertial(0.0, (0, 0, 0, 0, 0, 0)))))
    assert found.severity == "warning"
    assert "mass 0" in found.message


def test_four_slides_on_one_body_make_the_mass_matrix_singular():
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.8, 0.0))
    parents = ("base_link", "s0_link", "s1_link", "s2_link")
    slides = [joint(f"s{k}", "prismatic", parents[k], axis=axes[k]) for k in range(4)]
    found = lint(with_mass(robot(*slides), "s3_link"))
    errors = [finding for finding in found if finding.severity == "error"]
    assert [finding.code for finding in errors] == ["singular-mass-matrix"]
    assert "'s0'" in errors[0].message


def test_siblings_with_one_origin_and_axis():
    twice = robot(joint("wheel"), joint("other_wheel"))
    found = only("coincident-axes", lint(placed(with_mass(twice, "wheel_link", "other_wheel_link"))))
    assert found.element == "joint 'other_wheel'"
    assert "'wheel'" in found.message


def test_the_mass_budget_tells_what_is_welded_to_the_world():
    found = only("mass-budget", lint(placed(with_mass(robot(joint("a")), "base_link", "a_link"))))
    assert "of 2 kg in 2 links 1 kg are welded to the world ('base_link')" in found.message


def test_a_world_without_gravity():
    still = RobotDescription("r", "mjcf", "r.xml", (LinkDescription("world", line=1),), (), gravity=(0.0, 0.0, 0.0))
    assert only("no-gravity", lint(still)).severity == "note"


# twins and geometry


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left_arm", "right_arm"),
        ("arm_l", "arm_r"),
        ("FL_hip", "FR_hip"),
        ("LeftKneePitch", "RightKneePitch"),
        ("LShoulderYaw", "RShoulderYaw"),
        ("LARM_LINK3", "RARM_LINK3"),
    ],
)
def test_names_of_twins(left, right):
    assert twins([right, left, "torso"]) == [(left, right)]


@pytest.mark.parametrize("names", [["lamp", "ramp_up"], ["roll", "pitch"], ["left_arm", "left_leg"]])
def test_names_of_no_twins(names):
    assert twins(names) == []


def twin_arms(left: str, right: str, right_limit: str = LIMIT) -> str:
    def one(side: str, y: str, body: str, limit: str) -> str:
        return (
            f'<link name="{side}_arm">{body}</link>\n<joint name="{side}_shoulder" type="revolute">'
            f'<parent link="base"/><child link="{side}_arm"/><origin xyz="0 {y} 0"/>{limit}</joint>\n'
        )

    both = one("left", "1", left, LIMIT) + one("right", "-1", right, right_limit)
    return f'<robot name="r"><link name="base"/>{both}</robot>'


def test_a_twin_of_another_mass():
    found = only("twins-differ", lint_text(twin_arms(SOUND, inertial(0.1, ROD))))
    assert found.element == "link 'right_arm'"
    assert "mass 1 and 0.1 kg" in found.message


def test_a_twin_with_another_centre_of_mass():
    left, right = inertial(1.0, ROD, "0.2 0.05 0"), inertial(1.0, ROD, "0.02 0.05 0")
    assert (
        "centre of mass (0.2 0.05 0) and (0.02 0.05 0)"
        in only("twins-differ", lint_text(twin_arms(left, right))).message
    )


def test_a_mirrored_twin_is_alike():
    left, right = inertial(1.0, ROD, "0.2 0.05 0"), inertial(1.0, ROD, "0.2 -0.05 0")
    assert lint_text(twin_arms(left, right)) == ()


def test_a_twin_with_other_limits():
    weak = '<limit lower="-1" upper="0.2" effort="50" velocity="2"/>'
    found = only("twins-differ", lint_text(twin_arms(SOUND, SOUND, weak)))
    assert "effort 5 and 50" in found.message
    assert "limits -1 to 1 and -1 to 0.2" in found.message


def test_mirrored_limits_are_alike():
    one_way = '<limit lower="-2" upper="0.5" effort="5" velocity="2"/>'
    other_way = '<limit lower="-0.5" upper="2" effort="5" velocity="2"/>'
    text = twin_arms(SOUND, SOUND, other_way).replace(LIMIT, one_way)
    assert lint_text(text) == ()


def test_a_centre_of_mass_outside_of_the_geometry():
    box = '<collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.1 0.1"/></geometry></collision>'
    assert lint_text(arm(fore=SOUND + box)) == ()
    found = only("mass-center-outside", lint_text(arm(fore=inertial(1.0, ROD, "0.2 0 0.5") + box)))
    assert "0.45 m outside" in found.message


def test_a_centre_of_mass_in_millimetres():
    codes = [finding.code for finding in lint_text(arm(fore=inertial(1.0, ROD, "200 0 0")))]
    assert "mass-center-outside" in codes


def test_meshes_hide_where_the_geometry_ends():
    mesh = '<visual><geometry><mesh filename="a.stl"/></geometry></visual>'
    assert lint_text(arm(fore=inertial(1.0, ROD, "0.2 0 0.5") + mesh)) == ()


# the rest of the file


def test_a_keyframe_of_the_wrong_length_names_the_joints():
    key = KeyframeDescription("home", (0.1, 0.2), line=7)
    described = with_mass(
        robot(joint("hip"), joint("ball", "ball", "hip_link"), keyframes=(key,)), "hip_link", "ball_link"
    )
    found = only("keyframe-length", lint(placed(described)))
    assert found.severity == "error"
    assert "'home': qpos has 2 numbers, the joints need 5 (1 'hip' + 4 'ball')" in found.message


def test_a_transmission_of_a_joint_that_does_not_exist():
    found = only(
        "transmission-joint", lint_text(arm(more='<transmission name="t"><joint name="elbwo"/></transmission>'))
    )
    assert found.line == 6
    assert "'elbwo'" in found.message
    assert "'elbow'" in found.hint


def test_a_transmission_without_joint():
    assert "no joint" in only("transmission-joint", lint_text(arm(more='<transmission name="t"/>'))).message


def test_a_gazebo_element_for_nothing():
    more = '<gazebo reference="upper"/><gazebo reference="lift"/><gazebo/><gazebo reference="camera"/>'
    assert "'camera'" in only("gazebo-reference", lint_text(arm(more=more))).message


# helpers


def with_mass(described: RobotDescription, *names: str) -> RobotDescription:
    """The robot with a sound inertial on some of its links."""
    body = InertialDescription(1.0, Transform(IDENTITY3, (0.1, 0.0, 0.0)), ROD)
    links = tuple(
        replace(link, line=2, inertial=body, geometries=(GeometryDescription("box", (0.2, 0.1, 0.1)),))
        if link.name in names
        else link
        for link in described.links
    )
    return replace(described, links=links)


def placed(described: RobotDescription) -> RobotDescription:
    """The robot with lines for all of its parts."""

    def lined(part):
        return replace(part, line=part.line or 2)

    return replace(described, links=tuple(map(lined, described.links)), joints=tuple(map(lined, described.joints)))
