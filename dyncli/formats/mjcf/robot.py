"""The compiled robot: bodies with joints, geoms and inertia worked out, before it is described format-neutrally."""

from __future__ import annotations

import math
from typing import cast

from dyncli.formats.mjcf.element import Report
from dyncli.formats.mjcf.geoms import Geom, compile_geom, read_fromto
from dyncli.formats.mjcf.inertia import Inertial, body_inertia, massless, scale_to_total, weighs
from dyncli.formats.mjcf.joints import Joint, check_joints, compile_joint
from dyncli.formats.mjcf.meshes import Meshes
from dyncli.formats.mjcf.model import Model
from dyncli.formats.mjcf.orientation import ORIGIN, Pose, read_pose
from dyncli.formats.mjcf.parts import Body, Part, Parts
from dyncli.structs import field, struct


@struct(frozen=False)
class Site:
    """A named point and frame of a body."""

    name: str
    pose: Pose


@struct(frozen=False, eq=False)
class Link:
    """A body with all it holds worked out; `pose` is in the parent's frame as drawn. The world has no parent.

    `name` is empty until `names` gives one to what the file leaves unnamed. `unweighed`: whether a geom was reported as
    wrong, so that the body's mass is not known.
    """

    name: str
    body: Body
    parent: Link | None
    pose: Pose
    joints: list[Joint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    inertial: Inertial = field(default_factory=Inertial)
    unweighed: bool = False

    @property
    def gravity_compensation(self) -> float:
        """Share of the weight that `gravcomp` carries."""
        return cast("tuple[float]", self.body.values.get("gravcomp", (0.0,)))[0]


def compile_links(parts: Parts, meshes: Meshes, report: Report) -> list[Link]:
    """Work out all bodies, parents first; what is wrong with any of them is reported."""
    links: dict[Body, Link] = {}
    moving: set[Body] = set()
    for body in parts.bodies:
        if body.joints or body.parent in moving:
            moving.add(body)
        link = Link(body.name, body, links.get(body.parent) if body.parent else None, body.pose)
        link.joints = [compile_joint(part, report) for part in body.joints]
        found = [compile_geom(part, body, body in moving, meshes, report) for part in body.geoms]
        link.geoms = [geom for geom in found if geom is not None]
        link.unweighed = len(link.geoms) < len(found)
        link.sites = [site for part in body.sites if (site := _site(part, report)) is not None]
        link.inertial = body_inertia(body, link.geoms, report)
        links[body] = link
    return list(links.values())


def finish_links(links: list[Link], model: Model, report: Report) -> None:
    """What concerns bodies together: sets of joints, alignment of free bodies, total mass, mass of moving bodies."""
    holds_others = {id(link.parent) for link in links}
    for link in links:
        check_joints(link.body, link.joints, link.parent is links[0], report)
        if id(link) not in holds_others and _is_aligned(link):
            _align(link)
    inertials = scale_to_total([link.inertial for link in links], model.settings)
    for link, inertial in zip(links, inertials, strict=True):
        link.inertial = inertial
    _check_masses(links, report)
    for link in links:
        numbers = (*link.pose.position, link.inertial.mass, *link.inertial.pose.position, *link.inertial.tensor)
        if not all(map(math.isfinite, numbers)):
            report.fatal("too-large", link.body.element, "its pose, mass or inertia is beyond the range of numbers")


def _check_masses(links: list[Link], report: Report) -> None:
    """Report bodies with joints that neither have mass nor carry a welded body that has some."""
    # what a wrong geom would have weighed is not known, and the geom has its own finding
    heavy = {id(link) for link in links if link.unweighed or weighs(link.inertial)}
    # children come after their parents: what is welded to a body has been passed up before it is looked at
    for link in reversed(links):
        if id(link) in heavy and not link.joints and link.parent is not None:
            heavy.add(id(link.parent))
        if link.joints and id(link) not in heavy:
            massless(link.body, link.inertial, report)


def _is_aligned(link: Link) -> bool:
    if [joint.type for joint in link.joints] != ["floating"]:
        return False
    part = link.joints[0].part
    wanted = part.values.get("align", "auto")
    return wanted == "true" or (wanted == "auto" and part.model.settings.align_free)


def _align(link: Link) -> None:
    """Move the frame of a body to its centre of mass and principal axes; all that it holds stays where it is."""
    inertial = link.inertial.principal()
    back = inertial.pose.inverse()
    link.pose = link.pose.then(inertial.pose)
    link.inertial = Inertial(inertial.mass, ORIGIN, inertial.tensor)
    link.geoms = [geom.seen_from(back) for geom in link.geoms]
    link.sites = [Site(site.name, back.then(site.pose)) for site in link.sites]


def _site(part: Part, report: Report) -> Site | None:
    if "fromto" in part.values:
        found = read_fromto(part, report)
        return Site(part.name, part.frame.then(found[1])) if found else None
    pose = read_pose(part.element, part.values, part.model.settings, report)
    return Site(part.name, part.frame.then(pose))
