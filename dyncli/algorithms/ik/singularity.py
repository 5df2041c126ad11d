"""What a Jacobian says of a pose: singular values, manipulability, condition, and which joints have become dependent.

Float-only. A Jacobian here is (m, n): the chosen rows of the task, one column a joint.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyncli.algorithms.ik.chain import Array, Chain
from dyncli.algorithms.ik.error import AXES, Targets
from dyncli.algorithms.ik.linear import singular_values
from dyncli.structs import struct

SINGULAR = 1e-6
"""A singular value below this share of the largest counts as zero: the pose is singular."""
_GENERIC = 1e-9
_SAMPLES = 5
_MOST_SETS = 4000
"""Sets of joints looked through for the smallest dependent one."""


@struct
class Singularity:
    """`joints`: a smallest set whose motions have become dependent; `lost`: unit direction of the task, by row."""

    joints: tuple[str, ...]
    lost: dict[str, float]


@struct
class JacobianReports:
    """What there is to know of B Jacobians.

    `singular_values` (B, min(m, n)), falling. `manipulability` (B,): √det J Jᵀ, with fewer joints than rows √det Jᵀ J.
    `condition`: None where infinite. `det` (B,): None unless J is square. `singularities`: None where the rank is that
    of almost every pose.
    """

    singular_values: Array
    manipulability: Array
    condition: Sequence[float | None]
    det: Array | None
    singularities: Sequence[Singularity | None]

    def leaves(self) -> dict[str, Any]:
        """The same by the names they have in results, an entry a state."""
        found = [None if s is None else {"joints": list(s.joints), "lost": s.lost} for s in self.singularities]
        return {
            "manipulability": self.manipulability,
            "singular_values": list(self.singular_values.T),
            "condition": objects(self.condition),
            "det": self.det,
            "singularity": objects(found),
        }


def objects(values: Iterable[Any]) -> NDArray[np.object_]:
    """Values of any kind, one a state, as a leaf of a result."""
    listed = list(values)
    leaf = np.empty(len(listed), dtype=object)
    for k, value in enumerate(listed):
        leaf[k] = value
    return leaf


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


def report(J: Array, samples: Array, names: Sequence[str], rows: Sequence[int]) -> JacobianReports:
    """Reports on Jacobians (m, n, B); `samples` (m, n, k) at random poses: what is generic; `names` of the joints."""
    values = singular_values(J)
    count, size = values.shape
    ratio = np.full(count, np.inf)
    if size:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = values[:, 0] / values[:, -1]
    finite = ratio < 1.0 / (max(size, 1) * np.finfo(np.float64).eps)
    rank = _rank(samples, _GENERIC)
    suspects = values[:, rank - 1] <= SINGULAR * values[:, 0] if rank else np.zeros(count, dtype=bool)
    return JacobianReports(
        values,
        values.prod(axis=1) if size else np.zeros(count),
        [float(value) if good else None for value, good in zip(ratio, finite, strict=True)],
        np.linalg.det(J.transpose(2, 0, 1)) if J.shape[0] == J.shape[1] else None,
        [_singularity(J[:, :, k], rank, samples, names, rows) if suspects[k] else None for k in range(count)],
    )


def _singularity(J: Array, rank: int, samples: Array, names: Sequence[str], rows: Sequence[int]) -> Singularity:
    U = np.linalg.svd(J)[0]
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
