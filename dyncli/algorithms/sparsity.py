"""Structure of the mass matrix: where it is zero and why, what factorising it costs, what could be done at once.

Two degrees of freedom are coupled where one carries the other, or where mimic or a tendon ties them: that is the
prediction, from the parents alone. Inside it an entry may still be zero: for every position, which the recorded program
proves when the entry folds to the constant 0, or only at the positions that were looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dyncli.algorithms.aba import aba
from dyncli.algorithms.align import aligned
from dyncli.algorithms.crba import Matrix, crba, mass_diagonal
from dyncli.algorithms.factor import Structure, coupled_dofs
from dyncli.algorithms.kinematics import body_velocities, joint_transforms, subspaces
from dyncli.algorithms.lump import lumped
from dyncli.algorithms.newton_euler import newton_euler
from dyncli.algorithms.unfold import unfolded
from dyncli.scalars.program import Program, record
from dyncli.spatial import Scalar, Transform
from dyncli.tree import Tree

Pattern = list[list[bool]]
"""Symmetric, nv x nv."""

ROUNDING = 1e-12
"""|M_ij| below this share of the geometric mean of M_ii and M_jj is what rounding leaves of a zero."""


def predicted_pattern(tree: Tree) -> Pattern:
    """Where M may be non-zero, from the parents, mimic and tendons alone."""
    return symmetric_pattern(coupled_dofs(tree))


def symmetric_pattern(structure: Structure) -> Pattern:
    """The matrix whose rows have these non-zeros below a full diagonal."""
    pattern = [[i == k for i in range(len(structure))] for k in range(len(structure))]
    for k, row in enumerate(structure):
        for i in row:
            pattern[k][i] = pattern[i][k] = True
    return pattern


def proved_zeros(tree: Tree) -> Pattern:
    """Entries of M that are zero at every position: they fold to 0 in a program of M.

    It is recorded with the file's frames and with elementary ones, joints in stages; either is a proof.
    """
    zero = [[False] * tree.nv for _ in range(tree.nv)]
    for subject in (tree, aligned(unfolded(tree))):
        for k in _mass_program(subject).structural_zeros():
            zero[k // tree.nv][k % tree.nv] = True
    return zero


def observed_pattern(tree: Tree, q: Sequence[Scalar]) -> Pattern:
    """Where M is not zero up to rounding, at one position or any of a block of them (arrays)."""
    M = crba(tree, q)
    return [[_is_seen(M[k][i], M[k][k], M[i][i]) for i in range(tree.nv)] for k in range(tree.nv)]


def _is_seen(entry: Scalar, mine: Scalar, other: Scalar) -> bool:
    """Whether an entry is more than rounding beside its two diagonal entries."""
    seen = entry * entry > ROUNDING * ROUNDING * (mine * other)
    return bool(seen.any()) if hasattr(seen, "any") else bool(seen)


def body_branches(tree: Tree) -> list[int]:
    """For each body the number of its branch: a run of bodies, each the only one on the body before."""
    children = [0] * len(tree.bodies)
    for parent in tree.parents:
        if parent >= 0:
            children[parent] += 1
    branch: list[int] = []
    count = 0
    for parent in tree.parents:
        if parent >= 0 and children[parent] == 1:
            branch.append(branch[parent])
        else:
            branch.append(count)
            count += 1
    return branch


def dof_branches(tree: Tree) -> list[int]:
    """For each degree of freedom the number of the branch of its body."""
    branch = body_branches(tree)
    return [branch[body] for body in tree.dof_body]


# Factorising ------------------------------------------------------------------------------------------------------


class Elimination(NamedTuple):
    """A factorisation of a pattern in some order: non-zeros of the factor (diagonal too), those that filled in,
    and multiplications (a dot of length k counts k) of the factor and of one solve with it.
    """

    nonzeros: int
    fill_in: int
    factor: int
    solve: int


def eliminate(pattern: Pattern, order: Sequence[int] | None = None) -> Elimination:
    """Cholesky with the rows of a pattern eliminated in `order`; None: least degree first, chosen on the way.

    Source: A. George, J. Liu, Computer Solution of Large Sparse Positive Definite Systems (1981), chapter 5.
    """
    n = len(pattern)
    neighbours = [{i for i in range(n) if i != k and pattern[k][i]} for k in range(n)]
    coupled = sum(map(len, neighbours)) // 2
    left = set(range(n))
    degrees = []
    for step in range(n):
        k = min(left, key=lambda i: (len(neighbours[i]), -i)) if order is None else order[step]
        left.remove(k)
        mine = neighbours[k]
        for i in mine:
            neighbours[i] |= mine
            neighbours[i] -= {i, k}
        degrees.append(len(mine))
    return _elimination(degrees, coupled)


def _elimination(degrees: Sequence[int], coupled: int) -> Elimination:
    """The costs, from the rows that each eliminated one is coupled with and the pairs coupled in M."""
    pairs = sum(degrees)
    return Elimination(len(degrees) + pairs, pairs - coupled, sum(d * (d + 1) // 2 for d in degrees), 2 * pairs)


class Factorisations(NamedTuple):
    """Ways to factorise M: LᵀL in the file's order (leaves first), LLᵀ in it (root first), LLᵀ reordered by least
    degree, and LLᵀ of the full matrix.
    """

    ltl: Elimination
    cholesky: Elimination
    reordered: Elimination
    dense: Elimination


def factorisations(tree: Tree) -> Factorisations:
    """What each factorisation fills in and costs, from the prediction."""
    pattern = predicted_pattern(tree)
    forwards = range(tree.nv)
    return Factorisations(
        eliminate(pattern, forwards[::-1]),
        eliminate(pattern, forwards),
        eliminate(pattern),
        _elimination(forwards, sum(forwards)),
    )


# What could be done at once ------------------------------------------------------------------------------------------


class Pass(NamedTuple):
    """A stage of a recursion: operations up to its end, and steps if all that can be done at once is."""

    name: str
    operations: int
    critical_path: int


class Parallelism(NamedTuple):
    """The recorded program of an algorithm: its length, longest chain of operations, most at one depth, its passes."""

    operations: int
    critical_path: int
    widest: int
    passes: tuple[Pass, ...]

    @property
    def mean_width(self) -> float:
        """Operations a step: how many workers the program could feed on average."""
        return self.operations / self.critical_path if self.critical_path else 0.0


def parallelism(tree: Tree) -> dict[str, Parallelism]:
    """Critical path and width of the programs of rnea, crba and aba (left out where mimic or tendons couple joints).

    Recorded with elementary frames and base parameters, as they run.
    """
    subject = lumped(aligned(unfolded(tree)))
    nq, nv = tree.nq, tree.nv

    def transforms(x: list[Scalar]) -> list[Scalar]:
        return _entries_of_poses(joint_transforms(subject, x[:nq]))

    def velocities(x: list[Scalar]) -> list[Scalar]:
        q, v = x[:nq], x[nq : nq + nv]
        motions = body_velocities(subject, joint_transforms(subject, q), subspaces(subject, q), v)
        return [entry for motion in motions if motion is not None for part in motion for entry in part]

    def diagonal(x: list[Scalar]) -> list[Scalar]:
        return mass_diagonal(subject, x[:nq])

    def torques(x: list[Scalar]) -> list[Scalar]:
        return newton_euler(subject, x[:nq], x[nq : nq + nv], x[nq + nv :])

    def matrix(x: list[Scalar]) -> list[Scalar]:
        return _entries(crba(subject, x[:nq]))

    def accelerations(x: list[Scalar]) -> list[Scalar]:
        return aba(subject, x[:nq], x[nq : nq + nv], x[nq + nv :])[0]

    def pivots(x: list[Scalar]) -> list[Scalar]:
        return aba(subject, x[:nq], x[nq : nq + nv], x[nq + nv :])[1]

    stages: dict[str, dict[str, Callable[[list[Scalar]], list[Scalar]]]] = {
        "rnea": {"joint transforms": transforms, "velocities outwards": velocities, "torques": torques},
        "crba": {"joint transforms": transforms, "composite inertias inwards": diagonal, "mass matrix": matrix},
        "aba": {
            "joint transforms": transforms,
            "velocities outwards": velocities,
            "articulated inertias inwards": pivots,
            "accelerations outwards": accelerations,
        },
    }
    if tree.couples:
        del stages["aba"]
    inputs = [f"x{k}" for k in range(nq + 2 * nv)]
    return {
        algorithm: _parallelism({name: record(function, inputs) for name, function in parts.items()})
        for algorithm, parts in stages.items()
    }


def _parallelism(programs: dict[str, Program]) -> Parallelism:
    whole = list(programs.values())[-1]
    passes = tuple(Pass(name, len(program.operations), program.critical_path()) for name, program in programs.items())
    return Parallelism(len(whole.operations), whole.critical_path(), max(whole.width(), default=0), passes)


def _mass_program(tree: Tree) -> Program:
    return record(lambda q: _entries(crba(tree, q)), tree.coordinates)


def _entries(matrix: Matrix) -> list[Scalar]:
    return [entry for row in matrix for entry in row]


def _entries_of_poses(poses: Sequence[Transform]) -> list[Scalar]:
    return [entry for pose in poses for row in (*pose.rotation, pose.translation) for entry in row]
