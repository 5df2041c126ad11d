"""What the numbers cost on this robot: sparsity of M, and operations of the algorithms."""

from __future__ import annotations

from typing import Any

from dyncli.algorithms.opcount import MODELS
from dyncli.plots.pattern import ACCIDENTAL, MISMATCH, STRUCTURAL
from dyncli.report.drawings.operations import model_symbol, operations_drawing
from dyncli.report.drawings.pattern import pattern_drawing
from dyncli.report.operations import MOST_DOFS, operation_counts
from dyncli.report.text import counted
from dyncli.states import sample_states
from dyncli.tasks.opcount import cheapest_notes
from dyncli.tasks.sparsity import POSES, pattern_picture, sparsity_facts
from dyncli.tree import Tree

Facts = dict[str, Any]

RECORDED_DOFS = 100
"""Degrees of freedom beyond which zeros of M are not proved: recording it takes tens of seconds."""
ORDERS = {
    "ltl": "LᵀL, leaves first: on the tree",
    "cholesky": "LLᵀ, root first",
    "reordered": "LLᵀ, least degree first",
    "dense": "LLᵀ of the full matrix",
}
MODEL_MEANINGS = {
    "dense": "plain 6×6 matrices, multiplications alone",
    "structured": "zero blocks of spatial algebra skipped",
    "specialised": "this robot's own zeros, ones and repeated terms, too",
}


def sparsity(tree: Tree) -> Facts:
    """The pattern of M with the reason of each zero, and what a factorisation costs."""
    recorded = tree.nv <= RECORDED_DOFS
    facts = sparsity_facts(tree, sample_states(tree, POSES, 0, ("q",)), recorded=recorded)
    picture = pattern_picture(tree, facts)
    kinds = {kind for row in picture.kinds for kind in row}
    legend = [("seen", "non-zero, in the colour of its branch")]
    legend += [("hollow", "zero at every position, proved")] if STRUCTURAL in kinds else []
    legend += [("hollow", "zero at the positions seen")] if ACCIDENTAL in kinds else []
    legend += [("mismatch", "non-zero where none is predicted")] if MISMATCH in kinds else []
    return {
        "drawing": pattern_drawing(picture) if tree.nv else None,
        "legend": legend,
        "facts": facts,
        "density": f"{100.0 * facts['density']:.1f} %" if tree.nv else "",
        "waste": f"{100.0 * facts['waste']['share']:.0f} %" if tree.nv else "",
        "factorisations": [(ORDERS[name], way) for name, way in facts["factorisations"].items()],
        "poses": counted(facts["poses"], "random position"),
        "proofs": recorded,
    }


def algorithms(tree: Tree) -> Facts:
    """Operation counts of the algorithms in the models of counting."""
    counts, missing = operation_counts(tree)
    cheapest = cheapest_notes(tree, ("structured",)) if 0 < tree.nv <= MOST_DOFS else []
    return {
        "drawing": operations_drawing(counts),
        "legend": [(model_symbol(model), model, MODEL_MEANINGS[model]) for model in MODELS],
        "rows": counts,
        "cheapest": [f"{note[0].upper()}{note[1:]}" for note in cheapest],
        "missing": missing,
    }
