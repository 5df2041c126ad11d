"""Jacobians by automatic differentiation: forward on dual numbers, reverse on the recorded program."""

from __future__ import annotations

from collections.abc import Sequence

from dyncli.algorithms.derivatives.maps import ManifoldMap
from dyncli.algorithms.derivatives.seeds import seeded, tangent_basis, tangents, unit_rows
from dyncli.algorithms.factor import Matrix
from dyncli.scalars.differentiate import vjp
from dyncli.scalars.dual import Dual, level_of, value_of
from dyncli.scalars.program import Program, record
from dyncli.spatial import Scalar

Scalars = Sequence[Scalar]
Direction = tuple[Scalars, Scalars, Scalars]


def by_dual_numbers(of: ManifoldMap, q: Scalars, v: Scalars, x: Scalars) -> Matrix:
    """Jacobian (rows x 3 nv) in one pass that carries 3 nv tangents. Quaternions start along q (0, e)/2.

    The tangents of numbers are arrays with a row a direction; symbols carry a tuple of them.
    """
    n = of.tree.nv
    if not all(isinstance(y, float) or hasattr(y, "dtype") for part in (q, v, x) for y in part):
        return in_directions(of, q, v, x)
    import numpy as np

    basis = [[*row, *(0.0,) * (2 * n)] for row in tangent_basis(of.tree, q)]
    rows = [*basis, *unit_rows(2 * n, 3 * n, n)]
    states = np.broadcast_shapes(*(np.shape(y) for part in (q, v, x) for y in part))
    seeds = [np.array([np.broadcast_to(entry, states) for entry in row]) for row in rows]
    moving = [Dual(y, seed) for y, seed in zip((*q, *v, *x), seeds, strict=True)]
    value = of.function(moving[: len(q)], moving[len(q) : len(q) + n], moving[len(q) + n :])
    still = np.zeros((3 * n, *states))
    rates = [np.broadcast_to(y.tangent, still.shape) if level_of(y) else still for y in value]
    turned = of.tangent([value_of(y) for y in value], rates)
    return [list(row) if states else row.tolist() for row in turned]


def in_directions(of: ManifoldMap, q: Scalars, v: Scalars, x: Scalars) -> Matrix:
    """`by_dual_numbers` over scalars of any kind, the tangents as `Directions`."""
    n = of.tree.nv
    rows = [[*row, *(0.0,) * (2 * n)] for row in tangent_basis(of.tree, q)]
    moving = seeded(q, rows), seeded(v, unit_rows(n, 3 * n, n)), seeded(x, unit_rows(n, 3 * n, 2 * n))
    value = of.function(*moving)
    level = max(map(level_of, moving[1]), default=1)
    return in_tangent_space(of, value, tangents(value, level, 3 * n))


def in_tangent_space(of: ManifoldMap, value: Sequence[Scalar], rates: Matrix) -> Matrix:
    """Rows of rates of a map's value (one a direction in each) as rows of its tangent space."""
    if not of.moves:
        return rates
    plain = [value_of(y) for y in value]
    columns = [of.tangent(plain, rate) for rate in zip(*rates, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def along(
    of: ManifoldMap, q: Sequence[Scalar], v: Sequence[Scalar], x: Sequence[Scalar], direction: Direction
) -> list[Scalar]:
    """Jacobian times one direction (three vectors of nv), in one pass, for the price of about three evaluations."""
    dq, dv, dx = direction
    rates = [sum_of_products(row, dq) for row in tangent_basis(of.tree, q)]
    moving = ([Dual(a, da) for a, da in zip(p, dp, strict=True)] for p, dp in ((q, rates), (v, dv), (x, dx)))
    value = of.function(*moving)
    return of.tangent([value_of(y) for y in value], [y.tangent if level_of(y) else 0.0 for y in value])


def sum_of_products(row: Sequence[Scalar], column: Sequence[Scalar]) -> Scalar:
    """row . column."""
    total: Scalar = 0.0
    for a, b in zip(row, column, strict=True):
        total = total + a * b
    return total


def recorded(of: ManifoldMap) -> Program:
    """The map as a straight-line program of nq + 2 nv inputs."""
    nq, nv = of.tree.nq, of.tree.nv
    names = (*of.tree.coordinates, *(f"v {dof}" for dof in of.tree.dofs), *(f"x {dof}" for dof in of.tree.dofs))
    return record(lambda s: of.function(s[:nq], s[nq : nq + nv], s[nq + nv :]), names)


def by_reverse_sweep(
    of: ManifoldMap, program: Program, q: Sequence[Scalar], v: Sequence[Scalar], x: Sequence[Scalar]
) -> Matrix:
    """Jacobian (rows x 3 nv) from `recorded(of)`: one backward sweep an output, all of them side by side as arrays.

    The sweep treats a quaternion's numbers as independent; the tangents of q then pick what keeps it unit.
    """
    import numpy as np

    state = [np.asarray(s, dtype=float) for s in (*q, *v, *x)]
    shape = np.broadcast_shapes(*(s.shape for s in state))
    count = len(program.outputs)
    weights = np.eye(count).reshape(count, count, *(1 for _ in shape))
    gradients = vjp(program, state, list(weights))
    columns = [np.broadcast_to(np.asarray(g, dtype=float), (count, *shape)) for g in gradients]
    nq = of.tree.nq
    basis = tangent_basis(of.tree, q)
    by_q = [sum_of_products([row[k] for row in basis], columns[:nq]) for k in range(of.tree.nv)]
    rates = [[column[k] for column in (*by_q, *columns[nq:])] for k in range(count)]
    return in_tangent_space(of, program.evaluate(state), rates)
