"""Which column of a table is which coordinate: the mapping rules of the command line, in one place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from dyncli.errors import StateError, UsageError, nearest
from dyncli.readers.table import Table
from dyncli.states.block import BLOCKS, Remarks
from dyncli.states.names import Dependent, Entry, Names, listed
from dyncli.structs import field, struct

TIME_NAMES = ("t", "time", "stamp", "timestamp")

_PARTS = ("gravity", "coriolis", "inertia", "passive", "external")
"""Vectors beside the blocks that dyn writes with the names of the degrees of freedom."""
_RESULT_NAMES = frozenset(
    """
    M Minv L eigenvalues condition kinetic potential C task_inertia effective_mass reactions frames J linear angular
    singular_values manipulability det singularity converged error position_error orientation_error iterations restarts
    reason detail within_limits branch step branch_changed rates too_fast null_step solutions trace x y z qw qx qy qz
    invalid why A B dtau_dq dtau_dqd dtau_dqdd dqdd_dq dqdd_dqd dqdd_dtau
    """.split()  # noqa: SIM905 - a table of words reads best as text
)
"""Other names of columns and keys that dyn writes into results."""


def is_result(column: str) -> bool:
    """Whether dyn writes results under this name; of mappings in NPZ (`rates/elbow`) the first part tells."""
    return column.partition("/")[0] in _RESULT_NAMES


@struct(frozen=False)
class ColumnMap:
    """Columns by use; numbers are indices into the table's columns.

    `blocks`: block -> a column for each of its entries, None for one that is filled; blocks that are absent or that the
    command does not need are not there.
    """

    blocks: dict[str, list[int | None]] = field(default_factory=dict)
    dependents: list[tuple[int, Dependent]] = field(default_factory=list)
    time: int | None = None
    kept: dict[str, int] = field(default_factory=dict)


def map_columns(
    names: Names,
    table: Table,
    needs: Sequence[str],
    *,
    fill_missing: bool,
    ignore_extra: bool,
    keep: Sequence[str],
    remarks: Remarks,
) -> ColumnMap:
    """Find the columns of the blocks in `needs` (their order is that of a table without a header).

    Raises StateError for columns that are unknown, doubled, missing or too many; UsageError for a name in `keep` that
    the table does not have. Columns that dyn writes and the command does not need are skipped with one notice.
    """
    if table.columns is None:
        if keep:
            raise UsageError(f"--keep {keep[0]}: {table.path} has no header that names columns")
        return _in_order(names, table, needs, remarks)
    mapping = _Mapping(names, table, needs, keep)
    mapping.sort()
    mapping.check(fill_missing=fill_missing, ignore_extra=ignore_extra, remarks=remarks)
    return mapping.result


def _in_order(names: Names, table: Table, needs: Sequence[str], remarks: Remarks) -> ColumnMap:
    """Blocks one behind the other: those that the command takes, or all four."""
    sizes = {block: len(names.expected(block)) for block in BLOCKS}
    choices = [tuple(order[:k]) for order in (needs, BLOCKS) for k in range(1, len(order) + 1)]
    for blocks in choices:
        ends = list(accumulate(sizes[block] for block in blocks))
        if ends[-1] == table.width:
            remarks.notices.append(f"{table.path} has no header: its columns are {', '.join(blocks)} in model order")
            starts = [0, *ends]
            return ColumnMap(
                {
                    block: list(range(start, start + sizes[block]))
                    for block, start in zip(blocks, starts, strict=False)
                    if block in needs
                }
            )
    widths = ", ".join(
        f"{sum(sizes[block] for block in blocks)} ({', '.join(blocks)})" for blocks in choices[: len(needs)]
    )
    raise StateError(
        f"{table.path}: {table.width} columns without a header, expected {widths}",
        hint=f"model order: {listed(names.expected('q'))}; or name the columns in a first line",
    )


class _Mapping:
    """Sorts named columns by what they mean."""

    def __init__(self, names: Names, table: Table, needs: Sequence[str], keep: Sequence[str]) -> None:
        self.names = names
        self.table = table
        self.needs = needs
        self.keep = keep
        self.result = ColumnMap()
        self.found: dict[str, dict[int, int]] = {}
        self.skipped: list[str] = []
        self.unknown: list[str] = []
        self.doubled: list[str] = []

    def sort(self) -> None:
        """Give every column its place."""
        columns = self.table.columns or ()
        seen: set[str] = set()
        for at, column in enumerate(columns):
            if isinstance(column, tuple):
                self._enter(column[0], column[1], at, self.table.column_name(at))
                continue
            if column in seen:
                self.doubled.append(column)
            seen.add(column)
            self._sort_named(column, at)
        for name in self.keep:
            if name not in columns:
                named = [column for column in columns if isinstance(column, str)]
                raise UsageError(f"--keep: {self.table.path} has no column {name!r}", hint=nearest(name, named))
            self.result.kept[name] = columns.index(name)

    def _sort_named(self, column: str, at: int) -> None:
        meaning = self.names.column(column)
        if isinstance(meaning, Entry):
            self._enter(meaning.block, meaning.index, at, column)
        elif isinstance(meaning, Dependent):
            if meaning.block in self.needs:
                self.result.dependents.append((at, meaning))
        elif column in TIME_NAMES:
            if self.result.time is None:
                self.result.time = at
            self.result.kept[column] = at
        elif column in self.names.locked_forces or column in self.keep:
            pass
        elif self._written_by_dyn(column):
            self.skipped.append(column)
        else:
            self.unknown.append(column)

    def _enter(self, block: str, index: int, at: int, column: str) -> None:
        if block not in self.needs:
            self.skipped.append(column)
            return
        entries = self.found.setdefault(block, {})
        if index in entries:
            self.doubled.append(f"{self.table.column_name(entries[index])} and {column}")
        entries[index] = at

    def _written_by_dyn(self, column: str) -> bool:
        prefix, _, rest = column.partition("_")
        return is_result(column) or column in _PARTS or (prefix in _PARTS and rest in self.names.expected("qd"))

    def check(self, *, fill_missing: bool, ignore_extra: bool, remarks: Remarks) -> None:
        """Refuse what does not fit, and complete the map."""
        path = self.table.path
        if self.doubled:
            raise StateError(f"{path}: columns that say the same: {listed(self.doubled)}")
        if self.unknown and not ignore_extra:
            raise self._unknown_error()
        for block, entries in self.found.items():
            expected = self.names.expected(block)
            if entries and max(entries) >= len(expected):
                raise StateError(
                    f"{path}: {block} has {max(entries) + 1} values, expected {len(expected)}: {listed(expected)}"
                )
            missing = [f"{block}_{name}" for k, name in enumerate(expected) if k not in entries]
            if missing and not fill_missing:
                what = "columns" if len(missing) > 1 else "column"
                raise StateError(
                    f"{path}: {block} is incomplete, missing {what}: {listed(missing)}",
                    hint="--fill-missing takes the neutral position and zero for them",
                )
            self.result.blocks[block] = [entries.get(k) for k in range(len(expected))]
        if self.skipped:
            remarks.notices.append(f"{path}: columns that are not needed are skipped: {listed(self.skipped, 6)}")

    def _unknown_error(self) -> StateError:
        columns = self.names.columns()
        known = [*self.names.expected("q"), *columns, *TIME_NAMES]
        first, *others = self.unknown
        parts = [name for name in columns if name.startswith((f"{first}.", f"q_{first}."))]
        hint = f"{first!r} has several columns: {listed(parts)}" if parts else nearest(first, known)
        return StateError(
            f"{self.table.path}: column {first!r} fits nothing in the model" + (f"; {hint}" if hint else ""),
            details=[f"column {other!r} neither: {nearest(other, known)}" for other in others[:10]],
            hint=f"coordinates: {listed(self.names.expected('q'))}; --ignore-extra leaves such columns out, "
            "--keep copies them",
        )
