"""Operation counts: the textbook's figures, closed forms on any tree, and what the other models promise."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from chains import chain_urdf, random_parents, tree_urdf
from trees import inertial, random_tree

from dyncli.algorithms.opcount import ALGORITHMS, MODELS, count_operations, undefined
from dyncli.algorithms.opcount.generic import generic_tree, with_generic_numbers
from dyncli.algorithms.opcount.routines import ROUTINES
from dyncli.algorithms.opcount.scaling import chain_growth, cheapest_route, crossovers, regular_tree, slope
from dyncli.algorithms.opcount.specialised import recorded, specialised_program
from dyncli.algorithms.opcount.structured import Tally
from dyncli.algorithms.opcount.timing import seconds_per_state
from dyncli.build import ModelOptions, build_tree
from dyncli.cli.main import run
from dyncli.description import JointDescription, LinkDescription, RobotDescription
from dyncli.robot import load_robot
from dyncli.spatial import IDENTITY, Transform

SAMPLES = Path(__file__).parent.parent / "sample_models"
SIZES = (6, 12, 24, 48, 96, 192, 384)
DENSE = {
    "rnea": (1674, 3384, 6804, 13644, 27324, 54684, 109404),
    "crba": (3204, 8352, 23184, 70992, 239184, 865872, 3280464),
    "aba": (4266, 9072, 18684, 37908, 76356, 153252, 307044),
    "fd-crba": (4943, 12154, 32840, 105316, 423068, 2136844, 12974060),
    "fd-sparse": (4943, 12154, 32840, 105316, 423068, 2136844, 12974060),
    "mass-rnea": (10044, 40608, 163296, 654912, 2623104, 10499328, 42011136),
    "rnea-derivs": (16326, 59472, 226116, 880812, 3475836, 13808412, 55043676),
}
TREE_12 = {"rnea": 3384, "crba": 7008, "aba": 9072, "fd-crba": 10810, "fd-sparse": 10538}


def dense(tree, algorithm):
    return count_operations(tree, algorithm, "dense").mul


@pytest.fixture(scope="module")
def tree_12():
    return load_robot(SAMPLES / "tree_12.urdf").tree


@pytest.fixture
def dyn(capsys):
    """Run `dyn` in this process: status, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            run([str(argument) for argument in arguments])
        streams = capsys.readouterr()
        return ended.value.code, streams.out, streams.err

    return call


# Dense ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", DENSE)
def test_dense_counts_of_chains(algorithm):
    assert tuple(dense(regular_tree(n), algorithm) for n in SIZES) == DENSE[algorithm]


def test_dense_counts_of_the_branched_tree(tree_12):
    assert {name: dense(tree_12, name) for name in TREE_12} == TREE_12


@pytest.mark.parametrize("seed", range(5))
def test_dense_counts_follow_the_closed_forms_on_any_tree(tmp_path, seed):
    path = tmp_path / "tree.urdf"
    path.write_text(tree_urdf(random_parents(14, seed), seed))
    tree = load_robot(path).tree
    n, r = tree.nv, tree.parents.count(-1)
    d = [len(tree.ancestors(i)) - 1 for i in range(n)]
    s = [sum(k in tree.ancestors(i) for i in range(n)) for k in range(n)]
    A = sum(d)
    rnea, crba = 285 * n - 36 * r, 69 * n + 432 * (n - r) + 42 * A
    aba = 801 * n - 540 * r
    cholesky = (n - 1) * n * (n + 1) // 6 + n * (n - 1)
    derivatives = 243 * n + 36 * (n - r)
    for size, above in zip(s, d, strict=True):
        derivatives += 576 * size - 36 + 12 * (size + above) + 72 * (size + above - 1) + 36
    assert dense(tree, "rnea") == rnea
    assert dense(tree, "crba") == crba
    assert dense(tree, "aba") == aba
    assert dense(tree, "fd-crba") == rnea + crba + cholesky
    assert dense(tree, "fd-sparse") == rnea + crba + sum(k * (k + 1) // 2 for k in d) + 2 * A
    assert dense(tree, "mass-rnea") == n * rnea
    assert dense(tree, "minv-aba") == n * aba
    assert dense(tree, "rnea-derivs") == derivatives


def test_dense_counts_of_the_screw_form():
    for n in (1, 6, 20):
        assert dense(regular_tree(n), "rnea-screw") == 357 * n
        assert dense(regular_tree(n), "mass-rnea-screw") == 357 * n * n


def test_dense_growth_of_chains():
    growth = {name: chain_growth(SIZES, name, "dense") for name in ("rnea", "aba", "crba", "fd-crba")}
    assert {name: round(g.slope, 2) for name, g in growth.items()} == {
        "rnea": 1.00,
        "aba": 1.02,
        "crba": 1.67,
        "fd-crba": 1.88,
    }
    assert round(growth["crba"].last_slope, 2) == 1.92
    assert round(growth["fd-crba"].last_slope, 2) == 2.60


@pytest.mark.parametrize(("n", "ratio", "digits"), [(6, 1.16, 2), (96, 5.5, 1), (384, 42, 0)])
def test_dense_ratio_to_aba(n, ratio, digits):
    assert round(dense(regular_tree(n), "fd-crba") / dense(regular_tree(n), "aba"), digits) == ratio


def test_dense_ratio_of_derivatives():
    def ratio(n, calls):
        return dense(regular_tree(n), "rnea-derivs") / (calls * dense(regular_tree(n), "rnea"))

    assert [round(ratio(n, 1), 1) for n in (6, 48)] == [9.8, 64.6]
    assert [round(ratio(n, 4 * n), 2) for n in (6, 48)] == [0.41, 0.34]


def test_the_dense_model_says_where_it_ends(tree_12):
    humanoid = load_robot(SAMPLES / "humanoid.urdf", ModelOptions(root="floating")).tree
    gripper = load_robot(SAMPLES / "rail_gripper.urdf").tree
    assert "one degree of freedom" in undefined(humanoid, "rnea", "dense")
    assert "scalars" in undefined(tree_12, "fk", "dense")
    assert "chain" in undefined(tree_12, "rnea-screw", "dense")
    assert "mimic" in undefined(gripper, "aba", "dense")
    assert undefined(gripper, "fd-sparse", "dense") is None
    assert count_operations(humanoid, "rnea", "dense") is None


# Structured ---------------------------------------------------------------------------------------------------------


def test_a_tally_counts_what_is_done_and_skips_zeros_and_ones():
    x = Tally()
    assert 0.0 * x == 0.0
    for free in (1.0 * x, -x, x + 0.0, 0.0 - x, x * -1.0):
        assert free is x
    assert tuple(x.count()) == (0, 0, 0, 0, 0)
    _ = (x * x + 2.0 * x - 3.0) / x
    _ = x.sin() + x.cos()
    _ = 1.0 / x.sqrt()
    assert tuple(x.count()) == (2, 3, 2, 1, 2)


@pytest.mark.parametrize("algorithm", ["rnea", "crba", "aba", "fd-sparse", "rnea-derivs-fast", "jacobian"])
def test_structured_counts_do_not_depend_on_the_robots_numbers(tmp_path, algorithm):
    counts = set()
    for seed in (None, 1, 2):
        path = tmp_path / f"{seed}.urdf"
        path.write_text(chain_urdf(7, seed))
        counts.add(count_operations(load_robot(path).tree, algorithm, "structured"))
    assert len(counts) == 1


@pytest.mark.parametrize("name", ["arm_7r.urdf", "tree_12.urdf", "rail_gripper.urdf", "quadruped.urdf"])
def test_a_model_that_knows_more_counts_less(name):
    root = "floating" if name.startswith("quadruped") else None
    tree = load_robot(SAMPLES / name, ModelOptions(root=root)).tree
    for algorithm in ("rnea", "crba", "aba", "fd-crba", "fd-sparse", "minv", "mass-rnea", "rnea-derivs", "fk"):
        known = [count_operations(tree, algorithm, model) for model in MODELS]
        totals = [count.mul for count in known if count is not None]
        assert totals == sorted(totals, reverse=True), algorithm


def test_a_generic_robot_keeps_the_structure_and_nothing_else():
    tree = random_tree(3, 8, mimic=True, armature=True)
    generic = with_generic_numbers(tree)
    assert generic.parents == tree.parents
    assert [b.joint.type for b in generic.bodies] == [b.joint.type for b in tree.bodies]
    assert [bool(a) for a in generic.armature] == [bool(a) for a in tree.armature]
    numbers = [x for b in generic.bodies for x in (*b.joint.axis, *b.placement.translation, *b.inertia.rotational)]
    assert not {0.0, 1.0, -1.0} & set(numbers)


# Specialised ---------------------------------------------------------------------------------------------------------


def puma():
    """The PUMA-type arm of standard Denavit-Hartenberg rows (alpha, a, d), every link with ten inertial parameters."""
    a2, a3, d3, d4 = 0.4318, 0.0203, 0.15005, 0.4318
    rows = [(1, 0.0, 0.0), (0, a2, 0.0), (-1, a3, d3), (1, 0.0, d4), (-1, 0.0, 0.0), (0, 0.0, 0.0)]
    rng = random.Random(1)
    links, joints, placement = [LinkDescription("base", inertial(rng))], [], IDENTITY
    for k, (quarter_turns, a, d) in enumerate(rows, 1):
        axis = (0.0, 0.0, 1.0)
        joints.append(
            JointDescription(f"joint{k}", "revolute", links[-1].name, f"link{k}", placement=placement, axis=axis)
        )
        links.append(LinkDescription(f"link{k}", inertial(rng)))
        s, c = float(quarter_turns), 1.0 - abs(quarter_turns)
        placement = Transform(((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)), (a, 0.0, d))
    description = RobotDescription("puma", "urdf", "", tuple(links), tuple(joints), gravity=(0.0, 0.0, -9.81))
    return build_tree(description, ModelOptions())


@pytest.mark.parametrize(("algorithm", "mul", "add"), [("rnea", 494, 402), ("crba", 400, 325)])
def test_the_puma_costs_less_than_a_symbolic_code_generator_makes_it(algorithm, mul, add):
    """Against SymPyBotics with base parameters lumped, trigonometry aside."""
    count = count_operations(puma(), algorithm, "specialised")
    assert count.mul <= 0.7 * mul
    assert count.add <= 0.7 * add
    assert count.trig <= 12


@pytest.mark.parametrize("algorithm", ROUTINES)
def test_specialised_counts_are_the_length_of_the_program(algorithm):
    tree = load_robot(SAMPLES / "planar_3r.urdf").tree
    program = specialised_program(tree, ROUTINES[algorithm])
    assert count_operations(tree, algorithm, "specialised").total == len(program.operations)
    assert len(program.operations) <= len(recorded(tree, ROUTINES[algorithm]).operations)


def test_a_pendulum_costs_what_one_counts_by_hand():
    """tau = I qdd + m g c sin(q): two products, a sum, a sine; M is a constant."""
    rng = random.Random(2)
    links = (LinkDescription("base"), LinkDescription("rod", inertial(rng)))
    joint = JointDescription("hinge", "revolute", "base", "rod", axis=(0.0, 1.0, 0.0))
    description = RobotDescription("pendulum", "urdf", "", links, (joint,), gravity=(0.0, 0.0, -9.81))
    tree = build_tree(description, ModelOptions())
    count = count_operations(tree, "rnea", "specialised")
    assert count.trig <= 2
    assert count.mul <= 3
    assert count_operations(tree, "crba", "specialised").total == 0


def test_measured_time_is_that_of_one_state():
    program = specialised_program(load_robot(SAMPLES / "arm_6r.urdf").tree, ROUTINES["rnea"])
    assert 1e-9 < seconds_per_state(program) < 1e-3


# Crossovers ----------------------------------------------------------------------------------------------------------


def test_slopes_are_exact_on_powers():
    assert slope([(2.0, 3.0 * 2**1.5), (5.0, 3.0 * 5**1.5), (9.0, 3.0 * 9**1.5)]) == pytest.approx(1.5, rel=1e-13)
    assert slope([(4.0, 7.0)]) is None


def test_a_crossover_is_where_the_winner_changes():
    for model, branching in (("structured", 1), ("structured", 2)):
        found = {c.route: c.joints for c in crossovers([model], branching)}
        n = found["fd-crba"]
        assert n is not None

        def margin(n, model=model, branching=branching):
            tree = regular_tree(n, branching)
            return count_operations(tree, "fd-crba", model).total - count_operations(tree, "aba", model).total

        assert margin(n - 1) <= 0 < margin(n)
        assert margin(2 * n) > margin(n)


def test_the_cheapest_route_holds_on_the_robot():
    gripper = load_robot(SAMPLES / "rail_gripper.urdf").tree
    best, counts = cheapest_route(gripper, "specialised")
    assert set(counts) == {"fd-crba", "fd-sparse"}
    assert counts[best].total == min(count.total for count in counts.values())
    assert cheapest_route(load_robot(SAMPLES / "quadruped.urdf", ModelOptions(root="floating")).tree, "dense") is None


def test_counts_too_long_to_make_are_left_out(monkeypatch):
    monkeypatch.setattr("dyncli.algorithms.opcount.scaling.COUNTABLE", 3000)
    growth = chain_growth((4, 8, 400), "rnea", "structured")
    assert growth.counts[0] is not None
    assert growth.counts[-1] is None


# Command line -------------------------------------------------------------------------------------------------------


def test_counts_as_json_and_rows(dyn, tree_12):
    status, out, err = dyn("opcount", SAMPLES / "tree_12.urdf", "-f", "json")
    assert status == 0
    algorithms = json.loads(out)["results"][0]["algorithms"]
    assert {name: algorithms[name]["dense"]["mul"] for name in TREE_12} == TREE_12
    assert set(algorithms["aba"]["specialised"]) == {"mul", "add", "div", "sqrt", "trig"}
    assert "dense" not in algorithms["fk"]
    assert "fk, jacobian" in err
    status, out, _ = dyn("opcount", SAMPLES / "tree_12.urdf", "--algorithm", "aba", "--model", "dense", "-f", "csv")
    assert out.splitlines() == ["algorithm,model,mul,add,div,sqrt,trig", "aba,dense,9072,0,0,0,0"]


def test_chains_as_json(dyn):
    sizes = ",".join(map(str, SIZES))
    status, out, _ = dyn(
        "opcount", SAMPLES / "arm_6r.urdf", "--chain", sizes, "--algorithm", ",".join(DENSE), "-f", "json"
    )
    assert status == 0
    answer = json.loads(out)
    assert [result["joints"] for result in answer["results"]] == list(SIZES)
    for name, expected in DENSE.items():
        assert tuple(result["algorithms"][name]["dense"]["mul"] for result in answer["results"]) == expected
    slopes = {growth["algorithm"]: round(growth["slope"], 2) for growth in answer["growth"]}
    assert (slopes["rnea"], slopes["aba"], slopes["crba"], slopes["fd-crba"]) == (1.00, 1.02, 1.67, 1.88)


def test_chains_as_a_table_and_a_picture(dyn, tmp_path):
    picture = tmp_path / "growth.svg"
    status, out, _ = dyn("opcount", SAMPLES / "arm_6r.urdf", "--chain", "6 96,384", "-f", "table", "--plot", picture)
    assert status == 0
    line = next(line for line in out.splitlines() if line.startswith("fd-crba dense"))
    assert line.split()[-3:] == ["1.16", "5.54", "42.25"]
    assert picture.read_text().startswith("<svg")


def test_time_and_crossovers(dyn):
    arguments = ("--algorithm", "rnea", "--model", "specialised", "--time", "-f", "csv")
    status, out, _ = dyn("opcount", SAMPLES / "planar_2r.urdf", *arguments)
    assert status == 0
    assert out.splitlines()[0].endswith(",seconds")
    assert 0.0 < float(out.splitlines()[1].split(",")[-1]) < 1e-3
    status, out, _ = dyn(
        "opcount", SAMPLES / "planar_2r.urdf", "--crossover", "--model", "structured", "--branching", 1, "-f", "json"
    )
    result = json.loads(out)["results"][0]
    assert {c["route"] for c in result["crossovers"]} == {"fd-crba", "fd-sparse"}
    assert result["cheapest"]["structured"]["route"] in ("aba", "fd-crba", "fd-sparse")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--algorithm", "abba"], "'aba'"),
        (["--model", "sparse"], "there is no 'sparse'"),
        (["--chain", "6,x"], "'x'"),
        (["--chain", "0"], "'0'"),
        (["--chain", "99999999999"], "whole numbers from 1 to"),
        (["--chain", ","], "no number"),
        (["--chain", "6", "--crossover"], "different answers"),
        (["--plot", "a.svg"], "add --chain"),
        (["--branching", "2"], "add --crossover"),
        (["--emit", "c", "--algorithm", "rnea-screw"], "no program"),
        (["--emit", "c", "-f", "json"], "--emit c"),
    ],
)
def test_a_wrong_command_line_says_what_is_wrong(dyn, arguments, word):
    status, out, err = dyn("opcount", SAMPLES / "planar_2r.urdf", *arguments)
    assert status == 2
    assert word in err
    assert not out


def test_every_algorithm_of_the_contract_is_known():
    named = "rnea crba aba fd-crba fd-sparse minv mass-rnea rnea-derivs fd-derivs fk jacobian rnea-derivs-fast minv-aba"
    assert set(ALGORITHMS) == {*named.split(), "rnea-screw", "mass-rnea-screw"}
    assert generic_tree([]).nv == 0
    assert math.isfinite(count_operations(generic_tree([]), "rnea", "dense").mul)
