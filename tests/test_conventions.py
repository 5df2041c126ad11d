"""The two conventions describe the same motion: states carried from one to the other need the same forces."""

import random

import numpy as np
import pytest
from trees import random_description, random_state

from dyncli.algorithms.energy import kinetic_energy, potential_energy
from dyncli.algorithms.passive import passive_forces
from dyncli.algorithms.rnea import rnea
from dyncli.build import ModelOptions, build_tree
from dyncli.description import RobotDescription


def robots(seed: int, *, passive: bool = False) -> tuple:
    """One random robot with floating, ball and planar joints, built in both conventions."""
    described = random_description(seed, n=6, types=("floating", "revolute", "ball", "planar"), armature=True)
    if passive:
        rng = random.Random(seed)
        joints = tuple(
            with_values(joint, damping=(rng.uniform(0, 1),), stiffness=(rng.uniform(0, 1),))
            for joint in described.joints
        )
        described = with_values(described, joints=joints)
    return tuple(build_tree(described, ModelOptions(convention=name)) for name in ("mujoco", "pinocchio"))


def with_values(record, **changes) -> RobotDescription:
    from dyncli.structs import replace

    return replace(record, **changes)


def carried_over(mujoco, pinocchio, q, v, a):
    """The same motion in pinocchio's coordinates, and the map G with v_pinocchio = G v_mujoco."""
    p_q, p_v, p_a, G = [], [], [], np.eye(mujoco.nv)
    for joint in mujoco.joints:
        k, n = joint.index_v, joint.nv
        own_q = q[joint.index_q : joint.index_q + joint.nq]
        own_v, own_a = np.array(v[k : k + n]), np.array(a[k : k + n])
        if joint.type.name == "floating":
            R = np.array(joint.type.rotation(own_q))
            w, body = own_v[3:], R.T @ own_v[:3]
            own_q = [*own_q[:3], *own_q[4:], own_q[3]]
            own_v, own_a = np.array([*body, *w]), np.array([*(R.T @ own_a[:3] - np.cross(w, body)), *own_a[3:]])
            G[k : k + 3, k : k + 3] = R.T
        elif joint.type.name == "ball":
            own_q = [*own_q[1:], own_q[0]]
        elif joint.type.name == "planar":
            c, s = np.cos(own_q[2]), np.sin(own_q[2])
            R, w = np.array([[c, -s], [s, c]]), own_v[2]
            body = R.T @ own_v[:2]
            turned = R.T @ own_a[:2] - w * np.array([-body[1], body[0]])
            own_v, own_a = np.array([*body, w]), np.array([*turned, own_a[2]])
            G[k : k + 2, k : k + 2] = R.T
        p_q, p_v, p_a = [*p_q, *own_q], [*p_v, *own_v], [*p_a, *own_a]
    return p_q, p_v, p_a, G


@pytest.mark.parametrize("seed", range(6))
def test_the_same_motion_needs_the_same_forces(seed):
    mujoco, pinocchio = robots(seed)
    q, v, a, _ = random_state(mujoco, seed)
    p_q, p_v, p_a, G = carried_over(mujoco, pinocchio, q, v, a)
    tau, p_tau = np.array(rnea(mujoco, q, v, a)), np.array(rnea(pinocchio, p_q, p_v, p_a))
    assert G.T @ p_tau == pytest.approx(tau, rel=1e-11, abs=1e-11 * np.abs(tau).max())
    assert kinetic_energy(pinocchio, p_q, p_v) == pytest.approx(kinetic_energy(mujoco, q, v), rel=1e-12)
    assert potential_energy(pinocchio, p_q) == pytest.approx(potential_energy(mujoco, q), rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_springs_and_dampers_too(seed):
    mujoco, pinocchio = robots(seed, passive=True)
    q, v, a, _ = random_state(mujoco, seed)
    p_q, p_v, _, G = carried_over(mujoco, pinocchio, q, v, a)
    force = np.array(passive_forces(mujoco, q, v))
    assert G.T @ np.array(passive_forces(pinocchio, p_q, p_v)) == pytest.approx(force, rel=1e-11, abs=1e-11)
