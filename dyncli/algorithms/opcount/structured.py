"""Operations of the recursions on scalars, the zero blocks of spatial algebra skipped: any robot of this structure.

The recursion runs on scalars that only count, on a robot with the same tree and joint types but generic numbers (no
axis, placement or inertia of it holds a zero or a one). What costs nothing is what spatial algebra knows: a product
with a block that is zero or one, a sign, and what depends on the model alone.
"""

from __future__ import annotations

from typing import Any

from dyncli.algorithms.opcount.count import OperationCount
from dyncli.algorithms.opcount.generic import with_generic_numbers
from dyncli.algorithms.opcount.routines import Routine, State
from dyncli.tree import Tree

Scalar = Any


class Tally:
    """A scalar of which only the operations done to it are known; results of operations are the same object.

    Python floats beside it are the model's constants: 0 and ±1 cost nothing, all others count.
    """

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("add", "div", "mul", "root", "trig")

    def __init__(self) -> None:
        self.mul = self.add = self.div = self.root = self.trig = 0

    def count(self) -> OperationCount:
        """The operations so far."""
        return OperationCount(self.mul, self.add, self.div, self.root, self.trig)

    def __neg__(self) -> Tally:
        return self

    def __add__(self, other: Scalar) -> Scalar:
        if other.__class__ is not Tally:
            if not isinstance(other, (float, int)):
                return NotImplemented
            if other == 0.0:
                return self
        self.add += 1
        return self

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, other: Scalar) -> Scalar:
        if other.__class__ is not Tally:
            if not isinstance(other, (float, int)):
                return NotImplemented
            if other == 0.0:
                return 0.0
            if other in (1.0, -1.0):
                return self
        self.mul += 1
        return self

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        if other.__class__ is not Tally:
            return self * (1.0 / other) if isinstance(other, (float, int)) else NotImplemented
        self.div += 1
        return self

    def __rtruediv__(self, other: Scalar) -> Scalar:
        if not isinstance(other, (float, int)):
            return NotImplemented
        if other == 0.0:
            return 0.0
        self.div += 1
        return self

    def sin(self) -> Tally:
        """Sine."""
        self.trig += 1
        return self

    cos = sin

    def sqrt(self) -> Tally:
        """Square root."""
        self.root += 1
        return self

    def sign(self) -> Tally:
        """Sign: counts as an addition."""
        self.add += 1
        return self

    def stumpff(self, k: int) -> Tally:
        """Stumpff function c_k: counts as trigonometry."""
        self.trig += 1
        return self


def structured_count(tree: Tree, routine: Routine) -> OperationCount:
    """Operations of a routine on any robot that has the tree and the joint types of this one."""
    scalar = Tally()
    state = State([scalar] * tree.nq, [scalar] * tree.nv, [scalar] * tree.nv, [scalar] * tree.nv)
    routine.run(with_generic_numbers(tree), state)
    return scalar.count()
