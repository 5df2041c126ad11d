"""Keyframes of an MJCF as states: MuJoCo's order and axes to those of the tree."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.description import KeyframeDescription
from dyncli.errors import StateError, UsageError, nearest
from dyncli.joints import JointType, coordinates_from_quaternion_first
from dyncli.spatial import rotate_back
from dyncli.tree import Tree


def keyframe_values(tree: Tree, name: str, block: str) -> list[float]:
    """q (`block` q) or qd of the keyframe `name`; joints that are locked are left out.

    Raises UsageError for an unknown keyframe, StateError for one that does not fit the model.
    """
    key = _find(tree, name)
    q = _positions(tree, key)
    return q if block == "q" else _velocities(tree, key, q)


def _find(tree: Tree, name: str) -> KeyframeDescription:
    for key in tree.keyframes:
        if key.name == name:
            return key
    names = [key.name for key in tree.keyframes if key.name]
    hint = nearest(name, names) or "the model has no named keyframes"
    raise UsageError(f"no keyframe named {name!r}", hint=hint)


def _positions(tree: Tree, key: KeyframeDescription) -> list[float]:
    if key.qpos is None:
        return list(tree.neutral)
    parts = _parts(tree, key, "qpos", key.qpos, [kind.nq for _, kind in tree.movable])
    types = dict(tree.movable)
    return [
        float(value)
        for joint in tree.joints
        for value in coordinates_from_quaternion_first(types[joint.name], parts[joint.name])
    ]


def _velocities(tree: Tree, key: KeyframeDescription, q: list[float]) -> list[float]:
    if key.qvel is None:
        return [0.0] * tree.nv
    parts = _parts(tree, key, "qvel", key.qvel, [kind.nv for _, kind in tree.movable])
    velocities: list[float] = []
    for joint in tree.joints:
        own = [float(value) for value in parts[joint.name]]
        if tree.convention == "pinocchio" and joint.type.name == "floating":
            rotation = joint.type.transform(joint.axis, joint.position(q)).rotation
            own[:3] = rotate_back(rotation, (own[0], own[1], own[2]))
        velocities += own
    return velocities


def _parts(
    tree: Tree, key: KeyframeDescription, what: str, values: Sequence[float], sizes: Sequence[int]
) -> dict[str, Sequence[float]]:
    """The values joint by joint, in file order."""
    if len(values) != sum(sizes):
        raise StateError(f"keyframe {key.name!r}: {what} has {len(values)} numbers, expected {sum(sizes)}")
    parts: dict[str, Sequence[float]] = {}
    at = 0
    movable: Sequence[tuple[str, JointType]] = tree.movable
    for (name, _), size in zip(movable, sizes, strict=True):
        parts[name] = values[at : at + size]
        at += size
    return parts
