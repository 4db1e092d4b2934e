"""Derivative checks, stationary points, and gradients under a change of coordinates."""

import numpy as np
import pytest
from scipy import optimize

from shallows.descent import (
    check_gradient,
    check_hessian,
    classify_stationary_point,
    numerical_gradient,
    numerical_hessian,
    transform_gradient,
)

PLACE = np.array([-1.2, 1.0, 0.7])


def test_differences_agree_with_known_derivatives_and_with_scipy():
    gradient = numerical_gradient(optimize.rosen, PLACE)
    np.testing.assert_allclose(gradient, optimize.rosen_der(PLACE), rtol=1e-7)
    forward = optimize.approx_fprime(PLACE, optimize.rosen)
    np.testing.assert_allclose(gradient, forward, rtol=1e-4)
    hessian = numerical_hessian(optimize.rosen_der, PLACE)
    np.testing.assert_allclose(hessian, optimize.rosen_hess(PLACE), rtol=1e-6, atol=1e-6)


def test_error_of_central_differences_falls_with_the_square_of_the_step():
    exact = np.cos(PLACE)
    errors = [
        np.abs(numerical_gradient(lambda x: np.sin(x).sum(), PLACE, step) - exact).max()
        for step in (1e-2, 1e-3)
    ]
    assert errors[0] / errors[1] == pytest.approx(100, rel=0.01)


def test_check_gradient_tells_right_from_wrong():
    right = lambda x: (optimize.rosen(x), optimize.rosen_der(x))  # noqa: E731
    wrong = lambda x: (optimize.rosen(x), 1.01 * optimize.rosen_der(x))  # noqa: E731
    assert check_gradient(right, PLACE) < 1e-8
    assert check_gradient(wrong, PLACE) == pytest.approx(0.01, rel=1e-3)


def test_check_hessian_tells_right_from_wrong():
    assert check_hessian(optimize.rosen_der, optimize.rosen_hess, PLACE) < 1e-8
    shifted = lambda x: optimize.rosen_hess(x) + 20 * np.eye(3)  # noqa: E731
    assert check_hessian(optimize.rosen_der, shifted, PLACE) > 0.01


def test_gradient_of_half_the_residual_sum_of_squares():
    rng = np.random.default_rng(0)
    X, c = rng.normal(size=(9, 3)), rng.normal(size=9)
    error = lambda w: (float((c - X @ w) @ (c - X @ w)) / 2, -X.T @ (c - X @ w))  # noqa: E731
    assert check_gradient(error, PLACE) < 1e-9


@pytest.mark.parametrize(
    ("eigenvalues", "expected"),
    [
        ([1, 2, 3], "minimum"),
        ([-1, -2, -3], "maximum"),
        ([-1, 2, 3], "saddle"),
        ([-1, 0, 3], "saddle"),
        ([0, 2, 3], "undecided"),
        ([0, -2, -3], "undecided"),
        ([1e-14, 2, 3], "undecided"),
        ([0, 0, 0], "undecided"),
    ],
)
def test_stationary_points_by_the_signs_of_the_eigenvalues(eigenvalues, expected):
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    assert classify_stationary_point(turn @ np.diag(eigenvalues) @ turn.T) == expected


def test_gradient_under_a_change_of_coordinates():
    rng = np.random.default_rng(0)
    A, x = rng.normal(size=(3, 4)), rng.normal(size=4)
    expected = numerical_gradient(lambda x: optimize.rosen(A @ x), x)
    np.testing.assert_allclose(
        transform_gradient(A, optimize.rosen_der(A @ x)), expected, rtol=1e-6
    )


def test_steepest_descent_depends_on_the_coordinates_unless_they_are_orthogonal():
    gradient = np.array([1.0, 2.0])
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(2, 2)))[0]
    for A, same in ((3 * rotation, True), (np.diag([1.0, 2.0]), False)):
        moved = A @ transform_gradient(A, gradient)
        angle = moved @ gradient / np.linalg.norm(moved) / np.linalg.norm(gradient)
        assert (angle == pytest.approx(1.0, abs=1e-12)) == same
