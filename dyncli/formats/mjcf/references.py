"""Sections that refer to bodies, joints and sites by name: tendons, actuators, equality constraints.

What refers to parts that a `replicate` repeats is repeated with them, and may refer to parts before the `replicate`
too: constraints and actuators that do so are left out, as in MuJoCo. What stands in an attached model comes along if
all that it refers to does. The names it gives become final names like those of the parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from dyncli.errors import nearest
from dyncli.formats.mjcf.element import Element, Report
from dyncli.formats.mjcf.model import Model
from dyncli.formats.mjcf.parts import Parts, Scope
from dyncli.structs import struct

Name = tuple[str, str]
"""Kind and name of something."""


class Reference(NamedTuple):
    """Kind and name of what is referred to; `beside`: what of both is copied the other must be too."""

    kind: str
    name: str
    beside: Name | None = None

    @property
    def key(self) -> Name:
        """Kind and name."""
        return self.kind, self.name


@struct
class Referring:
    """One element of such a section, or one copy of it: its final name, and where to look its references up."""

    element: Element
    name: str
    model: Model
    names: dict[Name, str]

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
            yield Reference(kind, str(element.values[attribute]))
    for of_type, of_name in _TYPED:
        kind = _TYPES.get(str(element.values.get(of_type, "")), "")
        if kind and of_name in element.values:
            yield Reference(kind, str(element.values[of_name]))


class References:
    """Looks names up as the elements of one robot's models mean them."""

    def __init__(self, parts: Parts, report: Report) -> None:
        self.report = report
        self.homes = [scope for scope in parts.scopes if not scope.is_copy]
        self.copies: dict[tuple[int, str, str], list[Scope]] = {}
        self.inside: dict[int, set[Name]] = {id(scope): set() for scope in parts.scopes}
        self.counts: Counter[str] = Counter()
        self._order = parts.order
        self._taken: set[Name] = set()
        self._left_out: set[tuple[int, str, str]] = set()
        self._written: set[tuple[int, str, str]] = set()
        named = [
            (scope, kind, name, final)
            for scope in parts.scopes
            for kind, names in scope.names.items()
            for name, final in names.items()
        ]
        for entry in named:
            self._note(*entry)

    def referring(
        self, section: str, kind: str, refers_to: Callable[[Element], Iterable[Reference]], *, mixes: bool = True
    ) -> Iterator[Referring]:
        """All elements of a section of all models, with copies; `counts` tells how many they were.

        `kind`: what their own names are of (else the tag). `mixes`: whether one may refer to copied and other parts.
        """
        for home in self.homes:
            for part in home.model.root.named(section):
                for element in part.children:
                    own = kind or element.tag
                    if not self._is_new(home, own, element):
                        continue
                    for referring in self._resolve(element, own, list(refers_to(element)), home, mixes):
                        self.counts[section] += 1
                        yield referring

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

    def _resolve(
        self, element: Element, kind: str, wanted: list[Reference], home: Scope, mixes: bool
    ) -> Iterator[Referring]:
        wanted = [reference for reference in wanted if reference.key != ("body", "world")]
        found = {reference.key: home.final(reference.name) for reference in wanted}
        missing = [key for key, final in found.items() if (key[0], final) not in self.inside[id(home)]]
        if not missing:
            yield self._made(element, kind, home, found)
            return
        if any((id(home), *key) in self._left_out for key in missing):
            self._left_out.add((id(home), kind, element.name))
            return
        # of copies within copies the innermost ones decide
        copies = max((self.copies.get((id(home), *key), []) for key in missing), key=lambda found: _depth(found))
        looked_up = [self._seen_from(copy, found) for copy in copies]
        if not copies or any(len(names) < len(found) for names in looked_up):
            if home is self.homes[0]:
                of, name = missing[0]
                known = [final for of_kind, final in self.inside[id(home)] if of_kind == of]
                self.report.fatal("unknown-name", element, f"there is no {of} {name!r}", nearest(name, sorted(known)))
            return
        copied = {(of, name): name in copies[0].names.get(of, {}) for of, name in found}
        torn = any(reference.beside and copied[reference.beside] != copied[reference.key] for reference in wanted)
        if torn or not (mixes or all(copied.values())):
            message = "it refers to what a <replicate> copies and to what it does not: left out, as in MuJoCo"
            self.report.warning("mixed-copies", element, message)
            self._left_out.add((id(home), kind, element.name))
            return
        for copy, names in zip(copies, looked_up, strict=True):
            yield self._made(element, kind, copy, names)

    def _seen_from(self, copy: Scope, wanted: Iterable[Name]) -> dict[Name, str]:
        """Final names of what is in a copy, or outside of it and before it; what is not seen is left out."""
        names: dict[Name, str] = {}
        for of, name in wanted:
            scope: Scope | None = copy
            while scope is not None and (of, name) not in names:
                final = scope.names.get(of, {}).get(name, "" if scope.is_copy else scope.final(name))
                stands = (of, final) in self.inside[id(scope)] and self._order.get((of, final), -1) < copy.born
                if final and (scope is copy or stands):
                    names[of, name] = final
                scope = scope.outer if scope.is_copy else None
        return names

    def _made(self, element: Element, kind: str, scope: Scope, names: dict[Name, str]) -> Referring:
        final = scope.final(element.name)
        if final:
            if (kind, final) in self._taken:
                self.report.fatal("duplicate-name", element, f"there are two elements {kind!r} of the name {final!r}")
            self._taken.add((kind, final))
            scope.names.setdefault(kind, {})[element.name] = final
            self._note(scope, kind, element.name, final)
        return Referring(element, final, scope.model, names)

    def _note(self, scope: Scope, kind: str, name: str, final: str) -> None:
        """Enter a name in its scope and in those around, where prefix or suffix of what is inside belong to it."""
        around: Scope | None = scope
        while around is not None:
            self.inside[id(around)].add((kind, final))
            if around.is_copy:
                around.names.setdefault(kind, {}).setdefault(name, final)
                self.copies.setdefault((id(around.home), kind, name), []).append(around)
            outer = around.outer
            if outer is not None:
                suffix = around.suffix.removesuffix(outer.suffix)
                name = f"{around.prefix.removeprefix(outer.prefix)}{name}{suffix}"
            around = outer


def _depth(copies: list[Scope]) -> int:
    """How deep copies of one thing are nested; 0 if there are none."""
    return copies[0].depth if copies else 0
