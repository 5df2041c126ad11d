"""What one run of the command line says on standard error, and how strict it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click

from dyncli.errors import DynError, Finding, ModelError

SHOWN_OF_A_KIND = 3
"""How many findings of one kind are named on their line before the rest is only counted."""


class Session:
    """Collects warnings for the output's `warnings` and writes them to standard error, one line a kind.

    `strict`: a warning is an error. `verbose`: notes are told too, and each finding gets a line of its own.
    """

    def __init__(self, *, quiet: bool = False, strict: bool = False, verbose: bool = False) -> None:
        self.quiet = quiet
        self.strict = strict
        self.verbose = verbose
        self.warnings: list[str] = []
        self.before_saying: Callable[[], None] | None = None
        """Called before text goes to standard error, where a line of progress may stand."""

    def warn(self, text: str, error: type[DynError] = ModelError) -> None:
        """Tell something that was skipped or assumed; with --strict raise it as `error`."""
        if self.strict:
            raise error(text, hint="--strict makes warnings errors")
        self.warnings.append(text)
        self._say(f"warning: {text}")

    def notice(self, text: str) -> None:
        """Tell something a user should know that is nobody's fault; it is no error with --strict."""
        self.warnings.append(text)
        self._say(f"note: {text}")

    def tell_findings(self, findings: Iterable[Finding]) -> None:
        """Warnings (and errors that do not stop the dynamics) of a model file, one line a kind."""
        shown = [finding for finding in findings if finding.severity != "note"]
        if self.strict and shown:
            raise ModelError(shown, hint="--strict makes warnings errors")
        if self.verbose:
            for finding in findings:
                self._say(f"{finding.severity}: {finding.text()}")
            self.warnings += [finding.text() for finding in shown]
            return
        by_code: dict[str, list[Finding]] = {}
        for finding in shown:
            by_code.setdefault(finding.code, []).append(finding)
        for alike in by_code.values():
            self.warn(_one_line(alike))

    def _say(self, text: str) -> None:
        if self.quiet:
            return
        if self.before_saying is not None:
            self.before_saying()
        click.echo(text, err=True)


def _one_line(alike: list[Finding]) -> str:
    """The first finding of a kind in full, the next ones by element, the rest as a count."""
    text = alike[0].text()
    others = [finding.element for finding in alike[1:]]
    if not others:
        return text
    named = ", ".join(others[: SHOWN_OF_A_KIND - 1])
    rest = len(others) - (SHOWN_OF_A_KIND - 1)
    return f"{text}; the same: {named}" + (f" and {rest} more" if rest > 0 else "")
