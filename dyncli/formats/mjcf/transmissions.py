"""Tendons and actuators: what they add to the mass matrix (armature) and to the passive forces (springs, dampers)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import cast

from dyncli.description import PathPoint, TransmissionDescription, WrapDescription
from dyncli.formats.mjcf.defaults import Values
from dyncli.formats.mjcf.drawn import relaxed_poses
from dyncli.formats.mjcf.element import Element, Report
from dyncli.formats.mjcf.joints import polynomial
from dyncli.formats.mjcf.orientation import Pose
from dyncli.formats.mjcf.references import Reference, References, Referring
from dyncli.formats.mjcf.robot import Link
from dyncli.formats.mjcf.settings import Options
from dyncli.spatial import Transform, Vector3
from dyncli.structs import replace, struct
from dyncli.wrapping.solids import SHAPES, local, wrap

DRIVES = ("joint", "jointinparent", "tendon", "slidersite", "cranksite", "site", "body")
"""Attributes by which an actuator says what it drives; of several the last in this order counts, as in MuJoCo."""
_KINDS = {"jointinparent": "joint", "slidersite": "site", "cranksite": "site", "refsite": "site"}


@struct
class Tendon:
    """A tendon: terms (joint name, degree of freedom, coefficient) or a path; `wraps` if geoms bend its path.

    `vague`: one of these geoms is fitted to a mesh that was not read.
    """

    name: str
    terms: tuple[tuple[str, int, float], ...]
    path: tuple[PathPoint, ...] = ()
    wraps: bool = False
    vague: bool = False


def tendon_references(element: Element) -> Iterator[Reference]:
    """What a tendon refers to."""
    for child in element.children:
        for kind in ("site", "joint", "geom"):
            if kind in child.values:
                yield Reference(kind, str(child.values[kind]))
        if "sidesite" in child.values:
            yield Reference("site", str(child.values["sidesite"]), beside=("geom", str(child.values["geom"])))


def actuator_references(element: Element) -> Iterator[Reference]:
    """What an actuator refers to."""
    for attribute in (*DRIVES, "refsite"):
        if attribute in element.values:
            yield Reference(_KINDS.get(attribute, attribute), str(element.values[attribute]))


class Transmissions:
    """Makes the transmissions of a robot, tendons first since actuators pull on them.

    `controls`: how many numbers the actuators take as input, MuJoCo's nu.
    """

    def __init__(self, links: list[Link], options: Options, report: Report) -> None:
        self.options, self.report = options, report
        self.links = links
        self.joints = {joint.name: joint for link in links for joint in link.joints}
        self.sites: dict[str, tuple[Link, Pose]] = {
            site.name: (link, site.pose) for link in links for site in link.sites if site.name
        }
        self.geoms = {geom.name: (link, geom) for link in links for geom in link.geoms if geom.name}
        self.tendons: dict[str, Tendon] = {}
        self.found: list[TransmissionDescription] = []
        self.controls = 0
        self.unused: list[str] = []

    def read(self, references: References) -> list[TransmissionDescription]:
        """All transmissions that have armature, a spring or a damper; `unused` tells what could not be kept."""
        for referring in references.referring("tendon", "tendon", tendon_references):
            self._tendon(referring)
        for referring in references.referring("actuator", "actuator", actuator_references, mixes=False):
            self._actuator(referring)
        return self.found

    # tendons ------------------------------------------------------------------------------------------------

    def _tendon(self, referring: Referring) -> None:
        element = referring.element
        values = referring.model.defaults.resolve(element)
        tendon = self._fixed(referring) if element.tag == "fixed" else self._spatial(referring)
        if tendon is None:
            return
        self.tendons[referring.name] = tendon
        armature = _number(values, "armature")
        stiffness = polynomial(values.get("stiffness", ())) if self.options.springs else ()
        damping = polynomial(values.get("damping", ())) if self.options.dampers else ()
        if armature < 0.0:
            self.report.fatal("tendon", element, f"armature {armature:g} is negative")
        if tendon.wraps and armature:
            self.report.fatal("tendon", element, "a tendon that wraps around geoms cannot have armature")
        elif tendon.vague and (stiffness or damping):
            self.unused.append(f"spring and damper of tendon {referring.name!r} around a geom fitted to a mesh")
        elif armature or stiffness or damping:
            self.found.append(
                TransmissionDescription(
                    referring.name,
                    f"{element.tag} tendon",
                    tendon.terms,
                    tendon.path,
                    armature,
                    damping,
                    stiffness,
                    self._spring_range(element, values, tendon),
                    element.line,
                )
            )

    def _fixed(self, referring: Referring) -> Tendon | None:
        terms: dict[str, float] = {}
        for child in referring.element.children:
            joint = self.joints[referring.final("joint", child.values["joint"])]
            if joint.dofs != 1:
                self.report.fatal("tendon", child, f"joint {joint.name!r} must be a hinge or a slide")
                return None
            if joint.name in terms:
                self.report.fatal("tendon", child, f"joint {joint.name!r} is named twice")
            terms[joint.name] = cast("tuple[float]", child.values["coef"])[0]
        if not terms:
            self.report.fatal("tendon", referring.element, "names no joint")
            return None
        return Tendon(referring.name, tuple((name, 0, coefficient) for name, coefficient in terms.items()))

    def _spatial(self, referring: Referring) -> Tendon | None:
        complaint = _broken_path(referring.element)
        if complaint:
            self.report.fatal("tendon", referring.element, complaint)
            return None
        path: list[PathPoint] = []
        divisor, wraps, vague, last = 1.0, False, False, ""
        for child in referring.element.children:
            if child.tag == "pulley":
                divisor = cast("tuple[float]", child.values["divisor"])[0]
                if divisor <= 0.0:
                    self.report.fatal("tendon", child, f"the divisor {divisor:g} must be positive")
                    return None
                if path:
                    path[-1] = replace(path[-1], breaks=True)
                last = ""
            elif child.tag == "geom":
                wraps, last = True, ""
                around = self._around(referring, child)
                if around is None:
                    vague = True
                else:
                    path[-1] = replace(path[-1], around=around)
            else:
                name = referring.final("site", child.values["site"])
                if name == last:
                    self.report.fatal("tendon", child, f"site {name!r} stands twice in a row")
                last = name
                link, pose = self.sites[name]
                path.append(PathPoint(link.name, pose.position, divisor))
        return Tendon(referring.name, (), tuple(path), wraps, vague)

    def _around(self, referring: Referring, child: Element) -> WrapDescription | None:
        """The solid of a geom to wrap around; None where its size is not known, or it is none, which is reported."""
        name = referring.final("geom", child.values["geom"])
        link, geom = self.geoms[name]
        if geom.type not in SHAPES:
            self.report.fatal("tendon", child, f"geom {name!r} is no sphere or cylinder to wrap around")
        if geom.kind not in SHAPES:
            return None
        side = None
        if "sidesite" in child.values:
            holder, pose = self.sites[referring.final("site", child.values["sidesite"])]
            side = (holder.name, pose.position)
        return WrapDescription(link.name, geom.pose.transform(), geom.kind, geom.size[0], side)

    def _spring_range(self, element: Element, values: Values, tendon: Tendon) -> tuple[float, float]:
        """Lengths between which the spring is slack; where none is given that with all joints at their `springref`."""
        given = cast("tuple[float, ...]", values.get("springlength", (-1.0, -1.0)))
        low, high = given[0], given[-1]
        if low > high:
            self.report.fatal("tendon", element, f"springlength {low:g} {high:g}: the second must not be smaller")
        if (low, high) != (-1.0, -1.0):
            return low, high
        length = sum(coefficient * self.joints[name].spring_reference for name, _, coefficient in tendon.terms)
        return (length + self._path_length(tendon),) * 2

    def _path_length(self, tendon: Tendon) -> float:
        """Length of a path when all joints stand at their `springref`."""
        poses = {name: pose.transform() for name, pose in relaxed_poses(self.links).items()} if tendon.path else {}
        total = 0.0
        for at, to in pairwise(tendon.path):
            if at.breaks:
                continue
            start, end = (poses[point.link].point_to_parent(point.point) for point in (at, to))
            total += _stretch_length(poses, at.around, start, end) / at.divisor
        return total

    # actuators ----------------------------------------------------------------------------------------------

    def _actuator(self, referring: Referring) -> None:
        """Armature and damper of an actuator on a joint or tendon, with the square of its gear."""
        element = referring.element
        drives = [attribute for attribute in DRIVES if attribute in element.values]
        if not drives:
            self.report.fatal("actuator", element, f"says not what it drives: one of {', '.join(DRIVES)}")
            return
        values = referring.model.defaults.resolve(element)
        self.controls += _inputs(element.tag, values)
        armature = _number(values, "armature")
        damping = polynomial(values.get("damping", ()))
        if not armature and not damping:
            return
        drive = drives[-1]
        if drive not in ("joint", "jointinparent", "tendon"):
            self.report.fatal("actuator", element, "armature and damping are for actuators on a joint or tendon")
            return
        gear = cast("tuple[float, ...]", values.get("gear", (1.0,)))[0]
        target = referring.final(_KINDS.get(drive, drive), element.values[drive])
        if drive == "tendon":
            tendon = self.tendons.get(target)
            if tendon is None:
                return  # the tendon is wrong and has been reported
            if tendon.wraps and armature:
                self.report.fatal("actuator", element, f"tendon {target!r} wraps around geoms: it cannot have armature")
            if tendon.vague:
                self.unused.append(f"damper of actuator {referring.name!r} on a tendon around a geom fitted to a mesh")
                return
            self._add(referring, tendon.terms, tendon.path, gear, armature, damping)
            return
        joint = self.joints[target]
        for component in range(joint.dofs):
            # of several degrees of freedom each gets the armature, with the first gear and no coupling
            self._add(referring, ((joint.name, component, 1.0),), (), gear, armature, damping)

    def _add(
        self,
        referring: Referring,
        terms: tuple[tuple[str, int, float], ...],
        path: tuple[PathPoint, ...],
        gear: float,
        armature: float,
        damping: tuple[float, ...],
    ) -> None:
        self.found.append(
            TransmissionDescription(
                referring.name,
                "actuator",
                terms,
                path,
                gear**2 * armature,
                tuple(gear**2 * c for c in damping) if self.options.dampers else (),
                line=referring.element.line,
            )
        )


def _broken_path(element: Element) -> str:
    """What is wrong with the order of sites, geoms and pulleys along a tendon; empty if nothing is."""
    tags = [child.tag for child in element.children]
    if len(tags) < 2:
        return "a path needs at least two things to run along"
    if tags[-1] == "pulley":
        return "the path ends with a pulley"
    if any(before == after == "pulley" for before, after in pairwise(tags)):
        return "a pulley follows upon a pulley"
    around = ["pulley", *tags, "pulley"]
    for before, tag, after in zip(around, tags, around[2:], strict=False):
        if tag == "site" and before == after == "pulley":
            return "a site stands alone between pulleys"
        if tag == "geom" and not before == after == "site":
            return "a geom must stand between two sites"
    return ""


def _inputs(tag: str, values: Values) -> int:
    """How many numbers control an actuator: one for each word of `input`, for an orientation those of its kind."""
    if tag == "orientation":
        return 4 if values.get("input") == "quat" else 3
    return len(str(values.get("input", "pos vel" if tag == "pid" else "ctrl")).split())


def _number(values: Values, name: str) -> float:
    return cast("tuple[float]", values.get(name, (0.0,)))[0]


def _stretch_length(
    poses: Mapping[str, Transform], around: WrapDescription | None, start: Vector3, end: Vector3
) -> float:
    """Length between two world points, straight or around a solid."""
    if around is not None:
        pose = poses[around.link].then(around.placement)
        side = None
        if around.side is not None:
            link, point = around.side
            side = local(pose, poses[link].point_to_parent(point))
        bend = wrap(around.shape, around.radius, pose, start, end, side)
        if bend.touches:
            return math.dist(start, bend.first) + float(bend.arc) + math.dist(bend.last, end)
    return math.dist(start, end)
