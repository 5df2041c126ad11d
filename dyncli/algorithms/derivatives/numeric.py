"""Jacobians by evaluating the map itself: the complex step, central and forward differences.

Positions are displaced by `JointType.integrate` (so quaternions stay unit) and compared by `difference`: the columns
are tangents, as those of every other method. Source of the complex step: W. Squire, G. Trapp, Using complex variables
to estimate derivatives (SIAM Review, 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dyncli.algorithms.derivatives.maps import ManifoldMap
from dyncli.algorithms.derivatives.steps import advanced
from dyncli.algorithms.factor import Matrix
from dyncli.errors import UsageError
from dyncli.spatial import Scalar

LEAST_COMPLEX_STEP = 1e-150
"""Below this the square of the step, which rotations are made of, underflows."""
STEPS = {"complex": 1e-30, "central": 6e-6, "forward": 1.5e-8}
"""Usual steps; for differences roots of the machine precision, which balance truncation against rounding."""

Point = tuple[list[Scalar], list[Scalar], list[Scalar]]


def by_complex_step(
    of: ManifoldMap, q: Sequence[Scalar], v: Sequence[Scalar], x: Sequence[Scalar], step: float = STEPS["complex"]
) -> Matrix:
    """Jacobian (rows x 3 nv): the imaginary part of the map a step i h away. No difference is taken, so h may be tiny.

    Raises UsageError for a step below 1e-150.
    """
    if step < LEAST_COMPLEX_STEP:
        raise UsageError(
            f"a complex step of {step:g} is too small: its square underflows",
            hint=f"take at least {LEAST_COMPLEX_STEP:g}; every step from 1e-8 to 1e-100 gives full accuracy",
        )
    columns = []
    for point in _displaced(of, q, v, x, complex(0.0, step)):
        value = of.function(*point)
        rates = [_imaginary(y) / step for y in value]
        columns.append(of.tangent([_real(y) for y in value], rates))
    return _from_columns(columns)


def by_central_differences(
    of: ManifoldMap, q: Sequence[Scalar], v: Sequence[Scalar], x: Sequence[Scalar], step: float = STEPS["central"]
) -> Matrix:
    """Jacobian (rows x 3 nv) from two evaluations a column, (f(+h) - f(-h)) / 2h."""
    steps = zip(_displaced(of, q, v, x, step), _displaced(of, q, v, x, -step), strict=True)
    return _from_columns(
        _scaled(0.5 / step, of.difference(of.function(*below), of.function(*above))) for above, below in steps
    )


def by_forward_differences(
    of: ManifoldMap, q: Sequence[Scalar], v: Sequence[Scalar], x: Sequence[Scalar], step: float = STEPS["forward"]
) -> Matrix:
    """Jacobian (rows x 3 nv) from one evaluation a column, (f(+h) - f) / h."""
    here = of.function(q, v, x)
    return _from_columns(
        _scaled(1.0 / step, of.difference(here, of.function(*point))) for point in _displaced(of, q, v, x, step)
    )


NUMERIC_METHODS: dict[str, Callable[..., Matrix]] = {
    "complex": by_complex_step,
    "central": by_central_differences,
    "forward": by_forward_differences,
}


def _displaced(
    of: ManifoldMap, q: Sequence[Scalar], v: Sequence[Scalar], x: Sequence[Scalar], step: complex
) -> Iterator[Point]:
    """The point moved by `step` along each of the 3 nv directions."""
    n = of.tree.nv
    for k in range(n):
        yield advanced(of.tree, q, [step if i == k else 0.0 for i in range(n)]), list(v), list(x)
    for k in range(n):
        yield list(q), [y + step if i == k else y for i, y in enumerate(v)], list(x)
    for k in range(n):
        yield list(q), list(v), [y + step if i == k else y for i, y in enumerate(x)]


def _from_columns(columns: Iterator[list[Scalar]] | list[list[Scalar]]) -> Matrix:
    return [list(row) for row in zip(*columns, strict=True)]


def _scaled(s: float, entries: Sequence[Scalar]) -> list[Scalar]:
    return [s * entry for entry in entries]


def _real(y: Scalar) -> Scalar:
    return y.real


def _imaginary(y: Scalar) -> Scalar:
    return y.imag
