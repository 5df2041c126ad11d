"""Xacro: expanded on request only, since expansion evaluates expressions and reads files; recognised always."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from dyncli.errors import Finding, MissingExtraError, ModelError, UsageError
from dyncli.formats import xml

if TYPE_CHECKING:
    from dyncli.formats.xml import Element

_SUBSTITUTION = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)")
_DEFINITIONS = {"property", "macro", "arg"}
_NO_PART = {"visual", "collision", "material", "gazebo", "transmission", "sensor", "ros2_control"}
"""Elements of a URDF whose content has no part in the dynamics: leftovers in them are harmless."""


def expand(root: Element, path: Path, arguments: Mapping[str, str], restrict: Path | None = None) -> bytes:
    """The expanded document; `arguments` are those of `xacro:arg`.

    Raises `MissingExtraError` without the package, `UsageError` together with `restrict` (the expansion opens
    files by itself), `ModelError` where the file does not expand.
    """
    if restrict is not None:
        raise UsageError(
            "--xacro cannot be held to --restrict: an expansion by itself reads the files that it includes",
            hint="expand a file that you trust first: xacro FILE > robot.urdf",
        )
    try:
        import xacro
    except ImportError as error:
        raise MissingExtraError("xacro", "xacro", "--xacro") from error
    from lxml import etree

    try:
        document = xacro.parse(BytesIO(etree.tostring(root)))
        xacro.init_stacks(str(path))
        xacro.process_doc(document, mappings=dict(arguments), verbosity=0)
        return bytes(document.toxml("utf-8"))
    except Exception as error:  # the package evaluates what the file says, so anything may come out of it
        message = f"xacro could not expand the file: {xml.shorten(str(error) or type(error).__name__, 200)}"
        hint = "give the arguments that it needs with --xacro-arg NAME:=VALUE"
        raise ModelError([Finding("xacro", "error", "", message, hint, str(path), fatal=True)]) from error


def refuse_unexpanded(root: Element, path: Path) -> None:
    """Raise a `ModelError` on the first element or value of the model that xacro has yet to replace."""
    for element in _with_a_part(root):
        if _is_xacro(element):
            what = "an element of xacro that was not expanded"
        else:
            found = next((pair for pair in xml.attributes(element).items() if _SUBSTITUTION.search(pair[1])), None)
            if found is None:
                continue
            what = f'{found[0]}="{xml.shorten(found[1])}" is an expression of xacro that was not expanded'
        hint = "--xacro expands it here, with --xacro-arg NAME:=VALUE for its arguments; or: xacro FILE > robot.urdf"
        place, line = xml.describe(element), xml.line_of(element)
        raise ModelError([Finding("xacro", "error", place, what, hint, str(path), line, fatal=True)])


def _with_a_part(root: Element) -> Iterator[Element]:
    """Elements in document order, without what only looks, simulates, or defines."""
    pending = [root]
    while pending:
        element = pending.pop()
        tag = xml.tag_of(element)
        if tag in _NO_PART or (_is_xacro(element) and tag.rpartition(":")[2] in _DEFINITIONS):
            continue
        yield element
        pending.extend(reversed(element))


def _is_xacro(element: Element) -> bool:
    tag = str(element.tag)
    return tag.startswith("{") and (element.prefix == "xacro" or "xacro" in tag.partition("}")[0])
