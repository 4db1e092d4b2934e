"""The hat matrix and the centring matrix against their definitions."""

import numpy as np
import pytest

from shallows.linear import centering_matrix, hat_matrix

RNG = np.random.default_rng(0)


def test_hat_matrix_equals_the_formula_and_projects_on_least_squares():
    X, y = RNG.normal(size=(9, 3)), RNG.normal(size=9)
    H = hat_matrix(X)
    np.testing.assert_allclose(H, X @ np.linalg.inv(X.T @ X) @ X.T, atol=1e-13)
    np.testing.assert_allclose(H @ y, X @ np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-13)


@pytest.mark.parametrize(("shape", "rank"), [((9, 3), 3), ((9, 4), 2), ((3, 9), 3), ((4, 1), 1)])
def test_hat_matrix_is_a_projection_whose_trace_is_the_rank(shape, rank):
    X = RNG.normal(size=(shape[0], rank)) @ RNG.normal(size=(rank, shape[1]))
    H = hat_matrix(X)
    np.testing.assert_allclose(H, H.T)
    np.testing.assert_allclose(H @ H, H, atol=1e-13)
    np.testing.assert_allclose(H @ X, X, atol=1e-12)
    assert np.trace(H) == pytest.approx(rank)


def test_hat_matrix_of_float32_and_of_nothing():
    X = RNG.normal(size=(9, 2)).astype(np.float32)
    assert hat_matrix(X).dtype == np.float32
    np.testing.assert_array_equal(hat_matrix(np.zeros((3, 2))), 0)


def test_the_leverages_are_the_derivatives_of_the_predictions():
    X, y = RNG.normal(size=(9, 3)), RNG.normal(size=9)
    moved = y + np.eye(9)  # each target once larger by one
    rises = X @ np.linalg.lstsq(X, np.column_stack([y, moved.T]), rcond=None)[0]
    np.testing.assert_allclose(np.diagonal(hat_matrix(X)), np.diagonal(rises[:, 1:]) - rises[:, 0])


def test_singular_values_below_the_limit_count_as_zero():
    X = np.diag([1.0, 1e-3])
    assert np.trace(hat_matrix(X)) == pytest.approx(2)
    assert np.trace(hat_matrix(X, rcond=0.01)) == pytest.approx(1)
    with pytest.raises(ValueError, match="rcond"):
        hat_matrix(X, rcond=-1.0)


def test_the_centering_matrix_takes_off_the_mean():
    H, x = centering_matrix(6), RNG.normal(size=6)
    np.testing.assert_allclose(H, H.T)
    np.testing.assert_allclose(H @ H, H, atol=1e-15)
    np.testing.assert_allclose(H @ x, x - x.mean(), atol=1e-15)
    with pytest.raises(ValueError, match="n must"):
        centering_matrix(0)
