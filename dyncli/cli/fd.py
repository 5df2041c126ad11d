"""`dyn fd`."""

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


@click.command("fd")
@model_options
@state_options("qd", "tau")
@run_options
@wrench_options
@passive_option
@click.option(
    "--method",
    type=click.Choice(["aba", "crba", "sparse"]),
    default="aba",
    help="aba: O(n); crba: M and a dense Cholesky factor; sparse: M = LᵀL without fill-in.",
)
@click.option("--summary", is_flag=True, help="Over all states, a joint a line: extremes and RMS.")
def command(
    model: ModelChoice,
    states: StateChoice,
    output: OutputChoice,
    wrenches: list[WrenchText],
    *,
    passive: bool,
    method: str,
    summary: bool,
) -> int:
    """Joint accelerations qdd (rad/s², m/s²) under the joint forces tau at q and qd."""
    from dyncli.cli.chain import answer_states, tell_passive
    from dyncli.tasks.fd import FdTask

    robot = model.load(degrees=states.degrees)
    task = FdTask(
        robot,
        method=method,
        wrenches=[text.on(robot.tree) for text in wrenches],
        passive=passive,
        degrees=states.degrees,
    )
    tell_passive(robot, model.session, passive=passive, friction_left_out=True)
    return answer_states(task, states, output, model.session, summary=summary)
