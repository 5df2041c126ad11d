"""Motion of a robot seen from the first body of each branch: the quantities that the analytic derivatives share.

A block is a group of degrees of freedom whose columns are fixed in the frame they move: a joint, or each stage of a
joint that moves in stages, as if a massless body stood between. Everything is in the coordinates of the branch's
first body (the one on the world), so that dot products of any two blocks need no transform; its own joint's position
then appears in the direction of gravity alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dyncli.algorithms.derivatives.coriolis_map import (
    NO_TURN,
    TurnMap,
    coriolis_map,
    momentum_of,
    wrench_map,
)
from dyncli.algorithms.kinematics import joint_transforms
from dyncli.algorithms.wrenches import Wrench
from dyncli.spatial import (
    IDENTITY,
    ZERO3,
    ZERO_FORCE,
    ZERO_INERTIA,
    ZERO_MOTION,
    Force,
    Inertia,
    Motion,
    Scalar,
    Transform,
    add3,
    cross3,
    rotate,
    rotate_back,
    scale3,
)
from dyncli.tree import Tree

WORLD = -1


class Block(NamedTuple):
    """A block and what its motion depends on; a column and its rates are in the order of `dofs`.

    `parent`: block it hangs on, -1 for the world. `base`: acceleration of the world (against gravity).
    `columns`: s; `turned`: v_parent x s; `drifts`: v_parent x s + v x s. `momentum` and `turn` of the body; a block
    that is not the last of its joint carries nothing. `external`: wrench on the body; `wrench_turn`: how it depends
    on the body's turning, None where it turns along.
    """

    parent: int
    dofs: tuple[int, ...]
    multiplier: float
    columns: list[Motion]
    turned: list[Motion]
    drifts: list[Motion]
    parent_velocity: Motion
    velocity: Motion
    base: Motion
    inertia: Inertia
    turn: TurnMap
    momentum: Force
    external: Force | None
    wrench_turn: TurnMap | None


def moving_blocks(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    *,
    gravity: bool = True,
    wrenches: Sequence[Wrench] = (),
) -> list[Block]:
    """The blocks of a tree at q and v, parents first. O(n)."""
    against_gravity = scale3(-1.0, tree.gravity) if gravity else ZERO3
    blocks: list[Block] = []
    last: list[int] = []
    poses: list[Transform] = []
    roots: list[Transform] = []
    for i, (body, X) in enumerate(zip(tree.bodies, joint_transforms(tree, q), strict=True)):
        joint = body.joint
        root = X if body.parent < 0 else roots[body.parent]
        pose = IDENTITY if body.parent < 0 else poses[body.parent].then(X)
        base = Motion(ZERO3, rotate_back(root.rotation, against_gravity))
        parent = WORLD if body.parent < 0 else last[body.parent]
        columns = [pose.motion_to_parent(column) for column in tree.subspace(i, q)]
        own = joint.velocity(v)
        for stage in joint.type.stages:
            carries = stage == joint.type.stages[-1]
            external, wrench_turn = _wrenches_on(i, wrenches, root, pose) if carries else (None, None)
            blocks.append(
                _block(
                    parent,
                    blocks[parent].velocity if parent >= 0 else ZERO_MOTION,
                    tuple(joint.dofs[k] for k in stage),
                    joint.multiplier,
                    [columns[k] for k in stage],
                    [own[k] for k in stage],
                    base,
                    body.inertia.to_parent(pose) if carries else ZERO_INERTIA,
                    external,
                    wrench_turn,
                )
            )
            parent = len(blocks) - 1
        roots.append(root)
        poses.append(pose)
        last.append(parent)
    return blocks


def _block(
    parent: int,
    parent_velocity: Motion,
    dofs: tuple[int, ...],
    multiplier: float,
    columns: list[Motion],
    own: list[Scalar],
    base: Motion,
    inertia: Inertia,
    external: Force | None,
    wrench_turn: TurnMap | None,
) -> Block:
    turned = [parent_velocity.cross(s) for s in columns]
    velocity = parent_velocity
    for s, speed in zip(columns, own, strict=True):
        velocity = velocity.plus(s.times(speed))
    # a single column does not turn itself
    if len(columns) == 1:
        drifts = [turned[0].times(2.0)]
    else:
        drifts = [u.plus(velocity.cross(s)) for u, s in zip(turned, columns, strict=True)]
    turn = NO_TURN if inertia is ZERO_INERTIA else coriolis_map(inertia, velocity)
    return Block(
        parent,
        dofs,
        multiplier,
        columns,
        turned,
        drifts,
        parent_velocity,
        velocity,
        base,
        inertia,
        turn,
        momentum_of(turn),
        external,
        wrench_turn,
    )


def _wrenches_on(
    body: int, wrenches: Sequence[Wrench], root: Transform, pose: Transform
) -> tuple[Force | None, TurnMap | None]:
    """Sum of the wrenches on a body about the branch's origin, and what those in world axes add to its turn map."""
    total: Force | None = None
    turn: TurnMap | None = None
    for wrench in wrenches:
        if wrench.frame.body != body:
            continue
        placed = pose.then(wrench.frame.placement)
        if wrench.world_axes:
            force, moment = rotate_back(root.rotation, wrench.force), rotate_back(root.rotation, wrench.moment)
            own = wrench_map(placed.translation, force, moment)
            turn = own if turn is None else turn.plus(own)
        else:
            force, moment = rotate(placed.rotation, wrench.force), rotate(placed.rotation, wrench.moment)
        acting = Force(add3(moment, cross3(placed.translation, force)), force)
        total = acting if total is None else total.plus(acting)
    return total, turn


def parent_accelerations(
    blocks: Sequence[Block], v: Sequence[Scalar], a: Sequence[Scalar]
) -> tuple[list[Motion], list[Force]]:
    """Acceleration of each block's parent (gravity counted as the world's), and the force each body needs.

    `v`, `a`: nv scalars. O(n).
    """
    before: list[Motion] = []
    after: list[Motion] = []
    forces: list[Force] = []
    for block in blocks:
        acceleration = block.base if block.parent < 0 else after[block.parent]
        before.append(acceleration)
        for k, s, turned in zip(block.dofs, block.columns, block.turned, strict=True):
            speed, rate = v[k], a[k]
            if block.multiplier != 1.0:
                speed, rate = block.multiplier * speed, block.multiplier * rate
            acceleration = acceleration.plus(s.times(rate)).plus(turned.times(speed))
        after.append(acceleration)
        force = ZERO_FORCE
        if block.inertia is not ZERO_INERTIA:
            force = block.inertia.times(acceleration).plus(block.velocity.cross_force(block.momentum))
        forces.append(force if block.external is None else force.minus(block.external))
    return before, forces
