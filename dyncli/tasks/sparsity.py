"""`sparsity`: the structure of the mass matrix as facts, observed over all states that are given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dyncli.algorithms.sparsity import (
    Elimination,
    Parallelism,
    dof_branches,
    factorisations,
    observed_pattern,
    parallelism,
    predicted_pattern,
    proved_zeros,
)
from dyncli.info import branches, depth
from dyncli.plots.pattern import ACCIDENTAL, MISMATCH, OUTSIDE, SEEN, STRUCTURAL, PatternPicture
from dyncli.result import Matrix, Result, Sheet, matrix_sheet
from dyncli.states import StateBlock
from dyncli.tree import Tree

Facts = dict[str, Any]

POSES = 50
"""Random positions that are looked at where none are given."""


def sparsity_facts(tree: Tree, blocks: Iterable[StateBlock], *, recorded: bool = True) -> Facts:
    """The JSON object of `dyn sparsity` (keys of CLI.md, and what the picture and the tables show beside).

    `recorded` False leaves out what programs of the robot tell, since they take long to record for hundreds of degrees
    of freedom: then no zero is proved, and nothing is said of what could run at once.
    """
    n = tree.nv
    predicted = predicted_pattern(tree)
    proved = proved_zeros(tree) if recorded else [[False] * n for _ in range(n)]
    seen = [[False] * n for _ in range(n)]
    poses = 0
    for block in blocks:
        now = observed_pattern(tree, block.q)
        seen = [[a or b for a, b in zip(row, new, strict=True)] for row, new in zip(seen, now, strict=True)]
        poses += block.count - len(block.invalid)
    entries = [(i, j) for i in range(n) for j in range(n)]
    nnz = sum(seen[i][j] for i, j in entries)
    nnz_predicted = sum(predicted[i][j] for i, j in entries)
    structural = [[predicted[i][j] and proved[i][j] for j in range(n)] for i in range(n)]
    ways = factorisations(tree)
    return {
        "nv": n,
        "nnz": nnz,
        "nnz_predicted": nnz_predicted,
        "density": nnz / n**2 if n else None,
        "mismatches": sum(seen[i][j] and not predicted[i][j] for i, j in entries),
        "structural_zeros": sum(structural[i][j] for i, j in entries),
        "accidental_zeros": sum(predicted[i][j] and not structural[i][j] and not seen[i][j] for i, j in entries),
        "factor_nnz": ways.ltl.nonzeros,
        "depth": depth(tree),
        "branches": branches(tree),
        "poses": poses,
        "coupled_pairs": (nnz_predicted - n) // 2,
        "factorisations": {name: _elimination(way) for name, way in ways._asdict().items()},
        "waste": {
            "zeros": n**2 - nnz_predicted,
            "share": (n**2 - nnz_predicted) / n**2 if n else None,
            "factor_multiplications": ways.dense.factor - ways.ltl.factor,
            "solve_multiplications": ways.dense.solve - ways.ltl.solve,
        },
        "programs": {name: _program(found) for name, found in (parallelism(tree) if recorded else {}).items()},
        "dof_branch": dof_branches(tree),
        "pattern": _numbers(seen),
        "predicted": _numbers(predicted),
        "proved": _numbers(structural),
    }


def sparsity_result(tree: Tree, facts: Facts) -> Result:
    """One result; in rows the patterns as matrices of 0 and 1."""
    names = ("pattern", "predicted", "proved")
    sheet: Sheet = matrix_sheet([Matrix(name, tree.dofs, tree.dofs, facts[name]) for name in names])
    return Result(1, facts, sheet)


def pattern_picture(tree: Tree, facts: Facts) -> PatternPicture:
    """The picture of M, each entry with the reason of its zero."""
    n = tree.nv

    def kind(i: int, j: int) -> int:
        if facts["pattern"][i][j]:
            return SEEN if facts["predicted"][i][j] else MISMATCH
        if not facts["predicted"][i][j]:
            return OUTSIDE
        return STRUCTURAL if facts["proved"][i][j] else ACCIDENTAL

    kinds = [[kind(i, j) for j in range(n)] for i in range(n)]
    return PatternPicture(f"{tree.name}: mass matrix", tree.dofs, kinds, facts["dof_branch"])


def _elimination(way: Elimination) -> Facts:
    return {
        "nnz": way.nonzeros,
        "fill_in": way.fill_in,
        "factor_multiplications": way.factor,
        "solve_multiplications": way.solve,
    }


def _program(found: Parallelism) -> Facts:
    return {
        "operations": found.operations,
        "critical_path": found.critical_path,
        "mean_width": found.mean_width,
        "widest": found.widest,
        "passes": [stage._asdict() for stage in found.passes],
    }


def _numbers(pattern: list[list[bool]]) -> list[list[int]]:
    return [list(map(int, row)) for row in pattern]
