"""Which files a command line means: files as they are named, folders with the robot files in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from dyncli.errors import ModelError

SUFFIXES = {".urdf", ".xml", ".mjcf"}
_ROBOT = re.compile(rb"<(?:robot|mujoco)[\s>/]")
_BEGINNING = 65536
"""How far into a file its root element is looked for; licences and comments may stand before it."""


def robot_files(places: Iterable[str]) -> tuple[list[str], list[str]]:
    """Files to look at, and files in folders that hold no robot (meshes, launch files), by path.

    Folders are walked in the order of names, without hidden ones and without links to folders; in them a file counts
    by its suffix (.urdf .xml .mjcf) and its root element. Raises `ModelError` for a folder without any.
    """
    found: list[str] = []
    passed: list[str] = []
    for place in places:
        if not Path(place).is_dir():
            found.append(place)
            continue
        before = len(found)
        for folder, subfolders, names in os.walk(place):
            subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
            for name in sorted(names):
                path = Path(folder, name)
                if path.suffix.lower() in SUFFIXES and path.is_file():
                    (found if _holds_robot(path) else passed).append(str(path))
        if len(found) == before:
            raise ModelError(f"{place}: no robot file in this folder", hint="looked for *.urdf, *.xml and *.mjcf")
    return found, passed


def _holds_robot(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return _ROBOT.search(stream.read(_BEGINNING)) is not None
    except OSError:
        return True  # unreadable: the reader says so
