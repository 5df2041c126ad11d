"""What the rules look at: the description, its tree, and lengths and masses that several rules need."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from dyncli.description import GeometryDescription, JointDescription, LinkDescription, RobotDescription
from dyncli.errors import Finding
from dyncli.lint.catalogue import advice
from dyncli.spatial import Vector3
from dyncli.tree import Tree

if TYPE_CHECKING:
    from dyncli.formats.xml import Element


class Model:
    """A robot under inspection; `source` is its XML where a rule has to look at what no description holds."""

    def __init__(self, description: RobotDescription, tree: Tree, source: Element | None = None) -> None:
        self.description = description
        self.tree = tree
        self.source = source
        self.links = {link.name: link for link in description.links}
        self.joints = {joint.name: joint for joint in description.joints}
        self.moved_by = {joint.child: joint for joint in description.joints}

    def finding(
        self, code: str, severity: str, of: LinkDescription | JointDescription, message: str, *, line: int | None = None
    ) -> Finding:
        """A finding on a link or joint, at `line` or where that begins."""
        kind = "joint" if isinstance(of, JointDescription) else "link"
        path = of.path or self.description.path
        return Finding(code, severity, f"{kind} {of.name!r}", message, advice(code), path, line or of.line)

    @cached_property
    def children(self) -> dict[str, list[JointDescription]]:
        """Joints by the link that carries them."""
        children: dict[str, list[JointDescription]] = {}
        for joint in self.description.joints:
            children.setdefault(joint.parent, []).append(joint)
        return children

    @property
    def weighed(self) -> Iterator[LinkDescription]:
        """Links of positive mass."""
        return (link for link in self.description.links if link.inertial and link.inertial.mass > 0.0)

    def moves(self, link: LinkDescription) -> bool:
        """Whether a link moves with respect to the world."""
        frame = self.tree.frames.get(link.name)
        return frame is not None and frame.body >= 0

    def reach(self, link: LinkDescription) -> float:
        """Distance (m) from the link's centre of mass to the farthest joint or primitive geometry of its body.

        A body is the link with all links welded to it. 0 where the file tells nothing about its size.
        """
        frame = self.tree.frames.get(link.name)
        if link.inertial is None or frame is None:
            return 0.0
        center = frame.placement.point_to_parent(link.inertial.placement.translation)
        return max((math.dist(center, point) for point in self._landmarks[frame.body]), default=0.0)

    @cached_property
    def _landmarks(self) -> dict[int, list[Vector3]]:
        """Origins of links and joints and corners of geometry by body (-1: the world), in its frame."""
        landmarks: dict[int, list[Vector3]] = {}
        for name, frame in self.tree.frames.items():
            link = self.links.get(name)
            if link is None or frame.kind != "link":
                continue
            points = [joint.placement.translation for joint in self.children.get(name, ())]
            points += [corner for geometry in link.geometries for corner in corners(geometry)]
            if name in self.moved_by:
                points.append((0.0, 0.0, 0.0))
            landmarks.setdefault(frame.body, []).extend(map(frame.placement.point_to_parent, points))
        return landmarks

    @cached_property
    def longest_reach(self) -> float:
        """The longest reach of all links, m: the size of the robot's parts."""
        return max((self.reach(link) for link in self.weighed), default=0.0)

    @cached_property
    def total_mass(self) -> float:
        """Mass of all links, kg, those of negative mass left out."""
        return sum(link.inertial.mass for link in self.weighed if link.inertial)


def corners(geometry: GeometryDescription) -> list[Vector3]:
    """Corners of the box around a primitive, in the link frame; none for a mesh, whose size the file does not tell."""
    half = half_lengths(geometry)
    if half is None:
        return []
    signs = product((-1.0, 1.0), repeat=3)
    return [geometry.placement.point_to_parent((a * half[0], b * half[1], c * half[2])) for a, b, c in signs]


def half_lengths(geometry: GeometryDescription) -> Vector3 | None:
    """Half lengths of the box around a primitive in its own frame, m; None where its size is not known."""
    size = geometry.size
    if geometry.kind in ("box", "ellipsoid") and len(size) == 3:
        return (size[0], size[1], size[2])
    if geometry.kind == "sphere" and size:
        return (size[0], size[0], size[0])
    if geometry.kind in ("cylinder", "capsule") and len(size) == 2:
        cap = size[0] if geometry.kind == "capsule" else 0.0
        return (size[0], size[0], size[1] + cap)
    return None


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names in quotes, the first few of many."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}... ({len(names)} in all)"
