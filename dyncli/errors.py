"""Errors carry facts and the exit status that the command line gives them.

Every error of `dyn` is a `DynError`: it says what, where (file, line, element), what was expected and
found, and what to try. The command line renders them; nothing below it prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dyncli.structs import struct

EXIT_ANSWER_IS_NO = 1
EXIT_USAGE = 2
EXIT_MODEL = 3
EXIT_STATES = 4
EXIT_NUMERICS = 5
EXIT_MISSING_EXTRA = 6
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130


@struct
class Finding:
    """One thing about a model file worth telling.

    `code` is a stable name such as `zero-mass`; `severity` is `error`, `warning` or `note`; `element` says
    where in words (`joint 'hip'`, `<link name="arm">`); `fatal` findings stop the model from loading.
    """

    code: str
    severity: str
    element: str
    message: str
    hint: str = ""
    path: str = ""
    line: int | None = None
    fatal: bool = False

    @property
    def place(self) -> str:
        """`FILE:LINE`, or as much of it as is known."""
        if self.line is None:
            return self.path
        return f"{self.path}:{self.line}"

    def text(self) -> str:
        """One line: place, element, message and hint."""
        where = " ".join(part for part in (self.place + ":" if self.place else "", self.element) if part)
        body = f"{where}: {self.message}" if where and self.element else f"{where} {self.message}".strip()
        return f"{body} ({self.hint})" if self.hint else body


class DynError(Exception):
    """Base of all errors a user can cause or meet; `exit_status` is what the command line returns."""

    exit_status = EXIT_INTERNAL

    def __init__(self, message: str, *, hint: str = "", details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = tuple(details)

    def lines(self) -> list[str]:
        """The message as it is shown: what, then the details, then what to try."""
        return [self.message, *self.details, *([self.hint] if self.hint else [])]

    def facts(self) -> dict[str, object]:
        """The same as a JSON-ready mapping (`{"error": {...}}` on standard error with `-f json`)."""
        return {
            "type": type(self).__name__,
            "message": self.message,
            "details": list(self.details),
            "hint": self.hint,
            "exit_status": self.exit_status,
        }


class UsageError(DynError):
    """The command line is wrong: an option, a value that is no number, an unknown name in an inline value."""

    exit_status = EXIT_USAGE


class ModelError(DynError):
    """The model file cannot be read or means nothing; holds all `findings`, not the first alone."""

    exit_status = EXIT_MODEL

    def __init__(self, findings: Sequence[Finding] | str, *, hint: str = "") -> None:
        if isinstance(findings, str):
            findings = [Finding("model", "error", "", findings, hint=hint, fatal=True)]
        self.findings = tuple(findings)
        fatal = [finding for finding in self.findings if finding.fatal] or list(self.findings)
        super().__init__(fatal[0].text(), details=[finding.text() for finding in fatal[1:]])

    def facts(self) -> dict[str, object]:
        """The base facts with every finding as a mapping."""
        findings = [
            {
                "code": finding.code,
                "severity": finding.severity,
                "element": finding.element,
                "file": finding.path,
                "line": finding.line,
                "message": finding.message,
                "hint": finding.hint,
            }
            for finding in self.findings
        ]
        return {**super().facts(), "findings": findings}


class StateError(DynError):
    """The states cannot be read or do not fit the model."""

    exit_status = EXIT_STATES


class NumericsError(DynError):
    """The numbers failed: a singular mass matrix, an overflow."""

    exit_status = EXIT_NUMERICS


class MissingExtraError(DynError):
    """An optional package that was asked for is not installed; `extra`: of dyncli, empty for a library beside it."""

    exit_status = EXIT_MISSING_EXTRA

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed",
            hint=f"pip install 'dyncli[{extra}]'" if extra else f"pip install {package}",
        )


def nearest(name: str, names: Iterable[str], count: int = 3) -> str:
    """A phrase such as `nearest: 'elbow', 'wrist' (of 7)` that helps with a misspelt name; empty if none exist."""
    from difflib import get_close_matches

    names = list(names)
    if not names:
        return ""
    close = get_close_matches(name, names, n=count, cutoff=0.4) or names[: 2 * count]
    quoted = ", ".join(repr(candidate) for candidate in close)
    return f"nearest: {quoted} (of {len(names)})" if len(close) < len(names) else f"known: {quoted}"
