"""The same robot as URDF and as MJCF gives the same M, tau and frame poses."""

from pathlib import Path

import numpy as np
import pytest

import dyncli

SAMPLES = Path(__file__).parent.parent / "sample_models"
TWINS = sorted(path.stem for path in SAMPLES.glob("*.urdf") if path.with_suffix(".xml").exists())
FLOATING = {"quadruped", "humanoid"}


def pair(stem: str):
    root = "floating" if stem in FLOATING else None
    # one convention for both; the gripper's MJCF ties its fingers by a constraint that is not used
    urdf = dyncli.load(SAMPLES / f"{stem}.urdf", root=root, convention="mujoco", mimic=False)
    return urdf, dyncli.load(SAMPLES / f"{stem}.xml", convention="mujoco")


def close(got: np.ndarray, want: np.ndarray) -> bool:
    return bool(np.abs(got - want).max() < 1e-12 * max(np.abs(want).max(), 1.0))


def test_every_sample_has_a_twin():
    assert len(TWINS) == 9


@pytest.mark.parametrize("stem", TWINS)
def test_twins_agree(stem):
    urdf, mjcf = pair(stem)
    assert urdf.tree.dofs == mjcf.tree.dofs
    rng = np.random.default_rng(0)
    q = rng.uniform(-1, 1, (10, urdf.nq))
    for joint in urdf.tree.joints:
        if joint.type.quaternion_at is not None:
            own = slice(joint.index_q + joint.type.quaternion_at, joint.index_q + joint.nq)
            q[:, own] /= np.linalg.norm(q[:, own], axis=1, keepdims=True)
    v, a = rng.normal(size=(2, 10, urdf.nv))
    assert close(dyncli.mass_matrix(mjcf, q), dyncli.mass_matrix(urdf, q))
    assert close(dyncli.rnea(mjcf, q, v, a), dyncli.rnea(urdf, q, v, a))
    ours, theirs = dyncli.frame_poses(urdf, q), dyncli.frame_poses(mjcf, q)
    assert set(ours) <= set(theirs)
    for name, (position, rotation) in ours.items():
        assert close(theirs[name][0], position)
        assert close(theirs[name][1], rotation)
