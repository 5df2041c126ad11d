"""Inverse dynamics in three-dimensional vectors: the form of RNEA that costs least when it is recorded.

Linear velocities are not needed: each body has its angular velocity w, its angular acceleration and the acceleration p
of its origin; U = [ẇ]x + [w]x[w]x takes a point of the body to the acceleration it has beside p. A second formulation,
so also a check of the spatial one.
Source: W. Khalil, E. Dombre, Modeling, Identification and Control of Robots (2002), section 9.5; the moment of inertial
forces as the skew part of U times the second moments of mass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyncli.algorithms.kinematics import combine, complete_branches, joint_transforms, sum_of
from dyncli.algorithms.rnea import add_armature
from dyncli.algorithms.transmissions import add_transmission_forces
from dyncli.algorithms.wrenches import Wrench, forces_on_bodies
from dyncli.spatial import (
    ZERO3,
    Force,
    Inertia,
    Matrix3,
    Scalar,
    Transform,
    Vector3,
    add3,
    cross3,
    rotate,
    rotate_back,
    scale3,
)
from dyncli.tree import Tree


def newton_euler(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar] | None = None,
    a: Sequence[Scalar] | None = None,
    *,
    gravity: bool = True,
    wrenches: Sequence[Wrench] = (),
) -> list[Scalar]:
    """Joint forces tau (nv; N m, N), the same as `rnea`. O(n)."""
    transforms = joint_transforms(tree, q)
    tau: list[Scalar] = [0.0] * tree.nv
    forces: list[Force] = []
    complete = complete_branches(tree)
    for i, force in enumerate(body_forces(tree, q, v, a, transforms, gravity=gravity, wrenches=wrenches)):
        forces.append(force)
        # inwards as soon as a branch is complete, so that few numbers wait at a time
        for k in complete[i]:
            joint, parent = tree.bodies[k].joint, tree.parents[k]
            joint.add_force(tau, [column.dot(forces[k]) for column in tree.subspace(k, q)])
            if parent >= 0:
                forces[parent] = forces[parent].plus(transforms[k].force_to_parent(forces[k]))
    add_armature(tree, tau, v, a)
    add_transmission_forces(tree, tau, q, v, a)
    return tau


def body_forces(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar] | None,
    a: Sequence[Scalar] | None,
    transforms: Sequence[Transform],
    *,
    gravity: bool = True,
    wrenches: Sequence[Wrench] = (),
) -> Iterator[Force]:
    """The pass outwards: the force (N m, N) that each body in turn needs to move as it does, its wrenches taken off.

    In body coordinates, gravity as an acceleration of the base; `v` or `a` None: zero. O(n).
    """
    external = forces_on_bodies(wrenches, transforms, tree.parents)
    base = scale3(-1.0, tree.gravity) if gravity else ZERO3
    moving: list[tuple[Vector3, Vector3, Vector3, Matrix3]] = []
    for i, (body, X) in enumerate(zip(tree.bodies, transforms, strict=True)):
        joint, parent = body.joint, body.parent
        w, w_rate, p, U = moving[parent] if parent >= 0 else (ZERO3, ZERO3, base, (ZERO3, ZERO3, ZERO3))
        p = add3(p, rotate(U, X.translation))
        w, w_rate, p = (rotate_back(X.rotation, vector) for vector in (w, w_rate, p))
        S = tree.subspace(i, q)
        acceleration = combine(S, joint.velocity(a)) if a is not None else None
        if v is not None and S:
            own = joint.velocity(v)
            rate = joint.type.subspace_rate(joint.axis, joint.position(q), own)
            acceleration = sum_of(acceleration, combine(rate, own) if rate else None)
            velocity = combine(S, own)
            if velocity is not None:
                w_rate = add3(w_rate, cross3(w, velocity.angular))
                # twice from the turning parent, once more from the joint's own turn
                turning = add3(scale3(2.0, w), velocity.angular)
                p = add3(p, cross3(turning, velocity.linear))
                w = add3(w, velocity.angular)
        if acceleration is not None:
            w_rate, p = add3(w_rate, acceleration.angular), add3(p, acceleration.linear)
        U = point_acceleration(w, w_rate)
        moving.append((w, w_rate, p, U))
        force = inertial_force(body.inertia, U, p)
        yield force.minus(external[i]) if i in external else force


def point_acceleration(w: Vector3, rate: Vector3) -> Matrix3:
    """U = [ẇ]x + [w]x[w]x."""
    x, y, z = w
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (
        (-(yy + zz), xy - rate[2], xz + rate[1]),
        (xy + rate[2], -(xx + zz), yz - rate[0]),
        (xz - rate[1], yz + rate[0], -(xx + yy)),
    )


def inertial_force(inertia: Inertia, U: Matrix3, p: Vector3) -> Force:
    """m p + U h, and the moment h x p + the skew part of U K, with K the second moments of mass about the origin."""
    xx, yy, zz, xy, xz, yz = inertia.rotational
    a, b, c = 0.5 * (yy + zz - xx), 0.5 * (xx + zz - yy), 0.5 * (xx + yy - zz)
    d, e, f = -xy, -xz, -yz
    turning = (
        b * U[2][1] - c * U[1][2] + d * U[2][0] - e * U[1][0] + f * (U[2][2] - U[1][1]),
        c * U[0][2] - a * U[2][0] + f * U[0][1] - d * U[2][1] + e * (U[0][0] - U[2][2]),
        a * U[1][0] - b * U[0][1] + e * U[1][2] - f * U[0][2] + d * (U[1][1] - U[0][0]),
    )
    force = add3(scale3(inertia.mass, p), rotate(U, inertia.moment))
    return Force(add3(turning, cross3(inertia.moment, p)), force)
