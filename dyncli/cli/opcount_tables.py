"""`dyn opcount`: the tables of a robot, of chains and of crossovers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dyncli.cli.chain import open_output, output_format
from dyncli.cli.options import OutputChoice
from dyncli.cli.session import Session
from dyncli.result import Header, model_facts
from dyncli.tasks import opcount

if TYPE_CHECKING:
    from dyncli.robot import Robot

EVERY_MODEL = tuple(opcount.MODEL_NOTES)


def answer_robot(
    robot: Robot,
    algorithms: Sequence[str],
    models: Sequence[str],
    output: OutputChoice,
    session: Session,
    *,
    timed: bool,
) -> int:
    """The counts on this robot."""
    algorithms, models = algorithms or opcount.USUAL, models or EVERY_MODEL
    for text in opcount.left_out(robot.tree, algorithms, models):
        session.notice(text)
    counts = opcount.robot_counts(robot.tree, algorithms, models, timed=timed)
    notes = [opcount.MODEL_NOTES[name] for name in models]
    if output_format(output) == "table" and not timed:
        notes += opcount.cheapest_notes(robot.tree, models)
    with open_output(_header(robot, notes, session), output) as writer:
        writer.write(opcount.counts_result(counts, timed=timed))
    return 0


def answer_chains(
    robot: Robot,
    sizes: Sequence[int],
    algorithms: Sequence[str],
    models: Sequence[str],
    output: OutputChoice,
    session: Session,
    timed: bool,
    plot: str | None,
) -> int:
    """The counts on chains, a result a size, with slopes and ratios; and the curves to a file."""
    growths = opcount.chain_growths(sizes, algorithms or opcount.USUAL, models)
    for text in opcount.too_long(sizes, growths):
        session.notice(text)
    notes = ["serial chains of revolute joints with generic placements, axes and inertias"]
    notes += [opcount.MODEL_NOTES[name] for name in models]
    facts = opcount.growth_facts(sizes, growths)
    if plot is not None:
        from dyncli.plots.loglog import save

        save(
            plot,
            opcount.growth_curves(sizes, growths),
            x_label="joints",
            y_label="operations",
            title="operations on serial chains",
        )
    with open_output(_header(robot, notes, session), output) as writer:
        for result in opcount.chain_results(sizes, growths, timed=timed):
            writer.write(result)
        writer.close([], {"growth": facts})
    if output.path is None and output_format(output) == "table":
        for line in _growth_lines(sizes, facts):
            click.echo(line)
    return 0


def answer_crossovers(
    robot: Robot, models: Sequence[str], branchings: Sequence[int], output: OutputChoice, session: Session
) -> int:
    """From how many joints on ABA is cheaper, and this robot's cheapest route."""
    models = models or EVERY_MODEL
    notes = opcount.crossover_notes(robot.tree, models)
    with open_output(_header(robot, notes, session), output) as writer:
        writer.write(opcount.crossover_result(robot.tree, models, branchings))
    return 0


def _header(robot: Robot, notes: Sequence[str], session: Session) -> Header:
    return Header("opcount", model_facts(robot.tree, robot.description), tuple(notes), tuple(session.warnings))


def _growth_lines(sizes: Sequence[int], facts: Sequence[opcount.Facts]) -> list[str]:
    """Slopes and the ratio to ABA at each size, a line an algorithm and model."""

    def cell(value: float | None, width: int) -> str:
        return ("" if value is None else f"{value:.2f}").rjust(width)

    words = [f"{fact['algorithm']} {fact['model']}" for fact in facts]
    wide = max(map(len, words), default=0)
    lines = [" " * wide + "   slope    last   ratio to ABA at " + "".join(str(size).rjust(9) for size in sizes)]
    for word, fact in zip(words, facts, strict=True):
        ratios = "".join(cell(ratio, 9) for ratio in fact["ratio_to_aba"])
        lines.append(word.ljust(wide) + cell(fact["slope"], 8) + cell(fact["last_slope"], 8) + " " * 19 + ratios)
    return ["", *(line.rstrip() for line in lines)]
