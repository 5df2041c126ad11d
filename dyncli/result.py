"""Results: templates whose leaves are one state's numbers or a batch's arrays, with their names, units and header.

A command answers in blocks of states. A `Result` describes one block by the template of a single state, of which each
leaf is

    a Python float                      one state on floats (no NumPy needed)
    a NumPy array of shape (count,)     a batch: entry k belongs to state k of the block; any dtype, object for values
                                        that are lists or mappings of their own
    a constant (None, bool, int, str)   the same for every state

Writers (`dyncli.writers`) turn results into text or files; nothing is formatted here.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from dyncli.structs import field, struct

if TYPE_CHECKING:
    from dyncli.description import RobotDescription
    from dyncli.tree import Tree

SCHEMA = "dyncli/1"

Leaf = Any
"""A float, an array of shape (count,) or a constant; see the module's docstring."""


class _Marker(enum.Enum):
    STATE = "state"


STATE: Final = _Marker.STATE
"""A cell that shows the running index of the state, counted from 0 over all blocks."""


@struct
class Vector:
    """Numbers with names: `PREFIX_NAME` are their columns. `units` (one a name, or none at all) are shown in tables."""

    prefix: str
    names: tuple[str, ...]
    leaves: Sequence[Leaf]
    units: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in CSV."""
        return tuple(f"{self.prefix}_{name}" for name in self.names)


@struct
class Matrix:
    """A matrix with named rows and columns; `rows` holds a sequence of leaves a row."""

    name: str
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    rows: Sequence[Sequence[Leaf]]


@struct
class Sheet:
    """How rows of text show one state: `columns`, and templates of one or more rows of cells (leaves or `STATE`).

    `vectors`: what the single row is made of, so that a table can show one state with a joint a line.
    `labels`: how many cells at the start of a row say what it is (state, row...): they stay in an invalid state.
    """

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Leaf]]
    vectors: tuple[Vector, ...] = ()
    labels: int = 0


@struct
class Result:
    """The answer for a block of `count` states.

    `values`: template of a state's JSON object (keys of CLI.md; nested mappings and lists with leaves).
    `invalid`: index within the block -> why that state has no answer; its leaves are not read.
    """

    count: int
    values: Mapping[str, Any]
    sheet: Sheet
    invalid: Mapping[int, str] = field(default_factory=dict)


@struct
class Header:
    """What stands once, above all results.

    `model`: CLI.md's JSON mapping, see `model_facts`. `notes`: lines above a table: convention, gravity, units, axes of
    the tangent space. `warnings` known before the first result; those met later are given to `Writer.close`.
    """

    command: str
    model: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def vector_sheet(results: Sequence[Vector], echo: Sequence[Vector] = ()) -> Sheet:
    """One row a state; echoed inputs come first, and a result replaces the input of its name."""
    own = {vector.prefix for vector in results}
    vectors = (*(vector for vector in echo if vector.prefix not in own), *results)
    columns = tuple(column for vector in vectors for column in vector.columns)
    return Sheet(columns, [[leaf for vector in vectors for leaf in vector.leaves]], vectors=vectors)


def matrix_sheet(matrices: Sequence[Matrix], echo: Sequence[Vector] = ()) -> Sheet:
    """One row a matrix row: `state,row,NAMES...`, behind `matrix` if there are several; echoed inputs stand between.

    Matrices of different columns share the union of their columns; a cell that a matrix does not have is None.
    """
    names = tuple(dict.fromkeys(name for matrix in matrices for name in matrix.column_names))
    echoed = [leaf for vector in echo for leaf in vector.leaves]
    several = len(matrices) > 1
    rows: list[list[Leaf]] = []
    for matrix in matrices:
        at = {name: k for k, name in enumerate(matrix.column_names)}
        for label, row in zip(matrix.row_names, matrix.rows, strict=True):
            front = [matrix.name, STATE, label] if several else [STATE, label]
            rows.append([*front, *echoed, *(row[at[name]] if name in at else None for name in names)])
    front_columns = ("matrix", "state", "row") if several else ("state", "row")
    columns = (*front_columns, *(column for vector in echo for column in vector.columns), *names)
    return Sheet(columns, rows, labels=len(front_columns))


def model_facts(tree: Tree, description: RobotDescription, *, degrees: bool = False) -> dict[str, Any]:
    """The `model` mapping of CLI.md: joints with coordinates of their own, names of q and v, convention and units."""
    links = {joint.name: (joint.parent, joint.child) for joint in description.joints}
    joints = []
    for joint in tree.joints:
        parent, child = links.get(joint.name, ("world", description.links[0].name))
        joints.append(
            {
                "name": joint.name,
                "type": joint.type.name,
                "parent": parent,
                "child": child,
                "nq": joint.nq,
                "nv": joint.nv,
                "idx_q": joint.index_q,
                "idx_v": joint.index_v,
            }
        )
    return {
        "name": tree.name,
        "format": tree.format,
        "nq": tree.nq,
        "nv": tree.nv,
        "joints": joints,
        "coordinates": list(tree.coordinates),
        "dofs": list(tree.dofs),
        "convention": tree.convention,
        "gravity": list(tree.gravity),
        "angle_unit": "deg" if degrees else "rad",
    }
