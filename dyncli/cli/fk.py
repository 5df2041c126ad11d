"""`dyn fk`."""

from __future__ import annotations

import click

from dyncli.cli import values
from dyncli.cli.completion import frames
from dyncli.cli.ik_values import AXES, chosen_rows, tool_pose, with_tool
from dyncli.cli.options import (
    ModelChoice,
    OutputChoice,
    StateChoice,
    model_options,
    run_options,
    state_options,
)
from dyncli.errors import UsageError


@click.command("fk")
@model_options
@state_options()
@run_options
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
    help="Also J of this frame: rows linear then angular, world axes, and its singular values.",
)
@click.option("--axes", metavar=f"[{AXES}]", help="Rows of --jacobian to report on: x, y, z; turns about r, p, w.")
@click.option(
    "--tool", metavar="X,Y,Z[,QW,QX,QY,QZ]", help="A point and orientation fixed in each frame, used instead."
)
def command(
    model: ModelChoice,
    states: StateChoice,
    output: OutputChoice,
    *,
    frame: tuple[str, ...],
    seen_from: str | None,
    jacobian: str | None,
    axes: str | None,
    tool: str | None,
) -> int:
    """Poses of frames (m, quaternion w first, rotation matrix) in the world, and Jacobians.

    With --jacobian also singular values, manipulability, condition and singularity: of the linear and the angular part
    each, or of the rows of --axes together (r, p, w about the frame's own axes).
    """
    from dyncli.cli.chain import answer_states
    from dyncli.tasks.fk import FkTask

    robot = model.load(degrees=states.degrees)
    tree = robot.tree
    chosen = values.names(frame) or tuple(tree.frames)
    if axes is not None and jacobian is None:
        raise UsageError("--axes chooses rows of a Jacobian", hint="add --jacobian FRAME")
    moved = tool_pose(tool)
    task = FkTask(
        robot,
        [with_tool(values.find_frame(tree, name, "--frame"), moved) for name in chosen],
        seen_from=None if seen_from is None else values.find_frame(tree, seen_from, "--from"),
        jacobian_of=None if jacobian is None else with_tool(values.find_frame(tree, jacobian, "--jacobian"), moved),
        rows=None if axes is None else chosen_rows(axes, position=True, rotation=True),
    )
    return answer_states(task, states, output, model.session)
