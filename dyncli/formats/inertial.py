"""What the mass and tensor of a body must satisfy, and by how much those of a file do not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dyncli.spatial import Symmetric3

if TYPE_CHECKING:
    from dyncli.formats.findings import Findings
    from dyncli.formats.xml import Element

ROUNDING = 1e-6
"""Relative slack: files carry moments rounded to some digits, and a thin plate or rod lies on the boundary."""
NEGLIGIBLE_GYRATION = 1e-6
"""Radius of gyration, m, below which a tensor is what subtraction left of zero."""


def principal_moments(tensor: Symmetric3) -> tuple[float, float, float]:
    """Eigenvalues of a symmetric 3x3 tensor (xx, yy, zz, xy, xz, yz), ascending, to rounding error.

    Source: cyclic Jacobi rotations, Golub and Van Loan, Matrix Computations, section 8.5.
    """
    xx, yy, zz, xy, xz, yz = (float(entry) for entry in tensor)
    A = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    largest = max(abs(entry) for row in A for entry in row)
    while max(abs(A[0][1]), abs(A[0][2]), abs(A[1][2])) > 1e-17 * largest:
        for p, q, r in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            if A[p][q] == 0.0:
                continue
            half_cotangent = (A[q][q] - A[p][p]) / (2.0 * A[p][q])
            t = math.copysign(1.0, half_cotangent) / (abs(half_cotangent) + math.hypot(1.0, half_cotangent))
            c = 1.0 / math.hypot(1.0, t)
            s = t * c
            A[p][p] -= t * A[p][q]
            A[q][q] += t * A[p][q]
            A[p][q] = A[q][p] = 0.0
            A[p][r], A[q][r] = c * A[p][r] - s * A[q][r], s * A[p][r] + c * A[q][r]
            A[r][p], A[r][q] = A[p][r], A[q][r]
    smallest, middle, greatest = sorted((A[0][0], A[1][1], A[2][2]))
    return smallest, middle, greatest


def find_unphysical(findings: Findings, element: Element | str, mass: float, tensor: Symmetric3) -> None:
    """Tell what no body of positive density can have; the numbers are used as they stand all the same."""
    if mass < 0.0:
        findings.error("negative-mass", element, f"mass {mass:g} kg is negative")
    if not any(tensor):
        return
    if mass == 0.0:
        findings.warning("inertia-without-mass", element, "has a tensor but no mass")
    low, middle, high = principal_moments(tensor)
    slack = ROUNDING * max(abs(low), abs(high)) + NEGLIGIBLE_GYRATION**2 * abs(mass)
    moments = f"principal moments {low:.6g}, {middle:.6g}, {high:.6g} kg m²"
    if low < -slack:
        findings.error("inertia-not-positive", element, f"{moments}: one of them is negative")
    elif low + middle < high - slack:
        findings.warning("inertia-triangle", element, f"{moments}: the greatest exceeds the sum of the others")
