"""`fusestatic`: bodies that do not move against their parents are made one with them.

What the file refers to by its name stays, as do mocap bodies and those with a `gravcomp` of their own.
"""

from __future__ import annotations

from dyncli.formats.mjcf.element import Report
from dyncli.formats.mjcf.inertia import POSITIVE, body_inertia, combine, shown
from dyncli.formats.mjcf.model import Model
from dyncli.formats.mjcf.parts import Scope
from dyncli.formats.mjcf.robot import Link, Site

_BODIES = ("body", "body1", "body2", "target", "subtree1", "subtree2")
"""Attributes that name a body."""
_OBJECTS = (("objtype", "objname"), ("reftype", "refname"))
_BODY_TYPES = ("body", "xbody")


def fuse_static(links: list[Link], scopes: list[Scope], report: Report) -> list[Link]:
    """The bodies that remain, with inertia, geoms, sites and children of the others; poses and order as before.

    Where geoms give the inertia whatever else is said (`inertiafromgeom="true"`), an `inertial` of a body that is fused
    is lost, as in MuJoCo.
    """
    kept_names = {final for scope in scopes for final in _named_bodies(scope)}
    kept: list[Link] = []
    into: dict[int, Link] = {}
    for link in links:
        if link.parent is not None and id(link.parent) in into:
            # the parent is gone: this body hangs on what took it in, at the same place
            gone = link.parent
            link.pose = gone.pose.then(link.pose)
            link.parent = into[id(gone)]
        if link.parent is None or not _is_fused(link, kept_names):
            kept.append(link)
            continue
        parent = into[id(link)] = link.parent
        parent.geoms += [geom.seen_from(link.pose) for geom in link.geoms]
        parent.unweighed |= link.unweighed
        parent.sites += [Site(site.name, link.pose.then(site.pose)) for site in link.sites]
        if parent.parent is None:
            continue
        if _from_geoms(parent):
            parent.inertial = body_inertia(parent.body, parent.geoms, report)
        elif link.inertial.mass > 0.0:
            parent.inertial = combine([parent.inertial, link.inertial.seen_from(link.pose)])
            if min(parent.inertial.moments) < POSITIVE:
                message = (
                    f"with it the body it is fused with has the moments of inertia {shown(parent.inertial.moments)}"
                )
                report.fatal("tiny-inertia", link.body.element, message, "they are too small: spread the masses")
    return kept


def _is_fused(link: Link, kept_names: set[str]) -> bool:
    values = link.body.values
    stays = values.get("mocap") == "true" or values.get("fuse") == "false"
    parent = link.parent
    # a weight that is carried in another share than the parent's cannot be made one with it
    carries = (
        parent is not None
        and parent.parent is not None
        and link.inertial.mass > 0.0
        and link.gravity_compensation != parent.gravity_compensation
    )
    named = link.body.name != "" and link.body.name in kept_names
    return not (link.joints or stays or carries or named or (parent is not None and _is_bounded(link, parent)))


def _from_geoms(link: Link) -> bool:
    return link.body.model.settings.inertia_from_geoms == "true"


def _is_bounded(link: Link, parent: Link) -> bool:
    """Whether a bound acts on inertias from geoms, which summing up geoms would not see; an empty body has none."""
    bounded = link.inertial.bounded or parent.inertial.bounded
    empty = not link.geoms and not link.inertial.mass
    return bounded and not empty and _from_geoms(link) and parent.parent is not None


def _named_bodies(scope: Scope) -> set[str]:
    """Final names of bodies that something outside the bodies of a model refers to, or a camera or light."""
    found: set[str] = set()
    model: Model = scope.model
    for section in model.root.children:
        if section.tag in ("default", "asset"):
            continue
        for element in section.walk():
            names = [str(element.values[name]) for name in _BODIES if name in element.values]
            names += [
                str(element.values.get(name, "")) for kind, name in _OBJECTS if element.values.get(kind) in _BODY_TYPES
            ]
            if element.tag == "flex":
                names = [word for name in names for word in name.split()]
            found.update(names)
    return {scope.final(name) for name in found}
