"""Kernel smoothers: a naive version, straight lines, bias at the border."""

import numpy as np
import pytest

from shallows.kernel import gaussian, local_regression

RNG = np.random.default_rng(0)
X, NEW = RNG.uniform(-2, 2, (80, 2)), RNG.uniform(-2, 2, (15, 2))
Y = np.sin(X[:, 0]) + X[:, 1] ** 2


def test_mean_equals_its_formula():
    weights = gaussian(NEW, X, 0.4)
    expected = weights @ Y / weights.sum(axis=1)
    np.testing.assert_allclose(local_regression(X, Y, NEW, 0.4, degree=0), expected, rtol=1e-10)


def test_line_equals_weighted_normal_equations():
    found = local_regression(X, Y, NEW, 0.5)
    for x, value in zip(NEW, found, strict=True):
        weights = gaussian(x[None], X, 0.5)[0]
        inputs = np.column_stack([np.ones(80), X - x])
        solution = np.linalg.solve(inputs.T * weights @ inputs, inputs.T @ (weights * Y))
        assert value == pytest.approx(solution[0], rel=1e-8)


def test_line_reproduces_linear_functions_and_has_less_bias_at_the_border():
    linear = X @ [2.0, -1.0] + 3
    np.testing.assert_allclose(local_regression(X, linear, NEW, 0.3), NEW @ [2.0, -1.0] + 3)
    corner = [[2.0, 2.0]]
    errors = [abs(local_regression(X, linear, corner, 0.5, degree=k)[0] - 5) for k in (0, 1)]
    assert errors[1] < 1e-9 < 0.1 < errors[0]


def test_far_points_get_the_nearest_target():
    assert local_regression(X, Y, [[1e3, 0.0]], 0.1, degree=0)[0] == pytest.approx(
        Y[X[:, 0].argmax()]
    )


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="sigma must be"):
        local_regression(X, Y, NEW, 0.0)
    with pytest.raises(ValueError, match="degree must be"):
        local_regression(X, Y, NEW, degree=2)
