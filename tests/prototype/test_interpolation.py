"""Interpolation criteria against SciPy and their theory."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from shallows.prototype import InterpolationRegressor

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(25, 2)), RNG.normal(size=25) * 2
QUERIES = RNG.normal(size=(15, 2))
WEIGHTS = RNG.uniform(0.2, 3, 25)


def total_distance(y, u):
    return sum(
        w * np.sqrt(((u - x) ** 2).sum() + (y - t) ** 2)
        for x, t, w in zip(X, Y, WEIGHTS, strict=True)
    )


def sum_of_gaussians(y, u, s2):
    squared = ((u - X) ** 2).sum(axis=1) + (y - Y) ** 2
    return WEIGHTS @ np.exp(-squared / (2 * s2))


def test_least_total_distance_is_the_minimum():
    found = InterpolationRegressor("distance").fit(X, Y, WEIGHTS).predict(QUERIES)
    for u, y in zip(QUERIES, found, strict=True):
        best = minimize_scalar(total_distance, args=(u,), bounds=(-9, 9), method="bounded")
        assert y == pytest.approx(best.x, abs=1e-4)
        assert total_distance(y, u) <= best.fun + 1e-12


def test_slopes_of_the_distances_cancel():
    found = InterpolationRegressor("distance").fit(X, Y).predict(QUERIES)
    squared = ((QUERIES[:, None] - X) ** 2).sum(axis=2)
    gaps = found[:, None] - Y
    np.testing.assert_allclose((gaps / np.sqrt(squared + gaps**2)).sum(axis=1), 0, atol=1e-10)


@pytest.mark.parametrize("s2", [0.003, 0.1, 1.0, 30.0])
def test_mode_is_the_highest(s2):
    found = InterpolationRegressor("gaussian", s2=s2).fit(X, Y, WEIGHTS).predict(QUERIES)
    grid = np.linspace(Y.min(), Y.max(), 4001)
    for u, y in zip(QUERIES, found, strict=True):
        highest = max(sum_of_gaussians(value, u, s2) for value in grid)
        assert sum_of_gaussians(y, u, s2) >= 0.9995 * highest
        step = 1e-3 * np.sqrt(s2)
        beside = max(sum_of_gaussians(y + step, u, s2), sum_of_gaussians(y - step, u, s2))
        assert sum_of_gaussians(y, u, s2) >= beside


def test_wide_gaussians_give_the_mean_and_narrow_ones_the_nearest_target():
    wide = InterpolationRegressor("gaussian", s2=1e6).fit(X, Y).predict(QUERIES)
    np.testing.assert_allclose(wide, Y.mean(), atol=1e-3)
    narrow = InterpolationRegressor("gaussian", s2=1e-6).fit(X, Y).predict(QUERIES)
    nearest = ((QUERIES[:, None] - X) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_allclose(narrow, Y[nearest], atol=1e-3)


def test_least_distance_of_two_points_lies_on_the_line_between_them():
    model = InterpolationRegressor("distance").fit([[0.0], [4.0]], [1.0, 3.0])
    np.testing.assert_allclose(
        model.predict([[0.0], [1.0], [3.0], [4.0]]), [1, 1.5, 2.5, 3], atol=1e-6
    )


def test_least_distance_need_not_pass_through_a_training_point():
    model = InterpolationRegressor("distance").fit([[0.0], [1.0], [-1.0]], [0.0, 9.0, 9.0])
    assert model.predict([[0.0]])[0] > 1


def test_equal_targets_are_the_answer():
    for criterion in ("distance", "gaussian"):
        model = InterpolationRegressor(criterion).fit(X, np.full(25, 3.5))
        np.testing.assert_allclose(model.predict(QUERIES), 3.5, atol=0.1)
