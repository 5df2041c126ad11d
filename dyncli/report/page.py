"""The page out of its templates: the only place that knows the template engine.

Every expression is escaped; only `Svg`, which the drawings make with an XML library, passes as it is. The policy in the
page's head lets a browser load nothing, run nothing, and apply the one style sheet whose digest it names.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dyncli.errors import MissingExtraError
from dyncli.report.drawings.svg import Svg
from dyncli.report.text import magnitude, printable

if TYPE_CHECKING:
    from jinja2 import Environment


class Page:
    """The templates, loaded. Raises MissingExtraError where the extra `report` is not installed."""

    def __init__(self) -> None:
        try:
            from jinja2 import Environment, PackageLoader, StrictUndefined
        except ImportError:
            raise MissingExtraError("jinja2", "report", "dyn report") from None
        self._environment: Environment = Environment(
            loader=PackageLoader("dyncli.report"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_shown,
        )
        self._environment.filters.update(breakable=_breakable, magnitude=magnitude)

    def render(self, content: Mapping[str, Any]) -> str:
        """The whole page as HTML."""
        style = self._environment.get_template("style.css").render()
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        page: str = self._environment.get_template("page.html").render(content, style=style, policy=policy)
        return page


def _breakable(name: str) -> Svg:
    """A name, escaped, that may be broken into lines behind its underscores, dots, slashes and hyphens."""
    return Svg(re.sub(r"(?<=[_./-])(?=[^_./-])", "<wbr>", html.escape(printable(name))))


def _shown(value: object) -> object:
    """Text without characters that steer; what is markup already stays."""
    return printable(value) if type(value) is str else value
