"""Where the mass of a robot goes once fixed joints are merged."""

from __future__ import annotations

import math

from dyncli.robot import Robot
from dyncli.structs import struct

WORLD = -1


@struct
class BodyShare:
    """A moving body (index in the tree; `WORLD`: what is welded to it), its mass (kg) and the links merged into it."""

    body: int
    name: str
    mass: float
    links: list[str]


@struct
class MassBudget:
    """Masses in kg: `in_links` of the file and `in_payloads` of the options are what `shares` add up to."""

    shares: list[BodyShare]
    in_links: float
    in_payloads: float
    links: int

    @property
    def total(self) -> float:
        """All of it."""
        return math.fsum(part.mass for part in self.shares)

    @property
    def welded(self) -> float:
        """What does not move."""
        return self.shares[0].mass

    @property
    def moving(self) -> float:
        """What does."""
        return math.fsum(part.mass for part in self.shares[1:])


def mass_budget(robot: Robot) -> MassBudget:
    """The budget of a robot: the world's share first, then the bodies in the order of the tree."""
    tree, description = robot.tree, robot.description
    welded = links_by_body(robot)
    shares = [BodyShare(WORLD, "fixed to the world", tree.fixed_inertia.mass, welded.get(WORLD, []))]
    for i, body in enumerate(tree.bodies):
        shares.append(BodyShare(i, body.link, body.inertia.mass, welded.get(i, [])))
    masses = [link.inertial.mass for link in description.links if link.inertial]
    payloads = math.fsum(payload.mass for payload in robot.options.payloads)
    return MassBudget(shares, math.fsum(masses), payloads, sum(not link.virtual for link in description.links))


def links_by_body(robot: Robot) -> dict[int, list[str]]:
    """Names of the links that move as one, by body (`WORLD` for those that do not move), in file order."""
    groups: dict[int, list[str]] = {}
    for link in robot.description.links:
        frame = robot.tree.frames.get(link.name)
        if frame is not None and not link.virtual:
            groups.setdefault(frame.body, []).append(link.name)
    return groups
