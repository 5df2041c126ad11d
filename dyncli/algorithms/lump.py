"""Base parameters: what a joint does not feel of its link's inertia is moved into the parent.

A turning joint does not feel mass on its axis, a sliding joint not the rotational inertia, a ball joint not a mass at
its centre; moved to the parent (which carries it alike) it multiplies fewer terms, and on the world it vanishes. Joint
forces and M stay what they are; reactions, energies and forces on single bodies do not.
Source: M. Gautier, W. Khalil, Direct calculation of minimum set of inertial parameters of serial robots (1990).
"""

from __future__ import annotations

from dyncli.algorithms.align import without_rounding
from dyncli.joints import Z_AXIS, Ball, Prismatic, Revolute
from dyncli.spatial import ZERO3, Inertia
from dyncli.structs import replace
from dyncli.tree import Joint, Tree


def lumped(tree: Tree) -> Tree:
    """A tree with the same tau and M: of each link only what its joint feels is left. Wants `aligned` frames. O(n)."""
    inertias = [body.inertia for body in tree.bodies]
    for i in range(len(inertias) - 1, -1, -1):
        body = tree.bodies[i]
        unfelt = _unfelt(body.joint, inertias[i])
        if unfelt is None:
            continue
        inertias[i] = without_rounding(_minus(inertias[i], unfelt))
        if body.parent >= 0:
            inertias[body.parent] = inertias[body.parent].plus(unfelt.to_parent(body.placement))
    bodies = tuple(replace(body, inertia=inertia) for body, inertia in zip(tree.bodies, inertias, strict=True))
    return replace(tree, bodies=bodies)


def _unfelt(joint: Joint, inertia: Inertia) -> Inertia | None:
    """The part of an inertia that looks the same from the parent wherever the joint stands."""
    kind = joint.type
    if isinstance(kind, Revolute) and joint.axis == Z_AXIS:
        # on the axis: mass, its first moment along z, and the second moment along z
        xx, yy, zz, *_ = inertia.rotational
        along = 0.5 * (xx + yy - zz)
        return Inertia(inertia.mass, (0.0, 0.0, inertia.moment[2]), (along, along, 0.0, 0.0, 0.0, 0.0))
    if isinstance(kind, Prismatic):
        return Inertia(0.0, ZERO3, inertia.rotational)
    if isinstance(kind, Ball):
        return Inertia(inertia.mass, ZERO3, (0.0,) * 6)
    return inertia if kind.nv == 0 else None


def _minus(whole: Inertia, part: Inertia) -> Inertia:
    a, b = whole.rotational, part.rotational
    x, y, z = (m - n for m, n in zip(whole.moment, part.moment, strict=True))
    xx, yy, zz, xy, xz, yz = (m - n for m, n in zip(a, b, strict=True))
    return Inertia(whole.mass - part.mass, (x, y, z), (xx, yy, zz, xy, xz, yz))
