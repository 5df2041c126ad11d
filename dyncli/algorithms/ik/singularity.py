"""What a Jacobian says of a pose: singular values, manipulability, condition, and which joints have become dependent.

Float-only. A Jacobian here is (m, n): the chosen rows of the task, one column a joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from dyncli.algorithms.ik.chain import Array, Chain
from dyncli.algorithms.ik.error import AXES, Targets
from dyncli.algorithms.ik.linear import singular_values

SINGULAR = 1e-6
"""A singular value below this share of the largest counts as zero: the pose is singular."""
_GENERIC = 1e-9
_SAMPLES = 5
_MOST_SETS = 4000
"""Sets of joints looked through for the smallest dependent one."""


@dataclass(frozen=True)
class Singularity:
    """`joints`: a smallest set whose motions have become dependent; `lost`: unit direction of the task, by row."""

    joints: tuple[str, ...]
    lost: dict[str, float]


@dataclass(frozen=True)
class JacobianReport:
    """What there is to know of one Jacobian.

    `manipulability`: √det J Jᵀ, with fewer joints than rows √det Jᵀ J. `condition`: None if infinite. `det`: None
    unless J is square. `singularity`: None where the rank is that of almost every pose.
    """

    singular_values: tuple[float, ...]
    manipulability: float
    condition: float | None
    det: float | None
    singularity: Singularity | None


@lru_cache(maxsize=16)
def sample_jacobians(chain: Chain, rows: tuple[int, ...]) -> Array:
    """Jacobians (m, n, samples) at a few random poses: what is generic for this chain and task."""
    uniforms = np.random.default_rng(0).random((chain.uniforms, _SAMPLES))
    at = chain.kinematics(chain.random(uniforms))
    return Targets(at.position, at.rotation, rows).error(at).J


@lru_cache(maxsize=16)
def generic_rank(chain: Chain, rows: tuple[int, ...]) -> int:
    """Rank of the task's Jacobian at almost every pose of the chain."""
    return _rank(sample_jacobians(chain, rows), _GENERIC)


def report(J: Array, samples: Array, names: Sequence[str], rows: Sequence[int]) -> JacobianReport:
    """Report on J (m, n); `samples` (m, n, k) at random poses: what is generic; `names` of joints, `rows` of `AXES`."""
    if not J.size:
        return JacobianReport((), 0.0, None, None, None)
    values = singular_values(J[:, :, None])[0]
    smallest, largest = float(values[-1]), float(values[0])
    infinite = smallest <= np.finfo(float).eps * len(values) * largest
    square = J.shape[0] == J.shape[1]
    return JacobianReport(
        tuple(values.tolist()),
        float(np.prod(values)),
        None if infinite else largest / smallest,
        float(np.linalg.det(J)) if square else None,
        _singularity(J, samples, names, rows),
    )


def _singularity(J: Array, samples: Array, names: Sequence[str], rows: Sequence[int]) -> Singularity | None:
    rank = _rank(samples, _GENERIC)
    U, values, _ = np.linalg.svd(J)
    if rank == 0 or values[rank - 1] > SINGULAR * values[0]:
        return None
    lost = U[:, rank - 1]
    lost = lost * np.sign(lost[np.abs(lost).argmax()])
    letters = {AXES[row]: round(float(share), 9) + 0.0 for row, share in zip(rows, lost, strict=True)}
    return Singularity(
        _dependent(J, samples, names), {letter: share for letter, share in letters.items() if abs(share) > SINGULAR}
    )


def _dependent(J: Array, samples: Array, names: Sequence[str]) -> tuple[str, ...]:
    """A smallest set of joints whose columns are dependent here and independent elsewhere."""
    m, n = J.shape
    scale = float(np.linalg.norm(J, 2))
    for size in range(1, min(m, n) + 1):
        if comb(n, size) > _MOST_SETS:
            break
        sets = np.array(list(combinations(range(n), size)))
        here = singular_values(J[:, sets].transpose(0, 2, 1))[:, -1]
        elsewhere = np.max(
            [singular_values(samples[:, :, k][:, sets].transpose(0, 2, 1))[:, -1] for k in range(samples.shape[2])],
            axis=0,
        )
        dependent = (here <= SINGULAR * scale) & (elsewhere > _GENERIC * scale)
        if dependent.any():
            return tuple(names[k] for k in sets[np.flatnonzero(dependent)[0]])
    null = np.linalg.svd(J)[2][-1]
    return tuple(name for name, share in zip(names, null, strict=True) if abs(share) > SINGULAR)


def _rank(J: Array, tolerance: float) -> int:
    """Largest rank among (m, n, k) Jacobians."""
    values = singular_values(J)
    return int((values > tolerance * values[:, :1]).sum(axis=1).max(initial=0))
