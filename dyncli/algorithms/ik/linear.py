"""Damped least squares on many small systems at once, batch last.

Float-only. Arrays of shape (rows, columns, B) keep one entry of all systems contiguous, so that elimination is a few
array operations an entry: several times faster for 6x6 than a LAPACK call a system.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dyncli.algorithms.ik.chain import Array

SMALLEST_DAMPING = 1e-12
"""Added to the normal matrix always: keeps its factor real where J is singular, and is too small to show in a step."""


class NormalEquations(NamedTuple):
    """The smaller of J Jᵀ and Jᵀ J of (m, n, B) Jacobians, before damping."""

    J: Array
    matrix: Array
    dual: bool

    @staticmethod
    def of(J: Array) -> NormalEquations:
        """Form the matrix: m x m if there are more joints than rows, else n x n."""
        dual = J.shape[1] > J.shape[0]
        rows = J if dual else J.transpose(1, 0, 2)
        size = len(rows)
        matrix = np.empty((size, size, J.shape[2]))
        for i in range(size):
            matrix[i:, i] = np.einsum("krb,rb->kb", rows[i:], rows[i])
        return NormalEquations(J, matrix, dual)

    def factor(self, damping_squared: Array) -> Factor:
        """Factor of the matrix with lambda squared on its diagonal."""
        return Factor(self, cholesky(self.matrix, damping_squared + SMALLEST_DAMPING))


class Factor(NamedTuple):
    """Damped normal equations, factored."""

    equations: NormalEquations
    L: Array

    def step(self, e: Array) -> Array:
        """dq (n, B) = Jᵀ (J Jᵀ + λ²)⁻¹ e = (Jᵀ J + λ²)⁻¹ Jᵀ e."""
        J, dual = self.equations.J, self.equations.dual
        x = substitute(self.L, e if dual else _transposed_times(J, e))
        return _transposed_times(J, x) if dual else x

    def step_and_weakest(self, e: Array, direction: Array, damping_squared: Array) -> tuple[Array, Array, Array]:
        """The step, the square of J's smallest singular value (B,), and its direction, by one inverse iteration.

        With the direction of the step before as start this follows the singular value closely.
        Source: S. Chiaverini, Estimate of the two smallest singular values of the Jacobian matrix (1993).
        """
        J, dual = self.equations.J, self.equations.dual
        right = np.array([e if dual else _transposed_times(J, e), direction]).swapaxes(0, 1)
        x = substitute(self.L, right)
        weakest = x[:, 1]
        norm = np.sqrt((weakest * weakest).sum(axis=0))
        smallest = np.maximum(1.0 / norm - damping_squared - SMALLEST_DAMPING, 0.0)
        return _transposed_times(J, x[:, 0]) if dual else x[:, 0], smallest, weakest / norm


def _transposed_times(J: Array, e: Array) -> Array:
    product: Array = np.einsum("rib,rb->ib", J, e)
    return product


def cholesky(matrix: Array, shift: Array) -> Array:
    """Lower factors of (size, size, B) symmetric matrices + shift; the diagonal holds reciprocals."""
    L = matrix.copy()
    for j in range(len(L)):
        L[j, j] = 1.0 / np.sqrt(L[j, j] + shift)
        L[j + 1 :, j] *= L[j, j]
        for k in range(j + 1, len(L)):
            L[k:, k] -= L[k:, j] * L[k, j]
    return L


def substitute(L: Array, b: Array) -> Array:
    """Solution x of L Lᵀ x = b, of shape (size, B) or (size, k, B) for k right sides."""
    x = b.copy()
    column = (slice(None), None) if b.ndim == 3 else (slice(None),)
    for j in range(len(L)):
        x[j] *= L[j, j]
        if j + 1 < len(L):
            x[j + 1 :] -= L[j + 1 :, j][column] * x[j]
    for j in range(len(L) - 1, -1, -1):
        x[j] *= L[j, j]
        if j:
            x[:j] -= L[j, :j][column] * x[j]
    return x


def pseudoinverse_step(J: Array, e: Array, cutoff: float = 1e-9) -> Array:
    """dq (n, B) = J⁺ e by singular values; those below `cutoff` of the largest count as zero."""
    inverse = np.linalg.pinv(J.transpose(2, 0, 1), rcond=cutoff)
    return np.ascontiguousarray((inverse @ e.T[:, :, None])[:, :, 0].T)


def singular_values(J: Array) -> Array:
    """Singular values (B, min(m, n)) of (m, n, B) Jacobians, falling."""
    return np.asarray(np.linalg.svd(J.transpose(2, 0, 1), compute_uv=False), dtype=np.float64)
