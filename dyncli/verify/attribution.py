"""Why another library differs: hypotheses about the model, each tried by computing dyn's numbers under it.

A hypothesis holds if the quantities that differed agree under it. What is named is then exactly what would have to be
changed in the robot to get the other library's answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from dyncli.spatial import inertia_about_center
from dyncli.structs import replace
from dyncli.tree import Tree
from dyncli.verify.peers.base import Peer, about_center
from dyncli.verify.subject import Subject

Measured = Mapping[str, tuple[float, float]]
"""Error and bound by quantity."""
SAME = 1e-9
"""Relative difference below which two inertias are the same."""


def reasons(
    peer: Peer, subject: Subject, beyond: Sequence[str], measure: Callable[[Subject], Measured]
) -> tuple[list[str], bool]:
    """What explains the quantities `beyond` their bounds, and whether it explains all of them."""
    for text, tree in hypotheses(peer, subject.tree):
        measured = measure(subject.of(tree))
        if all(measured[name][0] <= measured[name][1] for name in beyond if name in measured):
            return [text], True
    return [f"{', '.join(beyond)}: no known difference of the models explains this"], False


def hypotheses(peer: Peer, tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Other models that the library may have taken this one for, the most likely first."""
    replaced, names = _with_their_inertias(peer, tree)
    if names:
        said = ", ".join(map(repr, names[:6])) + ("..." if len(names) > 6 else "")
        yield f"it replaces the inertia of {said} (mass, centre of mass or tensor that no body can have)", replaced
    bare = replace(tree, armature=(0.0,) * tree.nv, transmissions=())
    if any(tree.armature) or tree.transmissions:
        yield "it leaves the armature out", bare
        if names:
            yield "it leaves the armature out and replaces inertias", replace(bare, bodies=replaced.bodies)
    x, y, z = tree.gravity
    for gravity, text in (((0.0, 0.0, -9.81), "it takes gravity as 0, 0, -9.81"), ((-x, -y, -z), "it turns gravity")):
        if gravity != tree.gravity:
            yield text, replace(tree, gravity=gravity)


def _with_their_inertias(peer: Peer, tree: Tree) -> tuple[Tree, list[str]]:
    """dyn's tree with the inertias that the library holds, and the joints whose bodies they change."""
    theirs = peer.inertias()
    bodies, changed = [], []
    for body in tree.bodies:
        if body.joint.name in theirs:
            mass, center, tensor = theirs[body.joint.name]
            if _differ(about_center(body), (mass, center, tensor)):
                moments = (tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2])
                x, y, z = map(float, center)
                xx, yy, zz, xy, xz, yz = map(float, moments)
                inertia = inertia_about_center(float(mass), (x, y, z), (xx, yy, zz, xy, xz, yz))
                changed.append(body.link)
                body = replace(body, inertia=inertia)
        bodies.append(body)
    return replace(tree, bodies=tuple(bodies)), changed


def _differ(ours: tuple[float, object, object], theirs: tuple[float, object, object]) -> bool:
    import numpy as np

    for x, y in zip(ours, theirs, strict=True):
        a, b = np.asarray(x, float), np.asarray(y, float)
        if np.abs(a - b).max() > SAME * max(np.abs(a).max(), np.abs(b).max(), 1e-12):
            return True
    return False
