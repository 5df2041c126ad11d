"""Put the content of included files in place of the `include` elements, at any level.

The root tag of an included file is free and its attributes do not count; no file may be included twice.
"""

from __future__ import annotations

from pathlib import Path

from dyncli.errors import ModelError
from dyncli.formats import xml
from dyncli.formats.mjcf.element import Element, Report, from_lxml


def expand_includes(root: Element, restrict: Path | None, report: Report) -> None:
    """Replace every `include` under `root`, the root element of the main file, and those in what it brings."""
    main = Path(root.path)
    used = {identity(main)}
    pending = [root]
    while pending:
        element = pending.pop()
        index = 0
        while index < len(element.children):
            child = element.children[index]
            if child.tag == "include":
                # what comes in is looked at next: it may begin with an include itself
                element.children[index : index + 1] = _content(child, main, restrict, used, report)
            else:
                index += 1
        pending.extend(element.children)


def resolve_path(file: str, main: Path, including: Path) -> Path:
    """Where a file named in an MJCF is: from the main file's folder, else from that of the file that names it.

    A backslash parts folders as a slash does, on every system.
    """
    file = file.replace("\\", "/")
    beside_main = main.parent / file
    return beside_main if including == main or xml.is_there(beside_main) else including.parent / file


def _content(include: Element, main: Path, restrict: Path | None, used: set[Path], report: Report) -> list[Element]:
    """The elements that take the place of an `include`; none where it is wrong, which is then reported."""
    file = include.text.get("file")
    if not file:
        report.fatal("include", include, "names no file")
        return []
    if include.children:
        report.fatal("include", include, "has children, which an include cannot have")
        return []
    path = resolve_path(file, main, Path(include.path))
    if identity(path) in used:
        report.fatal("include", include, f"includes {str(path)!r} a second time, and a file may come in but once")
        return []
    used.add(identity(path))
    try:
        root = from_lxml(xml.parse(xml.read_file(path, restrict=restrict), path), str(path))
    except ModelError as error:
        for finding in error.findings:
            report.fatal("include", include, f"{finding.place}: {finding.message}", finding.hint)
        return []
    if not root.children:
        report.fatal("include", include, f"brings in nothing: {str(path)!r} holds no elements")
    for child in root.children:
        child.parent = include.parent
    return root.children


def identity(path: Path) -> Path:
    """One name for a file however it is spelt."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path
