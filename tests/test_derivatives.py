"""Derivatives: all methods agree on random trees of every joint type, with wrenches, passive forces and tendons."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from trees import random_state, random_tree

from dyncli.algorithms.crba import crba
from dyncli.algorithms.derivatives.analytic import rnea_derivatives
from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.methods import METHODS, Derivative
from dyncli.algorithms.derivatives.steps import INTEGRATORS, advanced, difference, step
from dyncli.algorithms.derivatives.tangents import derivatives_by_tangents
from dyncli.algorithms.forward import forward_dynamics
from dyncli.algorithms.wrenches import Wrench
from dyncli.errors import UsageError
from dyncli.joints import all_joint_types
from dyncli.scalars.program import record
from dyncli.spatial import Inertia
from dyncli.structs import replace
from dyncli.tree import Anchor, Stretch, Transmission, Tree

EXACT = ("analytic", "dual", "reverse")
KINDS = {
    "mujoco": {"convention": "mujoco"},
    "pinocchio": {"convention": "pinocchio"},
    "armature": {"convention": "mujoco", "armature": True},
    "turning armature": {"convention": "pinocchio", "armature": True},
    "mimic": {"mimic": True, "types": ("revolute", "prismatic", "continuous")},
    "chain": {"convention": "pinocchio", "types": ("revolute",), "n": 9, "bushiness": 0.0},
}
STEP = 0.005
CURVED = ("floating", "revolute", "planar")
SUBJECTS = [("rnea", ""), ("fd", ""), ("continuous", ""), *(("step", integrator) for integrator in INTEGRATORS)]


def kind(name: str, seed: int = 0) -> Tree:
    return random_tree(seed, **{"n": 6, **KINDS[name]})


def wrenches(tree: Tree) -> tuple[Wrench, ...]:
    tip, middle = (tree.frames[tree.bodies[i].link] for i in (-1, len(tree.bodies) // 2))
    return (
        Wrench(tip, True, (1.0, 2.0, 3.0), (4.0, 5.0, -6.0)),
        Wrench(tip, False, (3.0, 2.0, 3.0), (4.0, 1.0, 6.0)),
        Wrench(middle, True, (-3.0, 1.0, 2.0), (0.5, 1.0, -2.0)),
    )


def with_passive(tree: Tree, seed: int, *, powers: int = 3) -> Tree:
    """Polynomial dampers and springs on every joint, gravity compensation, and three tendons, two along a path."""
    rng = random.Random(seed)

    def coefficients() -> tuple[float, ...]:
        return tuple(rng.uniform(0.2, 1.0) for _ in range(rng.randint(1, powers)))

    bodies = []
    for body in tree.bodies:
        joint = replace(body.joint, damping=coefficients(), stiffness=coefficients())
        mass, moment, _ = body.inertia
        share = rng.random()
        carried = Inertia(share * mass, tuple(share * m for m in moment), (0.0,) * 6)
        bodies.append(replace(body, joint=joint, compensated=carried))
    linear = tuple((k, k, rng.uniform(-1, 1)) for k in range(2)) if tree.joints[0].nq == 1 else ()
    points = (
        Anchor(-1, (0.1, 0.2, 1.5)),
        Anchor(len(bodies) // 2, (0.1, 0.0, 0.1)),
        Anchor(len(bodies) - 1, (0.0, 0.2, 0.1)),
    )
    tendons = (
        Transmission("rod", "tendon", terms=linear, armature=0.7),
        Transmission("rope", "tendon", path=tuple(Stretch(a, b) for a, b in pairwise(points)), armature=0.4),
        Transmission(
            "band",
            "tendon",
            path=(Stretch(points[0], points[1], 2.0),),
            damping=(0.3, 0.2)[:powers],
            stiffness=(5.0,),
            spring_range=(0.1, 0.2),
        ),
    )
    return replace(tree, bodies=tuple(bodies), transmissions=tendons)


def jacobian(dynamics: Dynamics, method: str, state, of: str = "rnea", integrator: str = "", **options) -> dict:
    """The named blocks as arrays (rows, columns, states)."""
    derivative = Derivative(dynamics, of, method, dt=STEP, integrator=integrator, **options)
    found = {}
    for name, rows in derivative.blocks(*state).items():
        leaves = np.broadcast_arrays(*(entry for row in rows for entry in row))
        found[name] = np.array(leaves, float).reshape(len(rows), len(rows[0]), -1)
    return found


def worst(found: dict, wanted: dict) -> float:
    assert found.keys() == wanted.keys()
    return max(np.abs(found[k] - wanted[k]).max() / max(np.abs(wanted[k]).max(), 1e-300) for k in wanted)


def point(tree: Tree, seed: int, of: str):
    q, v, a, tau = random_state(tree, seed)
    return q, v, a if of == "rnea" else tau


def condition(tree: Tree, q) -> float:
    return float(np.linalg.cond(np.array(crba(tree, q), float)))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("of", "integrator"), SUBJECTS)
def test_exact_methods_equal_the_complex_step(name, of, integrator):
    tree = kind(name)
    state = point(tree, 1, of)
    dynamics = Dynamics(tree, wrenches(tree))
    wanted = jacobian(dynamics, "complex", state, of, integrator)
    tolerance = 1.5e-14 if of == "rnea" else 1e-13 * max(1.0, condition(tree, state[0]) / 1e4)
    for method in EXACT:
        assert worst(jacobian(dynamics, method, state, of, integrator), wanted) < tolerance, method


@pytest.mark.parametrize("name", ["mujoco", "turning armature", "mimic"])
@pytest.mark.parametrize(("of", "integrator"), SUBJECTS)
def test_passive_forces_and_tendons_are_differentiated(name, of, integrator):
    tree = with_passive(random_tree(2, **{"n": 3, "types": CURVED, **KINDS[name]}), 3)
    state = point(tree, 4, of)
    dynamics = Dynamics(tree, wrenches(tree), passive=True)
    wanted = jacobian(dynamics, "complex", state, of, integrator)
    still = jacobian(replace(dynamics, passive=False), "complex", state, of, integrator)
    assert worst(still, wanted) > 1e-3
    tolerance = 5e-14 if of == "rnea" else 1e-12 * max(1.0, condition(tree, state[0]) / 1e4)
    for method in EXACT if of == "rnea" else ("analytic", "reverse"):
        assert worst(jacobian(dynamics, method, state, of, integrator), wanted) < tolerance, method


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("of", ["rnea", "fd"])
def test_differences_approach_the_closed_form(name, of):
    tree = kind(name, 1)
    state = point(tree, 2, of)
    dynamics = Dynamics(tree, wrenches(tree))
    wanted = jacobian(dynamics, "analytic", state, of)
    factor = max(1.0, condition(tree, state[0]) / 1e2) if of == "fd" else 1.0
    assert worst(jacobian(dynamics, "central", state, of), wanted) < 1e-8 * factor
    assert worst(jacobian(dynamics, "forward", state, of), wanted) < 1e-5 * factor


@pytest.mark.parametrize("name", KINDS)
def test_tangent_passes_and_closed_form_are_one_result(name):
    tree = kind(name, 3)
    if any(len(joint.type.stages) > 1 for joint in tree.joints):
        tree = random_tree(3, 7, "pinocchio")
    rigid = replace(tree, armature=(0.0,) * tree.nv)
    q, v, a, _ = random_state(tree, 5)
    by = rnea_derivatives(rigid, q, v, a)
    for found, wanted in zip(derivatives_by_tangents(tree, q, v, a), by[:2], strict=True):
        np.testing.assert_allclose(found, wanted, atol=3e-14 * np.abs(wanted).max(), rtol=0)


@pytest.mark.parametrize("name", KINDS)
def test_the_derivative_by_acceleration_is_the_mass_matrix(name):
    tree = kind(name, 4)
    q, v, a, _ = random_state(tree, 6)
    M = np.array(crba(tree, q))
    np.testing.assert_allclose(rnea_derivatives(tree, q, v, a).da, M, atol=1e-14 * np.abs(M).max(), rtol=0)


@pytest.mark.parametrize("name", KINDS)
def test_forward_and_inverse_derivatives_are_inverse_to_each_other(name):
    tree = kind(name, 5)
    q, v, _, tau = random_state(tree, 7)
    qdd, _ = forward_dynamics(tree, q, v, tau)
    forward = jacobian(Dynamics(tree), "analytic", (q, v, tau), "fd")
    inverse = jacobian(Dynamics(tree), "analytic", (q, v, qdd), "rnea")
    M = inverse["dtau_dqdd"][..., 0]
    for x in ("dq", "dqd"):
        residual = M @ forward[f"dqdd_{x}"][..., 0] + inverse[f"dtau_{x}"][..., 0]
        assert np.abs(residual).max() < 1e-11 * np.abs(inverse[f"dtau_{x}"]).max() * max(1, condition(tree, q) / 1e4)


@pytest.mark.parametrize("convention", ["mujoco", "pinocchio"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("of", "integrator"), [("rnea", ""), ("fd", ""), ("step", "implicit"), ("step", "rk4")])
def test_a_state_at_rest_has_numbers_and_no_nan(convention, method, of, integrator):
    # the derivative of v|v| has a corner at rest, which differences step over
    tree = with_passive(random_tree(6, 2, convention, types=("floating", "ball"), bushiness=0.0), 1, powers=1)
    tree = replace(tree, transmissions=())
    rest = [0.0] * tree.nv
    state = (list(tree.neutral), rest, rest)
    dynamics = Dynamics(tree, passive=True)
    found = jacobian(dynamics, method, state, of, integrator)
    assert all(np.isfinite(block).all() for block in found.values())
    wanted = jacobian(dynamics, "analytic", state, of, integrator)
    assert worst(found, wanted) < (1e-10 if method in (*EXACT, "complex") else 1e-4)


@pytest.mark.parametrize("name", ["mujoco", "pinocchio", "mimic"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("of", "integrator"), [("rnea", ""), ("fd", ""), ("step", "semi-implicit")])
def test_row_k_of_a_batch_is_the_single_state(name, method, of, integrator):
    tree = kind(name, 7)
    dynamics = Dynamics(tree, wrenches(tree))
    states = [point(tree, seed, of) for seed in range(3)]
    batch = tuple(list(np.array([state[k] for state in states]).T) for k in range(3))
    together = jacobian(dynamics, method, batch, of, integrator)
    tolerance = {"central": 1e-8, "forward": 1e-5}.get(method, 1e-12)
    for k, state in enumerate(states):
        single = jacobian(dynamics, method, state, of, integrator)
        scale = max(1.0, condition(tree, state[0]) / 1e3)
        assert (
            worst({n: np.broadcast_to(b, (*b.shape[:2], 3))[..., k : k + 1] for n, b in together.items()}, single)
            < tolerance * scale
        )


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("of", "integrator"), SUBJECTS)
def test_a_direction_is_the_jacobian_times_it(name, of, integrator):
    tree = kind(name, 8)
    state = point(tree, 9, of)
    dynamics = Dynamics(tree, wrenches(tree))
    rng = np.random.default_rng(1)
    dq, dv, dx = rng.normal(size=(3, tree.nv))
    derivative = Derivative(dynamics, of, dt=STEP, integrator=integrator)
    blocks = jacobian(dynamics, "analytic", state, of, integrator)
    if of in ("rnea", "fd"):
        wanted = sum(block[..., 0] @ d for block, d in zip(blocks.values(), (dq, dv, dx), strict=True))
    else:
        wanted = blocks["A"][..., 0] @ np.concatenate([dq, dv]) + blocks["B"][..., 0] @ dx
    found = np.array(derivative.along(*state, (list(dq), list(dv), list(dx))), float)
    scale = np.abs(wanted).max() * max(1.0, condition(tree, state[0]) / 1e3)
    np.testing.assert_allclose(found, wanted, atol=1e-12 * scale, rtol=0)


@pytest.mark.parametrize("name", ["mujoco", "pinocchio"])
def test_closed_forms_of_the_transition_matrices(name):
    """A_vq = h a_q, A_vv = 1 + h a_v, A_qq = P + R h² a_q, A_qv = h R (1 + h a_v), B_v = h M⁻¹, B_q = h² R M⁻¹."""
    tree, h = kind(name, 9), STEP
    q, v, _, tau = random_state(tree, 3)
    n, dynamics = tree.nv, Dynamics(tree)
    a = {k: block[..., 0] for k, block in jacobian(dynamics, "analytic", (q, v, tau), "fd").items()}
    qdd, _ = forward_dynamics(tree, q, v, tau)
    u = [h * (x + h * y) for x, y in zip(v, qdd, strict=True)]
    P, R = displacement_derivatives(tree, q, u)
    A_vv = np.eye(n) + h * a["dqdd_dqd"]
    A = np.block([[P + R @ (h * h * a["dqdd_dq"]), h * R @ A_vv], [h * a["dqdd_dq"], A_vv]])
    B = np.vstack([h * h * R @ a["dqdd_dtau"], h * a["dqdd_dtau"]])
    found = jacobian(dynamics, "analytic", (q, v, tau), "step", "semi-implicit")
    scale = max(1.0, condition(tree, q) / 1e3)
    assert worst(found, {"A": A[..., None], "B": B[..., None]}) < 1e-8 * scale


def displacement_derivatives(tree: Tree, q, u):
    """P and R: d(q ⊕ u) by q and by u, fourth-order differences on the manifold."""
    end, eps = advanced(tree, q, u), 1e-3

    def column(shift):
        ends = {k: difference(tree, end, shift(k * eps)) for k in (-2, -1, 1, 2)}
        return [(8 * (ends[1][i] - ends[-1][i]) - (ends[2][i] - ends[-2][i])) / (12 * eps) for i in range(tree.nv)]

    def unit(k, size):
        return [size if i == k else 0.0 for i in range(tree.nv)]

    P = [column(lambda s, k=k: advanced(tree, advanced(tree, q, unit(k, s)), u)) for k in range(tree.nv)]
    R = [
        column(lambda s, k=k: advanced(tree, q, [x + d for x, d in zip(u, unit(k, s), strict=True)]))
        for k in range(tree.nv)
    ]
    return np.array(P).T, np.array(R).T


@pytest.mark.parametrize("name", ["mujoco", "pinocchio"])
def test_runge_kutta_is_of_fourth_order_on_the_manifold(name):
    tree = random_tree(10, 3, name, types=("floating", "ball", "planar"), bushiness=0.0)
    q, v, _, tau = random_state(tree, 3)
    dynamics = Dynamics(tree)

    def after(steps: int):
        state = (q, v)
        for _ in range(steps):
            state = step(tree, dynamics.accelerations, *state, tau, 0.1 / steps, "rk4")
        return state

    exact = after(64)
    errors = [
        max(
            np.abs(difference(tree, exact[0], found[0])).max(),
            np.abs(np.subtract(exact[1], found[1])).max(),
        )
        for found in (after(2), after(4), after(8))
    ]
    assert errors[0] / errors[1] > 12
    assert errors[1] / errors[2] > 12


def test_implicit_damping_is_stable_where_explicit_damping_is_not():
    tree = random_tree(0, 1, "mujoco", types=("revolute",))
    stiff = replace(tree, bodies=tuple(replace(b, joint=replace(b.joint, damping=(1e4,))) for b in tree.bodies))
    dynamics = Dynamics(stiff, passive=True)
    q, v, _, tau = random_state(stiff, 1)
    factor = {
        integrator: abs(jacobian(dynamics, "analytic", (q, v, tau), "step", integrator)["A"][1, 1, 0])
        for integrator in ("implicit", "semi-implicit")
    }
    assert factor["implicit"] < 1 < factor["semi-implicit"]


def test_a_complex_step_whose_square_underflows_is_refused():
    tree = kind("chain")
    derivative = Derivative(Dynamics(tree), "rnea", "complex", 1e-151)
    with pytest.raises(UsageError, match="underflow"):
        derivative.jacobian(*point(tree, 1, "rnea"))


@pytest.mark.parametrize("joint", all_joint_types(), ids=lambda joint: type(joint).__name__)
def test_joint_types_answer_the_questions_of_derivatives(joint):
    rng = random.Random(1)
    q = joint.from_uniform([rng.random() for _ in range(joint.uniforms)], None, None)
    u, v = ([rng.gauss(0, 1) for _ in range(joint.nv)] for _ in range(2))
    np.testing.assert_allclose(joint.velocity_of_rate(q, joint.position_rate(q, v)), v, atol=1e-14)
    assert sorted(k for stage in joint.stages for k in stage) == list(range(joint.nv))
    # steps along u and v, then back: what is left is the bracket
    eps = 1e-4
    around = q
    for sign, direction in ((1, u), (1, v), (-1, u), (-1, v)):
        around = joint.integrate(around, [sign * eps * x for x in direction])
    left = [x / eps**2 for x in joint.difference(q, around)]
    np.testing.assert_allclose(left, joint.bracket(u, v), atol=20 * eps)


def test_the_closed_form_can_be_recorded_and_costs_less_than_tangent_passes():
    tree = kind("chain")

    def flat(matrices):
        return [entry for rows in matrices for row in rows for entry in row]

    def split(s):
        return s[: tree.nq], s[tree.nq : tree.nq + tree.nv], s[tree.nq + tree.nv :]

    inputs = [f"x{k}" for k in range(3 * tree.nv)]
    closed = record(lambda s: flat(rnea_derivatives(tree, *split(s))[:2]), inputs)
    passes = record(lambda s: flat(derivatives_by_tangents(tree, *split(s))), inputs)
    q, v, a, _ = random_state(tree, 2)
    np.testing.assert_allclose(closed.evaluate([*q, *v, *a]), passes.evaluate([*q, *v, *a]), atol=1e-11, rtol=0)
    assert 2 * len(closed.operations) < len(passes.operations)
