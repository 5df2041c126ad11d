"""`dyn mass`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from dyncli.cli import values
from dyncli.cli.completion import frames
from dyncli.cli.options import (
    ModelChoice,
    OutputChoice,
    StateChoice,
    model_options,
    run_options,
    state_options,
)
from dyncli.errors import UsageError

if TYPE_CHECKING:
    from dyncli.tree import Frame, Tree


@click.command("mass")
@model_options
@state_options("qd")
@run_options
@click.option("--inverse", is_flag=True, help="Also M⁻¹.")
@click.option("--factor", is_flag=True, help="Also L, sparse and lower triangular, with M = LᵀL in the file's order.")
@click.option("--spectrum", is_flag=True, help="Also the eigenvalues and the condition number.")
@click.option("--energy", is_flag=True, help="Also kinetic and potential energy, J.")
@click.option("--coriolis", is_flag=True, help="Also C, with C qd the Coriolis force and dM/dt - 2C skew.")
@click.option(
    "--task",
    metavar="FRAME[@X,Y,Z]",
    shell_complete=frames,
    help="Also the inertia felt at a frame (rows linear, then angular; world axes), and the mass in a direction.",
)
@click.option("--method", type=click.Choice(["crba", "rnea"]), default="crba", help="How M is computed.")
def command(
    model: ModelChoice,
    states: StateChoice,
    output: OutputChoice,
    *,
    inverse: bool,
    factor: bool,
    spectrum: bool,
    energy: bool,
    coriolis: bool,
    task: str | None,
    method: str,
) -> int:
    """Mass matrix M(q) (kg m², kg m, kg), armature included."""
    from dyncli.cli.chain import answer_states
    from dyncli.tasks.mass import MassParts, MassTask

    robot = model.load(degrees=states.degrees)
    at = None if task is None else task_frame(robot.tree, task)
    parts = MassParts(inverse, factor, spectrum, energy, coriolis, at)
    return answer_states(MassTask(robot, parts, method=method), states, output, model.session)


def task_frame(tree: Tree, text: str) -> tuple[Frame, tuple[float, float, float] | None]:
    """`FRAME[@X,Y,Z]`: the frame and a unit direction in world axes. A frame whose whole name this is comes first."""
    name, at, direction = text.rpartition("@")
    if text in tree.frames or not at:
        return values.find_frame(tree, text, "--task"), None
    frame = values.find_frame(tree, name, "--task")
    x, y, z = values.numbers(direction, "--task", (3,), "FRAME@X,Y,Z")
    norm = math.hypot(x, y, z)
    if norm == 0.0:
        raise UsageError("--task: the direction 0,0,0 points nowhere")
    return frame, (x / norm, y / norm, z / norm)
