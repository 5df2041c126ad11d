"""Derivatives against Pinocchio's, on the sample models and on real robots, fixed and floating."""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from dyncli.algorithms.crba import crba
from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.methods import Derivative
from dyncli.build import ModelOptions, build_tree
from dyncli.formats.load import load_description
from dyncli.tree import Tree

SHARE = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data", "robots")
SAMPLES = Path(__file__).parent.parent / "sample_models"
ROBOTS = sorted([*SAMPLES.glob("*.urdf"), *SHARE.rglob("*.urdf")])
NO_ROBOT = {"ur3.urdf"}
"""A xacro file of macros that someone expanded: neither a name nor a link."""
COMPARED = (
    *("arm_6r", "arm_7r", "tree_12", "quadruped", "humanoid", "cartpole"),
    *("panda", "ur5_robot", "talos_full_v2", "tiago_dual", "icub", "anymal-kinova", "g1_29dof_rev_1_0", "iris_simple"),
)


@dataclass
class Pair:
    """One robot in both libraries, and which of Pinocchio's velocities each of ours is."""

    tree: Tree
    model: pin.Model
    order: list[int]

    def pinocchio_state(self, q: np.ndarray, *vectors: np.ndarray) -> list[np.ndarray]:
        """Our q and vectors as Pinocchio wants them: continuous joints as (cos, sin)."""
        configuration = pin.neutral(self.model)
        for joint in self.tree.joints:
            own = q[joint.index_q : joint.index_q + joint.nq]
            theirs = self.joint(joint.name)
            start = theirs.idx_q
            if theirs.nq == joint.nq:
                configuration[start : start + theirs.nq] = own
            else:
                configuration[start : start + 2] = np.cos(own[0]), np.sin(own[0])
        moved = [np.zeros(self.model.nv) for _ in vectors]
        for target, vector in zip(moved, vectors, strict=True):
            target[self.order] = vector
        return [configuration, *moved]

    def joint(self, name: str) -> pin.JointModel:
        return self.model.joints[self.model.getJointId("root_joint" if name == "root" else name)]

    def ours(self, matrix: np.ndarray) -> np.ndarray:
        return matrix[np.ix_(self.order, self.order)]


def load(path: Path, *, floating: bool) -> Pair:
    options = ModelOptions(root="floating" if floating else None, mimic=False)
    tree = build_tree(load_description(path), options)
    model = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floating else []))
    pair = Pair(tree, model, [])
    for joint in tree.joints:
        start = pair.joint(joint.name).idx_v
        pair.order += range(start, start + joint.nv)
    return pair


def random_state(tree: Tree, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    q = []
    for joint in tree.joints:
        q += joint.type.from_uniform(rng.random(joint.type.uniforms), joint.lower, joint.upper)
    return [np.array(q, float), *rng.normal(size=(2, tree.nv))]


def blocks(tree: Tree, of: str, method: str, *state: np.ndarray) -> dict[str, np.ndarray]:
    derivative = Derivative(Dynamics(tree), of, method)
    return {name: np.array(rows, float) for name, rows in derivative.blocks(*(x.tolist() for x in state)).items()}


def relative(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-12))


def named(stem: str) -> Path:
    return next(path for path in ROBOTS if path.stem == stem)


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("stem", COMPARED)
def test_inverse_dynamics_derivatives_equal_pinocchio(stem, floating):
    pair = load(named(stem), floating=floating)
    if not pair.tree.nv:
        pytest.skip("nothing moves with a fixed root")
    q, v, a = random_state(pair.tree, 1)
    data = pair.model.createData()
    pin.computeRNEADerivatives(pair.model, data, *pair.pinocchio_state(q, v, a))
    found = blocks(pair.tree, "rnea", "analytic", q, v, a)
    assert relative(found["dtau_dq"], pair.ours(data.dtau_dq)) < 1e-12
    assert relative(found["dtau_dqd"], pair.ours(data.dtau_dv)) < 1e-12
    M = np.triu(data.M) + np.triu(data.M, 1).T
    assert relative(found["dtau_dqdd"], pair.ours(M)) < 1e-12


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("stem", COMPARED)
def test_forward_dynamics_derivatives_equal_pinocchio(stem, floating):
    pair = load(named(stem), floating=floating)
    if not pair.tree.nv:
        pytest.skip("nothing moves with a fixed root")
    q, v, tau = random_state(pair.tree, 2)
    condition = np.linalg.cond(np.array(crba(pair.tree, q.tolist()), float))
    data = pair.model.createData()
    pin.computeABADerivatives(pair.model, data, *pair.pinocchio_state(q, v, tau))
    found = blocks(pair.tree, "fd", "analytic", q, v, tau)
    tolerance = 2e-12 * max(1.0, condition / 1e4)
    assert relative(found["dqdd_dq"], pair.ours(data.ddq_dq)) < tolerance
    assert relative(found["dqdd_dqd"], pair.ours(data.ddq_dv)) < tolerance
    inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    assert relative(found["dqdd_dtau"], pair.ours(inverse)) < tolerance


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_every_robot_with_a_floating_base_agrees_with_the_complex_step(path):
    if path.name in NO_ROBOT:
        pytest.skip("not a robot")
    tree = build_tree(load_description(path), ModelOptions(root="floating"))
    state = random_state(tree, 3)
    found, wanted = (blocks(tree, "rnea", method, *state) for method in ("analytic", "complex"))
    assert max(relative(found[name], wanted[name]) for name in wanted) < 1e-12
