"""The generator of chains and trees gives valid, physical robots of the structure asked for."""

from __future__ import annotations

import chains
import numpy as np
import pinocchio as pin
import pytest
from lxml import etree


def parents(text: str) -> dict[str, str]:
    return {j.find("child").get("link"): j.find("parent").get("link") for j in etree.fromstring(text).iter("joint")}


def test_a_chain_hangs_link_on_link() -> None:
    assert parents(chains.chain_urdf(5)) == {f"link{k}": f"link{k - 1}" for k in range(1, 6)}


def test_branching_gives_each_link_that_many_joints() -> None:
    above = list(parents(chains.chain_urdf(14, branching=2)).values())
    assert [above.count(f"link{k}") for k in range(8)] == [2] * 7 + [0]


def test_a_chain_of_1200_links_is_readable() -> None:
    model = pin.buildModelFromXML(chains.chain_urdf(1200, seed=1))
    assert model.nv == 1200


def test_same_seed_same_robot_and_another_seed_another() -> None:
    assert chains.chain_urdf(4, seed=7) == chains.chain_urdf(4, seed=7) != chains.chain_urdf(4, seed=8)
    assert chains.random_parents(30, seed=7) == chains.random_parents(30, seed=7)
    assert chains.random_parents(30, seed=7, bushiness=0.0) == list(range(30))


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_mass_matrices_are_positive_definite(seed: int | None) -> None:
    model = pin.buildModelFromXML(chains.tree_urdf(chains.random_parents(20, seed=3), seed))
    mass = pin.crba(model, model.createData(), pin.randomConfiguration(model))
    assert np.linalg.eigvalsh(np.triu(mass) + np.triu(mass, 1).T)[0] > 0


def test_tensors_are_physical() -> None:
    for inertia in pin.buildModelFromXML(chains.chain_urdf(40, seed=4)).inertias[1:]:
        least, middle, greatest = np.linalg.eigvalsh(inertia.inertia)
        assert least > 0
        assert greatest < least + middle


def test_joint_types_are_taken_in_turn() -> None:
    text = chains.tree_urdf(range(8), seed=5, types=(*chains.MOVING, "fixed"))
    kinds = [joint.get("type") for joint in etree.fromstring(text).iter("joint")]
    assert kinds == [*chains.MOVING, "fixed", "revolute", "prismatic"]
    limited = [joint.get("type") in chains.LIMITED for joint in etree.fromstring(text).iter("joint")]
    assert limited == [joint.find("limit[@lower]") is not None for joint in etree.fromstring(text).iter("joint")]
    pin.buildModelFromXML(text)


def test_a_parent_that_comes_later_is_refused() -> None:
    with pytest.raises(ValueError, match="joint 2 hangs on link 2, expected one of 0 to 1"):
        chains.tree_urdf([0, 2])
