"""What is wrong with the file, and whether the numbers hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyncli.errors import Finding
from dyncli.lint import SEVERITIES, counted
from dyncli.structs import struct
from dyncli.verify.agreement import Agreement
from dyncli.verify.subject import Check

Facts = dict[str, Any]


@struct
class Verification:
    """What `verify` found: identities, libraries, joints at which M is singular; or why it was `left_out`."""

    checks: Sequence[Check] = ()
    agreements: Sequence[Agreement] = ()
    singular: Sequence[str] = ()
    states: int = 0
    left_out: str = ""


def lint(findings: Sequence[Finding]) -> Facts:
    """Findings with the gravest first."""
    ordered = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    worst = ordered[0].severity if ordered else "ok"
    return {"findings": ordered, "counts": counted(findings), "worst": worst}


def verify(found: Verification) -> Facts:
    """Checks, and a row a library; `verdict` is what the head of the page shows."""
    failed = [check for check in found.checks if not check.passed]
    compared = [agreement for agreement in found.agreements if agreement.errors]
    apart = [agreement for agreement in compared if not agreement.passed]
    return {
        "found": found,
        "passed": len(found.checks) - len(failed),
        "compared": [_library(agreement) for agreement in compared],
        "absent": [agreement for agreement in found.agreements if not agreement.errors],
        "quantities": list(dict.fromkeys(name for agreement in compared for name in agreement.errors)),
        "agree": len(compared) - len(apart),
        "verdict": "left out" if found.left_out else "error" if failed or apart else "ok",
    }


def _library(agreement: Agreement) -> Facts:
    verdict = "ok" if not agreement.beyond else "explained" if agreement.explained else "failed"
    return {"of": agreement, "verdict": verdict, "beyond": agreement.beyond}
