"""`dyn sparsity` for people: what the structure is, what factorising costs, what runs at once, and the picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dyncli.tree import Tree

Facts = dict[str, Any]

WAYS = {
    "ltl": "LᵀL, file order",
    "cholesky": "LLᵀ, file order",
    "reordered": "LLᵀ, least degree first",
    "dense": "LLᵀ, dense",
}


def lines(tree: Tree, facts: Facts) -> Iterator[str]:
    """The text above the picture, line by line."""
    n, pairs = facts["nv"], facts["coupled_pairs"]
    yield f"{tree.name} ({tree.format.upper()}): {n} degrees of freedom, depth {facts['depth']}, " + (
        f"{facts['branches']} branches"
    )
    if not n:
        return
    yield f"  predicted: nnz = n + 2 x pairs of carrier and carried = {n} + 2 x {pairs} = " + (
        f"{facts['nnz_predicted']} of {n * n}"
    )
    yield f"  observed at {facts['poses']} positions: {facts['nnz']} non-zero, density {100 * facts['density']:.3g} %"
    yield f"  zeros inside the prediction: {facts['structural_zeros']} proved for every position, " + (
        f"{facts['accidental_zeros']} only observed; mismatches: {facts['mismatches']}"
    )
    yield ""
    yield from _table(
        ("factor", "nnz(L)", "fill-in", "multiplications", "of one solve"),
        [
            (WAYS[name], way["nnz"], way["fill_in"], way["factor_multiplications"], way["solve_multiplications"])
            for name, way in facts["factorisations"].items()
        ],
    )
    waste = facts["waste"]
    yield f"  a dense matrix keeps {waste['zeros']} zeros ({100 * waste['share']:.3g} %) and spends " + (
        f"{waste['factor_multiplications']} multiplications on them in the factor, "
        f"{waste['solve_multiplications']} in each solve"
    )
    yield ""
    rows: list[tuple[object, ...]] = []
    for name, program in facts["programs"].items():
        rows += [
            ("", f"until {stage['name']}", stage["operations"], stage["critical_path"], "", "")
            for stage in program["passes"][:-1]
        ]
        width = f"{program['mean_width']:.1f}"
        rows.append((name, "", program["operations"], program["critical_path"], width, program["widest"]))
    yield from _table(("program", "", "operations", "steps at best", "at once", "at most"), rows)
    yield ""


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Columns of text, the words at the left."""
    cells = [list(map(str, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        words = [
            cell.ljust(width) if header[k] in ("", *header[:1]) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "   ".join(words)).rstrip()
