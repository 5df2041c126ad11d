"""Identities that hold for every robot: random trees of every joint type, both conventions, with and without mimic."""

import numpy as np
import pytest
from trees import random_state, random_tree

from dyncli.algorithms.coriolis import coriolis_matrix
from dyncli.algorithms.crba import crba, mass_by_rnea, mass_diagonal, mass_diagonal_bound
from dyncli.algorithms.energy import kinetic_energy, potential_energy
from dyncli.algorithms.factor import cholesky, factor_structure, ltl, sparse_factor
from dyncli.algorithms.forward import forward_dynamics, mass_inverse
from dyncli.algorithms.kinematics import body_poses, frame_pose, jacobian
from dyncli.algorithms.rnea import rnea
from dyncli.algorithms.wrenches import Wrench
from dyncli.tree import Tree

TOLERANCE = 1e-11
KINDS = [
    {"convention": "mujoco"},
    {"convention": "pinocchio"},
    {"convention": "mujoco", "armature": True},
    {"convention": "pinocchio", "armature": True},
    {"convention": "mujoco", "mimic": True, "types": ("revolute", "prismatic", "continuous")},
    {"convention": "pinocchio", "types": ("revolute",), "n": 12},
]


@pytest.fixture(params=[(kind, seed) for kind in range(len(KINDS)) for seed in range(4)], ids=str)
def tree(request) -> Tree:
    kind, seed = request.param
    return random_tree(seed, **KINDS[kind])


def relative(got, want) -> float:
    got, want = np.asarray(got, float), np.asarray(want, float)
    return float(np.abs(got - want).max() / max(np.abs(want).max(), 1e-300))


def stepped(tree: Tree, q, v, h: float) -> list[float]:
    """q moved by h v on the manifold."""
    out: list[float] = []
    for joint in tree.joints:
        own_v = [h * x for x in v[joint.index_v : joint.index_v + joint.nv]]
        out += joint.type.integrate(q[joint.index_q : joint.index_q + joint.nq], own_v)
    return out


def derivative_along(tree: Tree, f, q, v):
    """d f(q)/dt at velocity v, fourth-order central differences."""
    h = 1e-3
    values = {k: np.asarray(f(stepped(tree, q, v, k * h)), float) for k in (-2, -1, 1, 2)}
    return (8 * (values[1] - values[-1]) - (values[2] - values[-2])) / (12 * h)


def test_mass_matrix_is_symmetric_positive_definite_and_equals_rnea_columns(tree):
    q, *_ = random_state(tree, 1)
    M = np.array(crba(tree, q))
    assert relative(M, M.T) == 0
    assert np.linalg.eigvalsh(M).min() > 0
    assert relative(mass_by_rnea(tree, q), M) < TOLERANCE


def test_forward_dynamics_undoes_inverse_dynamics_by_every_route(tree):
    q, v, a, _ = random_state(tree, 2)
    tau = rnea(tree, q, v, a)
    for method in ("aba", "crba", "sparse"):
        qdd, pivots = forward_dynamics(tree, q, v, tau, method=method)
        assert relative(qdd, a) < 1e-9 if tree.has_mimic else relative(qdd, a) < TOLERANCE
        assert min(pivots) > 0


def test_tau_is_mass_times_acceleration_plus_bias(tree):
    q, v, a, _ = random_state(tree, 3)
    tau = np.array(crba(tree, q)) @ a + rnea(tree, q, v)
    assert relative(rnea(tree, q, v, a), tau) < TOLERANCE


def test_parts_add_up(tree):
    q, v, a, _ = random_state(tree, 4)
    parts = np.array(rnea(tree, q)) + rnea(tree, q, v, gravity=False) + rnea(tree, q, a=a, gravity=False)
    assert relative(rnea(tree, q, v, a), parts) < TOLERANCE


def test_gravity_torque_is_the_gradient_of_the_potential(tree):
    q, v, *_ = random_state(tree, 5)
    power = derivative_along(tree, lambda p: potential_energy(tree, p), q, v)
    assert abs(power - np.dot(rnea(tree, q), v)) < 1e-9 * max(abs(power), 1)


def test_kinetic_energy_is_half_the_mass_times_speed_squared_and_its_rate_is_power(tree):
    q, v, a, _ = random_state(tree, 6)
    M = np.array(crba(tree, q))
    assert kinetic_energy(tree, q, v) == pytest.approx(0.5 * np.array(v) @ M @ v, rel=TOLERANCE)
    rate = derivative_along(tree, lambda p: kinetic_energy(tree, p, v), q, v) + np.array(v) @ M @ a
    power = np.dot(rnea(tree, q, v, a, gravity=False), v)
    assert rate == pytest.approx(power, rel=1e-9, abs=1e-9)


def test_coriolis_matrix_gives_the_coriolis_force_and_leaves_mass_rate_skew(tree):
    q, v, *_ = random_state(tree, 7)
    C = np.array(coriolis_matrix(tree, q, v))
    assert relative(C @ v, rnea(tree, q, v, gravity=False)) < TOLERANCE
    skew = derivative_along(tree, lambda p: crba(tree, p), q, v) - C - C.T
    # on a group the rate of M in moving axes also holds the structure constants, which power does not see
    assert abs(np.array(v) @ skew @ v) < 1e-8 * np.abs(C).max() * np.dot(v, v)
    if all(joint.type.vector_space for joint in tree.joints):
        assert np.abs(skew).max() < 1e-8 * max(np.abs(C).max(), 1)


def test_sparse_factor_has_no_fill_in_and_reproduces_the_mass_matrix(tree):
    q, *_ = random_state(tree, 8)
    M = crba(tree, q)
    structure = factor_structure(tree)
    L = np.array(ltl(M, structure))
    assert relative(L.T @ L, M) < TOLERANCE
    assert relative(np.array(cholesky(M)) @ np.array(cholesky(M)).T, M) < TOLERANCE
    b = np.arange(1.0, tree.nv + 1)
    assert relative(np.array(M) @ sparse_factor(M, structure).solve(list(b)), b) < 1e-9
    assert relative(np.array(mass_inverse(tree, M)) @ M, np.eye(tree.nv)) < 1e-9
    zeros = np.array(
        [[i != k and i not in structure[k] for i in range(k + 1)] + [True] * (tree.nv - k - 1) for k in range(tree.nv)]
    )
    np.fill_diagonal(zeros, False)
    assert (L[zeros] == 0).all()


def test_jacobian_is_the_derivative_of_the_pose(tree):
    q, v, *_ = random_state(tree, 9)
    frame = tree.frames[tree.bodies[-1].link]
    J = np.array(jacobian(tree, q, frame))

    def position(p):
        return frame_pose(frame, body_poses(tree, p)).translation

    def rotation(p):
        return frame_pose(frame, body_poses(tree, p)).rotation

    linear = derivative_along(tree, position, q, v)
    spin = derivative_along(tree, rotation, q, v) @ np.array(rotation(q)).T
    angular = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    assert relative(J @ v, np.concatenate([linear, angular])) < 1e-8


@pytest.mark.parametrize("world_axes", [True, False])
def test_a_wrench_costs_its_jacobian_transposed(tree, world_axes):
    q, v, a, _ = random_state(tree, 10)
    frame = tree.frames[tree.bodies[-1].link]
    force, moment = (1.0, -2.0, 3.0), (0.3, 0.5, -0.7)
    rotation = np.eye(3) if world_axes else np.array(frame_pose(frame, body_poses(tree, q)).rotation)
    in_world = np.concatenate([rotation @ force, rotation @ moment])
    wrench = Wrench(frame, world_axes, force, moment)
    got = np.array(rnea(tree, q, v, a)) - rnea(tree, q, v, a, wrenches=[wrench])
    want = np.array(jacobian(tree, q, frame)).T @ in_world
    assert np.abs(got - want).max() < TOLERANCE * max(np.abs(rnea(tree, q, v, a)).max(), 1)
    qdd, _ = forward_dynamics(tree, q, v, rnea(tree, q, v, a, wrenches=[wrench]), wrenches=[wrench])
    assert relative(qdd, a) < 1e-9


def test_batches_complex_numbers_and_single_states_agree(tree):
    states = [random_state(tree, seed) for seed in range(3)]
    q, v, a, tau = (np.array([s[k] for s in states]).T for k in range(4))
    batch_tau, batch_M = np.array(rnea(tree, list(q), list(v), list(a))), crba(tree, list(q))
    batch_qdd, _ = forward_dynamics(tree, list(q), list(v), list(tau))
    as_complex = rnea(tree, [complex(x) for x in states[0][0]], states[0][1], states[0][2])
    assert relative(np.real(as_complex), rnea(tree, *states[0][:3])) < 1e-14
    for k, (sq, sv, sa, stau) in enumerate(states):
        assert relative(batch_tau[:, k], rnea(tree, sq, sv, sa)) < 1e-13
        single = np.array(crba(tree, sq))
        got = np.array([[np.broadcast_to(e, 3)[k] for e in row] for row in batch_M])
        assert relative(got, single) < 1e-13
        assert relative([x[k] for x in batch_qdd], forward_dynamics(tree, sq, sv, stau)[0]) < 1e-9


def test_no_position_exceeds_the_bound_of_the_mass_diagonal():
    bounded = 0
    for seed in range(12):
        tree = random_tree(seed, 8, types=("revolute", "ball", "fixed", "continuous"), armature=seed % 2 == 0)
        bound = mass_diagonal_bound(tree)
        for state in range(5):
            q, *_ = random_state(tree, state)
            diagonal = mass_diagonal(tree, q)
            assert all(entry <= largest for entry, largest in zip(diagonal, bound, strict=True))
            bounded += sum(entry > 0.02 * largest for entry, largest in zip(diagonal, bound, strict=True))
    assert bounded > 0  # and it is not out of all proportion


def test_a_slide_behind_a_turn_has_no_bound():
    assert mass_diagonal_bound(random_tree(1, 2, types=("prismatic", "revolute"), bushiness=0.0)) is not None
    assert mass_diagonal_bound(random_tree(1, 2, types=("revolute", "prismatic"), bushiness=0.0)) is None
