"""Whether the links and joints of a URDF form one tree, and if not, why not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from dyncli.description import JointDescription, LinkDescription
from dyncli.errors import nearest
from dyncli.formats import xml
from dyncli.formats.findings import Findings

if TYPE_CHECKING:
    from dyncli.formats.xml import Element

_NAMES_SHOWN = 12


def find_duplicates(findings: Findings, elements: Iterable[Element]) -> None:
    """Fatal for each name that two elements of one kind share."""
    first: dict[str, Element] = {}
    for element in elements:
        name = element.get("name")
        if not name:
            continue
        if name in first:
            message = f"the name {xml.shorten(name)!r} is taken on line {xml.line_of(first[name])}"
            findings.fatal(f"duplicate-{element.tag}", element, message)
        first.setdefault(name, element)


def find_root(
    findings: Findings,
    robot: Element,
    links: Sequence[LinkDescription],
    joints: Sequence[JointDescription],
    elements: Mapping[str, Element],
) -> LinkDescription | None:
    """The one link that no joint moves; fatal findings on all that is not a tree.

    `elements`: of the joints, by name. Links that no joint connects are told only where every joint of the file
    could be read, since a broken joint alone leaves its child unconnected.
    """
    by_name = {link.name: link for link in links}
    moved_by: dict[str, JointDescription] = {}
    complete = len(joints) == sum(1 for child in robot if child.tag == "joint")
    for joint in joints:
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in by_name:
                message = f"{role} link {xml.shorten(name)!r} does not exist"
                findings.fatal("unknown-link", elements[joint.name], message, nearest(name, by_name))
                complete = False
        if joint.child in moved_by:
            other = moved_by[joint.child]
            message = f"link {joint.child!r} has two parents: it is the child of {other.name!r} (line {other.line}) too"
            findings.fatal("two-parents", elements[joint.name], message)
        if joint.parent == joint.child:
            findings.fatal("loop", elements[joint.name], f"link {joint.child!r} is its own parent")
        moved_by.setdefault(joint.child, joint)
    _find_loops(findings, by_name, moved_by, elements)
    roots = [link for name, link in by_name.items() if name not in moved_by]
    if complete and len(roots) > 1:
        message = f"has {len(roots)} root links that no joint connects: {_listed(link.name for link in roots)}"
        findings.fatal("several-roots", robot, message, "a robot has one: join the others to it")
    return roots[0] if roots else None


def _find_loops(
    findings: Findings,
    links: Mapping[str, LinkDescription],
    moved_by: Mapping[str, JointDescription],
    elements: Mapping[str, Element],
) -> None:
    """Fatal for each ring of links that is met on the way from a link to its parents."""
    seen: set[str] = set()
    for start in links:
        walk: dict[str, None] = {}
        name = start
        while name in moved_by and name not in seen:
            seen.add(name)
            walk[name] = None
            name = moved_by[name].parent
        if name in walk and moved_by[name].parent != name:
            names = list(walk)
            ring = names[names.index(name) :]
            message = f"links form a loop: {_listed(reversed(ring))}"
            findings.fatal("loop", elements[moved_by[name].name], message, "URDF describes trees only")


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    shown = ", ".join(repr(xml.shorten(name)) for name in names[:_NAMES_SHOWN])
    return shown if len(names) <= _NAMES_SHOWN else f"{shown}... ({len(names)} in all)"
