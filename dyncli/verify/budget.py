"""Mass before and after fixed joints are merged."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dyncli.robot import Robot
from dyncli.verify.subject import Check


def mass_budget(robot: Robot) -> Iterator[Check]:
    """The links' masses and payloads are those of the bodies and of what is welded to the world."""
    tree = robot.tree
    links = [link.inertial.mass for link in robot.description.links if link.inertial]
    links += [payload.mass for payload in robot.options.payloads]
    bodies = [*(body.inertia.mass for body in tree.bodies), tree.fixed_inertia.mass]
    size = math.fsum(map(abs, links))
    error = abs(math.fsum(links) - math.fsum(bodies)) / size if size else 0.0
    yield Check("mass of links = of bodies", error, 1e-14)
