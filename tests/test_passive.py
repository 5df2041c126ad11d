"""Passive forces against MuJoCo: springs and dampers of every joint and tendon, linear and polynomial, and gravcomp."""

import random

import mujoco
import numpy as np
import pytest

from dyncli.algorithms.passive import passive_forces
from dyncli.build import ModelOptions, build_tree
from dyncli.formats.load import parse_description

BODY = '<geom size="0.1" pos="0.1 0.02 0.03" mass="{mass}"/>'


def polynomial(rng: random.Random, most: int = 3) -> str:
    return " ".join(f"{rng.uniform(0.1, 2):.3f}" for _ in range(rng.randint(1, most)))


def model(seed: int) -> str:
    """A free body that carries a ball, hinges and a slide, each with its own spring and damper, and tendons."""
    rng = random.Random(seed)

    def passive() -> str:
        return f'stiffness="{polynomial(rng)}" damping="{polynomial(rng)}"'

    return f"""<mujoco><compiler angle="radian"/><option gravity="0.3 -0.2 -9.81"/><worldbody>
      <body name="a" pos="0 0 1" gravcomp="0.7"><joint name="free" type="free" {passive()}/>{BODY.format(mass=3)}
        <site name="s0" pos="0.2 0 0"/>
        <body name="b" pos="0.3 0 0" gravcomp="1"><joint name="ball" type="ball" {passive()}/>{BODY.format(mass=1)}
          <body name="c" pos="0.2 0.1 0" gravcomp="0.5"><joint name="hinge" axis="0 1 1" ref="0.2" springref="0.4"
             {passive()} actuatorgravcomp="true"/>{BODY.format(mass=0.6)}<site name="s1" pos="0 0.2 0.1"/>
            <body name="d" pos="0 0.3 0"><joint name="slide" type="slide" axis="1 0 1" springref="-0.1" {passive()}/>
              {BODY.format(mass=0.3)}</body></body></body></body></worldbody>
      <tendon><fixed name="f" {passive()} springlength="0.1 0.3"><joint joint="hinge" coef="0.7"/>
         <joint joint="slide" coef="-1.3"/></fixed>
        <spatial name="p" {passive()} springlength="0.05"><site site="s0"/><site site="s1"/></spatial></tendon>
      <actuator><motor joint="hinge"/></actuator></mujoco>"""


@pytest.mark.parametrize("seed", range(8))
def test_passive_forces_are_those_of_mujoco(seed):
    text = model(seed)
    peer = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    tree = build_tree(parse_description(text.encode()), ModelOptions())
    rng = np.random.default_rng(seed)
    for _ in range(5):
        q = np.array(tree.neutral) + rng.normal(size=tree.nq) * 0.5
        mujoco.mj_normalizeQuat(peer, q)
        v = rng.normal(size=tree.nv)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(peer, data)
        got = passive_forces(tree, list(map(float, q)), list(map(float, v)))
        assert -np.array(got) == pytest.approx(
            data.qfrc_passive, rel=1e-11, abs=1e-11 * np.abs(data.qfrc_passive).max()
        )
