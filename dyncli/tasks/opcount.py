"""`opcount`: operations of each algorithm on a robot and on chains, and which way to the accelerations is cheapest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from dyncli.algorithms.opcount import OperationCount, count_operations, undefined
from dyncli.algorithms.opcount.routines import ROUTINES
from dyncli.algorithms.opcount.scaling import (
    COUNTABLE,
    LARGEST,
    Crossover,
    Growth,
    chain_growth,
    cheapest_route,
    crossovers,
    regular_tree,
)
from dyncli.algorithms.opcount.specialised import count_of, specialised_program
from dyncli.algorithms.opcount.timing import seconds_per_state
from dyncli.result import Result, Sheet
from dyncli.tree import Tree

Facts = dict[str, Any]

COLUMNS = ("algorithm", "model", *OperationCount._fields)
USUAL = (
    "rnea",
    "crba",
    "aba",
    "fd-crba",
    "fd-sparse",
    "minv",
    "mass-rnea",
    "rnea-derivs",
    "fd-derivs",
    "fk",
    "jacobian",
)
"""Algorithms that are counted where none are named."""
MODEL_NOTES = {
    "dense": "dense: multiplications with plain 6x6 matrices, nothing exploited; nothing else is counted",
    "structured": "structured: zero blocks of spatial algebra skipped, for any robot of this tree and these joints",
    "specialised": "specialised: this robot's own program, in which its zeros, ones and repeated terms are gone",
}


class Counted(NamedTuple):
    """A count, and with --time the seconds a state that the program takes."""

    operations: OperationCount
    seconds: float | None = None

    def facts(self) -> Facts:
        """As JSON."""
        return {**self.operations._asdict(), **({} if self.seconds is None else {"seconds": self.seconds})}


Counts = dict[tuple[str, str], Counted]
"""(algorithm, model) -> what was counted."""


def robot_counts(tree: Tree, algorithms: Sequence[str], models: Sequence[str], *, timed: bool) -> Counts:
    """Counts of all algorithms in all models that define them; with `timed` the programs are run, too."""
    found: Counts = {}
    for algorithm in algorithms:
        for model in models:
            if timed and model == "specialised" and not undefined(tree, algorithm, model):
                program = specialised_program(tree, ROUTINES[algorithm])
                found[algorithm, model] = Counted(count_of(program), seconds_per_state(program))
                continue
            count = count_operations(tree, algorithm, model)
            if count is not None:
                found[algorithm, model] = Counted(count)
    return found


def crossover_notes(tree: Tree, models: Iterable[str]) -> list[str]:
    """What the table of crossovers says, and the cheapest way of this robot."""
    question = "from how many revolute joints on ABA needs fewer operations than a route through M"
    return [f"{question}; empty: not up to {LARGEST}", *cheapest_notes(tree, models)]


def left_out(tree: Tree, algorithms: Sequence[str], models: Sequence[str]) -> list[str]:
    """Why some counts are missing, one line a model and reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for model in models:
        for algorithm in algorithms:
            why = undefined(tree, algorithm, model)
            if why:
                reasons.setdefault((model, why), []).append(algorithm)
    return [f"{model}: no count of {', '.join(names)}: {why}" for (model, why), names in reasons.items()]


def counts_result(counts: Counts, *, timed: bool, joints: int | None = None) -> Result:
    """A row an algorithm and model; `joints`: the length of the chain that was counted."""
    algorithms: Facts = {}
    rows: list[list[Any]] = []
    front = [] if joints is None else [joints]
    for (algorithm, model), counted in counts.items():
        algorithms.setdefault(algorithm, {})[model] = counted.facts()
        rows.append([*front, algorithm, model, *counted.operations, *([counted.seconds] if timed else [])])
    columns = (*(["joints"] if front else []), *COLUMNS, *(["seconds"] if timed else []))
    values = {**({} if joints is None else {"joints": joints}), "algorithms": algorithms}
    return Result(1, values, Sheet(columns, rows, labels=len(front) + 2))


def cheapest_notes(tree: Tree, models: Iterable[str]) -> list[str]:
    """For each model the cheapest way to the accelerations of this robot, in words."""
    notes = []
    for model in models:
        found = cheapest_route(tree, model)
        if found is not None:
            best, counts = found
            told = ", ".join(f"{route} {count.total}" for route, count in counts.items())
            notes.append(f"cheapest way to qdd, {model}: {best} ({told} operations)")
    return notes


# Chains --------------------------------------------------------------------------------------------------------------


def chain_growths(sizes: Sequence[int], algorithms: Sequence[str], models: Sequence[str]) -> list[Growth]:
    """How the counts grow along chains of these sizes (ascending), for what is defined on chains."""
    chain = regular_tree(sizes[0])
    return [
        chain_growth(sizes, algorithm, model)
        for algorithm in algorithms
        for model in models
        if not undefined(chain, algorithm, model)
    ]


def chain_results(sizes: Sequence[int], growths: Sequence[Growth], *, timed: bool) -> list[Result]:
    """A result a size; counts that were not made have no row."""
    results = []
    for k, size in enumerate(sizes):
        counts: Counts = {}
        for growth in growths:
            count = growth.counts[k]
            if count is not None:
                seconds = _chain_seconds(size, growth.algorithm) if timed and growth.model == "specialised" else None
                counts[growth.algorithm, growth.model] = Counted(count, seconds)
        results.append(counts_result(counts, timed=timed, joints=size))
    return results


def _chain_seconds(size: int, algorithm: str) -> float:
    return seconds_per_state(specialised_program(regular_tree(size), ROUTINES[algorithm]))


def growth_facts(sizes: Sequence[int], growths: Sequence[Growth]) -> list[Facts]:
    """Slopes and ratios to ABA (largest size first known), one object an algorithm and model."""
    aba = {growth.model: growth.counts for growth in growths if growth.algorithm == "aba"}
    return [
        {
            "algorithm": growth.algorithm,
            "model": growth.model,
            "slope": growth.slope,
            "last_slope": growth.last_slope,
            "ratio_to_aba": [
                count.total / other.total if count is not None and other is not None else None
                for count, other in zip(growth.counts, aba.get(growth.model, (None,) * len(sizes)), strict=True)
            ],
        }
        for growth in growths
    ]


def too_long(sizes: Sequence[int], growths: Sequence[Growth]) -> list[str]:
    """Which counts were not made, one line each."""
    notes = []
    for growth in growths:
        missing = [str(size) for size, count in zip(sizes, growth.counts, strict=True) if count is None]
        if missing:
            notes.append(
                f"{growth.model} {growth.algorithm} at {', '.join(missing)} joints is not counted: "
                f"more than {COUNTABLE} operations are expected"
            )
    return notes


def growth_curves(sizes: Sequence[int], growths: Sequence[Growth]) -> dict[str, list[tuple[float, float]]]:
    """Operations over joints, a curve an algorithm and model."""
    several = len({growth.model for growth in growths}) > 1
    return {
        f"{growth.algorithm} {growth.model}" if several else growth.algorithm: [
            (float(size), float(count.total))
            for size, count in zip(sizes, growth.counts, strict=True)
            if count is not None and count.total
        ]
        for growth in growths
    }


# Crossovers ----------------------------------------------------------------------------------------------------------


def crossover_result(tree: Tree, models: Sequence[str], branchings: Sequence[int]) -> Result:
    """From how many joints on ABA is cheaper, for chains and trees, and the cheapest route of this robot."""
    found: list[Crossover] = [c for branching in branchings for c in crossovers(models, branching)]
    rows = [[c.model, c.branching, c.route, c.joints] for c in found]
    cheapest: Facts = {}
    for model in models:
        best = cheapest_route(tree, model)
        if best is not None:
            counts = {route: count._asdict() for route, count in best[1].items()}
            cheapest[model] = {"route": best[0], "counts": counts}
    values = {"crossovers": [c._asdict() for c in found], "searched_up_to": LARGEST, "cheapest": cheapest}
    return Result(1, values, Sheet(("model", "branching", "route", "joints"), rows, labels=3))
