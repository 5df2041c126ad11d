"""Rules on what single joints say: limits and drives."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dyncli.errors import Finding
from dyncli.lint.model import Model

BEYOND_ANY_TURN = 8.0 * math.pi
"""A revolute joint that turns more than four times each way is a winch, or its limits are in degrees."""


def zero_bounds(model: Model) -> Iterator[Finding]:
    """Drives without force or speed: planners and controllers take these as they stand."""
    for joint in model.description.joints:
        if joint.type == "fixed":
            continue
        # a follower is moved by its driver, whatever its own drive can do
        severity = "note" if joint.mimic else "warning"
        if joint.effort == 0.0:
            yield model.finding("zero-effort", severity, joint, "limit effort 0: no torque or force is allowed")
        if joint.velocity == 0.0:
            yield model.finding("zero-velocity", severity, joint, "limit velocity 0: no motion is allowed")


def frozen_joints(model: Model) -> Iterator[Finding]:
    """Joints that may move, but nowhere."""
    for joint in model.description.joints:
        if joint.lower is not None and joint.lower == joint.upper:
            message = f"limit lower and upper are both {joint.lower:g}: the joint cannot move"
            yield model.finding("empty-range", "warning", joint, message)


def limits_in_degrees(model: Model) -> Iterator[Finding]:
    """Angles such as ±180 in a format of radians."""
    if model.description.format != "urdf":
        return
    for joint in model.description.joints:
        if joint.type != "revolute" or joint.lower is None or joint.upper is None:
            continue
        greatest = max(abs(joint.lower), abs(joint.upper))
        if BEYOND_ANY_TURN < greatest <= 720.0 and joint.lower % 5.0 == 0.0 == joint.upper % 5.0:
            message = f"limit lower {joint.lower:g}, upper {joint.upper:g} rad is {greatest / math.tau:.3g} turns"
            yield model.finding("limit-in-degrees", "warning", joint, message)
