"""How counts grow with the number of joints, and from where on one route to the accelerations beats another.

Chains and trees have revolute joints and generic numbers; every operation has the same weight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from dyncli.algorithms.opcount import OperationCount, count_operations, dense
from dyncli.algorithms.opcount.generic import generic_tree, regular_parents
from dyncli.tree import Tree

COUNTABLE = 2_000_000
"""Structured and specialised counts run the recursion; they are not made where more operations are expected."""
STEEPEST = 3.0
"""Exponent of the fastest growing algorithm, for a guess from one size where no dense count tells more."""
LARGEST = 128
"""Crossovers are looked for up to this many joints."""
ROUTES = ("aba", "fd-crba", "fd-sparse")


class Growth(NamedTuple):
    """Counts of an algorithm on chains of growing length; None where it would be too long to count.

    `slope`: least squares over all sizes of log count over log size; `last_slope`: between the two largest.
    """

    algorithm: str
    model: str
    counts: tuple[OperationCount | None, ...]
    slope: float | None
    last_slope: float | None


class Crossover(NamedTuple):
    """From how many joints on ABA needs fewer operations than `route`, up to `LARGEST`; None: never."""

    model: str
    branching: int
    route: str
    joints: int | None


@cache
def regular_tree(n: int, branching: int = 1) -> Tree:
    """n revolute joints, each body carrying `branching` others (1: a serial chain)."""
    return generic_tree(regular_parents(n, branching))


def chain_growth(sizes: Sequence[int], algorithm: str, model: str) -> Growth:
    """Counts of an algorithm on serial chains of these lengths (ascending), with their log-log slopes."""
    counts: list[OperationCount | None] = []
    known: list[tuple[int, int]] = []
    for n in sizes:
        if model != "dense" and _expected(known, n, algorithm) > COUNTABLE:
            counts.append(None)
            continue
        count = count_operations(regular_tree(n), algorithm, model)
        counts.append(count)
        if count is not None and count.total:
            known.append((n, count.total))
    return Growth(algorithm, model, tuple(counts), slope(known), slope(known[-2:]))


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Least-squares slope of log y over log x; None for fewer than two different x."""
    if len({x for x, _ in points}) < 2:
        return None
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    x0, y0 = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    along = math.fsum((x - x0) * (y - y0) for x, y in zip(xs, ys, strict=True))
    return along / math.fsum((x - x0) ** 2 for x in xs)


def _expected(known: Sequence[tuple[int, int]], n: int, algorithm: str) -> float:
    """A guess of the next count: it grows as the dense count does, or else as between the last two sizes."""
    if not known:
        return 0.0
    size, count = known[-1]
    there, here = (dense.multiplications(regular_tree(k), algorithm) for k in (n, size))
    if there is not None and here:
        return count * there / here
    return float(count * (n / size) ** (slope(known[-2:]) or STEEPEST))


def crossovers(models: Iterable[str], branching: int) -> list[Crossover]:
    """Where ABA starts to beat the dense and the sparse route through M, on regular trees."""
    return [
        Crossover(model, branching, route, _first_joints(model, branching, route))
        for model in models
        for route in ROUTES[1:]
    ]


def _first_joints(model: str, branching: int, route: str) -> int | None:
    """Smallest n from which on ABA is cheaper: by doubling until it has won twice in a row, then by bisection.

    ABA grows as n, the routes through M at least as fast: once ahead by more and more, ABA stays ahead.
    """

    def aba_wins(n: int) -> bool:
        tree = regular_tree(n, branching)
        mine, other = count_operations(tree, "aba", model), count_operations(tree, route, model)
        return mine is not None and other is not None and mine.total < other.total

    n, loses, in_a_row = 1, 0, 0
    while in_a_row < 2:
        if n > LARGEST:
            return None
        if aba_wins(n):
            in_a_row += 1
        else:
            loses, in_a_row = n, 0
        n *= 2
    wins = n // 4
    while wins - loses > 1:
        middle = (loses + wins) // 2
        if aba_wins(middle):
            wins = middle
        else:
            loses = middle
    return wins


def cheapest_route(tree: Tree, model: str) -> tuple[str, dict[str, OperationCount]] | None:
    """Which way to the accelerations needs the fewest operations on this robot, and the counts of all that hold."""
    counts = {route: count_operations(tree, route, model) for route in ROUTES}
    held = {route: count for route, count in counts.items() if count is not None}
    return (min(held, key=lambda route: held[route].total), held) if held else None
