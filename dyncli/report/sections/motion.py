"""What holding and moving the robot takes: gravity torques over ranges, manipulability over workspaces."""

from __future__ import annotations

import math
from typing import Any

from dyncli.report.drawings.bars import color_ramp
from dyncli.report.drawings.gravity import gravity_drawing
from dyncli.report.drawings.workspace import STEPS, workspace_drawing
from dyncli.report.gravity import POSES, ROUNDING, Sweep, gravity_sweeps, greatest_peak
from dyncli.report.text import few, interval, measure, number
from dyncli.report.workspace import AXES, SAMPLES, NoWorkspace, Workspace, workspaces
from dyncli.robot import Robot
from dyncli.tree import Tree

Facts = dict[str, Any]


def gravity(tree: Tree, *, degrees: bool) -> Facts:
    """A small picture a joint, and its greatest torque beside the effort that the file allows."""
    sweeps = gravity_sweeps(tree)
    scale = greatest_peak(sweeps)
    return {
        "panels": [_panel(sweep, scale, degrees=degrees) for sweep in sweeps],
        "still": [joint.name for joint in tree.joints if joint.nq != 1],
        "poses": POSES,
        "weightless": not any(tree.gravity),
    }


def workspace(robot: Robot) -> Facts:
    """Two maps a tip."""
    found, left_out = workspaces(robot)
    return {
        "tips": [_tip(tip) for tip in found],
        "left_out": left_out,
        "ramp": color_ramp(STEPS),
        "samples": SAMPLES,
    }


def _panel(sweep: Sweep, scale: float, *, degrees: bool) -> Facts:
    name, unit, effort = sweep.name, "N m" if sweep.is_angle else "N", sweep.joint.effort_limit
    if not sweep.is_finite:
        return {"name": name, "drawing": None, "peak": "not finite", "effort": "", "over": False, "limited": True}
    peak = 0.0 if sweep.peak <= ROUNDING * scale else sweep.peak
    ratio = f"{100.0 * peak / effort:.0f} % of {measure(effort, unit)}" if effort else ""
    return {
        "name": name,
        "drawing": gravity_drawing(sweep, scale, degrees=degrees),
        "peak": measure(peak, unit, 3),
        "effort": ratio,
        "over": bool(effort) and peak > float(effort or math.inf),
        "limited": sweep.limited,
    }


def _tip(tip: Workspace | NoWorkspace) -> Facts:
    if isinstance(tip, NoWorkspace):
        return {"frame": tip.frame, "why": tip.why, "maps": []}
    return {
        "frame": tip.frame,
        "why": "",
        "joints": few(tip.joints, 8),
        "directions": tip.directions,
        "greatest": f"{number(tip.greatest, 3)} {tip.unit}".rstrip(),
        "mixed": not tip.unit,
        "box": [f"{axis} {interval(*ends, 'm')}" for axis, ends in zip(AXES, tip.box, strict=True)],
        "maps": [(view.name, workspace_drawing(tip, view)) for view in tip.views],
    }
