"""`dyn report`: one HTML page about a robot that needs nothing but itself.

    robot -> numbers (budget, gravity, workspace, operations, and other commands) -> sections -> drawings and templates

It loads nothing, runs no script, follows the reader's light or dark scheme, and prints. The same file gives the same
page, byte by byte: states are drawn from fixed seeds and no time of day is in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.errors import Finding
from dyncli.info import robot_facts
from dyncli.report.page import Page
from dyncli.report.sections import cost, model, motion, verdicts
from dyncli.robot import Robot
from dyncli.verify import check_identities, singular_joints
from dyncli.verify.agreement import agreements

__all__ = ["SECTIONS", "report_page"]

SECTIONS = (
    ("tree", "Tree"),
    ("joints", "Joints"),
    ("bodies", "Bodies"),
    ("mass", "Mass budget"),
    ("sparsity", "Sparsity of the mass matrix"),
    ("operations", "Operation counts"),
    ("gravity", "Gravity torque"),
    ("workspace", "Manipulability"),
    ("lint", "Lint findings"),
    ("verify", "Verification"),
)
"""Anchor and heading of each section; the template of its content is named after the anchor."""

STATES = 2
"""Random states at which the numbers are verified."""
VERIFIED_DOFS = 100
"""Degrees of freedom beyond which the derivatives of `verify` take minutes, and are left to that command."""


def report_page(
    robot: Robot, findings: Sequence[Finding], *, against: list[str] | None = None, degrees: bool = False
) -> str:
    """The page about a robot as HTML.

    `findings`: what `lint` says of its file. `against`: libraries to compare with (None: those that are installed).
    `degrees`: angles of limits and ranges in degrees. Raises MissingExtraError without the extra `report`, or where a
    library of `against` is missing.
    """
    from dyncli import __version__

    page = Page()
    facts = robot_facts(robot, degrees=degrees)
    return page.render(
        {
            "version": __version__,
            "sections": SECTIONS,
            "summary": model.summary(robot, facts),
            "tree": model.tree(robot),
            "joints": model.joints(facts, degrees=degrees),
            "bodies": model.bodies(facts),
            "mass": model.masses(robot),
            "sparsity": cost.sparsity(robot.tree),
            "operations": cost.algorithms(robot.tree),
            "gravity": motion.gravity(robot.tree, degrees=degrees),
            "workspace": motion.workspace(robot),
            "lint": verdicts.lint(findings),
            "verify": verdicts.verify(_verified(robot, against)),
        }
    )


def _verified(robot: Robot, against: list[str] | None) -> verdicts.Verification:
    if robot.nv > VERIFIED_DOFS:
        why = f"it takes minutes on {robot.nv} degrees of freedom: dyn verify answers"
        return verdicts.Verification(left_out=why)
    return verdicts.Verification(
        check_identities(robot, samples=STATES),
        agreements(robot, against, samples=STATES, seed=0),
        singular_joints(robot),
        STATES,
    )
