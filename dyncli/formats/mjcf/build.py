"""From compiled bodies to links, joints and sites of the format-neutral description.

Several joints of one body become a chain with massless virtual links between them; a body without a joint hangs on a
fixed joint of its name.
"""

from __future__ import annotations

from dyncli.description import (
    GeometryDescription,
    InertialDescription,
    JointDescription,
    LinkDescription,
    SiteDescription,
)
from dyncli.formats.mjcf.inertia import Inertial
from dyncli.formats.mjcf.joints import Joint
from dyncli.formats.mjcf.names import Names
from dyncli.formats.mjcf.orientation import ORIGIN, Pose
from dyncli.formats.mjcf.robot import Link
from dyncli.formats.mjcf.settings import Options
from dyncli.spatial import IDENTITY, scale3
from dyncli.structs import replace

_NO_SHAPE = ("plane", "hfield")


def describe_sites(links: list[Link]) -> tuple[SiteDescription, ...]:
    """The named sites of all bodies."""
    return tuple(
        SiteDescription(site.name, link.name, site.pose.transform())
        for link in links
        for site in link.sites
        if site.name
    )


def describe_tree(
    links: list[Link], options: Options
) -> tuple[tuple[LinkDescription, ...], tuple[JointDescription, ...]]:
    """Links and joints of compiled bodies (`links[0]` is the world) that have their names."""
    described: list[LinkDescription] = []
    joints: list[JointDescription] = []
    link_names = Names(link.name for link in links)
    joint_names = Names(joint.name for link in links for joint in link.joints)
    for link in links:
        if link.parent is not None:
            chain = _connect(link, link.parent, link_names, joint_names, options)
            joints += chain
            described += [_virtual(link, joint.child) for joint in chain[:-1]]
        described.append(_link(link, options))
    return tuple(described), tuple(joints)


def _connect(
    link: Link, parent: Link, link_names: Names, joint_names: Names, options: Options
) -> list[JointDescription]:
    """Joints between a body and its parent, in the order of the file."""
    if not link.joints:
        name, placement, element = joint_names.unused(link.name), link.pose.transform(), link.body.element
        weld = JointDescription(name, "fixed", parent.name, link.name, placement, named=False)
        return [replace(weld, line=element.line, path=element.path)]
    joints: list[JointDescription] = []
    pose, hangs_on = link.pose, parent.name
    for joint in link.joints:
        is_last = joint is link.joints[-1]
        child = link.name if is_last else link_names.unused(f"{link.name}/{joint.name}")
        joints.append(_joint(joint, pose, hangs_on, child, options))
        pose, hangs_on = ORIGIN, child
    return joints


def _joint(joint: Joint, pose: Pose, parent: str, child: str, options: Options) -> JointDescription:
    """One joint; `pose`: where it finds the body frame in its parent when drawn."""
    floating = joint.type == "floating"
    stiffness = joint.stiffness if options.springs else ()
    return JointDescription(
        name=joint.name,
        type=joint.type,
        parent=parent,
        child=child,
        # a free body's coordinates are its pose in the world, wherever the file draws it
        placement=IDENTITY if floating else pose.then(Pose(joint.anchor)).transform(),
        child_offset=Pose(scale3(-1.0, joint.anchor)).transform(),
        axis=joint.axis,
        lower=joint.lower,
        upper=joint.upper,
        effort=joint.effort,
        damping=joint.damping if options.dampers else (),
        friction=joint.friction,
        stiffness=stiffness,
        armature=joint.armature,
        reference=joint.reference,
        neutral=(*pose.position, *pose.quaternion) if floating else None,
        spring_reference=(joint.spring_reference,) if stiffness and joint.dofs == 1 else (),
        motor_carries_weight=joint.motor_carries_weight,
        named=joint.named,
        line=joint.part.element.line,
        path=joint.part.element.path,
    )


def _link(link: Link, options: Options) -> LinkDescription:
    # passive forces are one thing to MuJoCo: without springs and dampers there is no gravcomp either
    compensates = link.parent is not None and (options.springs or options.dampers)
    return LinkDescription(
        link.name,
        # boundinertia gives a body without mass an inertia, which M has
        _inertial(link.inertial) if link.inertial.mass or any(link.inertial.tensor) else None,
        _geometries(link),
        gravity_compensation=link.gravity_compensation if compensates else 0.0,
        line=link.body.element.line,
        path=link.body.element.path,
    )


def _virtual(link: Link, name: str) -> LinkDescription:
    return LinkDescription(name, virtual=True, line=link.body.element.line, path=link.body.element.path)


def _inertial(inertial: Inertial) -> InertialDescription:
    return InertialDescription(inertial.mass, inertial.pose.transform(), inertial.tensor)


def _geometries(link: Link) -> tuple[GeometryDescription, ...]:
    return tuple(
        GeometryDescription(geom.kind, geom.size, geom.pose.transform(), "geom", geom.mesh)
        for geom in link.geoms
        if geom.kind not in _NO_SHAPE
    )
