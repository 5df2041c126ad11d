"""Findings as text for people: place, severity and code on one line, what is wrong and what to do below it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence

from dyncli.errors import Finding
from dyncli.lint import Report, counted

INDENT = "    "
Paint = Callable[[str, str], str]
"""Text and severity (or `strong`) to text, perhaps in colour."""


def plain(text: str, _: str) -> str:
    """No colour at all."""
    return text


def lines_of(reports: Sequence[Report], *, width: int | None = None, paint: Paint = plain) -> Iterator[str]:
    """Lines of text, folded at `width` columns, with the counts at the end."""
    for report in reports:
        for finding in report.findings:
            yield from _lines(finding, report.path, width, paint)
    if len(reports) > 1:
        clean = sum(not report.findings for report in reports)
        yield f"{len(reports)} files, {clean} without findings"
    yield counted([finding for report in reports for finding in report.findings])


def _lines(finding: Finding, path: str, width: int | None, paint: Paint) -> Iterator[str]:
    place = finding.place or path
    severity = paint(finding.severity, finding.severity)
    element = f" {paint(finding.element, 'strong')}" if finding.element else ""
    yield f"{place}: {severity} {finding.code}{element}"
    for text in (finding.message, f"-> {finding.hint}" if finding.hint else ""):
        if width is None:
            yield from [INDENT + text] if text else []
        else:
            yield from textwrap.wrap(
                text, max(width, 40), initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False
            )
