"""`dyn fk`."""

from __future__ import annotations

import click

from dyncli.cli import values
from dyncli.cli.completion import frames
from dyncli.cli.options import (
    ModelChoice,
    OutputChoice,
    StateChoice,
    model_options,
    output_options,
    state_options,
)


@click.command("fk")
@model_options
@state_options()
@output_options
@click.option(
    "--frame",
    multiple=True,
    metavar="NAME,...",
    shell_complete=frames,
    help="Links, bodies or sites (default: all). Repeatable.",
)
@click.option(
    "--from", "seen_from", metavar="FRAME", shell_complete=frames, help="Poses in this frame instead of the world."
)
@click.option(
    "--jacobian",
    metavar="FRAME",
    shell_complete=frames,
    help="Also J of this frame: rows linear then angular, world axes.",
)
def command(
    model: ModelChoice,
    states: StateChoice,
    output: OutputChoice,
    *,
    frame: tuple[str, ...],
    seen_from: str | None,
    jacobian: str | None,
) -> int:
    """Poses of frames (m, quaternion w first, rotation matrix) in the world, and Jacobians."""
    from dyncli.cli.chain import answer_states
    from dyncli.tasks.fk import FkTask

    robot = model.load(degrees=states.degrees)
    tree = robot.tree
    chosen = values.names(frame) or tuple(tree.frames)
    task = FkTask(
        robot,
        [values.find_frame(tree, name, "--frame") for name in chosen],
        seen_from=None if seen_from is None else values.find_frame(tree, seen_from, "--from"),
        jacobian_of=None if jacobian is None else values.find_frame(tree, jacobian, "--jacobian"),
    )
    return answer_states(task, states, output, model.session)
