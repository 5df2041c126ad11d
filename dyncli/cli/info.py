"""`dyn info`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dyncli.cli.options import ModelChoice, OutputChoice, model_options, output_options

if TYPE_CHECKING:
    from dyncli.result import Sheet

JOINT_COLUMNS = (
    "name",
    "type",
    "parent",
    "child",
    "nq",
    "nv",
    "idx_q",
    "idx_v",
    "lower",
    "upper",
    "velocity",
    "effort",
    "damping",
    "friction",
    "stiffness",
    "armature",
    "mimic",
    "ref",
)


@click.command("info")
@model_options
@output_options
@click.option("--tree", "as_tree", is_flag=True, help="Draw the tree of links and joints.")
@click.option("--bodies", is_flag=True, help="List the bodies: mass, centre of mass, inertia about it.")
@click.option("--joints", is_flag=True, help="List all joints with limits and passive forces.")
@click.option("--degrees", is_flag=True, help="Limits of angles in degrees.")
def command(
    model: ModelChoice, output: OutputChoice, *, as_tree: bool, bodies: bool, joints: bool, degrees: bool
) -> int:
    """What the file holds: tree, joints, bodies, masses, limits, degrees of freedom."""
    from dyncli.cli.chain import open_output, output_format, tell_passive
    from dyncli.info import robot_facts
    from dyncli.result import Header, Result, model_facts

    robot = model.load(degrees=degrees)
    tell_passive(robot, model.session, passive=False)
    facts = robot_facts(robot, degrees=degrees)
    if output_format(output) == "table" and output.path is None:
        from dyncli.cli.info_text import lines

        for line in lines(robot, facts, as_tree=as_tree, bodies=bodies, joints=joints, degrees=degrees):
            click.echo(line)
        return 0
    header = Header(
        "info",
        model_facts(robot.tree, robot.description, degrees=degrees),
        warnings=tuple(model.session.warnings),
    )
    with open_output(header, output) as writer:
        writer.write(Result(1, facts, _sheet(facts, bodies=bodies)))
    return 0


def _sheet(facts: dict[str, Any], *, bodies: bool) -> Sheet:
    """A joint a row, or with --bodies a body a row."""
    from dyncli.result import Sheet

    if bodies:
        rows = []
        for body in facts["bodies"]:
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = body["inertia"]
            rows.append([body["name"], body["parent"], body["mass"], *body["com"], xx, yy, zz, xy, xz, yz])
        columns = ("body", "parent", "mass", "x", "y", "z", "ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        return Sheet(columns, rows, labels=1)
    rows = [
        [joint[column] if column != "mimic" else (joint["mimic"] or {}).get("joint") for column in JOINT_COLUMNS]
        for joint in facts["joints"]
    ]
    return Sheet(JOINT_COLUMNS, rows, labels=1)
