"""`dyn report`."""

from __future__ import annotations

import sys
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click

from dyncli.cli import values
from dyncli.cli.options import ModelChoice, model_options
from dyncli.structs import replace

if TYPE_CHECKING:
    from dyncli.errors import Finding
    from dyncli.robot import Robot

SUFFIXES = (".html", ".htm", "")


@click.command("report")
@model_options
@click.option(
    "-o", "--output", metavar="FILE.html", help="Write to FILE, whole or not at all; without it to standard output."
)
@click.option(
    "--against",
    multiple=True,
    metavar="NAME,...",
    help="Libraries to compare the numbers with, as in verify, or none. Default: those installed.",
)
@click.option("--degrees", is_flag=True, help="Angles of limits and ranges, and of --lock, in degrees.")
def command(model: ModelChoice, output: str | None, against: tuple[str, ...], *, degrees: bool) -> int:
    """One self-contained HTML page about a robot.

    The tree and the robot at rest drawn, tables of joints and bodies, mass budget, sparsity of the mass matrix,
    operation counts, gravity torque over each joint's range, manipulability over the workspace of the tips, lint
    findings, and what verify finds. The page needs no network and no script. Extra: report.
    """
    from dyncli.errors import UsageError
    from dyncli.report import report_page
    from dyncli.writers.target import open_target

    if output is None and sys.stdout.isatty():
        raise UsageError("a page of HTML is nothing for a terminal", hint="-o report.html")
    if PurePath(output or "").suffix.lower() not in SUFFIXES:
        raise UsageError(f"-o {output}: a report is HTML", hint=f"-o {PurePath(output or '').with_suffix('.html')}")
    names = list(values.names(against)) or None
    robot, findings = _inspected(model, degrees=degrees)
    target = open_target(output)
    try:
        page = report_page(robot, findings, against=[] if names == ["none"] else names, degrees=degrees)
        target.write(page.encode())
        target.commit()
    except BaseException:
        target.discard()
        raise
    return 0


def _inspected(model: ModelChoice, *, degrees: bool) -> tuple[Robot, tuple[Finding, ...]]:
    """The robot and what lint finds, out of one reading of the file: it may be standard input."""
    from dyncli.errors import ModelError
    from dyncli.lint import lint_file
    from dyncli.robot import Robot

    options = replace(model.options, lock_degrees=degrees)
    restrict = None if model.restrict is None else Path(model.restrict)
    report = lint_file(model.path, options=options, restrict=restrict, xacro=model.xacro, xacro_args=model.xacro_args)
    if report.description is None:
        raise ModelError(report.findings)
    model.session.tell_findings(report.description.findings)
    for text in report.description.ignored:
        model.session.notice(text)
    return Robot(report.description, options), report.findings
