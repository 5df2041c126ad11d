"""How many operations each algorithm needs on a robot, in three models.

dense         plain 6x6 matrices, nothing exploited: multiplications alone, by walking the tree (`dense`)
structured    the zero blocks of spatial algebra skipped: the recursions on scalars that count (`structured`)
specialised   this robot's zeros, ones and repeated terms too: the length of its program (`specialised`)
"""

from __future__ import annotations

from dyncli.algorithms.opcount import dense
from dyncli.algorithms.opcount.count import OperationCount
from dyncli.algorithms.opcount.routines import ROUTINES
from dyncli.algorithms.opcount.specialised import count_of, specialised_program
from dyncli.algorithms.opcount.structured import structured_count
from dyncli.tree import Tree

__all__ = ["ALGORITHMS", "MODELS", "OperationCount", "count_operations", "undefined"]

MODELS = ("dense", "structured", "specialised")
ALGORITHMS = (*ROUTINES, "rnea-screw", "mass-rnea-screw")


def count_operations(tree: Tree, algorithm: str, model: str) -> OperationCount | None:
    """Operations of an algorithm on a robot for one state; None where the model gives no count, see `undefined`."""
    if undefined(tree, algorithm, model):
        return None
    if model == "dense":
        multiplications = dense.multiplications(tree, algorithm)
        return None if multiplications is None else OperationCount(multiplications)
    routine = ROUTINES[algorithm]
    if model == "structured":
        return structured_count(tree, routine)
    return count_of(specialised_program(tree, routine))


def undefined(tree: Tree, algorithm: str, model: str) -> str | None:
    """Why a model gives no count of an algorithm on this robot; None if it does."""
    if model == "dense":
        return dense.undefined(tree, algorithm)
    if algorithm not in ROUTINES:
        return "it is counted on plain matrices only"
    if ROUTINES[algorithm].free_joints and tree.couples:
        return "it does not hold where mimic or tendons couple joints"
    return None
