"""`dyn rnea`."""

from __future__ import annotations

import click

from dyncli.cli.options import (
    ModelChoice,
    OutputChoice,
    StateChoice,
    model_options,
    passive_option,
    run_options,
    state_options,
    wrench_options,
)
from dyncli.cli.values import WrenchText


@click.command("rnea")
@model_options
@state_options("qd", "qdd")
@run_options
@wrench_options
@passive_option
@click.option("--split", is_flag=True, help="Also gravity, coriolis, inertia (passive, external): they add up to tau.")
@click.option(
    "--reactions",
    is_flag=True,
    help="Force and moment in every joint, parent on child, in the child link's frame at its origin.",
)
@click.option(
    "--summary", is_flag=True, help="Over all states, a joint a line: extremes, RMS, share of the effort limit."
)
def command(
    model: ModelChoice,
    states: StateChoice,
    output: OutputChoice,
    wrenches: list[WrenchText],
    *,
    passive: bool,
    split: bool,
    reactions: bool,
    summary: bool,
) -> int:
    """Joint forces tau (N m, N) that give the acceleration qdd at q and qd.

    tau is what the motors must supply: positive when it lifts. Without states: the neutral position at rest.
    """
    from dyncli.cli.chain import answer_states, tell_passive
    from dyncli.tasks.rnea import RneaTask

    robot = model.load(degrees=states.degrees)
    task = RneaTask(
        robot,
        wrenches=[text.on(robot.tree) for text in wrenches],
        split=split,
        reactions=reactions,
        passive=passive,
    )
    tell_passive(robot, model.session, passive=passive)
    return answer_states(task, states, output, model.session, summary=summary)
