"""From a path or bytes to a `RobotDescription`: the root element decides which reader runs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from dyncli.errors import Finding, ModelError
from dyncli.formats import xml
from dyncli.structs import replace

if TYPE_CHECKING:
    from dyncli.description import RobotDescription
    from dyncli.formats.xml import Element

READERS = {"robot": "dyncli.formats.urdf", "mujoco": "dyncli.formats.mjcf"}
"""Root element to the module whose `read(root, path, restrict)` makes a description of it."""

_UNSUPPORTED = {
    "sdf": "SDFormat, which is not supported: convert it to URDF or MJCF first",
    "gazebo": "an old SDFormat, which is not supported: convert it to URDF or MJCF first",
    "world": "an SDFormat world, which is not supported: convert it to URDF or MJCF first",
    "model": "an SDFormat or OpenRAVE model, which is not supported: convert it to URDF or MJCF first",
    "mujocoinclude": "a part that an MJCF includes: give the file that includes it",
    "COLLADA": "a COLLADA mesh, which holds no dynamics: give the URDF or MJCF that uses it",
}


def load_description(
    path: str | PathLike[str],
    *,
    restrict: Path | None = None,
    xacro: bool = False,
    xacro_args: Mapping[str, str] | None = None,
) -> RobotDescription:
    """Read a robot file; `-` is standard input.

    `restrict`: folder outside of which nothing is read. `xacro`: expand the file first, with `xacro_args` as its
    arguments. Raises `ModelError` with every problem of the file, `MissingExtraError` where the package xacro is
    wanted and missing.
    """
    data = xml.read_input(path, restrict=restrict)
    return parse_description(data, path, restrict=restrict, xacro=xacro, xacro_args=xacro_args)


def parse_description(
    data: bytes,
    path: str | PathLike[str] = "-",
    *,
    restrict: Path | None = None,
    xacro: bool = False,
    xacro_args: Mapping[str, str] | None = None,
) -> RobotDescription:
    """The same from the bytes of a file; `path` names it in messages and is what its includes are relative to."""
    from dyncli.formats import xacro as expansion

    place = Path(path)
    root = xml.parse(data, place)
    if xacro:
        data = expansion.expand(root, place, xacro_args or {}, restrict)
        # lines are those of the expanded text from here on, and the messages say so
        place = place.with_name(f"{place.name} (expanded)")
        root = xml.parse(data, place)
    # most files hold no trace of xacro, and a look at the bytes spares them the walk
    if b"$" in data or b"xacro" in data or not data.isascii():
        expansion.refuse_unexpanded(root, place)
    tag = xml.tag_of(root)
    if tag not in READERS:
        raise ModelError([_unknown_format(root, place)])
    description: RobotDescription = import_module(READERS[tag]).read(root, place, restrict)
    return replace(description, path=fspath(path))


def _unknown_format(root: Element, path: Path) -> Finding:
    tag = xml.tag_of(root)
    message = f"the root element <{xml.shorten(tag)}> is {_UNSUPPORTED.get(tag, 'neither URDF nor MJCF')}"
    hint = "a URDF begins with <robot>, an MJCF with <mujoco>"
    return Finding("unknown-format", "error", "", message, hint, str(path), xml.line_of(root), fatal=True)
