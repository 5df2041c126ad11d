"""A comparison as a result: a difference a row, the whole change behind them."""

from __future__ import annotations

from typing import Any

from dyncli.compare import Change, Comparison, Effect
from dyncli.result import Leaf, Result, Sheet

COLUMNS = ("kind", "element", "attribute", "a", "b", "mass_matrix", "gravity_torque")


def result_of(comparison: Comparison) -> Result:
    """JSON values and rows of text; `mass_matrix` and `gravity_torque` hold the greatest change over the poses."""
    matched = comparison.matched
    values = {
        "differences": [_facts(effect) for effect in comparison.effects],
        "only_in_a": list(matched.only_a),
        "only_in_b": list(matched.only_b),
        "elsewhere": list(matched.moved),
        "mass_matrix": _pair(comparison, 0),
        "gravity_torque": _pair(comparison, 1),
        "poses": comparison.poses,
    }
    rows: list[list[Leaf]] = [["joint", f"joint {name!r}", "only in A", "", "", "", ""] for name in matched.only_a]
    rows += [["joint", f"joint {name!r}", "only in B", "", "", "", ""] for name in matched.only_b]
    rows += [["joint", f"joint {name!r}", "hangs elsewhere", "", "", "", ""] for name in matched.moved]
    for effect in comparison.effects:
        said = effect.difference
        changes = [_greatest(change) for change in (effect.mass_matrix, effect.gravity_torque)]
        rows.append([said.kind, said.element, said.attribute, _text(said.a), _text(said.b), *changes])
    if comparison.whole and comparison.rest:
        for name, pair in (("below tolerance", comparison.rest), ("whole", comparison.whole)):
            rows.append(["total", name, "", "", "", *map(_greatest, pair)])
    return Result(1, values, Sheet(COLUMNS, rows, labels=3))


def _facts(effect: Effect) -> dict[str, Any]:
    said = effect.difference
    return {
        "kind": said.kind,
        "element": said.element,
        "attribute": said.attribute,
        "a": said.a,
        "b": said.b,
        "mass_matrix": _change(effect.mass_matrix),
        "gravity_torque": _change(effect.gravity_torque),
    }


def _pair(comparison: Comparison, index: int) -> dict[str, Any] | None:
    if comparison.whole is None or comparison.rest is None:
        return None
    return {"whole": _change(comparison.whole[index]), "below_tolerance": _change(comparison.rest[index])}


def _change(change: Change | None) -> dict[str, Any] | None:
    if change is None:
        return None
    return {"greatest": change.greatest, "relative": change.relative, "at": list(change.at)}


def _greatest(change: Change | None) -> Leaf:
    return "" if change is None else change.greatest


def _text(value: Any) -> str:
    """Several numbers in one cell, `none` for no limit."""
    if value is None:
        return "none"
    if isinstance(value, list):
        return " ".join(_text(entry) for entry in value)
    return f"{value:.9g}" if isinstance(value, float) else str(value)
