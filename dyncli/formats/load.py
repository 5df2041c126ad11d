"""From a path or bytes to a `RobotDescription`: the root element decides which reader runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, cast

from dyncli.errors import Finding, ModelError
from dyncli.formats import xml

if TYPE_CHECKING:
    from dyncli.description import RobotDescription

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
_OPEN_DESCRIPTOR = re.compile(r"/dev/stdin|/(?:dev|proc/self)/fd/[0-9]+")


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
    if _OPEN_DESCRIPTOR.fullmatch(fspath(path)):
        # a shell's <(command): already open at our end, so reading cannot reach anything new
        with Path(path).open("rb") as stream:
            data = xml.read_stream(stream, path)
    else:
        data = xml.read_file(path, restrict=restrict)
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

    path = Path(path)
    root = xml.parse(data, path)
    if xacro:
        root = xml.parse(expansion.expand(root, path, xacro_args or {}, restrict), path)
    expansion.refuse_unexpanded(root, path)
    tag = xml.tag_of(root)
    if tag not in READERS:
        kind = _UNSUPPORTED.get(tag, "neither URDF nor MJCF")
        message = f"the root element <{xml.shorten(tag)}> is {kind}"
        hint = "a URDF begins with <robot>, an MJCF with <mujoco>"
        raise ModelError([Finding("unknown-format", "error", "", message, hint, str(path), xml.line_of(root), True)])
    return cast("RobotDescription", import_module(READERS[tag]).read(root, path, restrict))
