"""`dyn report`: the numbers of the page, its form, and that nothing on it can be steered by a robot's file."""

from __future__ import annotations

import ast
import base64
import hashlib
import html
import math
import re
import sys
from importlib import resources
from pathlib import Path

import pytest
from html_page import parsed
from hypothesis import given
from hypothesis import strategies as st
from trees import random_description

import dyncli.report
from dyncli.build import ModelOptions, Payload
from dyncli.cli.main import run
from dyncli.formats.load import parse_description
from dyncli.lint import lint
from dyncli.report import SECTIONS, report_page
from dyncli.report.budget import WORLD, mass_budget
from dyncli.report.drawings.svg import round_length, ticks
from dyncli.report.gravity import gravity_sweeps
from dyncli.report.sections.model import tree
from dyncli.report.text import magnitude, number, printable, shortened, without_rounding
from dyncli.report.workspace import NoWorkspace, Workspace, tips, workspaces
from dyncli.robot import Robot, load_robot

SAMPLES = Path(__file__).parent.parent / "sample_models"


def urdf(body: str, name: str = "r", **options: object) -> Robot:
    text = f'<robot name="{html.escape(name)}">{body}</robot>'
    return Robot(parse_description(text.encode(), "r.urdf"), ModelOptions(**options))  # type: ignore[arg-type]


def page_of(robot: Robot, **options: object) -> str:
    return report_page(robot, lint(robot.description, robot.options), against=[], **options)  # type: ignore[arg-type]


PENDULUM = """<link name="base"/><link name="bob"><inertial><origin xyz="1 0 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="swing" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="2" effort="40" velocity="3"/></joint>"""


# Form ---------------------------------------------------------------------------------------------------------------


def robots() -> dict[str, Robot]:
    return {
        "fixed": load_robot(SAMPLES / "arm_6r.urdf"),
        "floating": load_robot(SAMPLES / "quadruped.urdf", ModelOptions(root="floating")),
        "mjcf": load_robot(SAMPLES / "tree_12.xml"),
        "mimic": load_robot(SAMPLES / "rail_gripper.urdf"),
        "locked": load_robot(SAMPLES / "arm_7r.urdf", ModelOptions(lock={"joint3": 0.3})),
        "every joint type": Robot(random_description(1, 7, mimic=True, armature=True), ModelOptions()),
        "no joints": urdf('<link name="stone"/>'),
        "all fixed": urdf('<link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
                          '<child link="b"/></joint>'),
        "massless": urdf(PENDULUM.replace('mass value="2"', 'mass value="0"').replace('"0.1"', '"0"')),
    }  # fmt: skip


KINDS = ("every joint type", "fixed", "floating", "mjcf", "mimic", "no joints", "all fixed", "massless")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    built = robots()
    return {kind: page_of(built[kind]) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_well_formed_and_whole(pages, kind):
    document = parsed(pages[kind])
    assert document.wrong == []
    assert document.open == []
    assert len(document.ids) == len(set(document.ids))
    for anchor, title in SECTIONS:
        assert anchor in document.ids
        assert title in document.headings
        assert f"#{anchor}" in document.links


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_needs_nothing_but_itself(pages, kind):
    document = parsed(pages[kind])
    assert all(link.startswith("#") and link[1:] in document.ids for link in document.links)
    assert not document.tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "use", "image"}
    assert not any(name.startswith("on") or name == "style" for name in document.attributes)
    (style,) = re.findall(r"<style>(.*?)</style>", pages[kind], re.DOTALL)
    assert not re.search(r"url\(|@import|expression|//", style)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = document.attributes["content"][0]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")


@pytest.mark.parametrize("kind", KINDS)
def test_drawings_and_tables_say_what_they_are(pages, kind):
    drawings = re.findall(r"<svg[^>]*>", pages[kind])
    assert drawings
    assert all('role="img"' in tag and re.search(r'aria-label="[^"]+"', tag) for tag in drawings)
    assert all("scope=" in tag for tag in re.findall(r"<th[ >][^>]*>", pages[kind]))
    assert 'lang="en"' in pages[kind]
    assert "nan" not in "".join(parsed(pages[kind]).text).split()


def test_the_same_file_gives_the_same_page(pages):
    assert page_of(robots()["mimic"]) == pages["mimic"]


def test_templates_are_in_the_package():
    names = {path.name for path in resources.files("dyncli.report").joinpath("templates").iterdir()}
    assert {"page.html", "head.html", "style.css", *(f"{anchor}.html" for anchor, _ in SECTIONS)} <= names


def test_the_template_engine_is_known_in_one_place():
    folder = Path(dyncli.report.__file__).parents[1]
    users = []
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] in ("jinja2", "markupsafe") for name in names):
                users.append(path.relative_to(folder).as_posix())
    assert set(users) == {"report/page.py"}


# Untrusted names ----------------------------------------------------------------------------------------------------

NAMES = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(2)'>",
    "</style></title></svg><svg onload=alert(3)>",
    "{{ 7 * 7 }}{% raw %}",
    "a&b &amp; &#60;i&#62;",
    "\N{RIGHT-TO-LEFT OVERRIDE}gpj\x85",
    "javascript:alert(4)",
    "x" * 300,
)


def named(name: str) -> Robot:
    """A robot in which everything has that name."""
    text = html.escape(name)
    return urdf(
        PENDULUM.replace('"swing"', f'"{text}"').replace('"bob"', f'"{text} "').replace('"base"', f'"{text}  "'), name
    )


@pytest.mark.parametrize("name", NAMES)
def test_names_are_text_and_nothing_else(name):
    harmless, page = page_of(named("plain")), page_of(named(name))
    expected, found = parsed(harmless), parsed(page)
    assert found.wrong == []
    assert found.tags <= expected.tags | {"wbr"}
    assert found.attributes.keys() == expected.attributes.keys()
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in page
    assert printable(name) in "".join(found.headings)
    assert printable(name) in "".join(found.text)


def test_findings_are_text_too():
    robot = urdf(PENDULUM.replace('lower="-1" upper="2"', 'lower="2" upper="-1"').replace("swing", "&lt;b&gt;"))
    page = page_of(robot)
    assert "limit-reversed" in page
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


# Numbers ------------------------------------------------------------------------------------------------------------


def test_a_pendulum_needs_its_weight_times_its_arm():
    (sweep,) = gravity_sweeps(urdf(PENDULUM).tree)
    assert (sweep.positions[0], sweep.positions[-1]) == (-1.0, 2.0)
    for angle, torque in zip(sweep.positions, sweep.resting, strict=True):
        assert torque == pytest.approx(-2 * 9.81 * math.cos(angle), rel=1e-12)
    assert sweep.least == sweep.greatest == sweep.resting
    text = " ".join(parsed(page_of(urdf(PENDULUM))).text)
    assert "19.6 N m" in text
    assert "49 % of 40 N m" in text


def test_a_sweep_holds_other_joints_within_the_band():
    for sweep in gravity_sweeps(load_robot(SAMPLES / "arm_6r.urdf").tree):
        bands = zip(sweep.least, sweep.resting, sweep.greatest, strict=True)
        assert all(low <= at <= high for low, at, high in bands)


def test_a_mimicking_joint_is_swept_by_its_driver():
    names = [sweep.name for sweep in gravity_sweeps(load_robot(SAMPLES / "rail_gripper.urdf").tree)]
    assert "left_finger_slide" in names
    assert "right_finger_slide" not in names


def test_the_base_stays_at_rest():
    fixed = load_robot(SAMPLES / "quadruped.urdf")
    floating = load_robot(SAMPLES / "quadruped.urdf", ModelOptions(root="floating"))
    alike = {sweep.name: sweep for sweep in gravity_sweeps(fixed.tree)}
    for sweep in gravity_sweeps(floating.tree):
        assert sweep.resting == pytest.approx(alike[sweep.name].resting, rel=1e-11, abs=1e-11)


def test_manipulability_of_a_planar_arm_is_in_closed_form():
    robot = load_robot(SAMPLES / "planar_2r.urdf")
    (tip,), left_out = workspaces(robot)
    assert isinstance(tip, Workspace)
    shoulder, elbow = robot.tree.bodies[0], robot.tree.bodies[1]
    first = math.hypot(*elbow.placement.translation)
    second = math.hypot(*robot.tree.frames[tip.frame].placement.translation)
    assert shoulder.parent == -1
    assert (tip.directions, tip.unit, left_out) == (2, "m²", 0)
    # |det J| = l1 l2 |sin q2|, greatest with the elbow square; thousands of poses come close to that
    assert tip.greatest == pytest.approx(first * second, rel=1e-4)
    assert tip.greatest <= first * second * (1 + 1e-12)
    assert max(abs(end) for ends in tip.box for end in ends) <= (first + second) * (1 + 1e-12)


def test_a_planar_arm_is_seen_where_it_is_no_line():
    (tip,), _ = workspaces(load_robot(SAMPLES / "planar_3r.urdf"))
    assert isinstance(tip, Workspace)
    assert [view.name for view in tip.views] == ["from above"]


@pytest.mark.parametrize("value", ["1e300", "1e160", "-1", "0", "5e-324"])
@pytest.mark.parametrize("entry", ['mass value="2"', 'origin xyz="1 0 0"', 'ixx="0.1"', 'upper="2"', 'effort="40"'])
def test_numbers_of_no_robot_leave_the_page_standing(entry, value):
    body = PENDULUM.replace(entry, re.sub(r'"[\d.]+', f'"{value}', entry))
    assert body != PENDULUM
    assert parsed(page_of(urdf(body))).wrong == []


def test_a_joint_that_turns_a_tip_on_the_spot_has_no_map():
    (tip,), _ = workspaces(urdf(PENDULUM))
    assert isinstance(tip, NoWorkspace)
    assert "on the spot" in tip.why


def test_limits_that_exclude_each_other_leave_the_page_standing():
    page = page_of(urdf(PENDULUM.replace('lower="-1" upper="2"', 'lower="2" upper="-1"')))
    assert "lower 2 &gt; upper -1" in page


def test_tips_are_the_far_ends_of_the_leaves():
    assert [frame.name for frame in tips(load_robot(SAMPLES / "arm_6r.urdf"))] == ["tool"]
    assert len(tips(load_robot(SAMPLES / "quadruped.urdf", ModelOptions(root="floating")))) == 4


@pytest.mark.parametrize("stem", ["arm_6r", "rail_gripper", "tree_12"])
def test_the_mass_budget_adds_up(stem):
    robot = load_robot(SAMPLES / f"{stem}.urdf")
    link = robot.description.links[-1].name
    loaded = Robot(robot.description, ModelOptions(payloads=(Payload(link, 1.5),)))
    budget = mass_budget(loaded)
    assert budget.in_payloads == 1.5
    assert budget.in_links + 1.5 == pytest.approx(budget.total, rel=1e-12)
    assert budget.moving + budget.welded == pytest.approx(budget.total, rel=1e-12)
    assert budget.shares[0].body == WORLD
    assert sorted(name for part in budget.shares for name in part.links) == sorted(
        link.name for link in robot.description.links
    )


def test_options_reshape_the_page():
    robot = urdf(PENDULUM, gravity=(0.0, 0.0, -1.62), payloads=(Payload("bob", 0.5),))
    text = " ".join(parsed(page_of(robot)).text)
    assert "--gravity 0,0,-1.62" in text
    assert "--payload bob:0.5" in text
    assert "2.5 kg" in text
    locked = " ".join(parsed(page_of(robots()["locked"])).text)
    assert "--lock joint3=0.3" in locked
    assert "locked" in locked


def test_degrees():
    text = " ".join(parsed(page_of(urdf(PENDULUM), degrees=True)).text)
    assert "-57.3 to 114.6 °" in text
    assert "171.9 °/s" in text


def test_a_singular_robot_is_verified_as_far_as_it_goes(pages):
    text = " ".join(parsed(pages["massless"]).text)
    assert "The mass matrix is singular at swing" in text


def test_libraries_have_a_row_each():
    robot = urdf(PENDULUM)
    page = report_page(robot, (), against=["pinocchio"])
    assert "agrees with 1 of 1 libraries" in page
    assert re.search(r">pinocchio<br>", page)


def test_a_robot_too_large_to_verify_says_so(monkeypatch):
    monkeypatch.setattr(dyncli.report, "VERIFIED_DOFS", 0)
    page = page_of(urdf(PENDULUM))
    assert "not verified" in page
    assert "dyn verify" in page


# Drawings -----------------------------------------------------------------------------------------------------------


def test_a_chain_stands_in_one_column_and_branches_beside_it():
    straight, parted = (tree(load_robot(SAMPLES / f"{stem}.urdf"))["drawing"] for stem in ("arm_6r", "tree_12"))
    assert len(set(re.findall(r'cx="([\d.]+)"', straight))) == 1
    assert len(set(re.findall(r'cx="([\d.]+)"', parted))) == 2


def test_many_bodies_are_drawn_in_low_rows_and_many_branches_in_narrow_columns():
    # a comb: every second link carries two others, of which the second goes on
    links = "".join(f'<link name="l{k}"/>' for k in range(201))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k - k % 2}"/><child link="l{k + 1}"/></joint>'
        for k in range(200)
    )
    comb = tree(urdf(links + joints))["drawing"]
    width, height = (float(size) for size in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', comb)[0])
    assert width < 700
    assert height < 201 * 20 + 40
    assert comb.count("<title>") == 200


def test_every_joint_has_its_row():
    robot = load_robot(SAMPLES / "arm_6r.urdf")
    drawing = tree(robot)["drawing"]
    assert all(f">{body.joint.name}<" in drawing for body in robot.tree.bodies)


@given(
    st.floats(-1e6, 1e6, allow_nan=False), st.floats(1e-9, 1e9, allow_nan=False), st.integers(min_value=2, max_value=9)
)
def test_ticks_are_few_and_within(low, span, most):
    high = low + span
    found = ticks(low, high, most)
    assert len(found) <= most + 1
    assert all(low - 1e-6 * span - 1e-9 * abs(low) <= tick <= high + 1e-6 * span + 1e-9 * abs(high) for tick in found)


@given(st.floats(1e-12, 1e12))
def test_a_round_length_is_no_longer_and_not_much_shorter(most):
    assert 0.39 * most <= round_length(most) <= most * (1 + 1e-12)


# Text ---------------------------------------------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_numbers_keep_four_digits(value):
    assert float(number(value)) == pytest.approx(value, rel=5.001e-4)
    if value:
        assert float(magnitude(value)) == pytest.approx(value, rel=0.5)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-9.81, "-9.81"), (1.6e-5, "1.6e-5"), (123456.0, "123456"), (2e7, "2e7"), (100.0, "100"), (None, "–")],
)
def test_numbers_are_short(value, text):
    assert number(value) == text


@given(st.text(), st.integers(min_value=4, max_value=60))
def test_shortened_names_fit_and_keep_both_ends(name, most):
    short = shortened(name, most)
    assert len(short) <= most
    assert short[:1] == printable(name)[:1]
    assert short[-1:] == printable(name)[-1:]


def test_what_rounding_leaves_is_zero():
    assert without_rounding([0.3, 5e-18, -0.2]) == [0.3, 0.0, -0.2]
    assert without_rounding([]) == []


# Command line -------------------------------------------------------------------------------------------------------


@pytest.fixture
def report(tmp_path, monkeypatch, capsysbinary):
    """Runs `dyn report` in a folder of its own; gives the status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{PENDULUM}</robot>')

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            run(["report", "--against", "none", *arguments])
        out, err = capsysbinary.readouterr()
        return int(left.value.code or 0), out.decode(), err.decode()

    call.folder = tmp_path
    return call


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_file_or_standard_output(report):
    assert report("arm.urdf", "-o", "arm.html")[:2] == (0, "")
    written = (report.folder / "arm.html").read_bytes().decode()
    status, out, _ = report("arm.urdf")
    assert (status, out) == (0, written)
    assert files(report.folder) == {"arm.urdf", "arm.html"}


def test_a_robot_from_standard_input(report, monkeypatch):
    with (report.folder / "arm.urdf").open() as robot:
        monkeypatch.setattr(sys, "stdin", robot)
        status, out, _ = report("-")
    assert status == 0
    assert "standard input" in out


def test_nothing_is_left_of_a_page_that_fails(report, monkeypatch):
    monkeypatch.setattr("dyncli.report.sections.verdicts.verify", lambda found: 1 / 0)
    assert report("arm.urdf", "-o", "arm.html")[0] == 70
    assert files(report.folder) == {"arm.urdf"}


def test_a_missing_package_is_named_with_its_extra(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    status, _, err = report("arm.urdf", "-o", "arm.html")
    assert status == 6
    assert "pip install 'dyncli[report]'" in err
    assert files(report.folder) == {"arm.urdf"}


def test_wrong_command_lines(report):
    status, _, err = report("arm.urdf", "-o", "arm.pdf")
    assert status == 2
    assert "arm.html" in err
    assert report("arm.urdf", "-o", "nowhere/arm.html")[0] == 2
    assert report("arm.urdf", "--root", "hanging")[0] == 2
    assert report("arm.urdf", "--against", "unheard-of")[0] in (2, 6)


def test_a_file_that_means_nothing_is_a_model_error(report):
    (report.folder / "bad.urdf").write_text('<robot name="r"><link name="a"/><link name="a"/></robot>')
    status, _, err = report("bad.urdf", "-o", "bad.html")
    assert status == 3
    assert "bad.urdf:1" in err
    assert files(report.folder) == {"arm.urdf", "bad.urdf"}


def test_strict_takes_warnings_for_errors(report):
    (report.folder / "odd.urdf").write_text(f'<robot name="r">{PENDULUM}</robot>'.replace('upper="2"', 'upper="-3"'))
    assert report("odd.urdf", "-o", "odd.html")[0] == 0
    assert report("odd.urdf", "--strict", "-o", "odd2.html")[0] == 3
