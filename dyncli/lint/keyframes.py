"""Rules on the keyframes of an MJCF."""

from __future__ import annotations

from collections.abc import Iterator

from dyncli.description import RobotDescription
from dyncli.errors import Finding
from dyncli.lint.catalogue import advice
from dyncli.lint.model import Model

SIZES = {"floating": (7, 6), "ball": (4, 3), "fixed": (0, 0)}
"""Numbers of qpos and qvel for each joint type in MuJoCo's order; one of each for the others."""


def keyframe_length(model: Model) -> Iterator[Finding]:
    """Keyframes whose qpos or qvel has another length than the joints of the file need."""
    for key in model.description.keyframes:
        for index, (attribute, values) in enumerate((("qpos", key.qpos), ("qvel", key.qvel))):
            wanted = _lengths(model.description, index)
            if values is None or len(values) == sum(wanted.values()):
                continue
            joints = " + ".join(f"{count} {name!r}" for name, count in list(wanted.items())[:12])
            more = " + ..." if len(wanted) > 12 else ""
            message = (
                f"keyframe {key.name!r}: {attribute} has {len(values)} numbers, the joints need {sum(wanted.values())} "
                f"({joints}{more})"
            )
            hint = advice("keyframe-length")
            place = f"key {key.name!r}"
            yield Finding("keyframe-length", "error", place, message, hint, model.description.path, key.line)


def _lengths(description: RobotDescription, index: int) -> dict[str, int]:
    """Numbers that each joint takes in qpos (`index` 0) or qvel (1)."""
    lengths = {joint.name: SIZES.get(joint.type, (1, 1))[index] for joint in description.joints}
    return {name: count for name, count in lengths.items() if count}
