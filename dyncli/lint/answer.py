"""Findings as a result: one a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyncli.errors import Finding
from dyncli.lint import SEVERITIES, Report
from dyncli.result import Result, Sheet

COLUMNS = ("file", "line", "severity", "code", "element", "message", "hint")


def result_of(reports: Sequence[Report]) -> Result:
    """All findings of all files, each with its file, and the counts of each file."""
    findings = [_facts(finding, report.path) for report in reports for finding in report.findings]
    rows = [[facts[column] for column in COLUMNS] for facts in findings]
    return Result(1, {"findings": findings, "files": [_counts(report) for report in reports]}, Sheet(COLUMNS, rows))


def _facts(finding: Finding, path: str) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "element": finding.element,
        "file": finding.path or path,
        "line": finding.line,
        "message": finding.message,
        "hint": finding.hint,
    }


def _counts(report: Report) -> dict[str, Any]:
    severities = [finding.severity for finding in report.findings]
    return {"file": report.path, "loads": report.description is not None} | {
        f"{severity}s": severities.count(severity) for severity in SEVERITIES
    }
