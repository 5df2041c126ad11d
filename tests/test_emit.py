"""Generated C: compiled without a warning, it passes its own test and gives the numbers of the recursions."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from trees import random_state, random_tree

from dyncli.algorithms.opcount.emit import c_source, comment, identifier
from dyncli.algorithms.opcount.routines import ROUTINES, State
from dyncli.build import ModelOptions, build_tree
from dyncli.cli.main import run
from dyncli.description import JointDescription, LinkDescription, RobotDescription
from dyncli.errors import NumericsError, UsageError
from dyncli.robot import load_robot
from dyncli.structs import replace

SAMPLES = Path(__file__).parent.parent / "sample_models"
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


def compiled(source: str, folder: Path, *flags: str) -> Path:
    (folder / "robot.c").write_text(source)
    subprocess.run(["cc", *FLAGS, *flags, "robot.c", "-o", "robot", "-lm"], cwd=folder, check=True)
    return folder / "robot"


def call(library: ctypes.CDLL, tree, algorithm, state: State) -> list[float]:
    """What the C function of an algorithm gives, all its outputs in a row."""
    routine = ROUTINES[algorithm]
    inputs = [(ctypes.c_double * len(block))(*block) for block in (getattr(state, name) for name in routine.needs)]
    outputs = [(ctypes.c_double * (m.rows * m.columns))() for m in routine.outputs(tree)]
    getattr(library, f"{identifier(tree.name)}_{identifier(algorithm)}")(*inputs, *outputs)
    return [number for block in outputs for number in block]


@needs_compiler
def test_the_rnea_of_a_seven_joint_arm_compiles_and_passes_its_test(tmp_path):
    with pytest.raises(SystemExit) as ended:
        target = tmp_path / "robot.c"
        run(["opcount", str(SAMPLES / "arm_7r.urdf"), "--emit", "c", "--algorithm", "rnea", "-o", str(target)])
    assert ended.value.code == 0
    program = compiled((tmp_path / "robot.c").read_text(), tmp_path)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert "arm_7r_rnea: passed" in done.stdout


@needs_compiler
@pytest.mark.parametrize(
    ("name", "root", "algorithms"),
    [
        ("arm_7r", None, ("rnea", "crba", "fk", "jacobian", "mass-rnea", "rnea-derivs-fast")),
        ("rail_gripper", None, ("rnea", "crba")),
        ("quadruped", "floating", ("rnea", "crba")),
    ],
)
def test_c_agrees_with_the_recursions(tmp_path, name, root, algorithms):
    tree = load_robot(SAMPLES / f"{name}.urdf", ModelOptions(root=root)).tree
    library = ctypes.CDLL(str(compiled(c_source(tree, algorithms), tmp_path, "-shared", "-fPIC", "-DDYN_NO_MAIN")))
    for seed in range(10):
        state = State(*random_state(tree, seed))
        for algorithm in algorithms:
            expected = np.array(ROUTINES[algorithm].run(tree, state), float)
            found = call(library, tree, algorithm, state)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max(), err_msg=algorithm)


@needs_compiler
def test_every_algorithm_on_every_joint_type(tmp_path):
    tree = random_tree(2, 4, "mujoco", types=("floating", "planar", "ball", "prismatic"), bushiness=1.0, armature=True)
    program = compiled(c_source(tree, list(ROUTINES)), tmp_path)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout.count("passed") == len(ROUTINES)


@needs_compiler
def test_the_test_in_the_file_can_fail(tmp_path):
    tree = load_robot(SAMPLES / "planar_2r.urdf").tree
    source = c_source(tree, ["rnea"])
    head, table, rest = source.partition("planar_2r_rnea_outputs[3][2] = {\n    {")
    assert table
    done = subprocess.run([compiled(f"{head}{table}1.0 + {rest}", tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "FAILED" in done.stdout


@needs_compiler
def test_names_cannot_reach_the_compiler(tmp_path):
    evil = 'a*/ int x; /* "\\\n#error ??/ é\u0085'
    links = (LinkDescription("base"), LinkDescription("link"))
    joint = JointDescription(evil, "prismatic", "base", "link", armature=1.0)
    tree = build_tree(RobotDescription(evil, "urdf", "", links, (joint,)), ModelOptions())
    source = c_source(tree, ["crba"])
    assert "#error" not in "".join(line for line in source.splitlines() if not line.startswith(" *"))
    compiled(source, tmp_path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("UR-5 arm", "ur_5_arm"), ("7dof", "robot_7dof"), ("", "robot"), ("__x__", "x"), ("ロボット", "robot")],
)
def test_a_robots_name_becomes_an_identifier(name, expected):
    assert identifier(name) == expected


def test_a_comment_stays_a_comment():
    text = comment("*/*/**//*\\??/\n" * 20)
    assert not {"*/", "/*", "\\", "?", "\n"} & {text[k : k + n] for k in range(len(text)) for n in (1, 2)}


def test_robots_without_numbers_are_refused():
    arm = load_robot(SAMPLES / "planar_2r.urdf").tree
    with pytest.raises(UsageError, match="no degree of freedom"):
        c_source(replace(arm, bodies=(), dofs=(), coordinates=(), armature=()), ["rnea"])
    with pytest.raises(UsageError, match="does not hold"):
        c_source(load_robot(SAMPLES / "rail_gripper.urdf").tree, ["aba"])
    links = (LinkDescription("base"), LinkDescription("nothing"))
    joint = JointDescription("hinge", "revolute", "base", "nothing")
    massless = build_tree(RobotDescription("massless", "urdf", "", links, (joint,)), ModelOptions())
    with pytest.raises(NumericsError, match="minv"):
        c_source(massless, ["minv"])
