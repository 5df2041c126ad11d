"""Default classes: what an element without an attribute gets.

A class starts as a copy of the class around it, as that one stands when the `default` section is read. Elements find
their class by their own `class`, else by the nearest `childclass` of a body or frame around them, else `main`.
"""

from __future__ import annotations

from dyncli.errors import nearest
from dyncli.formats.mjcf.element import Element, Report, Value
from dyncli.formats.mjcf.orientation import ORIENTATIONS

Values = dict[str, Value]

MAIN = "main"
ACTUATORS = (
    *("general", "motor", "position", "velocity", "intvelocity", "orientation", "pid"),
    *("damper", "cylinder", "muscle", "adhesion", "dcmotor", "plugin"),
)
_KINDS = dict.fromkeys(ACTUATORS, "actuator") | {"spatial": "tendon", "fixed": "tendon"}
"""Tags that share one set of defaults, named by it; other tags have their own."""


class Defaults:
    """The default classes of one model."""

    def __init__(self, root: Element, report: Report) -> None:
        self._report = report
        self._classes: dict[str, dict[str, Values]] = {MAIN: {}}
        for section in root.named("default"):
            if section.values.get("class", MAIN) != MAIN:
                message = f"the outermost default class is {MAIN!r} and cannot be named {section.values['class']!r}"
                report.fatal("default-class", section, message)
            self._read(section)

    def __contains__(self, name: str) -> bool:
        return name in self._classes

    def resolve(self, element: Element, childclass: str = MAIN) -> Values:
        """Values of an element with those of its class for the rest; a class that does not exist is reported."""
        name = str(element.values.get("class", childclass))
        own = {key: value for key, value in element.values.items() if key != "class"}
        return merged(self.of_class(name, element).get(_KINDS.get(element.tag, element.tag), {}), own)

    def of_class(self, name: str, element: Element) -> dict[str, Values]:
        """The values of a class by kind of element; `element` is the one that names the class."""
        if name not in self._classes:
            hint = nearest(name, self._classes)
            self._report.fatal("default-class", element, f"there is no default class {name!r}", hint)
            return self._classes[MAIN]
        return self._classes[name]

    def _read(self, section: Element) -> None:
        pending = [(section, MAIN)]
        while pending:
            element, name = pending.pop()
            values = self._classes[name]
            for child in element.children:
                if child.tag != "default":
                    kind = _KINDS.get(child.tag, child.tag)
                    values[kind] = merged(values.get(kind, {}), child.values)
            for child in reversed(list(element.named("default"))):
                nested = str(child.values.get("class", ""))
                if not nested:
                    self._report.fatal("default-class", child, "a default inside another one needs a class name")
                elif nested in self._classes:
                    self._report.fatal("default-class", child, f"the default class {nested!r} is there already")
                else:
                    self._classes[nested] = {kind: dict(given) for kind, given in values.items()}
                    pending.append((child, nested))


def merged(inherited: Values, own: Values) -> Values:
    """Own values over inherited ones: a shorter list replaces the first numbers, an orientation any other kind."""
    result = dict(inherited)
    if any(kind in own for kind in ORIENTATIONS):
        for kind in ORIENTATIONS:
            result.pop(kind, None)
    for key, value in own.items():
        before = result.get(key)
        if isinstance(value, tuple) and isinstance(before, tuple):
            result[key] = value + before[len(value) :]
        else:
            result[key] = value
    return result
