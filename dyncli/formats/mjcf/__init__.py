"""MJCF, read as MuJoCo 4.0.0 compiles it, in passes that each have a file here:

include        files in place of `include` elements
schema         which elements, attributes and counts there are; values of attributes
model          settings, options, default classes, assets, models to attach
expand         frames, replicates, attached models: a flat list of bodies
robot          joints, geoms, meshes and inertia of each body worked out
static, names  bodies fused, unnamed things named
transmissions  tendons and actuators; springs told by a time constant
equalities     constraints, of which only the names matter
build          the format-neutral description
ignored        what is not used, told
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from dyncli.description import RobotDescription, TransmissionDescription
from dyncli.formats.mjcf.build import describe_sites, describe_tree
from dyncli.formats.mjcf.element import Report, from_lxml
from dyncli.formats.mjcf.equalities import read_equalities
from dyncli.formats.mjcf.expand import expand
from dyncli.formats.mjcf.ignored import all_models, find_ignored
from dyncli.formats.mjcf.keyframes import read_keyframes
from dyncli.formats.mjcf.meshes import Meshes
from dyncli.formats.mjcf.model import Model, read_model
from dyncli.formats.mjcf.names import give_names
from dyncli.formats.mjcf.references import References
from dyncli.formats.mjcf.robot import Link, compile_links, finish_links
from dyncli.formats.mjcf.springs import resolve_spring_dampers
from dyncli.formats.mjcf.static import fuse_static
from dyncli.formats.mjcf.transmissions import Transmissions

if TYPE_CHECKING:
    from lxml.etree import _Element


def read(root: _Element, path: str | PathLike[str], restrict: Path | None = None) -> RobotDescription:
    """Read an MJCF from its parsed root element; `path` is what includes and meshes are relative to.

    `restrict`: folder outside of which nothing is read. Raises `ModelError` with everything that is wrong.
    """
    report = Report(fspath(path))
    model = read_model(from_lxml(root, fspath(path)), restrict, report)
    parts = expand(model, report)
    meshes = Meshes(restrict, report)
    links = compile_links(parts, meshes, report)
    if model.settings.fuse_static:
        links = fuse_static(links, parts.scopes, report)
    finish_links(links, model, report)
    report.raise_if_fatal()
    give_names(links)
    transmissions = Transmissions(links, model.options, report)
    references = References(parts, report)
    found = transmissions.read(references)
    references.check()
    keyframes = read_keyframes(parts.scopes, links, report)
    models = all_models(parts.scopes)
    equalities = read_equalities(references, report)
    ignored = find_ignored(models, links, equalities, references.counts["actuator"], transmissions.unused, report)
    report.raise_if_fatal()
    meshes.note_missing(models)
    resolve_spring_dampers(links, found, report)
    described, joints = describe_tree(links, model.options)
    return RobotDescription(
        name=model.name,
        format="mjcf",
        path=fspath(path),
        links=described,
        joints=joints,
        gravity=model.options.gravity,
        sites=describe_sites(links),
        transmissions=tuple(found),
        keyframes=keyframes,
        findings=tuple(report.items),
        ignored=tuple(ignored),
        features=tuple(_features(models, links, found)),
        counts=_counts(references, links, transmissions.controls, len(keyframes)),
    )


def _counts(references: References, links: Sequence[Link], controls: int, keyframes: int) -> dict[str, float]:
    """What MuJoCo calls nq, nv and so on, and the mass of all bodies as it adds it up (kg)."""
    joints = [joint for link in links for joint in link.joints]
    return {
        "nq": sum(joint.coordinates for joint in joints),
        "nv": sum(joint.dofs for joint in joints),
        "nbody": len(links),
        "njnt": len(joints),
        "ngeom": sum(len(link.geoms) for link in links),
        "nsite": sum(len(link.sites) for link in links),
        "nmocap": sum(link.body.values.get("mocap") == "true" for link in links),
        "ntendon": references.counts["tendon"],
        "nu": controls,
        "neq": references.counts["equality"],
        "nsensor": references.counts["sensor"],
        "nkey": keyframes,
        "total_mass": sum(link.inertial.mass for link in links),
    }


def _features(
    models: Sequence[Model], links: Sequence[Link], transmissions: Sequence[TransmissionDescription]
) -> list[str]:
    """Words for what the robot uses beyond bodies with a hinge or slide."""
    joints = [joint for link in links for joint in link.joints]
    types = {joint.type for joint in joints}
    uses = {
        "floating": "floating" in types,
        "ball": "ball" in types,
        "several-joints-per-body": any(len(link.joints) > 1 for link in links),
        "springs": any(joint.stiffness for joint in joints),
        "gravcomp": any(link.gravity_compensation for link in links),
        "mocap": any(link.body.values.get("mocap") == "true" for link in links),
        "mesh": any("mesh" in model.assets for model in models),
        "attach": len(models) > 1,
        "tendon": any(any(model.root.named("tendon")) for model in models),
        "transmission-armature": any(transmission.armature for transmission in transmissions),
        "actuator": any(any(model.root.named("actuator")) for model in models),
        "equality": any(any(model.root.named("equality")) for model in models),
    }
    return [name for name, used in uses.items() if used]
