"""Findings as SARIF 2.1.0, which code review shows beside the lines they are about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from dyncli import __version__
from dyncli.errors import Finding
from dyncli.lint import Report
from dyncli.lint.catalogue import advice, summary

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(reports: Sequence[Report]) -> dict[str, Any]:
    """A log of one run; paths as they were given, so that a run from a repository's root is relative to it."""
    findings = [finding for report in reports for finding in report.findings]
    codes = sorted({finding.code for finding in findings})
    index = {code: k for k, code in enumerate(codes)}
    driver = {"name": "dyn", "semanticVersion": __version__, "rules": [_rule(code) for code in codes]}
    results = [_result(finding, report.path, index) for report in reports for finding in report.findings]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _rule(code: str) -> dict[str, Any]:
    return {"id": code, "shortDescription": {"text": summary(code)}, "help": {"text": advice(code)}}


def _result(finding: Finding, path: str, index: dict[str, int]) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.path or path)}}
    if finding.line:
        physical["region"] = {"startLine": finding.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.element:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.element}]
    text = f"{finding.element}: {finding.message}" if finding.element else finding.message
    return {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": finding.severity,
        "message": {"text": f"{text}. {finding.hint}" if finding.hint else text},
        "locations": [location],
    }


def _uri(path: str) -> str:
    """A relative URI of the path, or a file URI of an absolute one."""
    from urllib.parse import quote

    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(pure.as_posix())
