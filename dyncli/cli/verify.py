"""`dyn verify`."""

from __future__ import annotations

import click

from dyncli.cli import values
from dyncli.cli.options import ModelChoice, OutputChoice, model_options, output_options


@click.command("verify")
@model_options
@output_options
@click.option(
    "--against",
    multiple=True,
    metavar="NAME,...",
    help="pinocchio, mujoco, drake, rbdl, modern-robotics, roboticstoolbox, casadi, or none. Default: those installed.",
)
@click.option("--samples", type=click.IntRange(min=1), default=5, show_default=True, metavar="N", help="Random states.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random states.")
def command(model: ModelChoice, output: OutputChoice, against: tuple[str, ...], *, samples: int, seed: int) -> int:
    """Self-checks of the numbers on this robot, and agreement with other libraries.

    Errors are the greatest over random states, relative to the size of the quantity; tolerances are those of a 6-joint
    arm, wider for larger robots and, where M is solved with, by its condition number. Exit status 1 if one is exceeded
    and no difference of the models explains it.
    """
    from dyncli.cli.chain import header_notes, open_output
    from dyncli.errors import EXIT_ANSWER_IS_NO
    from dyncli.result import Header, model_facts
    from dyncli.verify import check_identities, singular_joints
    from dyncli.verify.agreement import agreements
    from dyncli.verify.answer import result_of

    robot = model.load()
    session = model.session
    names = list(values.names(against)) or None
    checks = check_identities(robot, samples=samples, seed=seed)
    if singular := singular_joints(robot):
        session.notice(f"M is singular at {', '.join(map(repr, singular))}: what inverts it is not checked")
    found = agreements(robot, [] if names == ["none"] else names, samples=samples, seed=seed)
    for agreement in found:
        for reason in agreement.why:
            session.notice(f"{agreement.name}: {reason}")
    notes = [*header_notes(robot.tree, degrees=False), f"{samples} random states, seed {seed}"]
    notes += [f"{agreement.name} {agreement.version}: {agreement.loaded_by}" for agreement in found if agreement.errors]
    header = Header("verify", model_facts(robot.tree, robot.description), tuple(notes), tuple(session.warnings))
    with open_output(header, output) as writer:
        writer.write(result_of(checks, found))
    holds = all(check.passed for check in checks) and all(agreement.passed for agreement in found)
    return 0 if holds else EXIT_ANSWER_IS_NO
