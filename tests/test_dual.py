"""Dual numbers against closed forms, the complex step, and themselves nested."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from dyncli import scalars
from dyncli.scalars.dual import Directions, Dual, jvp, tangent_of, value_of

FUNCTIONS = {
    "polynomial": lambda x: 3.0 * x * x - x * 2.0 + 1.0,
    "quotients": lambda x: (x + 2.0) / (x * x + 1.0) + 1.0 / x - x / 3.0,
    "subtractions": lambda x: (1.0 - x) * (x - 4.0) - (x - x * x),
    "trigonometry": lambda x: scalars.sin(2.0 * x) * scalars.cos(x) - scalars.cos(-x),
    "root": lambda x: scalars.sqrt(x * x + 2.0) / (1.0 + scalars.sqrt(x)),
    "reciprocal": lambda x: scalars.reciprocal(1.0 + x) * x,
    "absolute": lambda x: scalars.absolute(-x * x),
    **{f"stumpff {k}": (lambda x, k=k: scalars.stumpff(k, x * x)) for k in range(4)},
}
POINTS = (0.03, 0.4, 0.9, 2.7)


def complex_step(function, x):
    return function(complex(x, 1e-40)).imag / 1e-40


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("x", POINTS)
def test_tangents_equal_the_complex_step(name, x):
    function = FUNCTIONS[name]
    result = function(Dual(x, 1.0))
    assert value_of(result) == pytest.approx(function(x), rel=1e-14)
    assert tangent_of(result) == pytest.approx(complex_step(function, x), rel=1e-13)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_of_values_and_directions_agree_with_floats(name):
    function = FUNCTIONS[name]
    x = np.array(POINTS)
    directions = np.array([[1.0], [-2.5]]) * np.ones(len(POINTS))
    result = function(Dual(x, directions))
    for k, point in enumerate(POINTS):
        slope = tangent_of(function(Dual(point, 1.0)))
        np.testing.assert_allclose(result.tangent[:, k], [slope, -2.5 * slope], rtol=1e-13)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives_by_nesting(name):
    function = FUNCTIONS[name]
    x = 0.7
    nested = function(Dual(Dual(x, 1.0), Dual(1.0, 0.0)))
    by_complex_step = complex_step(lambda z: tangent_of(function(Dual(z, 1.0))), x)
    assert tangent_of(tangent_of(nested)) == pytest.approx(by_complex_step, rel=1e-12)


def test_lists_of_directions_pass_through_every_operation():
    function = FUNCTIONS["quotients"]
    result = function(Dual(0.4, Directions((1.0, 0.0, -3.0))))
    slope = tangent_of(function(Dual(0.4, 1.0)))
    assert result.tangent == pytest.approx((slope, 0.0, -3.0 * slope), rel=1e-14)


def test_a_derivative_inside_a_differentiated_function_does_not_mix_perturbations():
    # d/dx [x d/dy (x y)] at y = 2 is 2 x, although the inner y does not depend on x
    def outer(x):
        inner = Dual(Dual(2.0, 0.0), Dual(1.0, 0.0))
        return x * tangent_of(x * inner)

    assert tangent_of(outer(Dual(3.0, 1.0))) == 6.0


def test_jvp_is_the_directional_derivative():
    def function(x):
        return [x[0] * scalars.sin(x[1]), x[1] / x[0], 4.0]

    a, b = 1.3, 0.6
    da, db = 0.2, -0.7
    expected = [da * math.sin(b) + a * math.cos(b) * db, db / a - b * da / a**2, 0.0]
    assert jvp(function, [a, b], [da, db]) == pytest.approx(expected, rel=1e-14)


def test_complex_values_carry_tangents():
    z = 0.3 + 0.2j
    assert tangent_of(scalars.sin(Dual(z, 1.0))) == pytest.approx(cmath.cos(z), rel=1e-14)


def test_the_derivative_of_a_sign_counts_as_zero():
    assert tangent_of(scalars.sign(Dual(-2.0, 1.0))) == 0.0
    assert scalars.sign(Dual(-2.0, 1.0)) == -1.0


def test_comparison_is_refused():
    with pytest.raises(TypeError, match="not compared"):
        assert Dual(1.0, 0.0) == 1.0
    with pytest.raises(TypeError):
        assert Dual(1.0, 0.0) < 2.0
