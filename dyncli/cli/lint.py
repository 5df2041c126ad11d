"""`dyn lint`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dyncli.cli import values
from dyncli.cli.options import ModelChoice, OutputChoice, models_options, output_options_with
from dyncli.structs import replace

if TYPE_CHECKING:
    from dyncli.lint import Report

_COLORS = {"error": "red", "warning": "yellow", "note": "blue"}


def _list_codes(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from dyncli.lint.catalogue import CATALOGUE

        for code, entry in CATALOGUE.items():
            click.echo(f"{code:24}{entry.summary}")
        context.exit()


@click.command("lint")
@models_options(-1, "MODEL...")
@output_options_with("sarif")
@click.option("--select", multiple=True, metavar="CODE,...", help="Only findings of these codes.")
@click.option("--ignore", multiple=True, metavar="CODE,...", help="No findings of these codes.")
@click.option(
    "--codes",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_codes,
    help="List the codes and what they stand for.",
)
def command(
    models: tuple[ModelChoice, ...], output: OutputChoice, select: tuple[str, ...], ignore: tuple[str, ...]
) -> int:
    """Faults of robot files that make their dynamics wrong or singular.

    MODEL may be several files or folders; in a folder, files *.urdf, *.xml and *.mjcf that hold a robot are looked at.
    Every finding has a code, a severity, its line and what to do. Exit status 1 if one is an error.
    """
    from dyncli.errors import EXIT_ANSWER_IS_NO
    from dyncli.lint import chosen
    from dyncli.lint.files import robot_files

    session = models[0].session
    wanted, unwanted = values.names(select), values.names(ignore)
    paths, passed = robot_files(model.path for model in models)
    if passed:
        files = "1 file" if len(passed) == 1 else f"{len(passed)} files"
        session.notice(f"passed over as no robot: {files} ({passed[0]}{'' if len(passed) == 1 else '...'})")
    reports = []
    for path in paths:
        report = _inspect(replace(models[0], path=path), alone=len(paths) == 1)
        reports.append(replace(report, findings=tuple(chosen(report.findings, wanted, unwanted))))
    findings = [finding for report in reports for finding in report.findings]
    _write(reports, output)
    failing = ("error", "warning") if session.strict else ("error",)
    return EXIT_ANSWER_IS_NO if any(finding.severity in failing for finding in findings) else 0


def _inspect(model: ModelChoice, *, alone: bool) -> Report:
    """Findings on one file; among several, one that is no XML is a finding like others."""
    from pathlib import Path

    from dyncli.errors import ModelError
    from dyncli.lint import lint_file, refused

    restrict = None if model.restrict is None else Path(model.restrict)
    try:
        return lint_file(
            model.path, options=model.options, restrict=restrict, xacro=model.xacro, xacro_args=model.xacro_args
        )
    except ModelError as error:
        if alone:
            raise
        return refused(model.path, error)


def _write(reports: list[Report], output: OutputChoice) -> None:
    """The findings in the format that is asked for by name or by the suffix of the output."""
    import sys

    from dyncli.writers import format_of

    by_suffix = "sarif" if (output.path or "").endswith(".sarif") else None
    format = output.format or by_suffix or format_of(output.path, on_terminal=sys.stdout.isatty())
    if format == "sarif":
        _write_text(_sarif(reports), output)
    elif format == "table":
        _write_text(_text(reports, output), output)
    else:
        _write_result(reports, output)


def _write_text(text: str, output: OutputChoice) -> None:
    from dyncli.writers.target import open_target

    target = open_target(output.path)
    target.write(text.encode(target.encoding, errors="replace"))
    target.commit()


def _sarif(reports: list[Report]) -> str:
    import json

    from dyncli.lint.sarif import sarif_log

    return json.dumps(sarif_log(reports), indent=1, ensure_ascii=False) + "\n"


def _text(reports: list[Report], output: OutputChoice) -> str:
    """Text for people, in colours and folded where a terminal shows it."""
    import sys

    from dyncli.cli.chain import terminal_width, wants_color
    from dyncli.lint.text import lines_of, plain

    to_terminal = output.path is None and sys.stdout.isatty()
    paint = _colored if wants_color(output.color, on_terminal=to_terminal) else plain
    width = terminal_width() if to_terminal else None
    return "".join(f"{line}\n" for line in lines_of(reports, width=width, paint=paint))


def _colored(text: str, style: str) -> str:
    return click.style(text, fg=_COLORS.get(style), bold=True)


def _write_result(reports: list[Report], output: OutputChoice) -> None:
    """Rows or JSON, with the facts about the model where there is one alone and it loads."""
    from dyncli.build import build_tree
    from dyncli.cli.chain import open_output
    from dyncli.lint.answer import result_of
    from dyncli.result import Header, model_facts

    described = reports[0].description if len(reports) == 1 else None
    model = model_facts(build_tree(described), described) if described else {}
    with open_output(Header("lint", model), output) as writer:
        writer.write(result_of(reports))
