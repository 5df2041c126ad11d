"""Keyframes: stored states of the robot, in the order of MuJoCo's qpos and qvel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from dyncli.description import KeyframeDescription
from dyncli.formats.mjcf.element import Element, Report
from dyncli.formats.mjcf.joints import Joint
from dyncli.formats.mjcf.names import Names
from dyncli.formats.mjcf.orientation import Quaternion, unit
from dyncli.formats.mjcf.parts import Scope
from dyncli.formats.mjcf.robot import Link

_SHOWN = 8


def read_keyframes(scopes: Sequence[Scope], links: Sequence[Link], report: Report) -> tuple[KeyframeDescription, ...]:
    """The keyframes of the outermost model; one of the wrong length is an error that does not stop the rest."""
    joints = [joint for link in links for joint in link.joints]
    sizes = {
        "qpos": (sum(joint.coordinates for joint in joints), [(joint.name, joint.coordinates) for joint in joints]),
        "qvel": (sum(joint.dofs for joint in joints), [(joint.name, joint.dofs) for joint in joints]),
    }
    elements = _keys(scopes[0])
    named = [element.name for element in elements if element.name]
    names, seen = Names(named), set()
    keyframes = []
    for number, element in enumerate(elements):
        if element.name in seen:
            report.fatal("duplicate-name", element, f"there are two keyframes of the name {element.name!r}")
        if element.name:
            seen.add(element.name)
        for attribute, (size, parts) in sizes.items():
            found = len(cast("tuple[float, ...]", element.values.get(attribute, ())))
            if found not in (0, size):
                shown = ", ".join(f"{name}{f' ({count})' if count > 1 else ''}" for name, count in parts[:_SHOWN])
                more = f" and {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else ""
                report.error(
                    "keyframe-length",
                    element,
                    f"{attribute} has {found} numbers, the model needs {size}",
                    f"one for each of: {shown}{more}" if parts else "the model has no joints",
                )
        keyframes.append(
            KeyframeDescription(
                element.name or names.unused(f"key{number}"),
                _normalised(cast("tuple[float, ...] | None", element.values.get("qpos")), joints),
                cast("tuple[float, ...] | None", element.values.get("qvel")),
                element.line,
            )
        )
    lost = sum(len(_keys(scope)) for scope in scopes[1:] if not scope.is_copy)
    if lost:
        report.note("keyframes-attached", None, f"{lost} keyframes of attached models are not taken over")
    return tuple(keyframes)


def _normalised(qpos: tuple[float, ...] | None, joints: Sequence[Joint]) -> tuple[float, ...] | None:
    """Positions with quaternions of length 1, as MuJoCo makes them: in a file written by hand few have it."""
    if qpos is None or len(qpos) != sum(joint.coordinates for joint in joints):
        return qpos
    values: list[float] = []
    for joint in joints:
        own = qpos[len(values) : len(values) + joint.coordinates]
        values += own if joint.coordinates == 1 else (*own[:-4], *unit(cast("Quaternion", own[-4:])))
    return tuple(values)


def _keys(scope: Scope) -> list[Element]:
    return [key for section in scope.model.root.named("keyframe") for key in section.named("key")]
