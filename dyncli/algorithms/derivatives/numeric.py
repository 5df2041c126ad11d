"""Jacobians by evaluating the map itself: the complex step, central and forward differences.

Positions are displaced by `JointType.integrate` (so quaternions stay unit) and compared by `difference`: the columns
are tangents, as those of every other method. Source of the complex step: W. Squire, G. Trapp, Using complex variables
to estimate derivatives (SIAM Review, 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dyncli.algorithms.derivatives.maps import ManifoldMap
from dyncli.algorithms.derivatives.steps import advanced
from dyncli.algorithms.factor import Matrix
from dyncli.errors import UsageError
from dyncli.spatial import Scalar

Scalars = Sequence[Scalar]
Point = tuple[Scalars, Scalars, Scalars]

LEAST_COMPLEX_STEP = 1e-150
"""Below this the square of the step, which rotations are made of, underflows."""
STEPS = {"complex": 1e-30, "central": 6e-6, "forward": 1.5e-8}
"""Usual steps; for differences roots of the machine precision, which balance truncation against rounding."""


def by_complex_step(of: ManifoldMap, q: Scalars, v: Scalars, x: Scalars, step: float = STEPS["complex"]) -> Matrix:
    """Jacobian (rows x 3 nv): the imaginary part of the map a step i h away. No difference is taken, so h may be tiny.

    Raises UsageError for a step below 1e-150.
    """
    if step < LEAST_COMPLEX_STEP:
        raise UsageError(
            f"a complex step of {step:g} is too small: its square underflows",
            hint=f"take at least {LEAST_COMPLEX_STEP:g}; every step from 1e-8 to 1e-100 gives full accuracy",
        )
    value = of.function(*_displaced(of, q, v, x, complex(0.0, step)))
    return _columns(of, of.tangent([y.real for y in value], [y.imag / step for y in value]), q, v, x)


def by_central_differences(
    of: ManifoldMap, q: Scalars, v: Scalars, x: Scalars, step: float = STEPS["central"]
) -> Matrix:
    """Jacobian (rows x 3 nv) from two evaluations a column, (f(+h) - f(-h)) / 2h."""
    above, below = (of.function(*_displaced(of, q, v, x, h)) for h in (step, -step))
    return _columns(of, [(0.5 / step) * y for y in of.difference(below, above)], q, v, x)


def by_forward_differences(
    of: ManifoldMap, q: Scalars, v: Scalars, x: Scalars, step: float = STEPS["forward"]
) -> Matrix:
    """Jacobian (rows x 3 nv) from one evaluation a column, (f(+h) - f) / h."""
    here, above = of.function(q, v, x), of.function(*_displaced(of, q, v, x, step))
    return _columns(of, [(1.0 / step) * y for y in of.difference(here, above)], q, v, x)


NUMERIC_METHODS: dict[str, Callable[..., Matrix]] = {
    "complex": by_complex_step,
    "central": by_central_differences,
    "forward": by_forward_differences,
}


def _displaced(of: ManifoldMap, q: Scalars, v: Scalars, x: Scalars, step: complex) -> Point:
    """The point moved by `step` along each of the 3 nv directions: arrays with a row a direction."""
    import numpy as np

    n = of.tree.nv
    states = _states_shape(q, v, x)
    moves = list(step * np.eye(3 * n).reshape(3 * n, 3 * n, *(1 for _ in states)))
    still = np.zeros((3 * n, *states))
    around = [y + still for y in q]
    return (
        advanced(of.tree, around, moves[:n]),
        [y + still + move for y, move in zip(v, moves[n : 2 * n], strict=True)],
        [y + still + move for y, move in zip(x, moves[2 * n :], strict=True)],
    )


def _columns(of: ManifoldMap, entries: Scalars, q: Scalars, v: Scalars, x: Scalars) -> Matrix:
    """Entries of the tangents, each with a row a direction, as a matrix."""
    import numpy as np

    states = _states_shape(q, v, x)
    rows = (np.broadcast_to(y, (3 * of.tree.nv, *states)) for y in entries)
    return [list(row) if states else row.tolist() for row in rows]


def _states_shape(*parts: Scalars) -> tuple[int, ...]:
    """(B,) for a batch, () for one state."""
    import numpy as np

    return np.broadcast_shapes(*(np.shape(y) for part in parts for y in part))
