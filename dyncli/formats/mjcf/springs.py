"""Springs and dampers that a joint tells by `springdamper`: a time constant and a damping ratio.

What they come to depends on the inertia that the joint feels in the robot as drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.description import TransmissionDescription
from dyncli.formats.mjcf.drawn import Drawn
from dyncli.formats.mjcf.element import Report
from dyncli.formats.mjcf.robot import Link
from dyncli.structs import replace


def resolve_spring_dampers(links: list[Link], transmissions: Sequence[TransmissionDescription], report: Report) -> None:
    """Replace the first coefficients of such joints: I / (T ζ)² for the spring and 2 I / T for the damper."""
    sprung = [joint for link in links for joint in link.joints if joint.spring_damper]
    if not sprung:
        return
    drawn = Drawn(links)
    try:
        inertia = drawn.inertia_per_joint(drawn.mass_matrix(transmissions))
    except ValueError as error:
        report.error("springdamper", sprung[0].part.element, f"springdamper is left out: {error}")
        return
    for link in links:
        for index, joint in enumerate(link.joints):
            if joint.spring_damper is None:
                continue
            time, ratio = joint.spring_damper
            felt = inertia[joint.name]
            link.joints[index] = replace(
                joint,
                stiffness=(felt / (time * ratio) ** 2, *joint.stiffness[1:]),
                damping=(2.0 * felt / time, *joint.damping[1:]),
            )
