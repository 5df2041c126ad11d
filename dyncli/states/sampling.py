"""Random states that are the same on every machine: Mersenne Twister, 53-bit uniforms, Box and Muller's normals.

State k of a seed does not depend on how many are drawn or in which blocks. A single state is drawn with Python's
`random`, many with NumPy's `RandomState`: both are the same generator, and both promise never to change its stream.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence

from dyncli import scalars
from dyncli.states.block import BLOCKS, Leaf, StateBlock
from dyncli.tree import Tree

BLOCK_ROWS = 4096


def sample_states(
    tree: Tree, count: int, seed: int, needs: Sequence[str] = BLOCKS, *, block_rows: int = BLOCK_ROWS
) -> Iterator[StateBlock]:
    """`count` random states in blocks.

    q is within the limits (±pi or ±1 m where there are none), qd, qdd and tau are standard normal.
    """
    import numpy as np

    generator = np.random.RandomState(_words(seed))
    width = _uniforms(tree)
    for first in range(0, count, block_rows):
        rows = min(block_rows, count - first)
        uniforms = np.ascontiguousarray(generator.random_sample((rows, width)).T)
        yield _states(tree, list(uniforms), rows, first, needs)


def random_state(tree: Tree, seed: int) -> StateBlock:
    """The first state of `sample_states`, on floats."""
    generator = random.Random(abs(seed))
    return _states(tree, [generator.random() for _ in range(_uniforms(tree))], 1, 0, BLOCKS)


def _words(seed: int) -> list[int]:
    """The seed as Python's `random` hands it to the generator: 32-bit words, the lowest first."""
    seed = abs(seed)
    words = [seed & 0xFFFFFFFF]
    while seed := seed >> 32:
        words.append(seed & 0xFFFFFFFF)
    return words


def _pairs(tree: Tree) -> int:
    return (3 * tree.nv + 1) // 2


def _uniforms(tree: Tree) -> int:
    """Uniform numbers a state takes, whatever is needed of it: so all commands see the same states."""
    return sum(joint.type.uniforms for joint in tree.joints) + 2 * _pairs(tree)


def _states(tree: Tree, u: list[Leaf], count: int, first: int, needs: Sequence[str]) -> StateBlock:
    q: list[Leaf] = []
    at = 0
    for joint in tree.joints:
        q += joint.type.from_uniform(u[at : at + joint.type.uniforms], joint.lower, joint.upper)
        at += joint.type.uniforms
    normal: list[Leaf] = []
    if set(needs) - {"q"}:
        for k in range(at, at + 2 * _pairs(tree), 2):
            radius = scalars.sqrt(-2.0 * _log(1.0 - u[k]))
            turn = 2.0 * math.pi * u[k + 1]
            normal += [radius * scalars.cos(turn), radius * scalars.sin(turn)]
    blocks = {
        block: normal[k * tree.nv : (k + 1) * tree.nv] if block in needs else None
        for k, block in enumerate(("qd", "qdd", "tau"))
    }
    return StateBlock(count, q, first=first, **blocks)  # type: ignore[arg-type]


def _log(u: Leaf) -> Leaf:
    if isinstance(u, float):
        return math.log(u)
    import numpy as np

    return np.log(u)
