"""`dyn sparsity`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from dyncli.cli.options import ModelChoice, OutputChoice, StateChoice, model_options, output_options, state_options
from dyncli.errors import EXIT_ANSWER_IS_NO
from dyncli.structs import replace

if TYPE_CHECKING:
    from dyncli.cli.chain import InvalidRows
    from dyncli.states import StateBlock
    from dyncli.tree import Tree


@click.command("sparsity")
@model_options
@state_options()
@output_options
@click.option("--plot", metavar="FILE", help="Also draw the pattern, with names, as .svg or .png.")
def command(model: ModelChoice, states: StateChoice, output: OutputChoice, *, plot: str | None) -> int:
    """Structure of M: predicted and observed pattern, fill-in, cost of factorising, what parallelises.

    Predicted: two degrees of freedom of which one carries the other, and what mimic or tendons couple. Observed at 50
    random positions, or at those of --q, --samples or --states.
    """
    from dyncli.cli.chain import InvalidRows, open_output, open_states, output_format, tell_remarks
    from dyncli.result import Header, model_facts
    from dyncli.tasks.sparsity import POSES, pattern_picture, sparsity_facts, sparsity_result

    robot = model.load(degrees=states.degrees)
    tree, session = robot.tree, model.session
    if states.path is None and states.samples is None and states.inline["q"] is None:
        states = replace(states, samples=POSES)
    with open_states(tree, states, ("q",), session) as found:
        left_out = InvalidRows(found.place, session)
        facts = sparsity_facts(tree, _usable(found, left_out))
        tell_remarks(found.remarks, session)
    left_out.finish()
    status = EXIT_ANSWER_IS_NO if left_out.count else 0
    if plot is not None:
        from dyncli.plots.pattern import picture_file
        from dyncli.writers.target import open_target

        target = open_target(plot)
        target.write(picture_file(pattern_picture(tree, facts), plot))
        target.commit()
    if output_format(output) == "table" and output.path is None:
        _show(tree, facts, output)
        return status
    header = Header("sparsity", model_facts(tree, robot.description), (), tuple(session.warnings))
    with open_output(header, output) as writer:
        writer.write(sparsity_result(tree, facts))
    return status


def _usable(blocks: Iterable[StateBlock], left_out: InvalidRows) -> Iterator[StateBlock]:
    """The blocks as they come, their invalid rows told; those hold the neutral position, which shows nothing new."""
    for block in blocks:
        for k, why in sorted(block.invalid.items()):
            left_out.tell((block.first + k, None if block.lines is None else block.lines[k], why))
        yield block


def _show(tree: Tree, facts: dict[str, Any], output: OutputChoice) -> None:
    """The text and the picture."""
    from dyncli.cli.chain import terminal_width, wants_color
    from dyncli.cli.sparsity_text import lines
    from dyncli.plots.pattern import blocks
    from dyncli.tasks.sparsity import pattern_picture

    color = wants_color(output.color, on_terminal=sys.stdout.isatty())
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    picture = pattern_picture(tree, facts)
    for line in lines(tree, facts):
        click.echo(line)
    drawn = blocks(picture, width=terminal_width(), unicode=unicode)
    for spans in drawn.lines:
        text = "".join(click.style(text, fg=shade) if color and shade else text for text, shade in spans)
        click.echo(text.rstrip(), color=color)
    click.echo(drawn.legend)
