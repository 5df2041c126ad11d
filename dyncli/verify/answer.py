"""A verification as a result: a check or a compared quantity a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyncli.result import Leaf, Result, Sheet
from dyncli.verify.agreement import Agreement
from dyncli.verify.subject import Check

COLUMNS = ("against", "check", "error", "tolerance", "verdict")
ITSELF = "itself"


def result_of(checks: Sequence[Check], agreements: Sequence[Agreement]) -> Result:
    """JSON values of CLI.md, and rows: first the identities, then a row a quantity of each library."""
    values = {
        "checks": [_facts(check) for check in checks],
        "libraries": {agreement.name: _library(agreement) for agreement in agreements},
    }
    rows: list[list[Leaf]] = [
        [ITSELF, check.name, check.error, check.tolerance, _verdict(check.passed)] for check in checks
    ]
    for agreement in agreements:
        if agreement.unavailable:
            rows.append([agreement.name, agreement.unavailable, None, None, "left out"])
        for name, error in agreement.errors.items():
            bound = agreement.tolerances[name]
            verdict = "ok" if error <= bound else "explained" if agreement.explained else "FAILED"
            rows.append([agreement.name, name, error, bound, verdict])
    return Result(1, values, Sheet(COLUMNS, rows, labels=2))


def _facts(check: Check) -> dict[str, Any]:
    return {"name": check.name, "error": check.error, "tolerance": check.tolerance, "passed": check.passed}


def _library(agreement: Agreement) -> dict[str, Any]:
    if agreement.unavailable:
        return {"unavailable": agreement.unavailable}
    return {
        "version": agreement.version,
        "quantities": dict(agreement.errors),
        "tolerances": dict(agreement.tolerances),
        "passed": agreement.passed,
        "loaded_by": agreement.loaded_by,
        "why": list(agreement.why),
    }


def _verdict(passed: bool) -> str:
    return "ok" if passed else "FAILED"
