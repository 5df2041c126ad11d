"""Straight-line programs: what is folded, shared and counted, and that every way of running gives the same numbers."""

from __future__ import annotations

import ctypes
import math
import random
import shutil
import subprocess
import time
from itertools import pairwise

import numpy as np
import pytest

from dyncli import scalars
from dyncli.scalars.c_code import c_function, c_helpers
from dyncli.scalars.differentiate import forward, jacobian, reverse
from dyncli.scalars.execute import Executable
from dyncli.scalars.program import record

XY = ("x", "y")


def recorded(expression, inputs=XY):
    return record(lambda symbols: [expression(*symbols)], inputs)


def everything(x):
    """A function with every operation, values used twice, repeated and constant outputs, and an input as an output."""
    a, b, c = x
    s, co = scalars.sin(a - 2.0 * b), scalars.cos(-a)
    root = scalars.sqrt(a * a + 3.0)
    quotient = (s + co) / root - 1.0 / (b * b + 2.0)
    series = scalars.stumpff(2, c * c) * scalars.stumpff(1, a * a) + scalars.sign(c) * c
    return [quotient * s, series - quotient, -root, root, root, c, -c, 7.5, 0.0 * a, (a - b) * 0.5 + (b - a) / c]


@pytest.fixture(scope="module")
def program():
    return record(everything, ("a", "b", "c"))


@pytest.fixture(scope="module")
def points():
    numbers = random.Random(3)
    return [[numbers.uniform(-2.0, 2.0) for _ in range(3)] for _ in range(50)]


@pytest.mark.parametrize(
    ("expression", "operations"),
    [
        (lambda x, y: 0.0 * x + 1.0 * y, 0),
        (lambda x, y: x - x, 0),
        (lambda x, y: (x + y) * (y + x), 2),
        (lambda x, y: (x - y) * (y - x), 3),
        (lambda x, y: 2.0 * (3.0 * x) * (0.5 * y), 2),
        (lambda x, y: 3.0 * x - 3.0 * y, 2),
        (lambda x, y: (1.0 - x) + x, 0),
        (lambda x, y: (x + y) - x, 0),
        (lambda x, y: (-x) * (-y), 1),
        (lambda x, y: scalars.sin(x) * scalars.sin(x), 2),
        (lambda x, y: scalars.cos(-x) - scalars.cos(x), 0),
        (lambda x, y: scalars.sin(-x) + scalars.sin(x), 0),
        (lambda x, y: (x * y) / (x * y), 0),
        (lambda x, y: (x + y) * (y / (x + y)), 0),
        (lambda x, y: x / 2.0 + 0.5 * y, 2),
    ],
)
def test_folding_and_sharing(expression, operations):
    made = recorded(expression)
    assert len(made.operations) == operations
    at = (0.3, -1.7)
    assert made.evaluate(at)[0] == pytest.approx(expression(*at), rel=1e-14, abs=1e-15)


def test_what_reaches_no_output_is_dropped():
    def function(x):
        scalars.sin(x[0] * x[1]) + 4.0
        return [x[0] + 2.0]

    made = record(function, XY)
    assert made.count() == {"mul": 0, "add": 1, "div": 0, "sqrt": 0, "trig": 0}
    assert made.constants == (2.0,)


def test_constant_outputs_are_known(program):
    assert program.structural_zeros() == [8]
    assert program.constant_output(7) == 7.5
    assert program.constant_output(0) is None


def test_counts_are_those_of_the_list():
    made = recorded(lambda x, y: scalars.sqrt(x) / y - scalars.sin(x) * scalars.stumpff(3, y) + 2.0 * y)
    assert made.count() == {"mul": 2, "add": 2, "div": 1, "sqrt": 1, "trig": 2}


def test_critical_path_and_width():
    made = record(lambda x: [(x[0] + x[1]) * (x[2] + x[3]), x[0] * x[1] * x[2]], tuple("abcd"))
    assert made.critical_path() == 2
    assert made.width() == [3, 2]


def test_comparison_and_truth_are_refused():
    with pytest.raises(TypeError, match="no branches"):
        recorded(lambda x, y: x if x == y else y)
    with pytest.raises(TypeError, match="no branches"):
        recorded(lambda x, y: x if x else y)
    with pytest.raises(TypeError):
        recorded(lambda x, y: x if x < y else y)


def test_a_program_evaluates_as_the_function_does(program, points):
    for x in points:
        assert program.evaluate(x) == pytest.approx(everything(x), rel=1e-13)


@pytest.mark.parametrize("block", [7, 16, 64])
def test_blocks_agree_with_single_states(program, points, block):
    x = np.array(points).T.copy()
    x.flags.writeable = False
    out = np.full((len(program.outputs), len(points)), np.nan)
    Executable(program).run(list(x), len(points), out=out, block=block)
    for k, point in enumerate(points):
        np.testing.assert_allclose(out[:, k], everything(point), rtol=1e-13)


@pytest.mark.parametrize("count", [0, 1, 1500, 70001])
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_number(program, count, threads):
    executable = Executable(program)
    x = list(np.random.default_rng(1).uniform(-2.0, 2.0, (3, count)))
    out = np.full((len(program.outputs), count), np.nan)
    executable.run(x, count, out=out, threads=threads, block=700)
    np.testing.assert_array_equal(out, executable.run(x, count))


def test_one_number_serves_all_states(program, points):
    b = np.array([point[1] for point in points])
    out = Executable(program).run([0.4, b, -1.1], len(points))
    for k, value in enumerate(b):
        np.testing.assert_allclose(out[:, k], everything([0.4, float(value), -1.1]), rtol=1e-13)


def test_failures_of_a_state_stay_in_that_state():
    made = recorded(lambda x, y: scalars.sqrt(x) / y)
    out = Executable(made).run([np.array([4.0, -1.0, 1.0]), np.array([2.0, 1.0, 0.0])], 3)
    assert out[0, 0] == 1.0
    assert np.isnan(out[0, 1])
    assert np.isinf(out[0, 2])
    assert made.evaluate([1.0, 0.0]) == [math.inf]
    assert math.isnan(made.evaluate([-1.0, 1.0])[0])


def complex_step_jacobian(x):
    columns = []
    for k in range(3):
        z = [complex(value, 1e-40 if k == j else 0.0) for j, value in enumerate(x)]
        columns.append([complex(y).imag / 1e-40 for y in everything(z)])
    return np.array(columns).T


def test_forward_and_reverse_programs_equal_the_complex_step(program, points):
    tangents, gradients, rows = forward(program), reverse(program), jacobian(program)
    weights = [math.cos(k) for k in range(len(program.outputs))]
    direction = [0.3, -1.0, 0.7]
    for x in points[:10]:
        J = complex_step_jacobian(x)
        np.testing.assert_allclose(tangents.evaluate([*x, *direction]), J @ direction, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(gradients.evaluate([*x, *weights]), weights @ J, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(np.reshape(rows.evaluate(x), J.shape), J, rtol=1e-11, atol=1e-13)


def test_a_gradient_costs_a_few_evaluations_however_many_inputs():
    n = 40
    energy = record(lambda x: [sum((scalars.sin(a * b) for a, b in pairwise(x)), 0.0)], [f"x{k}" for k in range(n)])
    assert len(reverse(energy).operations) <= 4 * len(energy.operations)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_c_function_computes_the_same(program, points, tmp_path):
    source = tmp_path / "program.c"
    source.write_text("#include <math.h>\n" + c_helpers(program) + c_function(program, "f"))
    library = tmp_path / "program.so"
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-shared", "-fPIC", "-lm"]
    subprocess.run(["cc", str(source), "-o", str(library), *flags], check=True)
    f = ctypes.CDLL(str(library)).f
    y = (ctypes.c_double * len(program.outputs))()
    for x in points:
        f((ctypes.c_double * 3)(*x), y)
        assert list(y) == pytest.approx(everything(x), rel=1e-13)


def test_recording_costs_little_more_than_python_arithmetic():
    def chain(x):
        a, b = x
        for _ in range(2000):
            a, b = 0.5 * (a * b + 0.25 * a), b - 0.001 * a * a
        return [a, b]

    plain = min(_seconds(lambda: chain([0.3, 0.4])) for _ in range(7))
    recording = min(_seconds(lambda: record(chain, XY)) for _ in range(7))
    assert recording < 400 * plain


def _seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start
