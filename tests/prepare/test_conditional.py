"""Gaps of all rows at once against the text-book formulas, row by row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from shallows.prepare import ClassImputer, DensityImputer
from shallows.prepare._conditional import fill_all, gap_groups


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_rows_are_filled_as_one_by_one(share):
    rng = np.random.default_rng(0)
    mean, root = rng.normal(size=6), rng.normal(size=(6, 6)) * [1, 10, 0.1, 1, 1, 100]
    covariance = root.T @ root
    X = rng.multivariate_normal(mean, covariance, size=80)
    X[rng.random(X.shape) < share] = np.nan
    X[0] = np.nan
    found = fill_all(X, mean, covariance, gap_groups(np.isnan(X)))
    spread = np.zeros((6, 6))
    for row, filled, log_density in zip(X, found.rows, found.log_density, strict=True):
        m = np.isnan(row)
        across = covariance[np.ix_(m, ~m)]
        slopes = across @ np.linalg.inv(covariance[np.ix_(~m, ~m)])
        assert_allclose(filled[~m], row[~m], rtol=1e-9)
        expected = mean[m] + slopes @ (row - mean)[~m]
        assert_allclose(filled[m], expected, rtol=1e-6, atol=1e-9)
        spread[np.ix_(m, m)] += covariance[np.ix_(m, m)] - slopes @ across.T
        if not m.all():
            law = multivariate_normal(mean[~m], covariance[np.ix_(~m, ~m)])
            assert log_density == pytest.approx(law.logpdf(row[~m]), rel=1e-6, abs=1e-6)
        else:
            assert log_density == pytest.approx(0, abs=1e-9)
    size = np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()))
    assert_allclose(found.spread / size, spread / size, atol=1e-8)


def test_a_nearly_singular_covariance_is_left_to_the_patterns():
    rng = np.random.default_rng(0)
    line = rng.normal(size=(50, 1)) * [1.0, 2.0, -1.0]
    gappy = line.copy()
    gappy[::7, 1] = np.nan
    covariance = np.cov(line.T)
    assert fill_all(gappy, line.mean(axis=0), covariance, gap_groups(np.isnan(gappy))) is None
    model = DensityImputer(reg_covar=1e-12)
    assert_allclose(model.fit_transform(gappy), line, atol=1e-4)


@pytest.mark.parametrize("strategy", ["mean", "median"])
def test_classes_are_filled_as_by_numpy(strategy):
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=60)
    X = 1e6 + rng.normal(size=(60, 3)) + y[:, None]
    X[rng.random(X.shape) < 0.3] = np.nan
    X[y == 2, 1] = np.nan  # a class without any value of a column
    statistic = np.nanmean if strategy == "mean" else np.nanmedian
    model = ClassImputer(strategy).fit(X, y)
    assert_allclose(model.overall_, statistic(X, axis=0), rtol=1e-15)
    expected = np.array(
        [
            statistic(X[y == k, j]) if k != 2 or j != 1 else model.overall_[1]
            for k in range(4)
            for j in range(3)
        ]
    ).reshape(4, 3)
    assert_allclose(model.statistics_, expected, rtol=1e-15)
    assert_allclose(model.fit_transform(X, y), np.where(np.isnan(X), expected[y], X), rtol=1e-15)
