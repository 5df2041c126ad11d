"""Principal axes of a tensor of inertia, in the order and with the signs that MuJoCo gives them.

Only the axes of a fitted or aligned frame make a difference to a user; the tensor itself needs none of this.
"""

from __future__ import annotations

import math

from dyncli.formats.mjcf.orientation import UNIT, Quaternion, multiply, unit
from dyncli.spatial import Symmetric3, Vector3, quaternion_to_matrix, rotate_symmetric, transpose3

_MAX_SWEEPS = 500
CONVERGED = 1e-15
_EQUAL = 1e-12
_PLANES = ((3, 0, 1, 2), (4, 0, 2, 1), (5, 1, 2, 0))
"""Of each entry off the diagonal: its index in a tensor, its row, its column, the axis that turns row into column."""


def principal_axes(tensor: Symmetric3, tolerance: float = CONVERGED) -> tuple[Vector3, Quaternion]:
    """Principal moments, greatest first, and the orientation of their axes (tensor = R diag(moments) Rᵀ).

    `tolerance`: what is left off the diagonal, relative to the greatest entry.

    Jacobi's method with the rotation kept as a quaternion: always the greatest entry off the diagonal is removed;
    then neighbouring axes change places by quarter turns until the moments descend.
    Source: Golub and Van Loan, Matrix Computations, section 8.5.
    """
    scale = max(abs(entry) for entry in tensor) or 1.0
    quaternion = UNIT
    turned = tensor
    for _ in range(_MAX_SWEEPS):
        turned = rotate_symmetric(transpose3(quaternion_to_matrix(*quaternion)), tensor)
        # of equal entries the last counts, as the axes of a symmetric body depend on it
        entry, row, column, axis = max(reversed(_PLANES), key=lambda plane: abs(turned[plane[0]]))
        if abs(turned[entry]) < tolerance * scale:
            break
        tau = (turned[column] - turned[row]) / (2.0 * turned[entry])
        tangent = (1.0 if tau >= 0.0 else -1.0) / (abs(tau) + math.sqrt(1.0 + tau * tau))
        cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
        half_sine = -tangent * cosine / math.sqrt(2.0 + 2.0 * cosine)
        quaternion = unit(multiply(quaternion, _about(axis, -half_sine if axis == 1 else half_sine)))
    moments = [float(turned[0]), float(turned[1]), float(turned[2])]
    for first in (0, 1, 0):
        if moments[first] + _EQUAL * scale < moments[first + 1]:
            moments[first], moments[first + 1] = moments[first + 1], moments[first]
            quaternion = unit(multiply(quaternion, _about((first + 2) % 3, math.sqrt(0.5))))
    return (moments[0], moments[1], moments[2]), quaternion


def _about(axis: int, half_sine: float) -> Quaternion:
    """The rotation about a coordinate axis by the angle whose half has this sine."""
    vector = [0.0, 0.0, 0.0]
    vector[axis] = half_sine
    return (math.sqrt(1.0 - half_sine * half_sine), vector[0], vector[1], vector[2])
