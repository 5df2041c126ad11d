"""`dyn derivs --compare` and `--sweep`: tables of the methods, and the curves of error against step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dyncli.cli.chain import header_notes, open_output, open_states, output_format, tell_remarks
from dyncli.cli.options import OutputChoice, StateChoice
from dyncli.cli.session import Session
from dyncli.result import Header, Result, model_facts
from dyncli.tasks.derivs_methods import compare_methods, compare_result, curves, sweep_result, sweep_steps

if TYPE_CHECKING:
    from dyncli.tasks.derivs import DerivsTask


def answer_compare(task: DerivsTask, states: StateChoice, output: OutputChoice, session: Session) -> int:
    """The table of all methods on the states that were asked for."""
    with open_states(task.tree, states, ("q", *task.needs), session) as found:
        reports = compare_methods(task.robot, task.derivative, found)
        tell_remarks(found.remarks, session)
    note = (
        "largest error relative to the matrix's largest entry, against the complex step; seconds and operations a state"
    )
    _write(task, compare_result(reports), note, states, output, session)
    return 0


def answer_sweep(
    task: DerivsTask, states: StateChoice, output: OutputChoice, session: Session, plot: str | None
) -> int:
    """The table of errors by step size, drawn to a file or, below a table, in text."""
    with open_states(task.tree, states, ("q", *task.needs), session) as found:
        sweep = sweep_steps(task.robot, task.derivative, found)
        tell_remarks(found.remarks, session)
    drawn = dict(curves(sweep))
    if plot is not None:
        from dyncli.plots.loglog import save

        save(
            plot,
            drawn,
            x_label="step",
            y_label="relative error",
            title=f"{task.tree.name}: derivatives of {task.derivative.of}",
        )
    _write(task, sweep_result(sweep), "largest relative error against dual numbers", states, output, session)
    if output.path is None and output_format(output) == "table":
        from dyncli.plots.loglog import text

        click.echo(text(drawn, x_label="step", y_label="relative error"))
    return 0


def _write(
    task: DerivsTask, result: Result, note: str, states: StateChoice, output: OutputChoice, session: Session
) -> None:
    header = Header(
        task.command,
        model_facts(task.tree, task.robot.description, degrees=states.degrees),
        (*header_notes(task.tree, degrees=states.degrees), *task.notes()[1:], note),
        tuple(session.warnings),
    )
    with open_output(header, output) as writer:
        writer.write(result, {})
        writer.close([])
