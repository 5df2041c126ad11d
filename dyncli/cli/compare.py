"""`dyn compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dyncli.cli.options import ModelChoice, OutputChoice, models_options, output_options
from dyncli.structs import replace

if TYPE_CHECKING:
    from dyncli.robot import Robot


@click.command("compare")
@models_options(2, "A B")
@output_options
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0.0),
    default=1e-6,
    show_default=True,
    metavar="T",
    help="Relative difference below which two values are the same.",
)
@click.option(
    "--poses",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    metavar="N",
    help="Poses at which M and gravity torques are compared: the zero position and random ones.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random poses.")
def command(models: tuple[ModelChoice, ...], output: OutputChoice, *, tolerance: float, poses: int, seed: int) -> int:
    """Two robot files: what differs in joints, masses, inertias and frames, and in M and the gravity torque.

    Joints and links are matched by name. Each difference comes with its part: how far M (kg m², kg m, kg) and the
    gravity torque (N m, N) change when A takes this value from B; one after the other the parts add up to the whole.
    """
    from dyncli.cli.chain import header_notes, open_output
    from dyncli.compare import compare
    from dyncli.compare.answer import result_of
    from dyncli.result import Header, model_facts

    a, b = (_load(model) for model in models)
    comparison = compare(a, b, tolerance=tolerance, poses=poses, seed=seed)
    session = models[0].session
    matched = comparison.matched
    for theirs, ours in matched.renamed.items():
        session.notice(f"joint {theirs!r} of B, its free base, is compared with {ours!r} of A")
    if matched.ties:
        session.notice(
            f"tied in one robot alone: {', '.join(map(repr, matched.ties))}; all joints are compared as free"
        )
    for names, robot in ((matched.only_a, "A"), (matched.only_b, "B")):
        if names:
            session.notice(
                f"only {robot} has the joints {', '.join(map(repr, names))}: welded at their neutral position"
            )
    if not matched.comparable:
        session.notice("joints hang on other joints in B: M and gravity torques are not compared")
    notes = [*header_notes(a.tree, degrees=False), f"A: {models[0].path}; B: {models[1].path}; {poses} poses"]
    header = Header("compare", model_facts(a.tree, a.description), tuple(notes), tuple(session.warnings))
    with open_output(header, output) as writer:
        writer.write(result_of(comparison))
    return 0


def _load(model: ModelChoice) -> Robot:
    """The robot; --root speaks of URDF alone, so that an MJCF with a free base can stand beside a URDF."""
    from dyncli.robot import Robot

    robot = replace(model, options=replace(model.options, root=None)).load()
    return Robot(robot.description, model.options) if robot.description.format == "urdf" else robot
