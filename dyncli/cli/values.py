"""The little languages inside option values. The last separator counts: names may hold : @ = . / and blanks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dyncli.errors import UsageError, nearest
from dyncli.structs import struct

if TYPE_CHECKING:
    from dyncli.algorithms.wrenches import Wrench
    from dyncli.build import Payload
    from dyncli.tree import Frame, Tree


def split_list(text: str) -> list[str]:
    """Parts between commas; a part in double quotes may hold commas."""
    parts, current, quoted = [], "", False
    for character in text:
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    if quoted:
        raise UsageError(f"a double quote is not closed in {text!r}")
    return [*parts, current.strip()]


def names(texts: Sequence[str]) -> tuple[str, ...]:
    """Names from a repeatable option that also takes lists."""
    return tuple(name for text in texts for name in split_list(text) if name)


def numbers(text: str, option: str, counts: Sequence[int], form: str) -> list[float]:
    """Finite numbers separated by commas or blanks; as many as one of `counts`."""
    words = text.replace(",", " ").split()
    found = []
    for word in words:
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise UsageError(f"{option}: {word!r} in {text!r} is not a number", hint=f"expected {form}")
        found.append(value)
    if len(found) not in counts:
        raise UsageError(
            f"{option}: {text!r} has {len(found)} numbers, expected {' or '.join(map(str, counts))}",
            hint=f"expected {form}",
        )
    return found


def vector3(text: str | None, option: str) -> tuple[float, float, float] | None:
    """Three numbers, or None where the option was not given."""
    if text is None:
        return None
    x, y, z = numbers(text, option, (3,), "X,Y,Z")
    return (x, y, z)


def locks(texts: Sequence[str]) -> dict[str, float | None]:
    """`NAME[=VALUE],...` -> value by name, None for the neutral position."""
    locked: dict[str, float | None] = {}
    for part in names(texts):
        name, equals, value = part.rpartition("=")
        if equals:
            locked[name.strip()] = numbers(value, "--lock", (1,), "NAME=VALUE")[0]
        else:
            locked[part] = None
    return locked


def xacro_arguments(texts: Sequence[str]) -> dict[str, str]:
    """`NAME:=VALUE` -> value by name."""
    arguments = {}
    for text in texts:
        name, separator, value = text.partition(":=")
        if not separator or not name:
            raise UsageError(f"--xacro-arg: {text!r} is not NAME:=VALUE")
        arguments[name] = value
    return arguments


def payload(text: str) -> Payload:
    """`LINK:MASS[,X,Y,Z[,IXX,IYY,IZZ,IXY,IXZ,IYZ]]`."""
    from dyncli.build import Payload

    form = "LINK:MASS[,X,Y,Z[,IXX,IYY,IZZ,IXY,IXZ,IYZ]]"
    link, colon, rest = text.rpartition(":")
    if not colon or not link:
        raise UsageError(f"--payload: {text!r} does not name a link and a mass", hint=f"expected {form}")
    mass, *more = numbers(rest, "--payload", (1, 4, 10), form)
    center = (more[0], more[1], more[2]) if more else (0.0, 0.0, 0.0)
    tensor = tuple(more[3:]) if len(more) > 3 else (0.0,) * 6
    return Payload(link.strip().strip('"'), mass, center, tensor)  # type: ignore[arg-type]


@struct
class WrenchText:
    """A wrench as it was written; `on` finds its frame in a robot."""

    frame: str
    world_axes: bool
    components: tuple[float, ...]

    def on(self, tree: Tree) -> Wrench:
        """The wrench on this robot. Raises UsageError for an unknown frame."""
        from dyncli.algorithms.wrenches import Wrench

        fx, fy, fz, nx, ny, nz = self.components
        return Wrench(find_frame(tree, self.frame, "--wrench"), self.world_axes, (fx, fy, fz), (nx, ny, nz))


def wrench(text: str, sign: float) -> WrenchText:
    """`FRAME@world:FX,FY,FZ,NX,NY,NZ` or `FRAME@local:...`, times `sign`."""
    form = "FRAME@world:FX,FY,FZ,NX,NY,NZ or FRAME@local:FX,FY,FZ,NX,NY,NZ (force in N, then moment in N m)"
    place, colon, rest = text.rpartition(":")
    frame, at, axes = place.rpartition("@")
    if not colon or not at or axes.strip() not in ("world", "local"):
        raise UsageError(f"wrench {text!r} does not say its axes: @world or @local", hint=f"expected {form}")
    components = numbers(rest, f"wrench on {frame!r}", (6,), form)
    return WrenchText(frame.strip().strip('"'), axes.strip() == "world", tuple(sign * c for c in components))


def find_frame(tree: Tree, name: str, option: str) -> Frame:
    """The link or site of that name. Raises UsageError with the nearest names."""
    if name not in tree.frames:
        raise UsageError(f"{option}: no link, body or site named {name!r}", hint=nearest(name, tree.frames))
    return tree.frames[name]
