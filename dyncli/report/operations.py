"""Operations of each algorithm on this robot, as far as counting them takes no more than moments."""

from __future__ import annotations

from dyncli.algorithms.opcount import MODELS, OperationCount, count_operations
from dyncli.structs import struct
from dyncli.tasks.opcount import left_out
from dyncli.tree import Tree

MEANINGS = {
    "rnea": "inverse dynamics: joint forces",
    "crba": "mass matrix",
    "mass-rnea": "mass matrix, a column at a time by RNEA",
    "aba": "accelerations, articulated bodies",
    "fd-crba": "accelerations through M, dense factor",
    "fd-sparse": "accelerations through M, factor on the tree",
    "minv": "inverse of the mass matrix",
    "rnea-derivs": "derivatives of the joint forces",
    "fd-derivs": "derivatives of the accelerations",
    "fk": "poses of all frames",
    "jacobian": "Jacobian of the last body",
}
"""What is counted, in the order of the table, and what each computes."""
LINEAR = ("rnea", "aba", "fk", "jacobian")
"""What is cheap to count on a robot of any size."""
MOST_DOFS = 64
"""Degrees of freedom beyond which only `LINEAR` is counted."""
MOST_RECORDED = 100_000
"""Structured operations beyond which no program of this robot's own is recorded."""


@struct
class AlgorithmCount:
    """Counts of one algorithm by model of counting, None where there is none; `meaning`: what it computes."""

    name: str
    meaning: str
    counts: dict[str, OperationCount | None]


def operation_counts(tree: Tree) -> tuple[list[AlgorithmCount], list[str]]:
    """Counts of the algorithms of `MEANINGS`, and why some are missing, a line a reason."""
    chosen = [name for name in MEANINGS if tree.nv <= MOST_DOFS or name in LINEAR]
    counts = [AlgorithmCount(name, MEANINGS[name], _counts(tree, name)) for name in chosen]
    missing = left_out(tree, chosen, MODELS)
    long = [count.name for count in counts if _is_long(count.counts["structured"])]
    if long:
        missing.append(f"specialised: no count of {', '.join(long)}: more than {MOST_RECORDED} operations to record")
    if len(chosen) < len(MEANINGS):
        others = ", ".join(name for name in MEANINGS if name not in chosen)
        missing.append(f"{others}: left out on {tree.nv} degrees of freedom, dyn opcount counts them")
    return counts, missing


def _counts(tree: Tree, name: str) -> dict[str, OperationCount | None]:
    counts: dict[str, OperationCount | None] = {}
    for model in MODELS:
        skipped = model == "specialised" and _is_long(counts["structured"])
        counts[model] = None if skipped else count_operations(tree, name, model)
    return counts


def _is_long(structured: OperationCount | None) -> bool:
    return structured is not None and structured.total > MOST_RECORDED
