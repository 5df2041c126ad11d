"""What a command on states is: the numbers it computes, and how they are named and laid out.

A `Task` works in two steps. `quantities` is pure arithmetic on scalars of any kind, so it can also be recorded as a
straight-line program; `answer` looks at numbers (spectra, singular pivots) and names rows and columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dyncli.algorithms.wrenches import Wrench
from dyncli.result import Matrix, Sheet, Vector, matrix_sheet, vector_sheet
from dyncli.robot import Robot
from dyncli.spatial import Scalar
from dyncli.structs import field, replace, struct
from dyncli.tree import Tree

Scalars = Sequence[Scalar]
Quantities = dict[str, Any]
"""Named results of `quantities`: nested lists and mappings of scalars. A name with _ in front is for `answer` alone."""

SINGULAR_PIVOT = 64 * 2.0**-52
"""A pivot below this share of the inertia it is left of is rounding: M is singular there."""

MOST_NUMBERS, LEAST_STATES = 1 << 22, 4
"""Numbers that may be alive at once while a block of states is answered (32 MB), and the fewest states of a block."""


@struct
class Answer:
    """What a block of states gives: JSON values, and vectors, matrices or a ready sheet for rows of text."""

    values: Mapping[str, Any]
    vectors: Sequence[Vector] = ()
    matrices: Sequence[Matrix] = ()
    sheet: Sheet | None = None
    invalid: Mapping[int, str] = field(default_factory=dict)

    def laid_out(self, echo: Sequence[Vector]) -> Sheet:
        """The sheet of this answer, echoed inputs in front where rows are states."""
        if self.sheet is not None:
            return self.sheet
        return matrix_sheet(self.matrices, echo) if self.matrices else vector_sheet(self.vectors, echo)


class Task(ABC):
    """One command's work on states. `needs`: which of qd, qdd, tau it reads beside q."""

    command: str
    needs: tuple[str, ...] = ()
    unbounded: frozenset[str] = frozenset()
    """Names of values that may be infinite without being a failure."""
    recordable = True
    """Whether `quantities` can run on symbols: False for what needs complex numbers or arrays."""
    longest_block: int | None = None
    """How many states may be answered at once where results are so large that memory counts."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.tree: Tree = robot.tree

    def limit_block(self, numbers: int) -> None:
        """Answer no more states at once than memory should hold, where so many numbers are alive for each."""
        self.longest_block = max(LEAST_STATES, MOST_NUMBERS // max(1, numbers))

    @abstractmethod
    def quantities(self, q: Scalars, v: Scalars | None, a: Scalars | None, tau: Scalars | None) -> Quantities:
        """The numbers of a state, of any scalar kind."""

    @abstractmethod
    def answer(self, found: Quantities, count: int) -> Answer:
        """Names and layout of the numbers of a block of `count` states."""

    def for_recording(self) -> Task:
        """This task for a recorded program: on a tree that costs less, where only tau and M are asked for."""
        return self

    def on_base_parameters(self, wrenches: Sequence[Wrench] = ()) -> tuple[Tree, tuple[Wrench, ...]]:
        """The robot's tree with aligned frames and base parameters, and wrenches on the frames of that tree."""
        from dyncli.algorithms.align import aligned
        from dyncli.algorithms.lump import lumped

        frames = {f"wrench {k}": wrench.frame for k, wrench in enumerate(wrenches)}
        tree = lumped(aligned(replace(self.tree, frames=frames)))
        moved = (replace(wrench, frame=frame) for wrench, frame in zip(wrenches, tree.frames.values(), strict=True))
        return tree, tuple(moved)

    def summarised(self, values: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
        """What `--summary` keeps the extremes of: (row, such as a joint; quantity; leaf)."""
        for name, leaves in values.items():
            if isinstance(leaves, list) and len(leaves) == self.tree.nv:
                for dof, leaf in zip(self.tree.dofs, leaves, strict=True):
                    yield dof, name, leaf

    def notes(self) -> list[str]:
        """What a reader of the numbers must know beside convention and gravity."""
        return []


def named(tree: Tree, prefix: str, leaves: Scalars) -> Vector:
    """A vector with an entry a degree of freedom."""
    return Vector(prefix, tree.dofs, leaves)


def singular_states(tree: Tree, pivots: Scalars, diagonal: Scalars, count: int) -> dict[int, str]:
    """Index of each state whose mass matrix is singular -> why, naming the joint."""
    invalid: dict[int, str] = {}
    for k in range(tree.nv - 1, -1, -1):
        pivot, whole = pivots[k], diagonal[k]
        bad = ~(pivot > SINGULAR_PIVOT * whole) if hasattr(pivot, "shape") or hasattr(whole, "shape") else None
        at = range(count) if bad is None and not pivot > SINGULAR_PIVOT * whole else ()
        if bad is not None:
            at = bad.nonzero()[0].tolist() if bad.shape else (range(count) if bad else ())
        for state in at:
            invalid.setdefault(state, _singular(tree, k, whole))
    return invalid


def _singular(tree: Tree, k: int, whole: Scalar) -> str:
    body = tree.bodies[tree.dof_body[k]]
    reason = (
        f"nothing behind it has mass or inertia (link {body.link!r})"
        if not hasattr(whole, "shape") and whole == 0.0
        else "what it moves is moved by other joints as well, or weighs nothing"
    )
    return f"the mass matrix is singular at joint {body.joint.name!r}: {reason}"
