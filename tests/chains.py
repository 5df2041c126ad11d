"""URDF text of serial chains and trees of any size, for tests and benchmarks; needs nothing but the standard library.

Without a seed a model is regular: equal links, axes about z and y in turn. With one, axes, origins and inertias
are oblique and random, yet physical, and the same on every machine.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

LIMITED = ("revolute", "prismatic")
MOVING = (*LIMITED, "continuous", "planar", "floating")


def chain_urdf(n: int, seed: int | None = None, branching: int = 1) -> str:
    """URDF text of `n` revolute joints: a serial chain, or a tree in which each link carries `branching` joints.

    Links are `link0` (the root) to `link{n}`, joints `joint1` to `joint{n}`; joint k carries link k.
    """
    return tree_urdf([(k - 1) // branching for k in range(1, n + 1)], seed)


def random_parents(n: int, seed: int, bushiness: float = 0.5) -> list[int]:
    """Parents for `tree_urdf` of a random tree; `bushiness` 0 gives a chain, 1 a parent drawn from all links."""
    rng = random.Random(seed)
    return [rng.randrange(k) if rng.random() < bushiness else k - 1 for k in range(1, n + 1)]


def tree_urdf(parents: Sequence[int], seed: int | None = None, types: Sequence[str] = ("revolute",)) -> str:
    """URDF text of a tree: entry k-1 of `parents` is the number (< k) of the link that joint k hangs on.

    `types`: URDF joint types, taken in turn. The file order of the joints is depth first, so joints k of a
    bushy tree do not stand in order of k. Raises ValueError for a parent that is not an earlier link.
    """
    for k, parent in enumerate(parents, start=1):
        if not 0 <= parent < k:
            raise ValueError(f"joint {k} hangs on link {parent}, expected one of 0 to {k - 1}")
    rng = None if seed is None else random.Random(seed)
    elements = {0: _link(0, rng)}
    for k, parent in enumerate(parents, start=1):
        elements[k] = _joint(k, parent, types[(k - 1) % len(types)], rng) + _link(k, rng)
    body = "".join(elements[k] for k in _depth_first(parents))
    return f'<?xml version="1.0"?>\n<robot name="tree{len(parents)}">\n{body}</robot>\n'


def _depth_first(parents: Sequence[int]) -> list[int]:
    """Link numbers, each before its descendants, branch by branch."""
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for k, parent in enumerate(parents, start=1):
        children[parent].append(k)
    order, pending = [], [0]
    while pending:
        k = pending.pop()
        order.append(k)
        pending += reversed(children[k])
    return order


def _joint(k: int, parent: int, kind: str, rng: random.Random | None) -> str:
    if rng is None:
        xyz, rpy = (0.1, 0.0, 0.0), (0.0, 0.0, 0.0)
        axis = (0.0, 0.0, 1.0) if k % 2 else (0.0, 1.0, 0.0)
    else:
        xyz = _uniform(rng, 0.2)
        rpy = _uniform(rng, math.pi)
        axis = _direction(rng)
    limits = {
        "revolute": '    <limit lower="-2.5" upper="2.5" effort="100" velocity="5"/>\n',
        "prismatic": '    <limit lower="-0.5" upper="0.5" effort="500" velocity="2"/>\n',
        "continuous": '    <limit effort="100" velocity="5"/>\n',
    }
    turns = f'    <axis xyz="{_triple(axis)}"/>\n' if kind not in ("fixed", "floating") else ""
    return (
        f'  <joint name="joint{k}" type="{kind}">\n'
        f'    <parent link="link{parent}"/>\n    <child link="link{k}"/>\n'
        f'    <origin xyz="{_triple(xyz)}" rpy="{_triple(rpy)}"/>\n{turns}{limits.get(kind, "")}  </joint>\n'
    )


def _link(k: int, rng: random.Random | None) -> str:
    """A rod of 1 kg along x, or a random body: its tensor is that of a positive mass distribution."""
    if rng is None:
        mass, com, rpy = 1.0, (0.05, 0.0, 0.0), (0.0, 0.0, 0.0)
        spread = (8e-4, 2e-4, 2e-4)
    else:
        mass, com, rpy = rng.uniform(0.3, 3.0), _uniform(rng, 0.1), _uniform(rng, math.pi)
        spread = (_moment(mass, rng), _moment(mass, rng), _moment(mass, rng))
    ixx, iyy, izz = (sum(spread) - own for own in spread)
    return (
        f'  <link name="link{k}">\n    <inertial>\n'
        f'      <origin xyz="{_triple(com)}" rpy="{_triple(rpy)}"/>\n      <mass value="{mass!r}"/>\n'
        f'      <inertia ixx="{ixx!r}" iyy="{iyy!r}" izz="{izz!r}" ixy="0" ixz="0" iyz="0"/>\n'
        "    </inertial>\n  </link>\n"
    )


def _moment(mass: float, rng: random.Random) -> float:
    """Second moment of the mass along one axis, for a spread of 2 to 10 cm."""
    return mass * rng.uniform(0.02, 0.1) ** 2


def _uniform(rng: random.Random, bound: float) -> tuple[float, float, float]:
    return (rng.uniform(-bound, bound), rng.uniform(-bound, bound), rng.uniform(-bound, bound))


def _direction(rng: random.Random) -> tuple[float, float, float]:
    """A unit vector, all directions alike."""
    x, y, z = rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 1)
    norm = math.sqrt(x * x + y * y + z * z)
    return (x / norm, y / norm, z / norm)


def _triple(vector: Sequence[float]) -> str:
    return " ".join(repr(component) for component in vector)
