"""Elements of an MJCF with the file they came from, and what is found wrong with them.

lxml's elements forget their file when an include moves them into another document; these do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dyncli.errors import Finding, ModelError
from dyncli.formats import xml
from dyncli.structs import field, struct

if TYPE_CHECKING:
    from lxml.etree import _Element

Value = str | tuple[float, ...] | tuple[int, ...]
"""What an attribute holds: text or one keyword, or numbers (also where it is a single one)."""


@struct(frozen=False, eq=False)
class Element:
    """One element: attributes as written (`text`) and, once the schema has been checked, as `values`."""

    tag: str
    path: str
    line: int | None = None
    parent: Element | None = None
    text: dict[str, str] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name attribute; empty where there is none, which MJCF takes for the same thing."""
        return self.text.get("name", "")

    def describe(self) -> str:
        """`<joint name="hip">`, or `<geom> in <body name="arm">` for an element without a name of its own."""
        if self.name:
            return f'<{self.tag} name="{xml.shorten(self.name)}">'
        around = self.parent
        while around is not None and not around.name:
            around = around.parent
        return f"<{self.tag}> in {around.describe()}" if around is not None else f"<{self.tag}>"

    def named(self, *tags: str) -> Iterator[Element]:
        """Children with one of these tags, in the order of the file."""
        return (child for child in self.children if child.tag in tags)

    def walk(self) -> Iterator[Element]:
        """This element and all below it, in the order of the file."""
        pending = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(reversed(element.children))


class Report:
    """Collects findings about the elements of one model, whichever file they stand in."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.items: list[Finding] = []

    def note(self, code: str, element: Element | None, message: str, hint: str = "") -> None:
        """Worth knowing, wrong in nothing."""
        self._add(code, "note", element, message, hint)

    def warning(self, code: str, element: Element | None, message: str, hint: str = "") -> None:
        """Probably a slip, or something skipped or assumed."""
        self._add(code, "warning", element, message, hint)

    def error(self, code: str, element: Element | None, message: str, hint: str = "") -> None:
        """Breaks the rules of the format, yet the model loads."""
        self._add(code, "error", element, message, hint)

    def fatal(self, code: str, element: Element | None, message: str, hint: str = "") -> None:
        """Stops the model from loading, once as much of it as makes sense has been looked at."""
        self._add(code, "error", element, message, hint, fatal=True)

    def raise_if_fatal(self) -> None:
        """Raise a `ModelError` that holds all findings, if one of them is fatal."""
        if any(finding.fatal for finding in self.items):
            raise ModelError(self.items)

    def _add(
        self, code: str, severity: str, element: Element | None, message: str, hint: str, fatal: bool = False
    ) -> None:
        if element is None:
            self.items.append(Finding(code, severity, "", message, hint, self.path, None, fatal))
        else:
            where = element.describe()
            self.items.append(Finding(code, severity, where, message, hint, element.path, element.line, fatal))


def from_lxml(root: _Element, path: str) -> Element:
    """A copy of a parsed document, namespaced attributes left out (no part of MJCF)."""
    top = Element(xml.tag_of(root), path, xml.line_of(root), None, _attributes(root))
    pending = [(root, top)]
    while pending:
        source, element = pending.pop()
        for child in source:
            copy = Element(xml.tag_of(child), path, xml.line_of(child), element, _attributes(child))
            element.children.append(copy)
            pending.append((child, copy))
    return top


def _attributes(element: _Element) -> dict[str, str]:
    return {name: text for name, text in xml.attributes(element).items() if not name.startswith("{")}
