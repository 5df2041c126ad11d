"""JSON text to values, with errors that say where and no name said twice."""

from __future__ import annotations

import json
from typing import Any

from dyncli.errors import StateError


def parsed(text: bytes, path: str, line: int = 1) -> Any:
    """The value of a document that begins at `line` of its file; raises StateError where it is no JSON."""
    try:
        return json.loads(text.decode("utf-8-sig"), object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        place = f"{path}:{line + error.lineno - 1}:{error.colno}"
        raise StateError(f"{place}: not JSON: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise StateError(f"{path}: not text in UTF-8 ({error.reason})") from error
    except RecursionError:
        raise StateError(f"{path}: nested too deeply") from None
    except ValueError as error:
        raise StateError(f"{path}: {error}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r} stands twice in one object")
    return made
