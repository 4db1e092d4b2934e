"""Histogram density against NumPy and SciPy."""

import numpy as np
import pytest
from scipy.stats import rv_histogram

from shallows.density import Histogram

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("bins", [7, "auto", "fd"])
def test_one_feature_is_numpy(bins):
    x, weights = RNG.normal(size=300), RNG.random(300)
    edges = np.histogram_bin_edges(x, bins)
    density, _ = np.histogram(x, edges, density=True, weights=weights)
    model = Histogram(bins).fit(x[:, None], sample_weight=weights)
    X = np.linspace(x.min() - 1, x.max() + 1, 1001)
    law = rv_histogram((density, edges), density=True)
    np.testing.assert_allclose(np.exp(model.score_samples(X[:, None])), law.pdf(X), atol=1e-12)
    assert np.exp(model.score_samples([[x.max()]]))[0] > 0


def test_integral_is_one_in_two_dimensions():
    X = RNG.normal(size=(500, 2))
    model = Histogram(8).fit(X)
    counts, *edges = np.histogram2d(X[:, 0], X[:, 1], 8, density=True)
    areas = np.outer(*(np.diff(part) for part in edges))
    middles = [(part[1:] + part[:-1]) / 2 for part in edges]
    points = np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1).reshape(-1, 2)
    values = np.exp(model.score_samples(points)).reshape(8, 8)
    np.testing.assert_allclose(values, counts, atol=1e-12)
    assert (values * areas).sum() == pytest.approx(1, abs=1e-12)


def test_many_features_keep_only_cells_with_samples():
    X = RNG.normal(size=(200, 30))
    model = Histogram(10).fit(X)
    assert len(model.cells_) <= 200
    assert np.isfinite(model.score_samples(X)).all()
    drawn = model.sample(100, random_state=0)
    assert np.isfinite(model.score_samples(drawn)).all()


def test_given_edges():
    model = Histogram([[0.0, 1.0, 3.0]]).fit([[0.5], [2.0], [2.5], [9.0]])
    np.testing.assert_allclose(model.probabilities_, [1 / 3, 2 / 3])
    np.testing.assert_allclose(
        np.exp(model.score_samples([[0.2], [3.0], [9.0]])), [1 / 3, 1 / 3, 0]
    )
    with pytest.raises(ValueError, match="increasing edges for each of the 1 features"):
        Histogram([[1.0, 0.0]]).fit([[0.5]])
    with pytest.raises(ValueError, match="no sample lies between"):
        Histogram([[0.0, 1.0]]).fit([[5.0]])


@pytest.mark.parametrize("offset", [0.0, 1e6, -3e9])
def test_values_on_and_beside_edges(offset):
    edges = np.linspace(offset, offset + 0.7, 8)
    x = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)])
    even = Histogram([edges]).fit(x[:, None])
    # One more bin far off: no longer of equal width, so that the bins are searched.
    uneven = Histogram([np.append(edges, offset + 99.0)]).fit(x[:, None])
    expected = np.histogram(x, edges)[0]
    np.testing.assert_array_equal(even.cells_.ravel(), np.flatnonzero(expected))
    mass = expected[expected > 0] / expected.sum()
    np.testing.assert_allclose(even.probabilities_, mass)
    inner = x[(x >= edges[0]) & (x < edges[-1])]
    gap = even.score_samples(inner[:, None]) - uneven.score_samples(inner[:, None])
    assert np.ptp(gap[inner < edges[-2]]) == pytest.approx(0, abs=1e-12)
    assert np.isneginf(even.score_samples([[offset - 1], [offset + 1]])).all()
