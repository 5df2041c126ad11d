"""An equivalent tree in which joints that move in stages are simpler joints in a row, with massless bodies between.

A floating joint in world axes becomes three slides and a ball: columns that turn with the body become constant ones, so
that a recorded program is shorter and shows that its slides do not see each other.
"""

from __future__ import annotations

from dyncli.spatial import IDENTITY, ZERO_INERTIA
from dyncli.structs import replace
from dyncli.tree import Body, Tree


def unfolded(tree: Tree) -> Tree:
    """The same robot: q, v, tau, M and the poses of named frames stay what they are. O(number of bodies)."""
    bodies: list[Body] = []
    index: list[int] = []
    for body in tree.bodies:
        parent = index[body.parent] if body.parent >= 0 else -1
        stages = _stages(body, parent, first=len(bodies))
        bodies += stages
        index.append(len(bodies) - 1)
    return replace(
        tree,
        bodies=tuple(bodies),
        frames={
            name: frame if frame.body < 0 else replace(frame, body=index[frame.body])
            for name, frame in tree.frames.items()
        },
        transmissions=tuple(
            transmission.attached(lambda body: (index[body], IDENTITY)) for transmission in tree.transmissions
        ),
    )


def _stages(body: Body, parent: int, first: int) -> list[Body]:
    """The bodies that a body becomes, numbered from `first`: the last one carries its inertia."""
    joint = body.joint
    simpler = joint.type.unfolded(joint.axis)
    if len(simpler) == 1:
        return [replace(body, parent=parent)]
    stages = []
    q = v = 0
    for k, (kind, axis) in enumerate(simpler):
        own = replace(
            joint,
            type=kind,
            axis=axis,
            index_q=joint.index_q + q,
            index_v=joint.index_v + v,
            neutral=joint.neutral[q : q + kind.nq],
        )
        q, v = q + kind.nq, v + kind.nv
        last = k == len(simpler) - 1
        stages.append(
            replace(
                body,
                parent=parent,
                joint=own,
                placement=IDENTITY if k else body.placement,
                inertia=body.inertia if last else ZERO_INERTIA,
                compensated=body.compensated if last else None,
            )
        )
        parent = first + k
    return stages
