"""Derivatives against what can be worked out by hand, the bounds on arms, and the sizes of finite-difference errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from chains import chain_urdf, random_parents, tree_urdf
from robots import joint as joint_of
from robots import robot as robot_of

from dyncli.algorithms.crba import crba
from dyncli.algorithms.derivatives import tangents as tangent_passes
from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.methods import METHODS, Derivative
from dyncli.build import ModelOptions, build_tree
from dyncli.description import InertialDescription, LinkDescription
from dyncli.formats.load import load_description
from dyncli.spatial import IDENTITY3, Inertia, Motion, Transform
from dyncli.tree import Tree

SAMPLES = Path(__file__).parent.parent / "sample_models"
EXACT = ("analytic", "dual", "reverse")


def sample(name: str) -> Tree:
    return build_tree(load_description(SAMPLES / f"{name}.urdf"))


def single_body(kind: str, fmt: str, mass: float, com, tensor, axis=(0.0, 0.0, 1.0), convention: str = "auto") -> Tree:
    description = robot_of(joint_of("j", kind, axis=axis), format=fmt)
    inertial = InertialDescription(mass, Transform(IDENTITY3, com), tensor)
    links = (description.links[0], LinkDescription("j_link", inertial))
    return build_tree(type(description)("one", fmt, "", links, description.joints), ModelOptions(convention=convention))


def blocks(tree: Tree, method: str, q, v, x, of: str = "rnea", step=None, **more) -> dict:
    derivative = Derivative(Dynamics(tree), of, method, step, **more)
    found = {}
    for name, rows in derivative.blocks(q, v, x).items():
        leaves = np.broadcast_arrays(*(entry for row in rows for entry in row))
        found[name] = np.array(leaves, float).reshape(len(rows), len(rows[0]), -1)
    return found


def random_states(tree: Tree, count: int):
    rng = np.random.default_rng(0)
    q = rng.uniform(-2.0, 2.0, (tree.nq, count))
    return list(q), list(rng.normal(size=(tree.nv, count))), list(rng.normal(size=(tree.nv, count)))


def errors(found: dict, wanted: dict) -> dict:
    """Largest error of each matrix, relative to the largest entry, for each state."""
    return {k: np.abs(found[k] - wanted[k]).max((0, 1)) / np.abs(wanted[k]).max((0, 1)) for k in wanted}


# By hand --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", EXACT)
def test_a_pendulum(method):
    """tau = m g l cos q + (I + m l²) a."""
    tree = single_body("revolute", "urdf", 2.0, (0.5, 0.0, 0.0), (0.01,) * 3 + (0.0,) * 3, (0.0, -1.0, 0.0))
    found = blocks(tree, method, [0.8], [0.3], [0.2])
    assert found["dtau_dq"].item() == pytest.approx(-9.81 * np.sin(0.8), rel=1e-14)
    assert found["dtau_dqd"].item() == pytest.approx(0.0, abs=1e-15)
    assert found["dtau_dqdd"].item() == pytest.approx(0.51, rel=1e-14)


@pytest.mark.parametrize("method", EXACT)
def test_a_ball_joint_turns_gravity_in_its_tangent_space(method):
    """tau = c x Rᵀ w at rest, so that d tau = [c]x [Rᵀ w]x d for a body-axes rotation vector d."""
    com = (0.1, 0.2, 0.3)
    tree = single_body("ball", "mjcf", 1.5, com, (0.02, 0.03, 0.04, 0.0, 0.0, 0.0))
    rest = [0.0] * 3
    found = blocks(tree, method, [0.8, 0.0, 0.6, 0.0], rest, rest)
    weight = 1.5 * 9.81 * np.array([-0.96, 0.0, 0.28])  # of the support, in body axes
    np.testing.assert_allclose(found["dtau_dq"][..., 0], skew(com) @ skew(weight), atol=1e-14)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("convention", ["mujoco", "pinocchio"])
def test_a_free_body_at_rest(method, convention):
    """Gravity does not see where the body is; its force turns in body axes, and is constant in the world's."""
    com, mass = (0.1, 0.0, 0.0), 2.0
    tree = single_body("floating", "mjcf", mass, com, (0.02, 0.03, 0.04, 0.0, 0.0, 0.0), convention=convention)
    rest, position = [0.0] * 6, [1.0, 2.0, 3.0]
    q = [*position, 1.0, 0.0, 0.0, 0.0] if convention == "mujoco" else [*position, 0.0, 0.0, 0.0, 1.0]
    dq = blocks(tree, method, q, rest, rest)["dtau_dq"][..., 0]
    weight = skew((0.0, 0.0, mass * 9.81))
    tolerance = 1e-14 if method in (*EXACT, "complex") else 1e-6
    assert np.isfinite(dq).all()
    np.testing.assert_allclose(dq[:, :3], 0.0, atol=tolerance * mass)
    np.testing.assert_allclose(dq[3:, 3:], skew(com) @ weight, atol=tolerance)
    np.testing.assert_allclose(dq[:3, 3:], 0.0 if convention == "mujoco" else weight, atol=tolerance * 20)


def skew(vector) -> np.ndarray:
    x, y, z = vector
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


@pytest.mark.parametrize("method", EXACT)
def test_rows_and_columns_of_the_coriolis_derivative(method):
    """Planar 2R: h = m2 l1 c2 sin q2; d tau/dv = [[-2 h v2, -2 h (v1 + v2)], [2 h v1, 0]]. It is not symmetric."""
    tree = sample("planar_2r")
    q, v = [0.4, 0.7], [1.2, -0.8]
    first, second = (body.inertia for body in tree.bodies)
    h = second.moment[0] * 0.2 * np.sin(q[1])
    assert first.mass > 0.0
    wanted = [[-2 * h * v[1], -2 * h * (v[0] + v[1])], [2 * h * v[0], 0.0]]
    np.testing.assert_allclose(blocks(tree, method, q, v, [0.0, 0.0])["dtau_dqd"][..., 0], wanted, atol=1e-16)


@pytest.mark.parametrize("convention", ["mujoco", "pinocchio"])
def test_the_continuous_matrices_of_a_spinning_ball_and_body(convention):
    w, u = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.1, -0.4])
    ball = single_body("ball", "mjcf", 1.0, (0.0, 0.0, 0.1), (0.02, 0.03, 0.04, 0.0, 0.0, 0.0), convention=convention)
    q = list(ball.neutral)
    A = blocks(ball, "analytic", q, list(w), [0.0] * 3, "continuous")["A"][..., 0]
    np.testing.assert_allclose(A[:3, :3], -skew(w), atol=1e-15)
    np.testing.assert_array_equal(A[:3, 3:], np.eye(3))
    body = single_body(
        "floating", "mjcf", 1.0, (0.0, 0.0, 0.1), (0.02, 0.03, 0.04, 0.0, 0.0, 0.0), convention=convention
    )
    A = blocks(body, "analytic", list(body.neutral), [*u, *w], [0.0] * 6, "continuous")["A"][..., 0]
    turned = -skew(u) if convention == "pinocchio" else np.zeros((3, 3))
    linear = -skew(w) if convention == "pinocchio" else np.zeros((3, 3))
    np.testing.assert_allclose(A[:6, :6], np.block([[linear, turned], [np.zeros((3, 3)), -skew(w)]]), atol=1e-15)


# Bounds on arms -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["arm_6r", "arm_7r", "tree_12"])
@pytest.mark.parametrize("method", EXACT)
def test_exact_methods_keep_the_published_bounds(name, method):
    tree = sample(name)
    state = random_states(tree, 20)
    M = np.array([[np.broadcast_to(entry, 20) for entry in row] for row in crba(tree, state[0])])
    scale = np.maximum(1.0, np.linalg.cond(np.moveaxis(M, -1, 0)) / 1e4)
    found = errors(blocks(tree, method, *state), blocks(tree, "complex", *state))
    assert max(error.max() for error in found.values()) < 1.5e-14
    found = errors(blocks(tree, method, *state, "fd"), blocks(tree, "complex", *state, "fd"))
    assert max((error / scale).max() for error in found.values()) < 1e-13


@pytest.mark.parametrize("integrator", ["semi-implicit", "explicit", "implicit", "rk4"])
@pytest.mark.parametrize("method", EXACT)
def test_transition_matrices_keep_the_published_bound(integrator, method):
    tree = sample("arm_6r")
    state = random_states(tree, 20)
    step = {"of": "step", "dt": 1e-3, "integrator": integrator}
    found = errors(blocks(tree, method, *state, **step), blocks(tree, "complex", *state, **step))
    assert max(error.max() for error in found.values()) < 5e-15
    central = errors(blocks(tree, "central", *state, step=1e-6, **step), blocks(tree, "analytic", *state, **step))
    assert 2e-11 < max(error.max() for error in central.values()) < 1e-7


def error_of_position_block(method: str, step: float) -> float:
    """On the 6R arm: median over states of the relative error of d tau/dq."""
    tree = sample("arm_6r")
    state = random_states(tree, 20)
    found = blocks(tree, method, *state, step=step)
    return float(np.median(errors(found, blocks(tree, "dual", *state))["dtau_dq"]))


def test_forward_differences_are_best_near_1e_8():
    best = {step: error_of_position_block("forward", step) for step in (1e-10, 1e-9, 1e-8, 1e-7, 1e-6)}
    assert min(best, key=best.get) in (1e-9, 1e-8, 1e-7)
    assert 4e-9 < best[1e-8] < 1e-7
    assert 2e-5 < error_of_position_block("forward", 1e-12) < 5e-4


def test_central_differences_are_best_near_1e_5():
    best = {step: error_of_position_block("central", step) for step in (1e-7, 1e-6, 1e-5, 1e-4, 1e-3)}
    assert min(best, key=best.get) in (1e-6, 1e-5, 1e-4)
    assert 2.4e-12 < best[1e-5] < 6e-11


def test_the_complex_step_is_exact_however_small_and_truncated_where_large():
    assert 3.4e-6 < error_of_position_block("complex", 1e-2) < 8.5e-5
    assert error_of_position_block("complex", 1e-2) == pytest.approx(error_of_position_block("central", 1e-2), rel=0.1)
    for step in (1e-8, 1e-30, 1e-100, 1e-149):
        assert error_of_position_block("complex", step) < 1e-15


# Counts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "urdf", [chain_urdf(6), chain_urdf(12), tree_urdf(random_parents(9, 3), 1)], ids=["6", "12", "tree"]
)
def test_a_tangent_pass_costs_what_its_count_says(urdf, tmp_path, monkeypatch):
    """The dense count of `rnea-derivs` from the calls made: 36 for a 6x6 product, 6 for a dot, 27 for a transform."""
    path = tmp_path / "robot.urdf"
    path.write_text(urdf)
    tree = build_tree(load_description(path))
    n, state = tree.nv, [0.3] * tree.nv
    spent = 27 * n

    def counted(owner, name: str, cost: int) -> None:
        plain = getattr(owner, name)

        def call(self, *arguments):
            nonlocal spent
            spent += cost
            return plain(self, *arguments)

        monkeypatch.setattr(owner, name, call)

    for owner, names in (
        (Motion, ("cross", "cross_force")),
        (Inertia, ("times",)),
        (Transform, ("motion_to_child", "force_to_parent")),
    ):
        for name in names:
            counted(owner, name, 36)
    counted(Motion, "dot", 6)
    tangent_passes.derivatives_by_tangents(tree, state, state, state)
    sizes, above = [0] * n, [0] * n
    for i in range(n):
        for ancestor in tree.ancestors(i):
            sizes[ancestor] += 1
        above[i] = len(tree.ancestors(i)) - 1
    roots = tree.parents.count(-1)
    wanted = 243 * n + 36 * (n - roots)
    for s, d in zip(sizes, above, strict=True):
        wanted += 576 * s - 36 + 12 * (s + d) + 72 * (s + d - 1) + 36
    assert spent == wanted
