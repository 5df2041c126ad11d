"""Keyframes of attached models stand for the whole robot, as MuJoCo has them."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_text import BALL, agree_on_file
from test_mjcf_include import refused_by_both, write

from dyncli.formats.load import load_description

ARM = (
    f'<body name="a"><joint name="j" ref="10"/>{BALL}<body name="b"><joint name="k"/>{BALL}<joint type="slide"/></body>'
    "</body>"
)
LOOSE = f'<body name="c" pos="1 2 3" euler="10 20 30"><freejoint/>{BALL}</body>'
COPIES = f'<replicate count="2" offset="1 0 0"><body name="d"><joint type="ball"/>{BALL}</body></replicate>'
KEYS = (
    '<key name="home" qpos=".1 .2 .3 1 2 3 1 0 0 0 1 0 0 0 0 2 0 0" qvel="1 2 3 4 5 6 7 8 9 1 2 3 4 5 6"/>'
    '<key name="moving" qvel="8 7 6 5 4 3 2 1 0 1 2 3 4 5 6"/>'
)
CHILD = f'<mujoco model="child"><worldbody>{ARM}{LOOSE}{COPIES}</worldbody><keyframe>{KEYS}</keyframe></mujoco>'
ASSET = '<asset><model name="child" file="child.xml"/></asset>'
HINGED = f'<body name="x"><joint ref="30"/>{BALL}</body>'
FREE = f'<body name="y" pos="3 2 1" zaxis="1 0 1"><freejoint/>{BALL}</body>'
BALLED = f'<body name="z"><joint type="ball"/>{BALL}</body>'


def main(world: str, rest: str = "") -> str:
    return f"<mujoco>{ASSET}<worldbody>{world}</worldbody>{rest}</mujoco>"


def agree_on_keys(path: Path) -> list[str]:
    """Names of our keyframes, after these were found to be MuJoCo's."""
    ours, theirs = agree_on_file(path).keyframes, mujoco.MjModel.from_xml_path(str(path))
    assert len(ours) == theirs.nkey
    for key, (name, qpos, qvel) in enumerate((key.name, key.qpos, key.qvel) for key in ours):
        assert name == theirs.key(key).name
        assert (theirs.qpos0 if qpos is None else qpos) == pytest.approx(theirs.key_qpos[key], abs=1e-13)
        assert (np.zeros(theirs.nv) if qvel is None else qvel) == pytest.approx(theirs.key_qvel[key], abs=1e-13)
    return [key.name for key in ours]


@pytest.mark.parametrize(
    ("world", "names"),
    [
        ('<attach model="child" prefix="p_"/>', ["p_home", "p_moving"]),
        (f'{HINGED}{FREE}<attach model="child" body="a" prefix="p_"/>{BALLED}', ["p_home", "p_moving"]),
        (f'{FREE}{HINGED}<attach model="child" body="b" prefix=""/>', ["home", "moving"]),
        (f'<frame euler="1 2 3"><attach model="child" body="c" prefix="p_"/>{HINGED}</frame>', ["p_home", "p_moving"]),
        (
            '<attach model="child" body="a" prefix="p_"/><attach model="child" body="a" prefix="q_"/>',
            ["p_home", "p_moving", "q_home", "q_moving"],
        ),
        (
            f'<replicate count="2"><attach model="child" body="a" prefix="p_"/></replicate>{BALLED}',
            ["p_home", "p_moving"],
        ),
    ],
)
def test_what_is_attached_stands_as_its_keyframes_say_and_the_rest_as_drawn(
    tmp_path: Path, world: str, names: list[str]
) -> None:
    assert agree_on_keys(write(tmp_path, {"main.xml": main(world), "child.xml": CHILD})) == names


def test_own_keyframes_come_first_and_names_must_differ(tmp_path: Path) -> None:
    world = f'{HINGED}<attach model="child" body="a" prefix="p_"/>'
    for name in ("own", "p_home"):
        keys = f'<keyframe><key name="{name}" qpos="1 2 3 4"/></keyframe>'
        path = write(tmp_path, {f"{name}.xml": main(world, keys), "child.xml": CHILD})
        if name == "own":
            assert agree_on_keys(path) == ["own", "p_home", "p_moving"]
        else:
            assert "p_home" in refused_by_both(path)[0]


def test_keyframes_of_models_within_attached_ones(tmp_path: Path) -> None:
    inner = f'<body name="n"><joint/>{BALL}<attach model="child" body="b" prefix="i_"/></body>'
    files = {
        "main.xml": f'<mujoco><asset><model name="mid" file="mid.xml"/></asset><worldbody>{HINGED}'
        '<attach model="mid" body="n" prefix="o_"/></worldbody></mujoco>',
        "mid.xml": main(inner, '<keyframe><key name="whole" qpos="1 2 3"/></keyframe>'),
        "child.xml": CHILD,
    }
    assert agree_on_keys(write(tmp_path, files)) == ["o_whole", "i_home", "i_moving"]


def test_a_keyframe_that_does_not_fit_its_own_model_is_told_with_its_file(tmp_path: Path) -> None:
    world = '<attach model="child" body="a" prefix="p_"/>'
    path = write(tmp_path, {"main.xml": main(world), "child.xml": CHILD.replace('qpos=".1', 'qpos="')})
    (finding,) = load_description(path).findings
    assert (finding.code, finding.severity, finding.path) == ("keyframe-length", "error", str(tmp_path / "child.xml"))
    assert all(word in finding.text() for word in ("home", "17 numbers", "needs 18"))
