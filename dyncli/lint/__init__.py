"""Faults of a robot file: what its reader found, and what rules find in the physics; one finding a fault.

A rule is a generator over a `Model`; those of `RULES` run in order. `lint_file` also answers for files that do not
load: then the reader's findings are the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dyncli.build import ModelOptions, build_tree
from dyncli.errors import Finding, ModelError, UsageError, nearest
from dyncli.lint import geometry, inertias, joints, keyframes, source, structure, twins
from dyncli.lint.catalogue import CATALOGUE, advice
from dyncli.lint.model import Model
from dyncli.structs import replace, struct

if TYPE_CHECKING:
    from dyncli.description import RobotDescription
    from dyncli.formats.xml import Element

Rule = Callable[[Model], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    inertias.triangle_inequality,
    inertias.radius_of_gyration,
    inertias.small_inertia,
    inertias.point_mass,
    inertias.tensor_about_origin,
    inertias.placeholders,
    joints.zero_bounds,
    joints.frozen_joints,
    joints.limits_in_degrees,
    structure.massless_branches,
    structure.dependent_joints,
    structure.massless_links,
    structure.coincident_axes,
    structure.mass_budget,
    structure.no_gravity,
    twins.twin_links,
    twins.twin_joints,
    geometry.mass_center_outside,
    keyframes.keyframe_length,
    source.transmission_joint,
    source.gazebo_reference,
)

SEVERITIES = ("error", "warning", "note")


@struct
class Report:
    """Findings on one file, in the order of its lines; `description` is None where it did not load."""

    path: str
    findings: tuple[Finding, ...]
    description: RobotDescription | None = None

    @property
    def has_error(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.severity == "error" for finding in self.findings)


def lint_file(
    path: str | Path,
    *,
    options: ModelOptions | None = None,
    restrict: Path | None = None,
    xacro: bool = False,
    xacro_args: dict[str, str] | None = None,
) -> Report:
    """Everything to find in one file.

    Raises `ModelError` where it cannot be read or is no XML, `UsageError` for options that do not fit the model.
    """
    from dyncli.formats import xml
    from dyncli.formats.load import parse_description

    data = xml.read_input(path, restrict=restrict)
    try:
        root = xml.parse(data, path)
    except ModelError as error:
        if any(finding.code == "not-xml" for finding in error.findings):
            raise
        return refused(path, error)
    try:
        description = parse_description(data, path, restrict=restrict, xacro=xacro, xacro_args=xacro_args)
    except ModelError as error:
        return refused(path, error)
    return Report(str(path), lint(description, options, None if xacro else root), description)


def lint(
    description: RobotDescription, options: ModelOptions | None = None, source: Element | None = None
) -> tuple[Finding, ...]:
    """What the reader found and what the rules find, in the order of the lines.

    `source`: the XML, for the rules on elements that no description holds.
    """
    model = Model(description, build_tree(description, options), source)
    found = [finding for rule in RULES for finding in rule(model)]
    # a rule that knows more about what a reader found says it again, in full
    known = {(finding.code, finding.line) for finding in found}
    read = [finding for finding in description.findings if (finding.code, finding.line) not in known]
    return tuple(_in_order(map(_advised, [*read, *found])))


def refused(path: str | Path, error: ModelError) -> Report:
    """The report on a file that does not load: the reader's findings."""
    return Report(str(path), tuple(_in_order(map(_advised, error.findings))))


def chosen(findings: Iterable[Finding], select: Collection[str], ignore: Collection[str]) -> list[Finding]:
    """Findings of the codes in `select` (all if empty) that are not in `ignore`; `UsageError` for unknown codes."""
    for code in (*select, *ignore):
        if code not in CATALOGUE:
            raise UsageError(f"no finding has the code {code!r}", hint=nearest(code, CATALOGUE))
    return [finding for finding in findings if (not select or finding.code in select) and finding.code not in ignore]


def counted(findings: Iterable[Finding]) -> str:
    """`2 errors, 1 warning, 0 notes`."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(f"{counts[word]} {word}{'' if counts[word] == 1 else 's'}" for word in SEVERITIES)


def _advised(finding: Finding) -> Finding:
    return finding if finding.hint else replace(finding, hint=advice(finding.code))


def _in_order(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (finding.path, finding.line or 0, SEVERITIES.index(finding.severity)))
