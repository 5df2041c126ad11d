"""MJCF, read as MuJoCo 4.0.0 compiles it, in passes that each have a file here:

include     files in place of `include` elements
schema      which elements, attributes and counts there are; values of attributes
model       settings, options, default classes, assets, models to attach
expand      frames, replicates, attached models: a flat list of bodies
robot       joints, geoms, meshes and inertia of each body worked out
build       the format-neutral description
"""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from dyncli.description import RobotDescription
from dyncli.formats.mjcf.build import build_tree
from dyncli.formats.mjcf.element import Report, from_lxml
from dyncli.formats.mjcf.expand import expand
from dyncli.formats.mjcf.meshes import Meshes
from dyncli.formats.mjcf.model import read_model
from dyncli.formats.mjcf.robot import compile_links, finish_links

if TYPE_CHECKING:
    from lxml.etree import _Element


def read(root: _Element, path: str | PathLike[str], restrict: Path | None = None) -> RobotDescription:
    """Read an MJCF from its parsed root element; `path` is what includes and meshes are relative to.

    `restrict`: folder outside of which nothing is read. Raises `ModelError` with everything that is wrong.
    """
    report = Report(fspath(path))
    model = read_model(from_lxml(root, fspath(path)), restrict, report)
    parts = expand(model, report)
    report.raise_if_fatal()
    meshes = Meshes(restrict, report)
    links = compile_links(parts, meshes, report)
    report.raise_if_fatal()
    finish_links(links, model, report)
    report.raise_if_fatal()
    tree = build_tree(links, model.options)
    return RobotDescription(
        name=model.name,
        format="mjcf",
        path=fspath(path),
        links=tree.links,
        joints=tree.joints,
        gravity=model.options.gravity,
        sites=tree.sites,
        findings=tuple(report.items),
    )
