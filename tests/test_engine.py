"""Directly or as a program: the same numbers, whichever runs, for every task and option."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from trees import random_description, random_state

from dyncli import api
from dyncli.algorithms.wrenches import Wrench
from dyncli.api import load
from dyncli.build import ModelOptions
from dyncli.engine import Engine, compiled, mapped, pays_from
from dyncli.errors import UsageError
from dyncli.robot import Robot
from dyncli.run import engine_of, evaluate
from dyncli.states import StateBlock
from dyncli.tasks.fd import FdTask
from dyncli.tasks.fk import FkTask
from dyncli.tasks.mass import MassParts, MassTask
from dyncli.tasks.rnea import RneaTask

MODELS = Path(__file__).parent.parent / "sample_models"
STATES = 5


def robots():
    yield "arm_7r", load(MODELS / "arm_7r.urdf")
    yield "quadruped", load(MODELS / "quadruped.urdf", root="floating")
    yield "humanoid", load(MODELS / "humanoid.urdf", root="floating", convention="mujoco")
    for seed in range(3):
        for convention in ("mujoco", "pinocchio"):
            description = random_description(seed, 8, mimic=seed == 1, armature=True)
            yield f"random {seed} {convention}", Robot(description, ModelOptions(convention=convention))


ROBOTS = dict(robots())


def wrenches(robot):
    frame = [frame for frame in robot.tree.frames.values() if frame.body >= 0][-1]
    return (
        Wrench(frame, True, (3.0, 0.0, -1.0), (0.0, 0.2, 0.0)),
        Wrench(frame, False, (0.0, 1.0, 0.0), (0.1, 0.0, 0.3)),
    )


TASKS = {
    "rnea": lambda robot: RneaTask(robot),
    "rnea split": lambda robot: RneaTask(robot, split=True, passive=True, wrenches=wrenches(robot)),
    "rnea reactions": lambda robot: RneaTask(robot, reactions=True, wrenches=wrenches(robot)),
    "mass": lambda robot: MassTask(robot, MassParts()),
    "mass everything": lambda robot: MassTask(robot, MassParts(inverse=True, factor=True, energy=True, coriolis=True)),
    "mass by columns": lambda robot: MassTask(robot, MassParts(inverse=True), method="rnea"),
    "fd aba": lambda robot: FdTask(robot, wrenches=wrenches(robot), passive=True),
    "fd sparse": lambda robot: FdTask(robot, method="sparse"),
    "fd crba": lambda robot: FdTask(robot, method="crba"),
    "fk": lambda robot: FkTask(
        robot, list(robot.tree.frames.values()), jacobian_of=list(robot.tree.frames.values())[-1]
    ),
}


def states(robot, given=("qd", "qdd", "tau")):
    rows = [random_state(robot.tree, seed) for seed in range(STATES)]
    blocks = [list(np.array(block).T.copy()) for block in zip(*rows, strict=True)]
    chosen = dict(zip(("qd", "qdd", "tau"), blocks[1:], strict=True))
    return StateBlock(STATES, blocks[0], **{name: chosen[name] for name in given})


def leaves(template):
    found = []
    mapped(found.append, template)
    return found


def same(actual, expected):
    a, b = leaves(actual), leaves(expected)
    assert [x is None for x in a] == [x is None for x in b]
    # words and mappings are diagnoses of numbers that are compared themselves
    pairs = [
        [np.broadcast_to(leaf, STATES) for leaf in pair]
        for pair in zip(a, b, strict=True)
        if pair[1] is not None and getattr(pair[1], "dtype", None) != np.dtype(object)
    ]
    scale = max(np.abs(row).max() for _, row in pairs)
    for found, row in pairs:
        np.testing.assert_allclose(found, row, rtol=1e-9, atol=1e-11 * scale)


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS.keys())
@pytest.mark.parametrize("make", TASKS.values(), ids=TASKS.keys())
def test_program_and_direct_run_agree(robot, make, monkeypatch):
    task = make(robot)
    block = states(robot)
    monkeypatch.setenv("DYN_ENGINE", "direct")
    expected = evaluate(task, block).values
    monkeypatch.setenv("DYN_ENGINE", "program")
    found = evaluate(task, block).values
    assert found.keys() == expected.keys()
    for name in expected:
        same(found[name], expected[name])


def test_blocks_that_are_not_given_are_recorded_as_absent(monkeypatch):
    robot = ROBOTS["arm_7r"]
    task = RneaTask(robot)
    monkeypatch.setenv("DYN_ENGINE", "program")
    engine = engine_of(task)
    for given in ((), ("qd",), ("qdd",), ("qd", "qdd")):
        block = states(robot, given)
        expected = task.quantities(block.q, block.qd, block.qdd, None)
        same(evaluate(task, block, engine).values, expected)


def test_a_single_state_of_floats_stays_floats(monkeypatch):
    robot = ROBOTS["quadruped"]
    q, v, a, _ = random_state(robot.tree, 4)
    task = RneaTask(robot)
    monkeypatch.setenv("DYN_ENGINE", "program")
    tau = evaluate(task, StateBlock(1, q, v, a)).values["tau"]
    assert all(type(x) is float for x in tau)
    assert tau == pytest.approx(task.quantities(q, v, a, None)["tau"], rel=1e-11, abs=1e-11)


def test_a_program_is_made_once_there_are_enough_states(monkeypatch):
    monkeypatch.delenv("DYN_ENGINE", raising=False)
    kinds = []

    def function(x):
        kinds.append(type(x[0]).__name__)
        return [x[0] * 2.0]

    engine = Engine(function)
    x = [np.ones(pays_from(1) // 2)]
    for _ in range(4):
        np.testing.assert_array_equal(engine(len(x[0]), x)[0], 2.0)
    assert kinds == ["ndarray", "Symbol"]


def test_structural_zeros_come_back_as_numbers():
    made = compiled(lambda x: {"M": [[x[0], 0.0], [0.0, x[0] * x[0]]], "note": 3.5}, [1])
    found = made.run(2, [[np.array([2.0, 3.0])]])
    assert found["M"][0][1] == 0.0
    assert found["note"] == 3.5
    np.testing.assert_array_equal(found["M"][0][0], [2.0, 3.0])
    np.testing.assert_array_equal(found["M"][1][1], [4.0, 9.0])


def test_rows_are_those_of_single_states_and_inputs_are_not_touched(monkeypatch):
    robot = ROBOTS["humanoid"]
    block = states(robot)
    for leaf in (*block.q, *block.qd, *block.qdd):
        leaf.flags.writeable = False
    task = RneaTask(robot)
    monkeypatch.setenv("DYN_ENGINE", "program")
    tau = evaluate(task, block).values["tau"]
    for k in range(STATES):
        single = StateBlock(1, *([leaf[k : k + 1] for leaf in leaves] for leaves in (block.q, block.qd, block.qdd)))
        np.testing.assert_array_equal(np.ravel(evaluate(task, single).values["tau"]), [leaf[k] for leaf in tau])


def test_an_unknown_engine_is_refused(monkeypatch):
    monkeypatch.setenv("DYN_ENGINE", "fast")
    with pytest.raises(UsageError, match="DYN_ENGINE=fast"):
        Engine(lambda x: x)(1, [1.0])


def test_operational_space_inertia_agrees(monkeypatch):
    robot = ROBOTS["arm_7r"]
    task = MassTask(robot, MassParts(task=(wrenches(robot)[0].frame, (0.0, 0.6, 0.8))))
    block = states(robot)
    expected = task.quantities(block.q, None, None, None)
    monkeypatch.setenv("DYN_ENGINE", "program")
    found = evaluate(task, block).values
    for name in ("task_inertia", "effective_mass"):
        same(found[name], expected[name])


def test_the_python_functions_use_the_engine_and_keep_it(monkeypatch):
    robot = load(MODELS / "arm_7r.urdf")
    states = np.random.default_rng(2).uniform(-1.0, 1.0, (3, 40, robot.nv))
    results = {}
    for mode in ("direct", "program"):
        monkeypatch.setenv("DYN_ENGINE", mode)
        results[mode] = [
            api.rnea(robot, *states, wrenches=wrenches(robot)),
            api.mass_matrix(robot, states[0]),
            api.inverse_mass_matrix(robot, states[0]),
            api.forward_dynamics(robot, *states),
            api.jacobian(robot, states[0], robot.tree.bodies[-1].link),
            api.coriolis_matrix(robot, *states[:2]),
            api.kinetic_energy(robot, *states[:2]),
        ]
    for direct, program in zip(results["direct"], results["program"], strict=True):
        np.testing.assert_allclose(program, direct, rtol=1e-9, atol=1e-11 * np.abs(direct).max())
    kept = len(robot.engines)
    api.rnea(robot, *states, wrenches=wrenches(robot))
    assert len(robot.engines) == kept
    for force in range(100):
        api.rnea(robot, states[0], wrenches=(api.wrench(robot, "column", (float(force), 0.0, 0.0), axes="world"),))
    assert len(robot.engines) <= 40
