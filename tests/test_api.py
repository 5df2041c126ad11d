"""The public Python API: shapes, broadcasting, errors, and agreement with Pinocchio."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import dyncli
from dyncli.errors import NumericsError, StateError, UsageError

ARM = Path(__file__).parent.parent / "sample_models" / "arm_6r.urdf"


@pytest.fixture(scope="module")
def robot():
    return dyncli.load(ARM)


@pytest.fixture(scope="module")
def states():
    rng = np.random.default_rng(0)
    return rng.uniform(-1, 1, (4, 3, 6)), rng.normal(size=(4, 3, 6)), rng.normal(size=(4, 3, 6))


def test_results_have_the_leading_axes_of_the_states(robot, states):
    q, qd, qdd = states
    assert dyncli.rnea(robot, q, qd, qdd).shape == (4, 3, 6)
    assert dyncli.mass_matrix(robot, q).shape == (4, 3, 6, 6)
    assert dyncli.inverse_mass_matrix(robot, q[0, 0]).shape == (6, 6)
    assert dyncli.jacobian(robot, q, "tool").shape == (4, 3, 6, 6)
    assert dyncli.kinetic_energy(robot, q, qd).shape == (4, 3)
    assert dyncli.potential_energy(robot, q[0, 0]).shape == ()
    position, rotation = dyncli.frame_poses(robot, q, ["tool"])["tool"]
    assert position.shape == (4, 3, 3)
    assert rotation.shape == (4, 3, 3, 3)


def test_rows_of_a_batch_are_the_single_states(robot, states):
    q, qd, qdd = states
    tau = dyncli.rnea(robot, q, qd, qdd)
    single = dyncli.rnea(robot, q[1, 2], qd[1, 2], qdd[1, 2])
    assert tau[1, 2] == pytest.approx(single, rel=1e-13, abs=1e-13)


def test_states_broadcast(robot, states):
    q, qd, _ = states
    tau = dyncli.rnea(robot, q[0, 0], qd)
    assert tau.shape == (4, 3, 6)
    assert tau[2, 1] == pytest.approx(dyncli.rnea(robot, q[0, 0], qd[2, 1]), rel=1e-12)


def test_numbers_are_those_of_pinocchio(robot, states):
    q, qd, qdd = (x[0] for x in states)
    model = pin.buildModelFromUrdf(str(ARM))
    data = model.createData()
    for k in range(3):
        M = pin.crba(model, data, q[k])
        M = np.triu(M) + np.triu(M, 1).T
        assert dyncli.mass_matrix(robot, q[k]) == pytest.approx(M, rel=1e-12, abs=1e-14)
        tau = pin.rnea(model, data, q[k], qd[k], qdd[k])
        assert dyncli.rnea(robot, q[k], qd[k], qdd[k]) == pytest.approx(tau, rel=1e-11, abs=1e-12)
        acceleration = pin.aba(model, data, q[k], qd[k], tau)
        assert dyncli.forward_dynamics(robot, q[k], qd[k], tau) == pytest.approx(acceleration, rel=1e-9, abs=1e-9)
        C = pin.computeCoriolisMatrix(model, data, q[k], qd[k])
        assert dyncli.coriolis_matrix(robot, q[k], qd[k]) @ qd[k] == pytest.approx(C @ qd[k], rel=1e-10, abs=1e-12)


def test_inputs_are_not_changed_and_may_be_read_only(robot, states):
    q, qd, qdd = (x.copy() for x in states)
    for array in (q, qd, qdd):
        array.flags.writeable = False
    dyncli.rnea(robot, q, qd, qdd)
    dyncli.forward_dynamics(robot, q, qd, qdd)
    assert (q == states[0]).all()


def test_payload_and_lock_give_new_robots(robot):
    heavier = robot.with_payload("tool", 2.0)
    assert heavier.tree.bodies[-1].inertia.mass == pytest.approx(robot.tree.bodies[-1].inertia.mass + 2.0, rel=1e-15)
    last = robot.tree.joints[-1].name
    assert robot.locked({last: 0.3}).nv == robot.nv - 1
    assert robot.nv == 6
    with pytest.raises(UsageError, match="no link named 'tol'"):
        robot.with_payload("tol", 1.0)


def test_wrong_shapes_name_the_argument(robot):
    with pytest.raises(StateError, match=r"q has shape \(5,\), expected \(\.\.\., 6\)"):
        dyncli.mass_matrix(robot, np.zeros(5))


def test_a_singular_mass_matrix_names_the_joint(tmp_path):
    text = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="pointer"/>
      <joint name="lift" type="continuous"><parent link="base"/><child link="arm"/></joint>
      <joint name="aim" type="continuous"><parent link="arm"/><child link="pointer"/></joint></robot>"""
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    robot = dyncli.load(path)
    for call in (dyncli.forward_dynamics, dyncli.inverse_mass_matrix):
        with pytest.raises(NumericsError, match="'aim'"):
            call(robot, np.zeros((2, 2)))


def test_public_names_are_all_there():
    for name in dyncli.__all__:
        assert getattr(dyncli, name) is not None
    with pytest.raises(AttributeError):
        dyncli.no_such_name  # noqa: B018


def test_derivatives_are_those_of_pinocchio_for_every_state_of_a_batch(robot, states):
    q, qd, third = states
    inverse = dyncli.rnea_derivatives(robot, q, qd, third)
    forward = dyncli.forward_dynamics_derivatives(robot, q, qd, third)
    model = pin.buildModelFromUrdf(str(ARM))
    data = model.createData()
    for at in ((0, 0), (3, 2)):
        pin.computeRNEADerivatives(model, data, q[at], qd[at], third[at])
        np.testing.assert_allclose(inverse.dq[at], data.dtau_dq, atol=1e-12)
        np.testing.assert_allclose(inverse.dqd[at], data.dtau_dv, atol=1e-12)
        np.testing.assert_allclose(inverse.dqdd[at], dyncli.mass_matrix(robot, q[at]), atol=1e-13)
        pin.computeABADerivatives(model, data, q[at], qd[at], third[at])
        np.testing.assert_allclose(forward.dq[at], data.ddq_dq, atol=1e-10 * np.abs(data.ddq_dq).max())
        np.testing.assert_allclose(forward.dqd[at], data.ddq_dv, atol=1e-10 * np.abs(data.ddq_dv).max())
        np.testing.assert_allclose(forward.dtau[at], dyncli.inverse_mass_matrix(robot, q[at]), rtol=1e-9, atol=1e-9)
