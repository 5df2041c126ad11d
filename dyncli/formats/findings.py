"""What a reader has to tell about a file, collected so that all of it is told at once."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, TypeVar

from dyncli.errors import Finding, ModelError
from dyncli.formats import xml

if TYPE_CHECKING:
    from dyncli.formats.xml import Element

Default = TypeVar("Default")


class Findings:
    """Collects findings on one file; elements give them their line and description.

    `element` may be text where there is no element to point at, or None.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = fspath(path)
        self.items: list[Finding] = []

    def note(self, code: str, element: Element | str | None, message: str, hint: str = "") -> None:
        """Worth knowing, wrong in nothing."""
        self._add(code, "note", element, message, hint)

    def warning(self, code: str, element: Element | str | None, message: str, hint: str = "") -> None:
        """Probably a slip, or something skipped or assumed."""
        self._add(code, "warning", element, message, hint)

    def error(self, code: str, element: Element | str | None, message: str, hint: str = "") -> None:
        """Breaks the format's rules or means nothing physical, yet the model loads."""
        self._add(code, "error", element, message, hint)

    def fatal(self, code: str, element: Element | str | None, message: str, hint: str = "") -> None:
        """Stops the model from loading, once the whole file has been looked at."""
        self._add(code, "error", element, message, hint, fatal=True)

    @property
    def any_fatal(self) -> bool:
        """Whether the model cannot load."""
        return any(finding.fatal for finding in self.items)

    def raise_if_fatal(self) -> None:
        """Raise a `ModelError` that holds all findings, if one of them is fatal."""
        if self.any_fatal:
            raise ModelError(self.items)

    def numbers(
        self, element: Element, attribute: str, count: int | Sequence[int], default: Default
    ) -> tuple[float, ...] | Default:
        """The numbers of an attribute; `default` where it is absent.

        `count`: how many, or which counts are right (`range(1, 4)`). A wrong count or a word that is no number is
        fatal, and `default` stands in so that the rest of the file is still looked at.
        """
        text = element.get(attribute)
        if text is None:
            return default
        complaint, values = checked_numbers(text, count)
        if complaint:
            self.fatal("bad-number", element, f'{attribute}="{xml.shorten(text)}": {complaint}')
            return default
        return values

    def number(self, element: Element, attribute: str, default: Default) -> float | Default:
        """The one number of an attribute, as `numbers`."""
        values = self.numbers(element, attribute, 1, None)
        return default if values is None else values[0]

    def _add(
        self, code: str, severity: str, element: Element | str | None, message: str, hint: str, fatal: bool = False
    ) -> None:
        if element is None or isinstance(element, str):
            place, line = element or "", None
        else:
            place, line = xml.describe(element), xml.line_of(element)
        self.items.append(Finding(code, severity, place, message, hint, self.path, line, fatal))


def checked_numbers(text: str, count: int | Sequence[int]) -> tuple[str, tuple[float, ...]]:
    """What is wrong with a list of numbers (empty if nothing is), and the numbers."""
    try:
        values = tuple(xml.parse_floats(text))
    except ValueError as error:
        return str(error), ()
    counts = [count] if isinstance(count, int) else list(count)
    if len(values) in counts:
        return "", values
    expected = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"expected {expected} number{'s' if expected != '1' else ''}, found {len(values)}", ()
