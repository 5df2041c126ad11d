"""Random states that are the same on every machine: Mersenne Twister, 53-bit uniforms, Box and Muller's normals.

State k of a seed does not depend on how many are drawn or in which blocks. A single state is drawn with Python's
`random`, many with NumPy's `RandomState`: both are the same generator, and both promise never to change its stream.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dyncli import scalars
from dyncli.states.block import BLOCKS, Leaf, StateBlock
from dyncli.states.source import GivenStates, States, StatesPart
from dyncli.structs import struct
from dyncli.tree import Tree

BLOCK_ROWS = 4096


def sample_states(
    tree: Tree, count: int, seed: int, needs: Sequence[str] = BLOCKS, *, block_rows: int = BLOCK_ROWS
) -> Iterator[StateBlock]:
    """`count` random states in blocks.

    q is within the limits (±pi or ±1 m where there are none), qd, qdd and tau are standard normal.
    """
    return _drawn(tree, _generator(seed), range(0, count, block_rows), count, needs)


def _drawn(tree: Tree, generator: Any, starts: range, stop: int, needs: Sequence[str]) -> Iterator[StateBlock]:
    """The states from `starts.start` to `stop`, at which the generator stands, in blocks that begin at `starts`."""
    import numpy as np

    width = _uniforms(tree)
    for first in starts:
        rows = min(starts.step, stop - first)
        uniforms = np.ascontiguousarray(generator.random_sample((rows, width)).T)
        yield _states(tree, list(uniforms), rows, first, needs)


class SampledStates(GivenStates):
    """The states of `sample_states`."""

    def __init__(self, tree: Tree, count: int, seed: int, needs: Sequence[str] = BLOCKS) -> None:
        super().__init__(sample_states(tree, count, seed, needs))
        self._tree = tree
        self._count = count
        self._seed = seed
        self._needs = tuple(needs)

    def parts(self, blocks: int = 1) -> Iterator[StatesPart]:
        """See `States.parts`. The numbers are drawn here, so that it is known where those of each part begin."""
        generator = _generator(self._seed)
        for first in range(0, self._count, blocks * BLOCK_ROWS):
            rows = min(blocks * BLOCK_ROWS, self._count - first)
            yield SamplePart(rows, 0, first, generator.get_state(), self._needs)
            generator.random_sample((rows, _uniforms(self._tree)))

    def blocks_to_share(self) -> int:
        """See `States.blocks_to_share`."""
        return self._count // BLOCK_ROWS


@struct(eq=False)
class SamplePart(StatesPart):
    """A stretch of a sample from state `first` on, for which the generator stands as `generator` says."""

    rows: int
    offset: int
    first: int
    generator: tuple[Any, ...]
    needs: tuple[str, ...]

    @contextmanager
    def open(self, tree: Tree) -> Iterator[States]:
        """See `StatesPart.open`."""
        generator = _generator(0)
        generator.set_state(self.generator)
        stop = self.first + self.rows
        yield GivenStates(_drawn(tree, generator, range(self.first, stop, BLOCK_ROWS), stop, self.needs))


def _generator(seed: int) -> Any:
    import numpy as np

    return np.random.RandomState(_words(seed))


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
