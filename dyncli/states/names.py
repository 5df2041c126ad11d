"""What the names in values and column headers mean on a robot."""

from __future__ import annotations

from functools import cached_property

from dyncli.states.block import BLOCKS, angular
from dyncli.structs import struct
from dyncli.tree import Tree


@struct
class Entry:
    """Entry `index` of a block; `angular`: in degrees with `--degrees`."""

    block: str
    index: int
    angular: bool


@struct
class Dependent:
    """A value of a joint without coordinates of its own: multiplier * entry `driver` of its block + offset.

    `driver` None: a locked joint, whose value is `offset`. `why` completes "NAME ...".
    """

    block: str
    driver: int | None
    multiplier: float
    offset: float
    angular: bool
    why: str


class Names:
    """Names of a robot's coordinates and degrees of freedom, block by block (`q`, `qd`, `qdd`, `tau`)."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.q_angular, self.v_angular = angular(tree)

    def expected(self, block: str) -> tuple[str, ...]:
        """Names of a block's entries, in model order."""
        return self.tree.coordinates if block == "q" else self.tree.dofs

    def angular(self, block: str) -> tuple[bool, ...]:
        """Which entries of a block are in degrees with `--degrees`."""
        if block == "tau":
            return (False,) * self.tree.nv
        return self.q_angular if block == "q" else self.v_angular

    @cached_property
    def entries(self) -> dict[str, dict[str, Entry]]:
        """Block -> name -> entry."""
        return {
            block: {
                name: Entry(block, k, turn)
                for k, (name, turn) in enumerate(zip(self.expected(block), self.angular(block), strict=True))
            }
            for block in BLOCKS
        }

    @cached_property
    def dependents(self) -> dict[str, dict[str, Dependent]]:
        """Block -> name -> value of a joint that mimics another or is locked."""
        found: dict[str, dict[str, Dependent]] = {block: {} for block in BLOCKS}
        for body in self.tree.bodies:
            joint = body.joint
            if joint.mimics:
                why = f"mimics {joint.mimics!r}"
                turn = joint.type.coordinate_units == ("rad",)
                position = Dependent("q", joint.index_q, joint.multiplier, joint.offset, turn, why)
                found["q"][joint.name] = position
                for block in ("qd", "qdd"):
                    found[block][joint.name] = Dependent(block, joint.index_v, joint.multiplier, 0.0, turn, why)
                found["tau"][joint.name] = Dependent("tau", None, 0.0, 0.0, False, f"{why}, which carries its force")
        types = dict(self.tree.movable)
        for name, values in (self.tree.locked or {}).items():
            kind = types[name]
            for suffix, unit, value in zip(kind.coordinate_suffixes, kind.coordinate_units, values, strict=True):
                turn = unit == "rad"
                found["q"][_full(name, suffix)] = Dependent("q", None, 0.0, value, turn, "is locked")
            for suffix in kind.velocity_suffixes:
                for block in ("qd", "qdd"):
                    found[block][_full(name, suffix)] = Dependent(block, None, 0.0, 0.0, False, "is locked")
        return found

    @cached_property
    def locked_forces(self) -> frozenset[str]:
        """Columns of the forces that hold locked joints: accepted, and nothing to compare them with."""
        types = dict(self.tree.movable)
        locked = self.tree.locked or {}
        return frozenset(f"tau_{_full(name, suffix)}" for name in locked for suffix in types[name].velocity_suffixes)

    def column(self, name: str) -> Entry | Dependent | None:
        """What a column of this name holds: `q_NAME`, `qd_NAME`, `qdd_NAME`, `tau_NAME`, or NAME for q."""
        for block in BLOCKS:
            if name.startswith(f"{block}_"):
                own = name.removeprefix(f"{block}_")
                found = self.entries[block].get(own) or self.dependents[block].get(own)
                if found:
                    return found
        return self.entries["q"].get(name) or self.dependents["q"].get(name)

    def columns(self, blocks: tuple[str, ...] = BLOCKS) -> list[str]:
        """Names of all columns of these blocks."""
        return [f"{block}_{name}" for block in blocks for name in self.expected(block)]


def _full(joint: str, suffix: str) -> str:
    return f"{joint}.{suffix}" if suffix else joint


def listed(names: tuple[str, ...] | list[str], most: int = 12) -> str:
    """Names in a row, the rest of a long list as a count."""
    shown = ", ".join(names[:most])
    return f"{shown}, ... ({len(names)} in all)" if len(names) > most else shown
