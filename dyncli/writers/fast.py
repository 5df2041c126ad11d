"""The one place that knows orjson (extra `fast`): floats and plain values to text, with or without it.

Text differs in spelling only (1e-05 or 0.00001): both are the shortest that read back to the same double.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any


@cache
def _orjson() -> ModuleType | None:
    try:
        import orjson
    except ImportError:
        return None
    module: ModuleType = orjson
    return module


def matrix_text(matrix: Any, separator: bytes) -> bytes:
    """Rows of a finite float64 matrix as lines (the last without its line feed)."""
    if not matrix.size:
        return b""
    fast = _orjson()
    if fast is None:
        from dyncli.decimals.shortest import matrix_text as shortest

        return shortest(matrix, separator)
    import numpy as np

    text = bytearray(fast.dumps(matrix.ravel(), option=fast.OPT_SERIALIZE_NUMPY))
    characters = np.frombuffer(text, dtype=np.uint8)
    commas = np.flatnonzero(characters == ord(","))
    characters[commas] = ord(separator)
    characters[commas[matrix.shape[1] - 1 :: matrix.shape[1]]] = ord("\n")
    return characters[1:-1].tobytes()


def json_text(value: Any) -> bytes:
    """A value of mappings, lists, texts and finite numbers as one line of JSON."""
    fast = _orjson()
    if fast is not None:
        text: bytes = fast.dumps(value)
        return text
    import json

    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
