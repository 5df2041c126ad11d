"""Keyframes: stored states of the robot, in the order of MuJoCo's qpos and qvel.

Those of attached models come along: what is attached stands as they say, the rest of the robot as it is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from dyncli.description import KeyframeDescription
from dyncli.formats.mjcf.element import Element, Report
from dyncli.formats.mjcf.expand import expand
from dyncli.formats.mjcf.joints import COORDINATES, DOFS, Joint, joint_type
from dyncli.formats.mjcf.names import Names
from dyncli.formats.mjcf.orientation import UNIT, Quaternion, unit
from dyncli.formats.mjcf.parts import Part, Scope
from dyncli.formats.mjcf.robot import Link
from dyncli.structs import struct

Numbers = tuple[float, ...]
_SIZES: Mapping[str, Mapping[str, int]] = {"qpos": COORDINATES, "qvel": DOFS}
"""Numbers that each type of joint takes in either attribute."""
_SHOWN = 8


@struct
class _Key:
    """A keyframe for the whole robot; `name` is its final one, empty where the file gives none."""

    element: Element
    name: str
    qpos: Numbers | None
    qvel: Numbers | None


def read_keyframes(scopes: Sequence[Scope], links: Sequence[Link], report: Report) -> tuple[KeyframeDescription, ...]:
    """The keyframes of all models; one of the wrong length is an error that does not stop the rest."""
    keys = _own(scopes[0], links, report)
    for scope in _attached(scopes):
        keys += _taken_along(scope, links, report)
    names, seen = Names([key.name for key in keys if key.name]), set()
    keyframes = []
    for number, key in enumerate(keys):
        if key.name in seen:
            report.fatal("duplicate-name", key.element, f"there are two keyframes of the name {key.name!r}")
        if key.name:
            seen.add(key.name)
        name = key.name or names.unused(f"key{number}")
        keyframes.append(KeyframeDescription(name, key.qpos, key.qvel, key.element.line))
    return tuple(keyframes)


def _own(scope: Scope, links: Sequence[Link], report: Report) -> list[_Key]:
    """The keyframes of the outermost model, those of the wrong length too."""
    joints = [joint for link in links for joint in link.joints]
    named = [(joint.name, joint.type) for joint in joints]
    keys = []
    for element in _elements(scope):
        qpos, qvel = (_numbers(element, attribute, named, report)[0] for attribute in _SIZES)
        keys.append(_Key(element, element.name, _normalised(qpos, joints), qvel))
    return keys


def _attached(scopes: Sequence[Scope]) -> Iterator[Scope]:
    """Where other models are attached; of copies that a replicate makes of one place the first alone."""
    seen = set()
    for scope in scopes[1:]:
        assert scope.outer is not None
        place = (scope.model, _prefix(scope))
        if not scope.is_copy and scope.model is not scope.outer.model and place not in seen:
            seen.add(place)
            yield scope


def _taken_along(scope: Scope, links: Sequence[Link], report: Report) -> Iterator[_Key]:
    """The keyframes of an attached model, of which the whole robot may have but a part."""
    elements = _elements(scope)
    if not elements:
        return
    drawn = [part for body in expand(scope.model, Report(scope.model.root.path)).bodies for part in body.joints]
    named = [(part.name or f"joint {number}", joint_type(part)) for number, part in enumerate(drawn)]
    here = [joint for link in links for joint in link.joints if joint.part.scope.is_within(scope)]
    twins = dict(zip(_occurrences([joint.part for joint in here]), (joint.name for joint in here), strict=True))
    places = [twins.get(occurrence) for occurrence in _occurrences(drawn)]
    rest = {
        "qpos": [(joint, _reference(joint, link)) for link in links for joint in link.joints],
        "qvel": [(joint, (0.0,) * joint.dofs) for link in links for joint in link.joints],
    }
    for element in elements:
        states = {}
        for attribute, sizes in _SIZES.items():
            numbers, fits = _numbers(element, attribute, named, report)
            given: dict[str | None, Numbers] = {}
            at = 0
            for place, (_, kind) in zip(places, named, strict=True):
                given[place] = (numbers or ())[at : at + sizes[kind]]
                at += sizes[kind]
            whole = (value for joint, otherwise in rest[attribute] for value in given.get(joint.name) or otherwise)
            states[attribute] = tuple(whole) if numbers and fits else None
        qpos = _normalised(states["qpos"], [joint for joint, _ in rest["qpos"]])
        yield _Key(element, f"{_prefix(scope)}{element.name}" if element.name else "", qpos, states["qvel"])


def _numbers(
    element: Element, attribute: str, joints: Sequence[tuple[str, str]], report: Report
) -> tuple[Numbers | None, bool]:
    """What a key gives for joints (name, type), and whether it fits them; if not it is reported."""
    numbers = cast("Numbers | None", element.values.get(attribute))
    parts = [(name, _SIZES[attribute][kind]) for name, kind in joints]
    size = sum(count for _, count in parts)
    if numbers and len(numbers) != size:
        shown = ", ".join(f"{name}{f' ({count})' if count > 1 else ''}" for name, count in parts[:_SHOWN])
        more = f" and {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else ""
        message = f"{attribute} has {len(numbers)} numbers, the model needs {size}"
        hint = f"one for each of: {shown}{more}" if parts else "the model has no joints"
        report.error("keyframe-length", element, message, hint)
        return numbers, False
    return numbers, True


def _reference(joint: Joint, link: Link) -> Numbers:
    """Positions of a joint in the robot as drawn."""
    if joint.type == "floating":
        return (*link.pose.position, *link.pose.quaternion)
    return UNIT if joint.type == "ball" else (joint.reference,)


def _occurrences(parts: Sequence[Part]) -> list[tuple[Element, int]]:
    """The element of each part with the number of parts before it that are copies of the same."""
    before: Counter[Element] = Counter()
    found = []
    for part in parts:
        found.append((part.element, before[part.element]))
        before[part.element] += 1
    return found


def _normalised(qpos: Numbers | None, joints: Sequence[Joint]) -> Numbers | None:
    """Positions with quaternions of length 1, as MuJoCo makes them: in a file written by hand few have it."""
    if qpos is None or len(qpos) != sum(joint.coordinates for joint in joints):
        return qpos
    values: list[float] = []
    for joint in joints:
        own = qpos[len(values) : len(values) + joint.coordinates]
        values += own if joint.coordinates == 1 else (*own[:-4], *unit(cast("Quaternion", own[-4:])))
    return tuple(values)


def _prefix(scope: Scope) -> str:
    """What an attached model's names get in the model that attaches it; further ones a keyframe does not take on."""
    return scope.prefix.removeprefix(scope.outer.prefix) if scope.outer else ""


def _elements(scope: Scope) -> list[Element]:
    return [key for section in scope.model.root.named("keyframe") for key in section.named("key")]
