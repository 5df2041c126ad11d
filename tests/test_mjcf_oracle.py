"""MuJoCo as oracle: whole files, and random models that use everything at once."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_random import RandomModel
from mjcf_text import agree_on_file, assert_same

from dyncli.algorithms.passive import passive_forces
from dyncli.build import build_tree
from dyncli.errors import ModelError
from dyncli.formats.load import load_description, parse_description

ROOT = Path(__file__).parents[1]
SAMPLES = sorted((ROOT / "sample_models").glob("*.xml"))
ORACLE = ROOT.parent / "shared/oracle"
PROBES = (
    [each for each in json.loads((ORACLE / "probes.json").read_text()) if each["format"] == "mjcf"]
    if ORACLE.exists()
    else []
)
# MuJoCo opens every mesh that a file names, this reader only those that give inertia
LOOSER = ("mesh_missing_file_inertial",)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_sample_models(path: Path) -> None:
    agree_on_file(path)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: Path(probe["path"]).stem)
def test_probes(probe: dict[str, str]) -> None:
    path = ORACLE / probe["path"]
    mujoco.set_mju_user_warning(lambda _: None)
    if path.stem in LOOSER:
        load_description(path)
    elif probe["expect"] == "ok":
        agree_on_file(path)
    else:
        with pytest.raises(ModelError):
            load_description(path)


@pytest.mark.parametrize("seed", range(150))
def test_random_models_are_read_or_refused_as_by_mujoco(seed: int) -> None:
    text = RandomModel(seed).text()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        theirs = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        with pytest.raises(ModelError):
            parse_description(text.encode(), "random.xml")
    else:
        assert_same(parse_description(text.encode(), "random.xml"), theirs)


@pytest.mark.parametrize("seed", range(0, 150, 3))
def test_random_models_have_the_passive_forces_of_mujoco(seed: int) -> None:
    """Springs, dampers, gravity compensation, and tendons through frames, copies and fused bodies."""
    text = RandomModel(seed).text()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return
    data, rng = mujoco.MjData(model), np.random.default_rng(seed)
    data.qpos, data.qvel = model.qpos0 + 0.6 * rng.normal(size=model.nq), rng.normal(size=model.nv)
    mujoco.mj_normalizeQuat(model, data.qpos)
    mujoco.mj_forward(model, data)
    tree = build_tree(parse_description(text.encode(), "random.xml"))
    found = -np.array(passive_forces(tree, data.qpos.tolist(), data.qvel.tolist()))
    assert found == pytest.approx(data.qfrc_passive, abs=1e-9 * max(1.0, np.abs(data.qfrc_passive).max(initial=0.0)))


def test_most_random_models_are_sound() -> None:
    """Else the test above would say little."""
    mujoco.set_mju_user_warning(lambda _: None)
    sound = 0
    for seed in range(150):
        try:
            mujoco.MjModel.from_xml_string(RandomModel(seed).text())
        except ValueError:
            continue
        sound += 1
    assert sound > 100
