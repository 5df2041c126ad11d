"""This robot's own straight-line programs: what a code generator would emit for it, and their exact length.

Recorded are the robot as its file has it, and equivalent ones with elementary frames, base parameters and joints in
stages (`dyncli.algorithms.align`, `lump`, `unfold`); the shortest program counts.
"""

from __future__ import annotations

from dyncli.algorithms.align import aligned
from dyncli.algorithms.lump import lumped
from dyncli.algorithms.opcount.count import OperationCount
from dyncli.algorithms.opcount.routines import Routine, State
from dyncli.algorithms.unfold import unfolded
from dyncli.scalars.program import Program, record
from dyncli.spatial import Scalar
from dyncli.tree import Tree


def input_names(tree: Tree, routine: Routine) -> list[str]:
    """Names of a program's inputs: the blocks that the routine needs, one after the other."""
    sizes = {"q": tree.nq, "v": tree.nv, "a": tree.nv, "tau": tree.nv}
    return [f"{block}[{k}]" for block in routine.needs for k in range(sizes[block])]


def specialised_program(tree: Tree, routine: Routine) -> Program:
    """The shortest program of a routine on this robot; inputs as `input_names`, outputs as `Routine.outputs`."""
    return min((recorded(subject, routine) for subject in equivalent_trees(tree)), key=_length)


def equivalent_trees(tree: Tree) -> list[Tree]:
    """Trees of the same tau, M and frames, on which recursions differ in cost."""
    stages = unfolded(tree)
    trees = [tree, lumped(aligned(tree))]
    return trees if len(stages.bodies) == len(tree.bodies) else [*trees, lumped(aligned(stages))]


def recorded(tree: Tree, routine: Routine) -> Program:
    """The program of a routine on a tree as it is."""

    def outputs(symbols: list[Scalar]) -> list[Scalar]:
        rest = iter(symbols)
        blocks = {block: [next(rest) for _ in range(tree.nq if block == "q" else tree.nv)] for block in routine.needs}
        return routine.run(tree, State(**blocks))

    return record(outputs, input_names(tree, routine))


def count_of(program: Program) -> OperationCount:
    """The operations of a program."""
    return OperationCount(**program.count())


def _length(program: Program) -> int:
    return len(program.operations)
