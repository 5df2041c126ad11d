"""From compiled bodies to the format-neutral `RobotDescription`: names, links, joints, sites, counts.

Several joints of one body become a chain with massless virtual links between them; a body without a joint hangs on a
fixed joint of its name.
"""

from __future__ import annotations

from dataclasses import dataclass

from dyncli.description import (
    GeometryDescription,
    InertialDescription,
    JointDescription,
    LinkDescription,
    SiteDescription,
)
from dyncli.formats.mjcf.expand import WORLD
from dyncli.formats.mjcf.inertia import Inertial
from dyncli.formats.mjcf.joints import Joint
from dyncli.formats.mjcf.names import Names
from dyncli.formats.mjcf.orientation import ORIGIN, Pose
from dyncli.formats.mjcf.robot import Link
from dyncli.formats.mjcf.settings import Options
from dyncli.spatial import IDENTITY, scale3


@dataclass(frozen=True, slots=True)
class Tree:
    """Links and joints of a description; `joint_names` and `link_names` tell what compiled ones are called in it."""

    links: tuple[LinkDescription, ...]
    joints: tuple[JointDescription, ...]
    sites: tuple[SiteDescription, ...]
    joint_names: dict[int, str]
    link_names: dict[int, str]


def build_tree(links: list[Link], options: Options) -> Tree:
    """Describe compiled bodies (`links[0]` is the world); the keys of the names are ids of joints and links."""
    return _Builder(links, options).build()


class _Builder:
    def __init__(self, links: list[Link], options: Options) -> None:
        self.compiled = links
        self.options = options
        bodies = Names([link.body.name for link in links if link.body.name])
        self.link_names = {
            id(link): link.body.name or bodies.unused(f"body{number}") for number, link in enumerate(links)
        }
        joints = Names([joint.name for link in links for joint in link.joints if joint.name])
        self.joint_names = {
            id(joint): joint.name or joints.unused(self.link_names[id(link)]) for link in links for joint in link.joints
        }
        self.new_links, self.new_joints = bodies, joints
        self.links: list[LinkDescription] = []
        self.joints: list[JointDescription] = []

    def build(self) -> Tree:
        """Describe body after body."""
        # passive forces are one thing to MuJoCo: without springs and dampers there is no gravcomp either
        compensates = self.options.springs or self.options.dampers
        for link in self.compiled:
            if link.parent is not None:
                self._connect(link)
            self.links.append(
                LinkDescription(
                    self.link_names[id(link)],
                    _inertial(link.inertial) if link.inertial.mass else None,
                    tuple(_geometries(link)),
                    gravity_compensation=link.gravity_compensation if compensates and link.parent else 0.0,
                    line=link.body.element.line,
                    path=link.body.element.path,
                )
            )
        sites = [
            SiteDescription(site.name, self.link_names[id(link)], site.pose.transform())
            for link in self.compiled
            for site in link.sites
            if site.name
        ]
        return Tree(tuple(self.links), tuple(self.joints), tuple(sites), self.joint_names, self.link_names)

    def _connect(self, link: Link) -> None:
        """Joints between a body and its parent, in the order of the file."""
        assert link.parent is not None
        own, parent = self.link_names[id(link)], self.link_names[id(link.parent)]
        element = link.body.element
        if not link.joints:
            name = self.new_joints.unused(own)
            placement = link.pose.transform()
            self.joints.append(
                JointDescription(
                    name, "fixed", parent, own, placement, named=False, line=element.line, path=element.path
                )
            )
        pose = link.pose
        for joint in link.joints:
            last = joint is link.joints[-1]
            child = own if last else self.new_links.unused(f"{own}/{self.joint_names[id(joint)]}")
            self.joints.append(self._joint(joint, pose, parent, child))
            if not last:
                self.links.append(LinkDescription(child, virtual=True, line=element.line, path=element.path))
            parent, pose = child, ORIGIN

    def _joint(self, joint: Joint, pose: Pose, parent: str, child: str) -> JointDescription:
        element = joint.part.element
        floating = joint.type == "floating"
        one_dof = joint.dofs == 1
        stiffness = joint.stiffness if self.options.springs else ()
        return JointDescription(
            name=self.joint_names[id(joint)],
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
            damping=joint.damping if self.options.dampers else (),
            friction=joint.friction,
            stiffness=stiffness,
            armature=joint.armature,
            reference=joint.reference,
            neutral=(*pose.position, *pose.quaternion) if floating else None,
            spring_reference=(joint.spring_reference,) if stiffness and one_dof else (),
            motor_carries_weight=joint.motor_carries_weight,
            named=bool(joint.name),
            line=element.line,
            path=element.path,
        )


def _inertial(inertial: Inertial) -> InertialDescription:
    return InertialDescription(inertial.mass, inertial.pose.transform(), inertial.tensor)


def _geometries(link: Link) -> list[GeometryDescription]:
    return [
        GeometryDescription(geom.kind, geom.size, geom.pose.transform(), "geom", geom.mesh)
        for geom in link.geoms
        if geom.kind not in ("plane", "hfield") and link.body.name != WORLD
    ]
