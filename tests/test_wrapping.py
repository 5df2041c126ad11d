"""Tendons around spheres and cylinders: MuJoCo as oracle, and the same numbers from every kind of scalar."""

from __future__ import annotations

import itertools
import math

import mujoco
import numpy as np
import pytest
from mjcf_tendons import wrapping_model

from dyncli.algorithms.derivatives.dynamics import Dynamics
from dyncli.algorithms.derivatives.methods import Derivative
from dyncli.algorithms.passive import passive_forces
from dyncli.algorithms.transmissions import gradient, length
from dyncli.build import build_tree
from dyncli.engine import compiled
from dyncli.formats.load import parse_description
from dyncli.spatial import IDENTITY
from dyncli.tree import Tree
from dyncli.wrapping.angles import angle_of, arcsine
from dyncli.wrapping.solids import CYLINDER, SPHERE, wrap

STATES = 12


def tree_of(seed: int) -> Tree:
    return build_tree(parse_description(wrapping_model(seed).encode(), "m.xml"))


def random_states(tree: Tree, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities, a column a state; the first position is the drawn one."""
    rng = np.random.default_rng(seed)
    q = np.array(tree.neutral)[:, None] + 0.6 * rng.normal(size=(tree.nq, STATES))
    q[:, 0] = tree.neutral
    for joint in tree.joints:
        if joint.nq >= 4:
            quaternion = q[joint.index_q + joint.nq - 4 : joint.index_q + joint.nq]
            quaternion /= np.linalg.norm(quaternion, axis=0)
    return q, rng.normal(size=(tree.nv, STATES))


@pytest.mark.parametrize("seed", range(25))
def test_length_gradient_and_forces_are_those_of_mujoco(seed: int) -> None:
    model = mujoco.MjModel.from_xml_string(wrapping_model(seed))
    data = mujoco.MjData(model)
    tree = tree_of(seed)
    assert [each.spring_range for each in tree.transmissions] == pytest.approx(model.tendon_lengthspring, rel=1e-11)
    for q, v in zip(*(part.T for part in random_states(tree, seed)), strict=True):
        data.qpos, data.qvel = q, v
        mujoco.mj_forward(model, data)
        J = np.zeros((model.ntendon, model.nv))
        mujoco.mju_sparse2dense(J, data.ten_J, model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind)
        for k, tendon in enumerate(tree.transmissions):
            assert length(tree, tendon, q.tolist()) == pytest.approx(data.ten_length[k], rel=1e-11)
            found = gradient(tree, tendon, q.tolist())
            assert [found.get(i, 0.0) for i in range(tree.nv)] == pytest.approx(J[k], abs=1e-9)
        passive = -np.array(passive_forces(tree, q.tolist(), v.tolist()))
        assert passive == pytest.approx(data.qfrc_passive, abs=1e-9 * np.abs(data.qfrc_passive).max())


PLACES = ("0 0 1", "0 0 -1", "1 0 0", "-1 0 0", "0 0 .3", ".3 0 0", "-1 -1 0", "1 0 1", "0 0 0")


@pytest.mark.parametrize("side", ["", "0 0 .1", "0 1 0", "1 0 0", "0 0 1"])
@pytest.mark.parametrize("shape", [SPHERE, CYLINDER])
def test_ties_are_settled_as_in_mujoco(shape: str, side: str) -> None:
    """Ends in line with the centre, on the surface or in the centre, side sites on an axis or opposite an end."""
    moved = '<joint axis="1 2 3" pos=".3 .1 .2"/><joint type="slide" axis="3 1 2"/><geom size=".1"/>'
    beside, on = (f'<site name="s" pos="{side}"/>', 'sidesite="s"') if side else ("", "")
    for start, end in itertools.permutations(PLACES, 2):
        text = (
            f'<mujoco><worldbody><site name="a" pos="{start}"/><geom name="g" type="{shape}" size=".3 .3"/>{beside}'
            f'<body>{moved}<site name="b" pos="{end}"/></body></worldbody><tendon><spatial stiffness="1">'
            f'<site site="a"/><geom geom="g" {on}/><site site="b"/></spatial></tendon></mujoco>'
        )
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        tree = build_tree(parse_description(text.encode(), "m.xml"))
        (tendon,) = tree.transmissions
        assert length(tree, tendon, [0.0, 0.0]) == pytest.approx(data.ten_length[0], rel=1e-11), (start, end)
        found = gradient(tree, tendon, [0.0, 0.0])
        assert [found.get(k, 0.0) for k in range(2)] == pytest.approx(data.ten_J, abs=1e-9), (start, end)


def test_the_models_bend_their_tendons_in_most_states() -> None:
    """Else the test above would say little."""
    bent = 0
    for seed in range(25):
        model = mujoco.MjModel.from_xml_string(wrapping_model(seed))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        geoms = sum(np.isin(model.wrap_type, (mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER)))
        bent += bool(geoms and np.any(data.wrap_obj >= 0))
    assert bent > 15


@pytest.mark.parametrize("seed", range(3))
def test_floats_arrays_and_programs_give_the_same_forces(seed: int) -> None:
    tree = tree_of(seed)
    q, v = random_states(tree, seed)
    one_by_one = np.array([passive_forces(tree, a.tolist(), b.tolist()) for a, b in zip(q.T, v.T, strict=True)]).T
    scale = np.abs(one_by_one).max()
    with np.errstate(all="raise", under="ignore"):
        at_once = [np.broadcast_to(x, STATES) for x in passive_forces(tree, list(q), list(v))]
    assert np.array(at_once) == pytest.approx(one_by_one, abs=1e-12 * scale)
    program = compiled(lambda q, v: passive_forces(tree, q, v), (tree.nq, tree.nv))
    by_program = [np.broadcast_to(x, STATES) for x in program.run(STATES, (list(q), list(v)))]
    assert np.array(by_program) == pytest.approx(one_by_one, abs=1e-11 * scale)


@pytest.mark.parametrize("seed", range(3))
def test_all_methods_give_the_same_derivatives(seed: int) -> None:
    tree = tree_of(seed)
    q, v = random_states(tree, seed)
    state = q[:, 1].tolist(), v[:, 1].tolist(), v[:, 2].tolist()
    dynamics = Dynamics(tree, (), passive=True)
    expected = np.array(Derivative(dynamics, method="analytic").jacobian(*state))
    for method, tolerance in (("dual", 1e-12), ("reverse", 1e-11), ("complex", 1e-11), ("central", 1e-6)):
        found = np.array(Derivative(dynamics, method=method).jacobian(*state))
        assert found == pytest.approx(expected, abs=tolerance * np.abs(expected).max())


def test_angles_are_those_of_the_library() -> None:
    for angle in (0.0, 1e-9, 0.1, 0.5 * math.pi, 2.0, math.pi - 1e-9, math.pi):
        assert angle_of(math.cos(angle), abs(math.sin(angle))) == pytest.approx(angle, abs=1e-15)
    assert angle_of(0.0, 1.0) == pytest.approx(0.5 * math.pi, rel=1e-15)
    for x in (0.0, 1e-12, 0.3, 0.9, 1.0):
        assert arcsine(x) == pytest.approx(math.asin(x), rel=1e-15)


@pytest.mark.parametrize("shape", [SPHERE, CYLINDER])
def test_a_cord_over_a_round_solid_in_its_way(shape: str) -> None:
    """Ends at twice the radius, 150 degrees apart: each tangent takes 60 of them, 30 are left for the arc."""
    end = (2.0 * math.cos(math.pi / 6.0), 1.0, 0.0)
    bent = wrap(shape, 1.0, IDENTITY, (-2.0, 0.0, 0.0), end, None)
    assert bent.touches
    assert bent.arc == pytest.approx(math.pi / 6.0)
    assert bent.first == pytest.approx((-0.5, math.sqrt(0.75), 0.0))
    assert bent.last == pytest.approx((0.0, 1.0, 0.0))
    other_way = wrap(shape, 1.0, IDENTITY, (-2.0, 0.0, 0.0), end, (0.2, -3.0, 0.0))
    assert other_way.arc == pytest.approx(math.pi / 2.0)
    assert not wrap(shape, 1.0, IDENTITY, (-2.0, 2.0, 0.0), (2.0, 2.0, 0.0), None).touches


def test_a_cord_in_a_ring_touches_it_where_it_is_reflected() -> None:
    held = wrap(CYLINDER, 1.0, IDENTITY, (-2.0, -1.5, 0.0), (2.0, -1.5, 1.0), (0.1, 0.0, 0.0))
    assert held.touches
    assert held.first == held.last == pytest.approx((0.0, -1.0, 0.5), abs=1e-6)
    assert held.arc == 0.0
    assert not wrap(CYLINDER, 1.0, IDENTITY, (-2.0, 0.5, 0.0), (2.0, 0.5, 1.0), (0.1, 0.0, 0.0)).touches


def test_a_cylinder_is_climbed_as_if_it_were_unrolled() -> None:
    flat = wrap(CYLINDER, 1.0, IDENTITY, (-2.0, 0.0, 0.0), (2.0, 0.0, 0.0), None)
    tall = wrap(CYLINDER, 1.0, IDENTITY, (-2.0, 0.0, 0.0), (2.0, 0.0, 3.0), None)
    run = 2.0 * math.sqrt(3.0) + flat.arc
    assert tall.arc == pytest.approx(math.hypot(flat.arc, 3.0 * flat.arc / run))
    assert tall.first[2] == pytest.approx(3.0 * math.sqrt(3.0) / run)
