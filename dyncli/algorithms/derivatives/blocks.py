"""Motion of a robot in blocks: what the analytic derivatives need to know of each joint and the body it moves.

A block is a group of degrees of freedom whose columns are fixed in the frame they move: a joint, or each stage of a
joint that moves in stages, as if a massless body stood between. All is in the coordinates of the body. As in
`newton_euler`, acceleration is kept as that of the body's points: p + U r at the point r, with U = [ẇ]x + [w]x[w]x.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dyncli.algorithms.derivatives.turn_map import NO_TURN, TurnMap, coriolis_map, wrench_map
from dyncli.algorithms.kinematics import joint_transforms
from dyncli.algorithms.newton_euler import inertial_force, point_acceleration
from dyncli.algorithms.wrenches import Wrench
from dyncli.spatial import (
    IDENTITY,
    ZERO3,
    ZERO_FORCE,
    ZERO_INERTIA,
    Force,
    Inertia,
    Motion,
    Scalar,
    Transform,
    Vector3,
    add3,
    cross3,
    rotate,
    rotate_back,
    scale3,
)
from dyncli.tree import Body, Tree

WORLD = -1


class Movement(NamedTuple):
    """How a frame moves: spatial velocity, angular acceleration, acceleration of its origin (gravity taken off)."""

    velocity: Motion
    turning: Vector3
    origin: Vector3

    def in_child(self, X: Transform) -> Movement:
        """The movement of a frame that is carried along at the pose X."""
        U = point_acceleration(self.velocity.angular, self.turning)
        at_child = add3(self.origin, rotate(U, X.translation))
        return Movement(
            X.motion_to_child(self.velocity), rotate_back(X.rotation, self.turning), rotate_back(X.rotation, at_child)
        )


class Block(NamedTuple):
    """A block and what the derivatives need of it; columns and their rates are in the order of `dofs`.

    `parent`: block it hangs on, -1 for the world. `step`: pose of its frame in its parent's, None where both are one
    frame. `columns`: s. `turned`: u = v_parent x s. `swept`: w = a_parent x s + v_parent x u. `drifts`: u + v x s.
    `inertia`, `turn` (Coriolis map) and `force` of the body, which the last block of a joint carries. `wrench_turn`:
    how its wrenches depend on its turning, None where they turn along.
    """

    parent: int
    step: Transform | None
    dofs: tuple[int, ...]
    multiplier: float
    columns: list[Motion]
    turned: list[Motion]
    swept: list[Motion]
    drifts: list[Motion]
    inertia: Inertia
    turn: TurnMap
    force: Force
    wrench_turn: TurnMap | None


def moving_blocks(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    *,
    gravity: bool = True,
    wrenches: Sequence[Wrench] = (),
) -> Iterator[list[Block]]:
    """The blocks of each body in turn, parents first; `Block.parent` counts them from the first body's on. O(n)."""
    in_world_axes = any(wrench.world_axes for wrench in wrenches)
    still = Movement(Motion(ZERO3, ZERO3), ZERO3, scale3(-1.0, tree.gravity) if gravity else ZERO3)
    movements: list[Movement] = []
    poses: list[Transform] = []
    last: list[int] = []
    count = 0
    for i, (body, X) in enumerate(zip(tree.bodies, joint_transforms(tree, q), strict=True)):
        on_world = body.parent < 0
        if in_world_axes:
            poses.append(X if on_world else poses[body.parent].then(X))
        movement = (still if on_world else movements[body.parent]).in_child(X)
        parent = WORLD if on_world else last[body.parent]
        step: Transform | None = X
        blocks: list[Block] = []
        S, speed, rate = tree.subspace(i, q), body.joint.velocity(v), body.joint.velocity(a)
        for stage in body.joint.type.stages:
            columns = [S[k] for k in stage]
            own = [(speed[k], rate[k]) for k in stage]
            block, movement = _moved(body, parent, step, stage, columns, own, movement)
            blocks.append(block)
            parent, step = count, None
            count += 1
        blocks[-1] = _loaded(blocks[-1], body.inertia, movement)
        acting = [wrench for wrench in wrenches if wrench.frame.body == i]
        if acting:
            blocks[-1] = _under_wrenches(blocks[-1], acting, poses[i] if in_world_axes else IDENTITY)
        movements.append(movement)
        last.append(count - 1)
        yield blocks


def _moved(
    body: Body,
    parent: int,
    step: Transform | None,
    stage: tuple[int, ...],
    columns: list[Motion],
    own: Sequence[tuple[Scalar, Scalar]],
    before: Movement,
) -> tuple[Block, Movement]:
    """A block that carries nothing yet, and the movement behind it. `own`: velocity and acceleration of each column."""
    v, origin = before.velocity, before.origin
    U = point_acceleration(v.angular, before.turning)
    turned = [v.cross(s) for s in columns]
    swept = []
    for s, u in zip(columns, turned, strict=True):
        # a x s + v x (v x s), with the acceleration of points in the place of the spatial one
        around = add3(cross3(origin, s.angular), scale3(2.0, cross3(v.linear, u.angular)))
        swept.append(Motion(rotate(U, s.angular), add3(rotate(U, s.linear), around)))
    moved = Motion(ZERO3, ZERO3)
    turning = before.turning
    for s, u, (speed, rate) in zip(columns, turned, own, strict=True):
        moved = moved.plus(s.times(speed))
        turning = add3(turning, add3(scale3(rate, s.angular), scale3(speed, u.angular)))
        origin = add3(origin, scale3(rate, s.linear))
    # twice from the turning parent, once more from the joint's own turn
    origin = add3(origin, cross3(add3(scale3(2.0, v.angular), moved.angular), moved.linear))
    after = Movement(v.plus(moved), turning, origin)
    # a single column does not turn itself
    drifts = (
        [turned[0].times(2.0)]
        if len(columns) == 1
        else [u.plus(after.velocity.cross(s)) for s, u in zip(columns, turned, strict=True)]
    )
    dofs = tuple(body.joint.dofs[k] for k in stage)
    block = Block(
        parent,
        step,
        dofs,
        body.joint.multiplier,
        columns,
        turned,
        swept,
        drifts,
        ZERO_INERTIA,
        NO_TURN,
        ZERO_FORCE,
        None,
    )
    return block, after


def _loaded(block: Block, inertia: Inertia, movement: Movement) -> Block:
    """The block with its body."""
    U = point_acceleration(movement.velocity.angular, movement.turning)
    return block._replace(
        inertia=inertia,
        turn=coriolis_map(inertia, movement.velocity),
        force=inertial_force(inertia, U, movement.origin),
    )


def _under_wrenches(block: Block, wrenches: Sequence[Wrench], pose: Transform) -> Block:
    """The block under wrenches on its body; `pose`: that of the body, needed for wrenches in world axes."""
    total, turn = block.force, NO_TURN
    for wrench in wrenches:
        placed = wrench.frame.placement
        if wrench.world_axes:
            force, moment = (rotate_back(pose.rotation, part) for part in (wrench.force, wrench.moment))
            turn = turn.plus(wrench_map(placed.translation, force, moment))
        else:
            force, moment = (rotate(placed.rotation, part) for part in (wrench.force, wrench.moment))
        total = total.minus(Force(add3(moment, cross3(placed.translation, force)), force))
    turns = any(wrench.world_axes for wrench in wrenches)
    return block._replace(force=total, wrench_turn=turn if turns else None)
