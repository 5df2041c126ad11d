"""The small vocabulary of spatial algebra: Motion, Force, Transform, Inertia, ArticulatedInertia.

Components are scalars of any kind (float, NumPy array over a batch, complex, dual number, symbol), so
only + - * / appear here. Six-vectors are (angular, linear); three-vectors are plain tuples.

Source: R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2 and appendix A.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Scalar = Any
"""A number of any kind that knows + - * /: see `dyncli.scalars`."""

Vector3 = tuple[Scalar, Scalar, Scalar]
Matrix3 = tuple[Vector3, Vector3, Vector3]
"""Rows of a 3x3 matrix."""
Symmetric3 = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
"""xx, yy, zz, xy, xz, yz."""

ZERO3: Vector3 = (0.0, 0.0, 0.0)
IDENTITY3: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def add3(a: Vector3, b: Vector3) -> Vector3:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract3(a: Vector3, b: Vector3) -> Vector3:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale3(s: Scalar, a: Vector3) -> Vector3:
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


def dot3(a: Vector3, b: Vector3) -> Scalar:
    """a . b (no conjugate: complex steps pass through)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross3(a: Vector3, b: Vector3) -> Vector3:
    """a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def rotate(R: Matrix3, a: Vector3) -> Vector3:
    """R a."""
    return (dot3(R[0], a), dot3(R[1], a), dot3(R[2], a))


def rotate_back(R: Matrix3, a: Vector3) -> Vector3:
    """Rᵀ a."""
    return (
        R[0][0] * a[0] + R[1][0] * a[1] + R[2][0] * a[2],
        R[0][1] * a[0] + R[1][1] * a[1] + R[2][1] * a[2],
        R[0][2] * a[0] + R[1][2] * a[1] + R[2][2] * a[2],
    )


def transpose3(A: Matrix3) -> Matrix3:
    """Aᵀ."""
    return (
        (A[0][0], A[1][0], A[2][0]),
        (A[0][1], A[1][1], A[2][1]),
        (A[0][2], A[1][2], A[2][2]),
    )


def multiply3(A: Matrix3, B: Matrix3) -> Matrix3:
    """A B."""
    C = transpose3(B)
    return (
        (dot3(A[0], C[0]), dot3(A[0], C[1]), dot3(A[0], C[2])),
        (dot3(A[1], C[0]), dot3(A[1], C[1]), dot3(A[1], C[2])),
        (dot3(A[2], C[0]), dot3(A[2], C[1]), dot3(A[2], C[2])),
    )


def symmetric_times(I: Symmetric3, a: Vector3) -> Vector3:  # noqa: E741 - the field's letter
    """I a for a symmetric I given as xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = I
    return (
        xx * a[0] + xy * a[1] + xz * a[2],
        xy * a[0] + yy * a[1] + yz * a[2],
        xz * a[0] + yz * a[1] + zz * a[2],
    )


def rotate_symmetric(R: Matrix3, I: Symmetric3) -> Symmetric3:  # noqa: E741
    """R I Rᵀ, with only the six entries that differ computed."""
    xx, yy, zz, xy, xz, yz = I
    A = multiply3(R, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    return (
        dot3(A[0], R[0]),
        dot3(A[1], R[1]),
        dot3(A[2], R[2]),
        dot3(A[0], R[1]),
        dot3(A[0], R[2]),
        dot3(A[1], R[2]),
    )


def quaternion_to_matrix(w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Matrix3:
    """Rotation matrix of a unit quaternion, w first."""
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return (
        (1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)),
        (2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)),
        (2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)),
    )


class Motion(NamedTuple):
    """Spatial velocity or acceleration: angular (rad/s, rad/s²) and that of the origin (m/s, m/s²)."""

    angular: Vector3
    linear: Vector3

    def plus(self, other: Motion) -> Motion:
        """Sum of two motions in the same frame."""
        return Motion(add3(self.angular, other.angular), add3(self.linear, other.linear))

    def times(self, s: Scalar) -> Motion:
        """Motion scaled by s."""
        return Motion(scale3(s, self.angular), scale3(s, self.linear))

    def cross(self, other: Motion) -> Motion:
        """self x other, the rate of change of a motion carried along by self (Featherstone 2.31)."""
        return Motion(
            cross3(self.angular, other.angular),
            add3(cross3(self.angular, other.linear), cross3(self.linear, other.angular)),
        )

    def cross_force(self, force: Force) -> Force:
        """self x* force, the rate of change of a force carried along by self (Featherstone 2.32)."""
        return Force(
            add3(cross3(self.angular, force.angular), cross3(self.linear, force.linear)),
            cross3(self.angular, force.linear),
        )

    def dot(self, force: Force) -> Scalar:
        """Power of a force on this motion, W."""
        return dot3(self.angular, force.angular) + dot3(self.linear, force.linear)


class Force(NamedTuple):
    """Spatial force or momentum: moment about the origin (N m, `angular`) and force (N, `linear`)."""

    angular: Vector3
    linear: Vector3

    def plus(self, other: Force) -> Force:
        """Sum of two forces in the same frame."""
        return Force(add3(self.angular, other.angular), add3(self.linear, other.linear))

    def minus(self, other: Force) -> Force:
        """Difference of two forces in the same frame."""
        return Force(subtract3(self.angular, other.angular), subtract3(self.linear, other.linear))

    def times(self, s: Scalar) -> Force:
        """Force scaled by s."""
        return Force(scale3(s, self.angular), scale3(s, self.linear))


ZERO_MOTION = Motion(ZERO3, ZERO3)
ZERO_FORCE = Force(ZERO3, ZERO3)


class Transform(NamedTuple):
    """Pose of a child frame in a parent frame: a point p of the child is at `rotation p + translation`.

    In Featherstone's letters E = rotationᵀ and r = translation.
    """

    rotation: Matrix3
    translation: Vector3

    def then(self, inner: Transform) -> Transform:
        """The pose, in self's parent, of a frame that has the pose `inner` in self's child frame."""
        if self.rotation is IDENTITY3:
            return inner if self.translation is ZERO3 else inner.moved(self.translation)
        return Transform(
            multiply3(self.rotation, inner.rotation),
            add3(self.translation, rotate(self.rotation, inner.translation)),
        )

    def moved(self, by: Vector3) -> Transform:
        """The same frame with its origin moved by a vector of the parent."""
        return self._replace(translation=add3(by, self.translation))

    def rotate_symmetric(self, I: Symmetric3) -> Symmetric3:  # noqa: E741
        """Parent coordinates of a symmetric matrix given in the child: R I Rᵀ."""
        return rotate_symmetric(self.rotation, I)

    def rotate_matrix(self, H: Matrix3) -> Matrix3:
        """Parent coordinates of a matrix given in the child: R H Rᵀ."""
        return multiply3(multiply3(self.rotation, H), transpose3(self.rotation))

    def inverse(self) -> Transform:
        """Pose of the parent in the child."""
        back = rotate_back(self.rotation, self.translation)
        return Transform(transpose3(self.rotation), scale3(-1.0, back))

    def point_to_parent(self, p: Vector3) -> Vector3:
        """Parent coordinates of a point given in the child."""
        return add3(self.translation, rotate(self.rotation, p))

    def motion_to_child(self, m: Motion) -> Motion:
        """Child coordinates of a motion given in the parent: X m (Featherstone table 2.1)."""
        at_child = subtract3(m.linear, cross3(self.translation, m.angular))
        return Motion(rotate_back(self.rotation, m.angular), rotate_back(self.rotation, at_child))

    def motion_to_parent(self, m: Motion) -> Motion:
        """Parent coordinates of a motion given in the child: X⁻¹ m."""
        angular = rotate(self.rotation, m.angular)
        return Motion(angular, add3(rotate(self.rotation, m.linear), cross3(self.translation, angular)))

    def force_to_parent(self, f: Force) -> Force:
        """Parent coordinates of a force given in the child: Xᵀ f."""
        linear = rotate(self.rotation, f.linear)
        return Force(add3(rotate(self.rotation, f.angular), cross3(self.translation, linear)), linear)

    def force_to_child(self, f: Force) -> Force:
        """Child coordinates of a force given in the parent: X* f."""
        at_child = subtract3(f.angular, cross3(self.translation, f.linear))
        return Force(rotate_back(self.rotation, at_child), rotate_back(self.rotation, f.linear))


class _Turn(Transform):
    """A turn about a coordinate axis: `plane` are the two axes that turn, `fixed` the one that stays.

    With u = s (A_ii - A_jj) + c (A_ij + A_ji), the turned entries of a matrix A are A_ii - s u, A_jj + s u, c u - A_ji
    and c u - A_ij: half the products of R A Rᵀ.
    """

    plane: tuple[int, int]
    fixed: int

    def rotate_symmetric(self, I: Symmetric3) -> Symmetric3:  # noqa: E741
        i, j = self.plane
        k = self.fixed
        c, s = self.rotation[i][i], self.rotation[j][i]
        ij, ik, jk = i + j + 2, i + k + 2, j + k + 2  # where xy, xz, yz stand behind the diagonal
        u = s * (I[i] - I[j]) + c * (I[ij] + I[ij])
        turned = list(I)
        turned[i], turned[j], turned[ij] = I[i] - s * u, I[j] + s * u, c * u - I[ij]
        turned[ik], turned[jk] = c * I[ik] - s * I[jk], s * I[ik] + c * I[jk]
        return (turned[0], turned[1], turned[2], turned[3], turned[4], turned[5])

    def rotate_matrix(self, H: Matrix3) -> Matrix3:
        i, j = self.plane
        k = self.fixed
        c, s = self.rotation[i][i], self.rotation[j][i]
        u = s * (H[i][i] - H[j][j]) + c * (H[i][j] + H[j][i])
        turned = [list(row) for row in H]
        turned[i][i], turned[j][j] = H[i][i] - s * u, H[j][j] + s * u
        turned[i][j], turned[j][i] = c * u - H[j][i], c * u - H[i][j]
        turned[i][k], turned[j][k] = c * H[i][k] - s * H[j][k], s * H[i][k] + c * H[j][k]
        turned[k][i], turned[k][j] = c * H[k][i] - s * H[k][j], s * H[k][i] + c * H[k][j]
        first, second, third = ((row[0], row[1], row[2]) for row in turned)
        return (first, second, third)


class TurnAboutZ(_Turn):
    """A frame turned about its parent's z axis."""

    plane, fixed = (0, 1), 2

    @staticmethod
    def of(s: Scalar, c: Scalar) -> TurnAboutZ:
        """Turned by the angle of sine s and cosine c."""
        return TurnAboutZ(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)), ZERO3)


class TurnAboutX(_Turn):
    """A frame turned about its parent's x axis."""

    plane, fixed = (1, 2), 0

    @staticmethod
    def of(s: Scalar, c: Scalar) -> TurnAboutX:
        """Turned by the angle of sine s and cosine c."""
        return TurnAboutX(((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)), ZERO3)


IDENTITY = Transform(IDENTITY3, ZERO3)


class Inertia(NamedTuple):
    """Rigid-body inertia about the frame's origin.

    `mass` kg; `moment` = mass times centre of mass, kg m; `rotational` about the origin, kg m²,
    as xx, yy, zz, xy, xz, yz (Featherstone eq. 2.63).
    """

    mass: Scalar
    moment: Vector3
    rotational: Symmetric3

    def plus(self, other: Inertia) -> Inertia:
        """Inertia of two bodies moving as one, in the same frame."""
        a, b = self.rotational, other.rotational
        return Inertia(
            self.mass + other.mass,
            add3(self.moment, other.moment),
            (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]),
        )

    def times(self, m: Motion) -> Force:
        """Momentum of a motion (or force of an acceleration): I m."""
        return Force(
            add3(symmetric_times(self.rotational, m.angular), cross3(self.moment, m.linear)),
            subtract3(scale3(self.mass, m.linear), cross3(self.moment, m.angular)),
        )

    def to_parent(self, X: Transform) -> Inertia:
        """The same body seen from the parent frame of X."""
        moment = rotate(X.rotation, self.moment)
        rotational = X.rotate_symmetric(self.rotational)
        shifted = add3(moment, scale3(self.mass, X.translation))
        return Inertia(self.mass, shifted, _shift(rotational, moment, shifted, X.translation))


def _shift(I: Symmetric3, h: Vector3, shifted: Vector3, r: Vector3) -> Symmetric3:  # noqa: E741
    """Parallel axes: I - [r]x[h]x - [h + m r]x[r]x, for a frame whose origin moves from r to 0."""
    d0, d1, d2 = (h[0] + shifted[0]) * r[0], (h[1] + shifted[1]) * r[1], (h[2] + shifted[2]) * r[2]
    return (
        I[0] + d1 + d2,
        I[1] + d0 + d2,
        I[2] + d0 + d1,
        I[3] - r[0] * h[1] - shifted[0] * r[1],
        I[4] - r[0] * h[2] - shifted[0] * r[2],
        I[5] - r[1] * h[2] - shifted[1] * r[2],
    )


ZERO_INERTIA = Inertia(0.0, ZERO3, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


def inertia_about_center(mass: Scalar, center: Vector3, tensor: Symmetric3) -> Inertia:
    """Inertia from mass (kg), centre of mass (m) and the tensor about that centre (kg m²), all in one frame's axes."""
    moment = scale3(mass, center)
    return Inertia(mass, moment, _shift(tensor, ZERO3, moment, center))


class ArticulatedInertia(NamedTuple):
    """Inertia of a body with a free tree behind it: a general symmetric 6x6 matrix [[I, H], [Hᵀ, M]].

    Source: Featherstone section 7.1, equations 7.21-7.24.
    """

    rotational: Symmetric3
    coupling: Matrix3
    mass: Symmetric3

    @staticmethod
    def of(body: Inertia) -> ArticulatedInertia:
        """A rigid body's own inertia in this form."""
        m, (hx, hy, hz) = body.mass, body.moment
        skew: Matrix3 = ((0.0, -hz, hy), (hz, 0.0, -hx), (-hy, hx, 0.0))
        return ArticulatedInertia(body.rotational, skew, (m, m, m, 0.0, 0.0, 0.0))

    def plus(self, other: ArticulatedInertia) -> ArticulatedInertia:
        """Sum in the same frame."""
        a, b, c, d = self.rotational, other.rotational, self.mass, other.mass
        return ArticulatedInertia(
            (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]),
            (
                add3(self.coupling[0], other.coupling[0]),
                add3(self.coupling[1], other.coupling[1]),
                add3(self.coupling[2], other.coupling[2]),
            ),
            (c[0] + d[0], c[1] + d[1], c[2] + d[2], c[3] + d[3], c[4] + d[4], c[5] + d[5]),
        )

    def times(self, m: Motion) -> Force:
        """Force that gives this articulated body the acceleration m (bias aside)."""
        return Force(
            add3(symmetric_times(self.rotational, m.angular), rotate(self.coupling, m.linear)),
            add3(rotate_back(self.coupling, m.angular), symmetric_times(self.mass, m.linear)),
        )

    def minus_product(self, u: Force, v: Force) -> ArticulatedInertia:
        """self - u vᵀ, for u parallel to v (the part of a joint that gives way)."""
        (n0, n1, n2), (f0, f1, f2) = u
        (k0, k1, k2), (g0, g1, g2) = v
        a, c, H = self.rotational, self.mass, self.coupling
        return ArticulatedInertia(
            (a[0] - n0 * k0, a[1] - n1 * k1, a[2] - n2 * k2, a[3] - n0 * k1, a[4] - n0 * k2, a[5] - n1 * k2),
            (
                (H[0][0] - n0 * g0, H[0][1] - n0 * g1, H[0][2] - n0 * g2),
                (H[1][0] - n1 * g0, H[1][1] - n1 * g1, H[1][2] - n1 * g2),
                (H[2][0] - n2 * g0, H[2][1] - n2 * g1, H[2][2] - n2 * g2),
            ),
            (c[0] - f0 * g0, c[1] - f1 * g1, c[2] - f2 * g2, c[3] - f0 * g1, c[4] - f0 * g2, c[5] - f1 * g2),
        )

    def to_parent(self, X: Transform) -> ArticulatedInertia:
        """The same articulated inertia in the parent frame of X: Xᵀ IA X."""
        r0, r1, r2 = X.translation
        mass = X.rotate_symmetric(self.mass)
        H = X.rotate_matrix(self.coupling)
        I = X.rotate_symmetric(self.rotational)  # noqa: E741
        xx, yy, zz, xy, xz, yz = mass
        # G = [r]x M, and the shifted coupling K = H + G
        G: Matrix3 = (
            (r1 * xz - r2 * xy, r1 * yz - r2 * yy, r1 * zz - r2 * yz),
            (r2 * xx - r0 * xz, r2 * xy - r0 * yz, r2 * xz - r0 * zz),
            (r0 * xy - r1 * xx, r0 * yy - r1 * xy, r0 * yz - r1 * xz),
        )
        K: Matrix3 = (add3(H[0], G[0]), add3(H[1], G[1]), add3(H[2], G[2]))
        # rotational part: I + [r]x Hᵀ - K [r]x
        return ArticulatedInertia(
            (
                I[0] + r1 * (H[0][2] + K[0][2]) - r2 * (H[0][1] + K[0][1]),
                I[1] + r2 * (H[1][0] + K[1][0]) - r0 * (H[1][2] + K[1][2]),
                I[2] + r0 * (H[2][1] + K[2][1]) - r1 * (H[2][0] + K[2][0]),
                I[3] + r1 * H[1][2] - r0 * K[0][2] + r2 * (K[0][0] - H[1][1]),
                I[4] + r0 * K[0][1] - r2 * H[2][1] + r1 * (H[2][2] - K[0][0]),
                I[5] + r2 * H[2][0] - r1 * K[1][0] + r0 * (K[1][1] - H[2][2]),
            ),
            K,
            mass,
        )
