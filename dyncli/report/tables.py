"""Rows of the tables of joints and bodies: text with units, ready for the page."""

from __future__ import annotations

from typing import Any

from dyncli.report.text import ABSENT, interval, measure, number, without_rounding

Facts = dict[str, Any]


def joint_rows(facts: Facts, *, degrees: bool) -> list[Facts]:
    """A row a joint of the file, from `info.robot_facts` (made with the same `degrees`)."""
    return [_joint_row(joint, degrees=degrees) for joint in facts["joints"]]


def body_rows(facts: Facts) -> list[Facts]:
    """A row a body of the file: mass, centre of mass, tensor about it in the link's axes."""
    rows = []
    for body in facts["bodies"]:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = body["inertia"]
        center, tensor = without_rounding(body["com"]), without_rounding((xx, yy, zz, xy, xz, yz))
        rows.append(
            {
                "name": body["name"],
                "parent": body["parent"] or ABSENT,
                "numbers": [number(value) for value in (body["mass"], *center, *tensor)],
            }
        )
    return rows


def _joint_row(joint: Facts, *, degrees: bool) -> Facts:
    slides = joint["type"] == "prismatic"
    position = "m" if slides else "°" if degrees else "rad"
    force = "N" if slides else "N m"
    return {
        "name": joint["name"],
        "type": joint["type"],
        "parent": joint["parent"] or "world",
        "child": joint["child"],
        "q": _indices(joint["idx_q"], joint["nq"]),
        "v": _indices(joint["idx_v"], joint["nv"]),
        "axis": ABSENT if joint["type"] in ("fixed", "floating", "ball") else " ".join(map(number, joint["axis"])),
        "range": interval(joint["lower"], joint["upper"], position),
        "velocity": measure(joint["velocity"], f"{position}/s"),
        "effort": measure(joint["effort"], force),
        "more": _remarks(joint, position, force),
        "fixed": joint["type"] == "fixed",
    }


def _indices(first: int | None, count: int) -> str:
    if first is None or not count:
        return ABSENT
    return str(first) if count == 1 else f"{first}–{first + count - 1}"


def _remarks(joint: Facts, position: str, force: str) -> str:
    """What else the file says of a joint: whom it follows, passive forces, rotor inertia."""
    said = []
    if mimic := joint["mimic"]:
        offset = f" {mimic['offset']:+.4g}" if mimic["offset"] else ""
        said.append(f"= {number(mimic['multiplier'])} × {mimic['joint']}{offset}")
    elif joint["nq"] == 0 and joint["type"] != "fixed":
        said.append("locked")
    slides = force == "N"
    rate, stretch = ("m/s", "m") if slides else ("rad/s", "rad")
    units = {
        "damping": f"{force}/({rate})",
        "friction": force,
        "stiffness": f"{force}/{stretch}",
        "armature": "kg" if slides else "kg m²",
    }
    for key, unit in units.items():
        value = joint[key]
        if isinstance(value, list):
            said.append(f"{key} {', '.join(map(number, value))} (a polynomial)")
        elif value:
            said.append(f"{key} {measure(value, unit)}")
    if joint["ref"]:
        said.append(f"drawn at {measure(joint['ref'], position)}")
    return ", ".join(said)
