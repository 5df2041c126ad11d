"""Structure of M: prediction, observation and proof agree on every robot; eliminations, pictures and the command."""

from __future__ import annotations

import json
import math
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from chains import tree_urdf
from robots import gripper
from trees import random_state, random_tree

from dyncli.algorithms.crba import crba
from dyncli.algorithms.factor import factor_structure, ltl
from dyncli.algorithms.sparsity import (
    dof_branches,
    eliminate,
    factorisations,
    observed_pattern,
    parallelism,
    predicted_pattern,
    proved_zeros,
)
from dyncli.build import ModelOptions, build_tree
from dyncli.cli.main import run
from dyncli.errors import UsageError
from dyncli.formats.load import parse_description
from dyncli.plots.pattern import ACCIDENTAL, MISMATCH, OUTSIDE, SEEN, PatternPicture, blocks, picture_file, svg
from dyncli.robot import load_robot
from dyncli.states.sampling import sample_states
from dyncli.structs import replace
from dyncli.tasks.sparsity import sparsity_facts

SAMPLES = Path(__file__).parent.parent / "sample_models"
SHARE = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data", "robots")
UNREADABLE = {"ur3.urdf"}
"""Files of the wheel that mean nothing (see the tests of the URDF reader)."""
REAL_ROBOTS = sorted(path for path in SHARE.rglob("*.urdf") if path.name not in UNREADABLE)


def array(pattern):
    return np.array(pattern, dtype=bool)


def check_patterns(tree, poses):
    """Nothing is seen or recorded where nothing is predicted, and nothing is seen that is proved to be zero."""
    predicted, proved = array(predicted_pattern(tree)), array(proved_zeros(tree))
    (block,) = sample_states(tree, poses, 1, ("q",))
    seen = array(observed_pattern(tree, block.q))
    assert (predicted == predicted.T).all()
    assert not (seen & ~predicted).any()
    assert (proved | predicted).all()
    assert not (seen & proved).any()
    return predicted, proved, seen


@pytest.fixture
def dyn(capsys):
    """Run `dyn` in this process: status, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            run([str(argument) for argument in arguments])
        streams = capsys.readouterr()
        return ended.value.code, streams.out, streams.err

    return call


# Patterns ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("convention", ["mujoco", "pinocchio"])
def test_patterns_agree_on_random_robots(seed, convention):
    tree = random_tree(seed, 9, convention, mimic=seed % 2 == 0, armature=seed % 3 == 0)
    predicted, _, _ = check_patterns(tree, 20)
    if not tree.couples:
        above = [len([j for i in tree.ancestors(body) for j in tree.bodies[i].joint.dofs]) for body in tree.dof_body]
        carried = sum(count - tree.bodies[body].joint.nv for count, body in zip(above, tree.dof_body, strict=True))
        within = sum(body.joint.nv * (body.joint.nv - 1) // 2 for body in tree.bodies)
        assert predicted.sum() == tree.nv + 2 * (carried + within)


@pytest.mark.parametrize("path", REAL_ROBOTS, ids=lambda path: path.stem)
def test_patterns_agree_on_real_robots(path):
    check_patterns(load_robot(path, ModelOptions(root="floating")).tree, 5)


def test_the_wheel_of_real_robots_is_there():
    assert len(REAL_ROBOTS) > 50


def test_the_branched_tree():
    tree = load_robot(SAMPLES / "tree_12.urdf").tree
    predicted, proved, seen = check_patterns(tree, 50)
    assert predicted.sum() == 12 + 2 * 34
    assert (proved & predicted).sum() == predicted.sum() - seen.sum()


@pytest.mark.parametrize("convention", ["mujoco", "pinocchio"])
def test_the_zeros_of_a_floating_base_are_proved(convention):
    tree = load_robot(SAMPLES / "quadruped.urdf", ModelOptions(root="floating", convention=convention)).tree
    _, proved, seen = check_patterns(tree, 20)
    slides = np.ix_(range(3), range(3))
    assert (proved[slides] == ~np.eye(3, dtype=bool)).all()
    assert (seen[slides] == np.eye(3, dtype=bool)).all()


def test_mimic_couples_branches():
    tree = gripper()
    tied = array(predicted_pattern(tree))
    assert tied.all()
    check_patterns(tree, 10)
    free = array(predicted_pattern(gripper(mimic=False)))
    assert not free[2, 3]


def test_a_zero_of_one_pose_is_accidental():
    """A pole that lies flat does not push its cart: M12 = m l cos(q)."""
    tree = load_robot(SAMPLES / "cartpole.urdf").tree
    (block,) = sample_states(tree, 1, 0, ("q",))
    block.q = [0.0, 0.5 * math.pi]
    facts = sparsity_facts(tree, [block])
    assert (facts["nnz"], facts["structural_zeros"], facts["accidental_zeros"]) == (2, 0, 2)
    assert observed_pattern(tree, [0.0, 0.3])[0][1]


# Eliminations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_fill_in_is_that_of_the_numbers(seed):
    tree = random_tree(seed, 8, types=("revolute", "prismatic", "ball"), mimic=seed % 2 == 1)
    pattern = array(predicted_pattern(tree))
    n = tree.nv
    # a matrix of this pattern without accidental cancellation, positive definite by its diagonal
    values = np.random.default_rng(seed).uniform(0.1, 0.2, (n, n))
    matrix = np.where(pattern, values + values.T, 0.0) + n * np.eye(n)
    for order in (range(n), range(n)[::-1]):
        permuted = matrix[np.ix_(order, order)]
        nonzeros = (np.abs(np.linalg.cholesky(permuted)) > 1e-14).sum()
        found = eliminate(pattern.tolist(), order)
        assert found.nonzeros == nonzeros
        assert found.fill_in == nonzeros - (pattern.sum() + n) // 2


def test_the_files_order_never_fills_in_on_a_tree():
    for seed in range(5):
        tree = random_tree(seed, 10, bushiness=0.8)
        ways = factorisations(tree)
        assert ways.ltl.fill_in == ways.reordered.fill_in == 0
        assert ways.ltl.factor <= ways.cholesky.factor <= ways.dense.factor
        q = random_state(tree, seed)[0]
        L = np.array(ltl(crba(tree, q), factor_structure(tree)), float)
        assert (L != 0.0).sum() <= ways.ltl.nonzeros


def test_costs_of_the_dense_factor():
    tree = load_robot(SAMPLES / "tree_12.urdf").tree
    ways = factorisations(tree)
    assert ways.dense.factor == 11 * 12 * 13 // 6
    assert ways.dense.solve == 12 * 11
    assert ways.ltl.factor + ways.ltl.solve == 10538 - 3384 - 7008


# What runs at once ----------------------------------------------------------------------------------------------------


def test_the_critical_path_follows_depth_and_not_size():
    def found(branches):
        """A trunk of one joint and branches of three."""
        parents = [0, *(k - 1 if (k - 2) % 3 else 1 for k in range(2, 2 + 3 * branches))]
        return parallelism(build_tree(parse_description(tree_urdf(parents, 4).encode(), "tree"), ModelOptions()))["aba"]

    one, four = found(1), found(4)
    assert four.operations > 3 * one.operations
    assert four.critical_path < 1.3 * one.critical_path
    assert four.mean_width > 2 * one.mean_width


def test_passes_end_one_after_the_other():
    programs = parallelism(load_robot(SAMPLES / "arm_7r.urdf").tree)
    assert set(programs) == {"rnea", "crba", "aba"}
    for found in programs.values():
        steps = [stage.critical_path for stage in found.passes]
        assert steps == sorted(steps)
        assert found.passes[-1].operations == found.operations >= found.widest >= found.mean_width
    assert "aba" not in parallelism(gripper())


# Pictures -------------------------------------------------------------------------------------------------------------


def picture(n, branches=3, **changes):
    names = [f"joint_{k}" for k in range(n)]
    kinds = [[SEEN if i % branches == j % branches else OUTSIDE for j in range(n)] for i in range(n)]
    return replace(PatternPicture("robot", names, kinds, [k % branches for k in range(n)]), **changes)


def plain(lines):
    return ["".join(text for text, _ in spans) for spans in lines]


@pytest.mark.parametrize("n", [1, 12, 35, 60, 61, 200])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_picture_fits_the_terminal(n, width):
    lines = plain(blocks(picture(n), width=width).lines)
    assert max(map(len, lines)) <= width
    if n <= 60 and width >= 80:
        assert len(lines) == n
        assert all(f"joint_{k}" in line for k, line in enumerate(lines))
    assert len(lines) <= 60


def test_cells_are_coloured_by_branch():
    lines = blocks(picture(6), width=80).lines
    colors = {color for spans in lines for text, color in spans[1:] if text.strip()}
    assert len(colors) == 3


def test_a_picture_without_unicode():
    shown = "\n".join(plain(blocks(picture(5), width=80, unicode=False).lines))
    assert shown.isascii()
    assert "##" in shown


def test_zeros_and_mismatches_show():
    kinds = [[SEEN, ACCIDENTAL], [MISMATCH, SEEN]]
    shown = PatternPicture("robot", ["a", "b"], kinds, [0, 1])
    drawn = blocks(shown, width=80)
    assert plain(drawn.lines) == ["a 0 ██o ", "b 1 ! ██"]
    assert "none is predicted" in drawn.legend
    assert "2 x 2 entries" in blocks(picture(100), width=80).legend


def test_names_cannot_steer_a_terminal_or_a_browser():
    names = ["\x9b31m", "<script>&"]
    shown = picture(2, names=names)
    assert "\x9b" not in "".join(plain(blocks(shown, width=80).lines))
    assert b"<script>" not in svg(shown)


def test_the_picture_files():
    pytest.importorskip("matplotlib")
    shown = picture(4, names=["a$b", "c$d", "e_f", "g"])
    assert picture_file(shown, "x.png").startswith(b"\x89PNG")
    document = picture_file(shown, "x.SVG").decode()
    assert all(name in document for name in shown.names)
    with pytest.raises(UsageError, match=r"\.pdf"):
        picture_file(shown, "x.pdf")


def test_branches_begin_where_the_tree_parts():
    tree = load_robot(SAMPLES / "tree_12.urdf").tree
    assert dof_branches(tree) == [0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]


# Command line -------------------------------------------------------------------------------------------------------


def test_the_keys_of_the_contract(dyn):
    status, out, _ = dyn("sparsity", SAMPLES / "tree_12.urdf", "-f", "json")
    assert status == 0
    result = json.loads(out)["results"][0]
    assert (result["nv"], result["nnz_predicted"], result["mismatches"], result["factor_nnz"]) == (12, 80, 0, 46)
    assert (result["depth"], result["branches"]) == (6, 3)
    assert result["nnz"] == np.sum(result["pattern"]) == result["nnz_predicted"] - result["structural_zeros"]
    assert result["accidental_zeros"] == 0
    assert result["density"] == pytest.approx(result["nnz"] / 144, rel=1e-15)
    assert np.sum(result["predicted"]) == 80
    assert result["factorisations"]["cholesky"]["fill_in"] == 32
    assert result["waste"]["zeros"] == 64


def test_the_text_and_the_picture(dyn, tmp_path):
    path = tmp_path / "pattern.svg"
    status, out, _ = dyn("sparsity", SAMPLES / "tree_12.urdf", "-f", "table", "--plot", path)
    assert status == 0
    assert "12 + 2 x 34 = 80 of 144" in out
    assert "left_elbow" in out
    assert "██" in out
    assert "\x1b" not in out
    assert b"left_elbow" in path.read_bytes()
    _, out, _ = dyn("sparsity", SAMPLES / "tree_12.urdf", "-f", "table", "--color", "always")
    assert "\x1b[" in out


def test_observed_where_it_is_told(dyn, tmp_path):
    states = tmp_path / "states.csv"
    states.write_text("shoulder,elbow\n0.1,0.2\n0.3,nan\n")
    status, out, err = dyn("sparsity", SAMPLES / "planar_2r.urdf", "--states", states, "-f", "json")
    assert status == 1
    assert json.loads(out)["results"][0]["poses"] == 1
    assert "states.csv:3" in err
    status, out, _ = dyn("sparsity", SAMPLES / "planar_2r.urdf", "--samples", 7, "-f", "json")
    assert json.loads(out)["results"][0]["poses"] == 7


def test_rows_are_the_patterns(dyn):
    status, out, _ = dyn("sparsity", SAMPLES / "planar_2r.urdf", "-f", "csv")
    assert status == 0
    assert out.splitlines()[:2] == ["matrix,state,row,shoulder,elbow", "pattern,0,shoulder,1,1"]


def test_a_robot_that_does_not_move(dyn, tmp_path):
    path = tmp_path / "stone.urdf"
    path.write_text('<robot name="stone"><link name="base"/></robot>')
    for form in ("json", "table", "csv"):
        assert dyn("sparsity", path, "-f", form)[0] == 0
    assert dyn("opcount", path, "-f", "json")[0] == 0


def test_the_blocks_of_many_states_add_up():
    tree = load_robot(SAMPLES / "tree_12.urdf").tree
    whole = sparsity_facts(tree, sample_states(tree, 20, 0, ("q",)))
    parts = sparsity_facts(tree, sample_states(tree, 20, 0, ("q",), block_rows=3))
    assert whole == parts
