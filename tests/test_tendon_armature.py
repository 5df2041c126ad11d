"""Armature of tendons against MuJoCo: on one branch, across branches, fixed and spatial."""

import mujoco
import numpy as np
import pytest

from dyncli.algorithms.crba import crba
from dyncli.algorithms.energy import kinetic_energy
from dyncli.algorithms.forward import forward_dynamics
from dyncli.algorithms.rnea import rnea
from dyncli.build import build_tree
from dyncli.formats.load import parse_description

BODIES = """<worldbody><site name="w" pos="0.3 0.2 0.5"/>
<body><joint name="r" axis="0 0 1"/><geom size="0.1" pos="0.2 0 0"/><site name="s0" pos="0.1 0 0.3"/>
  <body pos="0.2 0 0"><joint name="a" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/><site name="s1" pos="0.2 0.1 0"/>
    <body pos="0.2 0 0"><joint name="c" type="ball"/><geom size="0.08" pos="0.1 0 0"/><site name="s3" pos="0 0.1 0.1"/>
    </body></body>
  <body pos="0 0.3 0"><joint name="b" axis="0 1 1"/><geom size="0.1" pos="0 0.2 0.1"/><site name="s2" pos="0 0.2 0"/>
  </body></body></worldbody>"""
TENDONS = {
    "one branch": '<fixed armature="2"><joint joint="r" coef="1"/><joint joint="a" coef="3"/></fixed>',
    "across branches": '<fixed armature="2"><joint joint="a" coef="1"/><joint joint="b" coef="3"/></fixed>',
    "path on one branch": '<spatial armature="2"><site site="w"/><site site="s0"/><site site="s3"/></spatial>',
    "path across branches": '<spatial armature="2"><site site="s3"/><site site="s0"/><site site="s2"/></spatial>',
}


@pytest.mark.parametrize("kind", TENDONS)
def test_mass_matrix_and_inverse_dynamics_are_those_of_mujoco(kind):
    text = f"<mujoco><option><flag contact='disable'/></option>{BODIES}<tendon>{TENDONS[kind]}</tendon></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    tree = build_tree(parse_description(text.encode()))
    rng = np.random.default_rng(0)
    for _ in range(4):
        q, v, a = rng.normal(size=tree.nq), rng.normal(size=tree.nv), rng.normal(size=tree.nv)
        mujoco.mj_normalizeQuat(model, q)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        M = np.zeros((tree.nv, tree.nv))
        mujoco.mj_fullM(model, data, M)
        data.qacc[:] = a
        mujoco.mj_inverse(model, data)
        q, v, a = (list(map(float, x)) for x in (q, v, a))
        assert np.array(crba(tree, q)) == pytest.approx(M, rel=1e-11, abs=1e-12 * np.abs(M).max())
        assert rnea(tree, q, v, a) == pytest.approx(list(data.qfrc_inverse), rel=1e-10, abs=1e-11)
        assert forward_dynamics(tree, q, v, rnea(tree, q, v, a))[0] == pytest.approx(a, rel=1e-9, abs=1e-9)
        assert kinetic_energy(tree, q, v) == pytest.approx(0.5 * np.array(v) @ M @ v, rel=1e-11)
