"""The part of a body's force that follows when its velocity is disturbed by a turn.

A body of points r with mass dm, of velocity ṙ = u + w x r, feels 2 α x ṙ dm when all else about it turns at α: the
Coriolis force. Its resultant is linear in α alone, though the disturbance is a spatial motion: this is what makes the
analytic derivatives cheap. See docs/theory/derivatives.md, where the matrix B of the literature is shown to be this
map.
"""

from __future__ import annotations

from typing import NamedTuple

from dyncli.spatial import (
    ZERO3,
    Force,
    Inertia,
    Matrix3,
    Motion,
    Transform,
    Vector3,
    add3,
    cross3,
    dot3,
    rotate,
    rotate_back,
    scale3,
)

ZERO_MATRIX: Matrix3 = (ZERO3, ZERO3, ZERO3)


class TurnMap(NamedTuple):
    """A linear map from an angular velocity α to a force: moment `rotational` α, force α x `linear`."""

    rotational: Matrix3
    linear: Vector3

    def plus(self, other: TurnMap) -> TurnMap:
        """Sum of two maps in the same frame."""
        (a, b, c), (d, e, f) = self.rotational, other.rotational
        return TurnMap((add3(a, d), add3(b, e), add3(c, f)), add3(self.linear, other.linear))

    def to_parent(self, X: Transform) -> TurnMap:
        """The same map in the parent frame of X: moments about that frame's origin grow by r x (α x linear)."""
        (x, y, z), (a, b, c) = linear, origin = rotate(X.rotation, self.linear), X.translation
        along = dot3(linear, origin)
        (e00, e01, e02), (e10, e11, e12), (e20, e21, e22) = X.rotate_matrix(self.rotational)
        return TurnMap(
            (
                (e00 + (along - x * a), e01 - x * b, e02 - x * c),
                (e10 - y * a, e11 + (along - y * b), e12 - y * c),
                (e20 - z * a, e21 - z * b, e22 + (along - z * c)),
            ),
            linear,
        )

    def times(self, angular: Vector3) -> Force:
        """The force that belongs to an angular velocity."""
        return Force(rotate(self.rotational, angular), cross3(angular, self.linear))

    def power_of(self, m: Motion) -> Vector3:
        """The row y with y . α = power of `times(α)` on the motion m."""
        return add3(rotate_back(self.rotational, m.angular), cross3(self.linear, m.linear))


NO_TURN = TurnMap(ZERO_MATRIX, ZERO3)


def coriolis_map(inertia: Inertia, v: Motion) -> TurnMap:
    """α -> the Coriolis force 2 α x ṙ dm summed over a body that moves with v.

    With h the first moment and W = tr(I) 1 - 2 I (twice the second moments of the points) the moment's matrix is
    2 (u . h) 1 - [w]x W - 2 u hᵀ and the linear part 2 (m u + w x h).
    """
    (wx, wy, wz), u = v
    h = inertia.moment
    xx, yy, zz, xy, xz, yz = inertia.rotational
    second: Matrix3 = (
        (yy + zz - xx, -2.0 * xy, -2.0 * xz),
        (-2.0 * xy, xx + zz - yy, -2.0 * yz),
        (-2.0 * xz, -2.0 * yz, xx + yy - zz),
    )
    double_u = scale3(2.0, u)
    px, py, pz = double_u[0] * h[0], double_u[1] * h[1], double_u[2] * h[2]
    s0, s1, s2 = second
    rotational: Matrix3 = (
        (
            py + pz + (wz * s1[0] - wy * s2[0]),
            wz * s1[1] - wy * s2[1] - double_u[0] * h[1],
            wz * s1[2] - wy * s2[2] - double_u[0] * h[2],
        ),
        (
            wx * s2[0] - wz * s0[0] - double_u[1] * h[0],
            px + pz + (wx * s2[1] - wz * s0[1]),
            wx * s2[2] - wz * s0[2] - double_u[1] * h[2],
        ),
        (
            wy * s0[0] - wx * s1[0] - double_u[2] * h[0],
            wy * s0[1] - wx * s1[1] - double_u[2] * h[1],
            px + py + (wy * s0[2] - wx * s1[2]),
        ),
    )
    linear = add3(scale3(inertia.mass, double_u), scale3(2.0, cross3(v.angular, h)))
    return TurnMap(rotational, linear)


def wrench_map(point: Vector3, force: Vector3, moment: Vector3) -> TurnMap:
    """α -> the change of a wrench that keeps its world axes, against one that turns with the body at α.

    Carried along, force and moment at `point` would become α x f and α x n; that much is missing, so the joints must
    add it: moment p x (α x f) + α x n, force α x f.
    """
    (px, py, pz), (fx, fy, fz), (nx, ny, nz) = point, force, moment
    along = dot3(point, force)
    return TurnMap(
        (
            (along - fx * px, nz - fx * py, -ny - fx * pz),
            (-nz - fy * px, along - fy * py, nx - fy * pz),
            (ny - fz * px, -nx - fz * py, along - fz * pz),
        ),
        force,
    )
