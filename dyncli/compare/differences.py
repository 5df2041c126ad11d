"""What differs between two matched trees: each difference with both values and the step that takes A towards B."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from dyncli.spatial import (
    IDENTITY3,
    Inertia,
    Symmetric3,
    Transform,
    Vector3,
    inertia_about_center,
    multiply3,
    scale3,
    subtract3,
    transpose3,
)
from dyncli.structs import replace, struct
from dyncli.tree import Body, Joint, Tree

Step = Callable[[Tree], Tree]


@struct
class Difference:
    """`kind`: gravity, origin, axis, mass, com, inertia, armature, mimic, limit, drive, passive, type, frame or welded.

    `a`, `b`: the values, JSON-ready, in the link's or the parent's frame as A has them (m, kg, rad).
    `step`: changes a tree of A in this one point to what B has; None for what no mass matrix or weight depends on.
    """

    kind: str
    element: str
    attribute: str
    a: Any
    b: Any
    step: Step | None = None


def differences(a: Tree, b: Tree, tolerance: float) -> list[Difference]:
    """All differences of two matched trees, from the base outwards; values within `tolerance` (relative) are alike."""
    found = list(_gravity(a, b, tolerance))
    for i, (ours, theirs) in enumerate(zip(a.bodies, b.bodies, strict=True)):
        found += _placement(i, ours, theirs, tolerance)
        found += _inertia(i, ours, theirs, tolerance)
        found += _mimic(i, ours.joint, theirs.joint, tolerance)
        found += _limits(ours.joint, theirs.joint, tolerance)
    found += _armature(a, b, tolerance)
    found += _transmissions(a, b)
    found += _welded(a, b, tolerance)
    found += _frames(a, b, tolerance)
    return found


def differ(a: float | None, b: float | None, tolerance: float, scale: float = 0.0) -> bool:
    """Whether two values differ by more than `tolerance` of their size (or of `scale`)."""
    if a is None or b is None:
        return a is not b
    return abs(a - b) > tolerance * max(abs(a), abs(b), scale)


def _with_body(tree: Tree, i: int, **changes: Any) -> Tree:
    bodies = list(tree.bodies)
    bodies[i] = replace(bodies[i], **changes)
    return replace(tree, bodies=tuple(bodies))


def _with_joint(tree: Tree, i: int, **changes: Any) -> Tree:
    return _with_body(tree, i, joint=replace(tree.bodies[i].joint, **changes))


def _gravity(a: Tree, b: Tree, tolerance: float) -> Iterator[Difference]:
    if math.dist(a.gravity, b.gravity) > tolerance * math.hypot(*a.gravity, *b.gravity):
        yield Difference(
            "gravity",
            "world",
            "gravity",
            list(a.gravity),
            list(b.gravity),
            lambda tree: replace(tree, gravity=b.gravity),
        )


def _placement(i: int, a: Body, b: Body, tolerance: float) -> Iterator[Difference]:
    name = f"joint {a.joint.name!r}"
    if a.joint.type.name != b.joint.type.name:
        yield Difference("type", name, "type", a.joint.type.name, b.joint.type.name)
    shift = subtract3(b.placement.translation, a.placement.translation)
    if math.hypot(*shift) > tolerance * max(1.0, math.hypot(*a.placement.translation)):

        def moved(tree: Tree) -> Tree:
            now = tree.bodies[i].placement
            return _with_body(tree, i, placement=Transform(now.rotation, b.placement.translation))

        yield Difference(
            "origin", name, "position", list(a.placement.translation), list(b.placement.translation), moved
        )
    turn = rotation_between(a.placement, b.placement)
    if math.hypot(*turn) > tolerance:

        def turned(tree: Tree) -> Tree:
            now = tree.bodies[i].placement
            return _with_body(tree, i, placement=Transform(b.placement.rotation, now.translation))

        yield Difference("origin", name, "rotation vector", [0.0, 0.0, 0.0], list(turn), turned)
    if a.joint.type.nq == 1 and math.dist(a.joint.axis, b.joint.axis) > tolerance:
        yield Difference(
            "axis", name, "axis", list(a.joint.axis), list(b.joint.axis), lambda t: _with_joint(t, i, axis=b.joint.axis)
        )


def _inertia(i: int, a: Body, b: Body, tolerance: float) -> Iterator[Difference]:
    """Mass, centre of mass and tensor about it, one step each."""
    name = f"link {a.link!r}"
    mass_a, center_a, tensor_a = about_center(a.inertia)
    mass_b, center_b, tensor_b = about_center(b.inertia)

    def step(**changes: Any) -> Step:
        def changed(tree: Tree) -> Tree:
            mass, center, tensor = about_center(tree.bodies[i].inertia)
            now = {"mass": mass, "center": center, "tensor": tensor, **changes}
            return _with_body(tree, i, inertia=inertia_about_center(now["mass"], now["center"], now["tensor"]))

        return changed

    if differ(mass_a, mass_b, tolerance):
        yield Difference("mass", name, "mass", mass_a, mass_b, step(mass=mass_b))
    size = max(math.hypot(*center_a), math.hypot(*center_b), _radius(mass_a, tensor_a))
    if math.dist(center_a, center_b) > tolerance * size:
        yield Difference("com", name, "center of mass", list(center_a), list(center_b), step(center=center_b))
    scale = max(map(abs, (*tensor_a, *tensor_b, mass_a * size * size, mass_b * size * size)))
    if any(differ(x, y, tolerance, scale) for x, y in zip(tensor_a, tensor_b, strict=True)):
        yield Difference(
            "inertia", name, "ixx iyy izz ixy ixz iyz", list(tensor_a), list(tensor_b), step(tensor=tensor_b)
        )


def _mimic(i: int, a: Joint, b: Joint, tolerance: float) -> Iterator[Difference]:
    for attribute in ("multiplier", "offset"):
        ours, theirs = getattr(a, attribute), getattr(b, attribute)
        if differ(ours, theirs, tolerance):

            def changed(tree: Tree, attribute: str = attribute, theirs: float = theirs) -> Tree:
                return _with_joint(tree, i, **{attribute: theirs})

            yield Difference("mimic", f"joint {a.name!r}", attribute, ours, theirs, changed)


def _armature(a: Tree, b: Tree, tolerance: float) -> Iterator[Difference]:
    for k, (ours, theirs) in enumerate(zip(a.armature, b.armature, strict=True)):
        if differ(ours, theirs, tolerance):

            def changed(tree: Tree, k: int = k, theirs: float = theirs) -> Tree:
                return replace(tree, armature=(*tree.armature[:k], theirs, *tree.armature[k + 1 :]))

            yield Difference("armature", f"joint {a.dofs[k]!r}", "armature", ours, theirs, changed)


def _transmissions(a: Tree, b: Tree) -> Iterator[Difference]:
    """Tendons and actuators that couple joints, as a whole."""
    if a.transmissions != b.transmissions:
        ours, theirs = ([transmission.name for transmission in tree.transmissions] for tree in (a, b))
        yield Difference(
            "armature", "tendons", "transmissions", ours, theirs, lambda t: replace(t, transmissions=b.transmissions)
        )


def _limits(a: Joint, b: Joint, tolerance: float) -> Iterator[Difference]:
    """Limits, drives and passive elements: no part of M or of the weight."""
    kinds = {
        "lower": "limit",
        "upper": "limit",
        "velocity_limit": "drive",
        "effort_limit": "drive",
        "friction": "passive",
    }
    for attribute, kind in kinds.items():
        ours, theirs = getattr(a, attribute), getattr(b, attribute)
        if differ(ours, theirs, tolerance):
            yield Difference(kind, f"joint {a.name!r}", attribute.removesuffix("_limit"), ours, theirs)
    for attribute in ("damping", "stiffness"):
        ours, theirs = getattr(a, attribute), getattr(b, attribute)
        if len(ours) != len(theirs) or any(differ(x, y, tolerance) for x, y in zip(ours, theirs, strict=True)):
            yield Difference("passive", f"joint {a.name!r}", attribute, list(ours), list(theirs))


def _welded(a: Tree, b: Tree, tolerance: float) -> Iterator[Difference]:
    """Mass on the world: weighed by `info`, moved by nothing."""
    if differ(a.fixed_inertia.mass, b.fixed_inertia.mass, tolerance):
        yield Difference("welded", "world", "mass", a.fixed_inertia.mass, b.fixed_inertia.mass)


def _frames(a: Tree, b: Tree, tolerance: float) -> Iterator[Difference]:
    """Links and sites of both that stand elsewhere on their bodies."""
    for name, ours in a.frames.items():
        theirs = b.frames.get(name)
        if theirs is None:
            continue
        element = f"{ours.kind} {name!r}"
        if ours.body != theirs.body:
            yield Difference("frame", element, "body", _carrier(a, ours.body), _carrier(b, theirs.body))
            continue
        if math.dist(ours.placement.translation, theirs.placement.translation) > tolerance:
            yield Difference(
                "frame", element, "position", list(ours.placement.translation), list(theirs.placement.translation)
            )
        turn = rotation_between(ours.placement, theirs.placement)
        if math.hypot(*turn) > tolerance:
            yield Difference("frame", element, "rotation vector", [0.0, 0.0, 0.0], list(turn))


def _carrier(tree: Tree, body: int) -> str:
    return tree.bodies[body].joint.name if body >= 0 else "world"


def rotation_between(a: Transform, b: Transform) -> Vector3:
    """Rotation vector (rad) that turns a's axes into b's, in their common parent's axes."""
    R = multiply3(b.rotation, transpose3(a.rotation))
    if R == IDENTITY3:
        return (0.0, 0.0, 0.0)
    twice_sine: Vector3 = (R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])
    sine = 0.5 * math.hypot(*twice_sine)
    cosine = 0.5 * (R[0][0] + R[1][1] + R[2][2] - 1.0)
    angle = math.atan2(sine, cosine)
    if sine > 1e-8:
        return scale3(0.5 * angle / sine, twice_sine)
    if cosine > 0.0:
        return scale3(0.5, twice_sine)
    # half a turn: the axis is the column of R + 1 that is longest
    column = max(range(3), key=lambda k: R[k][k])
    axis = [R[k][column] + (1.0 if k == column else 0.0) for k in range(3)]
    length = math.hypot(*axis)
    return (angle * axis[0] / length, angle * axis[1] / length, angle * axis[2] / length)


def about_center(inertia: Inertia) -> tuple[float, Vector3, Symmetric3]:
    """Mass, centre of mass (the origin for a massless body) and tensor about it."""
    mass = inertia.mass
    if not mass:
        return 0.0, (0.0, 0.0, 0.0), inertia.rotational
    center = scale3(1.0 / mass, inertia.moment)
    offset = inertia_about_center(mass, center, (0.0,) * 6).rotational
    xx, yy, zz, xy, xz, yz = (total - part for total, part in zip(inertia.rotational, offset, strict=True))
    return mass, center, (xx, yy, zz, xy, xz, yz)


def _radius(mass: float, tensor: Symmetric3) -> float:
    return math.sqrt(max(tensor[:3]) / mass) if mass > 0.0 and max(tensor[:3]) > 0.0 else 0.0
