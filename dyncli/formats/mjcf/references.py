"""Sections that refer to bodies, joints and sites by name: tendons, actuators, equality constraints.

What refers to parts that a `replicate` repeats is repeated with them; what stands in an attached model comes along if
all that it refers to does. The names it gives become final names like those of the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dyncli.errors import nearest
from dyncli.formats.mjcf.element import Element, Report
from dyncli.formats.mjcf.model import Model
from dyncli.formats.mjcf.parts import Parts, Scope
from dyncli.structs import struct

Reference = tuple[str, str]
"""Kind and name of what is referred to."""


@struct
class Referring:
    """One element of such a section, or one copy of it: its final name, and where to look its references up."""

    element: Element
    name: str
    model: Model
    names: dict[Reference, str]

    def final(self, kind: str, name: object) -> str:
        """The final name of what the element refers to."""
        return self.names[kind, str(name)]


_NAMED_KINDS = {
    **{kind: kind for kind in ("site", "joint", "tendon", "actuator", "body", "geom", "camera")},
    **{f"{kind}{side}": kind for kind in ("body", "geom", "site", "joint", "tendon") for side in "12"},
    "subtree1": "body",
    "subtree2": "body",
}
_TYPED = (("objtype", "objname"), ("reftype", "refname"))
_TYPES = {"xbody": "body", **{kind: kind for kind in ("body", "geom", "site", "camera", "joint", "tendon", "actuator")}}


def plain_references(element: Element) -> Iterator[Reference]:
    """What a sensor, contact pair or equality constraint refers to, the world left out."""
    for attribute, kind in _NAMED_KINDS.items():
        if attribute in element.values:
            yield kind, str(element.values[attribute])
    for of_type, of_name in _TYPED:
        kind = _TYPES.get(str(element.values.get(of_type, "")), "")
        if kind and of_name in element.values:
            yield kind, str(element.values[of_name])


class References:
    """Looks names up as the elements of one robot's models mean them."""

    def __init__(self, parts: Parts, report: Report) -> None:
        self.report = report
        self.homes = [scope for scope in parts.scopes if not scope.is_copy]
        self.copies: dict[tuple[int, str, str], list[Scope]] = {}
        self.inside: dict[int, set[Reference]] = {id(scope): set() for scope in parts.scopes}
        self._taken: set[Reference] = set()
        self._written: set[tuple[int, str, str]] = set()
        for scope in parts.scopes:
            for kind, names in scope.names.items():
                for name, final in names.items():
                    self._note(scope, kind, name, final)

    def referring(
        self, section: str, kind: str, refers_to: Callable[[Element], Iterable[Reference]]
    ) -> Iterator[Referring]:
        """All elements of a section of all models, with copies; `kind`: what their own names are of (else the tag)."""
        for home in self.homes:
            for part in home.model.root.named(section):
                for element in part.children:
                    own = kind or element.tag
                    if self._is_new(home, own, element):
                        yield from self._resolve(element, own, list(refers_to(element)), home)

    def check(self) -> None:
        """Report names in sections that have no part in the dynamics and must be right all the same."""
        for section, kind in (("contact", ""), ("sensor", "sensor"), ("custom", "")):
            for _ in self.referring(section, kind, plain_references):
                pass

    def _is_new(self, home: Scope, kind: str, element: Element) -> bool:
        """Whether a name as written is the first of its kind in a model, also where it stands for copies."""
        written = (id(home), kind, element.name)
        if element.name and written in self._written:
            message = f"there are two elements {kind!r} of the name {element.name!r}"
            self.report.fatal("duplicate-name", element, message)
            return False
        self._written.add(written)
        return True

    def _resolve(self, element: Element, kind: str, wanted: list[Reference], home: Scope) -> Iterator[Referring]:
        wanted = [reference for reference in wanted if reference != ("body", "world")]
        found = {(of, name): home.final(name) for of, name in wanted}
        missing = [key for key, final in found.items() if (key[0], final) not in self.inside[id(home)]]
        if not missing:
            yield self._made(element, kind, home, found)
            return
        of, name = missing[0]
        copies = [
            copy
            for copy in self.copies.get((id(home), of, name), [])
            if all(each in copy.names.get(kind, {}) for kind, each in wanted)
        ]
        for copy in copies:
            yield self._made(element, kind, copy, {(of, name): copy.names[of][name] for of, name in wanted})
        if not copies and home is self.homes[0]:
            known = [final for of_kind, final in self.inside[id(home)] if of_kind == of]
            self.report.fatal("unknown-name", element, f"there is no {of} {name!r}", nearest(name, sorted(known)))

    def _made(self, element: Element, kind: str, scope: Scope, names: dict[Reference, str]) -> Referring:
        final = scope.final(element.name)
        if final:
            if (kind, final) in self._taken:
                self.report.fatal("duplicate-name", element, f"there are two elements {kind!r} of the name {final!r}")
            self._taken.add((kind, final))
            scope.names.setdefault(kind, {})[element.name] = final
            self._note(scope, kind, element.name, final)
        return Referring(element, final, scope.model, names)

    def _note(self, scope: Scope, kind: str, name: str, final: str) -> None:
        if scope.is_copy:
            self.copies.setdefault((id(scope.home), kind, name), []).append(scope)
        around: Scope | None = scope
        while around is not None:
            self.inside[id(around)].add((kind, final))
            around = around.outer
