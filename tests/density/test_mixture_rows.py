"""Mixtures of rows with gaps, and of data larger than memory."""

import dask.array as da
import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs

from shallows.density import GaussianMixture
from shallows.prepare import DensityImputer

TYPES = ("full", "tied", "diag", "spherical")
every_type = pytest.mark.parametrize("kind", TYPES)


def blobs(n=600, d=4, k=3, seed=0):
    return make_blobs(n, d, centers=k, cluster_std=2.0, random_state=seed)[0]


def with_gaps(X, share=0.2, seed=0):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


@every_type
def test_likelihood_of_what_is_shown_never_falls(kind):
    X = with_gaps(blobs())
    model = GaussianMixture(
        3, covariance_type=kind, reg_covar=0.0, tol=None, max_iter=30, random_state=0
    ).fit(X)
    assert np.diff(model.lower_bounds_).min() > -1e-10
    assert model.score(X) == pytest.approx(model.lower_bound_, abs=0.05)


@every_type
@pytest.mark.parametrize("hard", [False, True])
def test_gaps_in_one_row_leave_the_steps_of_the_others(kind, hard):
    """A row without any value adds nothing, so the steps are those without it."""
    X = blobs()
    more = np.vstack([X, np.full((1, 4), np.nan)])
    weights = np.ones(len(more))
    options = {"covariance_type": kind, "means_init": X[:3], "tol": None, "max_iter": 7}
    start = GaussianMixture(3, random_state=0, hard=hard, **options).fit(X)
    chosen = {"weights_init": start.weights_, "precisions_init": start.precisions_}
    plain = GaussianMixture(3, hard=hard, **options, **chosen).fit(X)
    # Almost no weight: a weight of zero would drop the row before it is seen.
    weights[-1] = 1e-13
    gappy = GaussianMixture(3, hard=hard, **options, **chosen).fit(more, sample_weight=weights)
    np.testing.assert_allclose(gappy.means_, plain.means_, rtol=1e-8)
    np.testing.assert_allclose(gappy.covariances_, plain.covariances_, rtol=1e-8, atol=1e-10)


def test_density_of_what_is_shown_is_the_marginal():
    model = GaussianMixture(2, random_state=0).fit(blobs(200, 3, 2))
    x = np.array([[1.0, np.nan, -2.0], [np.nan, 0.5, np.nan], [0.1, 0.2, 0.3]])
    for row, found in zip(x, model.score_samples(x), strict=True):
        seen = np.flatnonzero(~np.isnan(row))
        expected = sum(
            w * multivariate_normal(m[seen], c[np.ix_(seen, seen)]).pdf(row[seen])
            for w, m, c in zip(model.weights_, model.means_, model.covariances_, strict=True)
        )
        assert found == pytest.approx(np.log(expected))
    empty = model.predict_proba(np.full((1, 3), np.nan))
    np.testing.assert_allclose(empty[0], model.weights_)


def test_one_gaussian_is_that_of_the_imputer():
    X = with_gaps(np.random.default_rng(1).normal(size=(300, 3)) @ np.triu(np.ones((3, 3))))
    model = GaussianMixture(1, reg_covar=0.0, tol=1e-12, max_iter=1000).fit(X)
    other = DensityImputer(reg_covar=0.0, tol=1e-12, max_iter=1000).fit(X)
    np.testing.assert_allclose(model.means_, other.means_, atol=1e-5)
    np.testing.assert_allclose(model.covariances_, other.covariances_, atol=1e-5)


def test_imputer_takes_the_mixture():
    X = blobs()
    gappy = with_gaps(X)
    mixture = GaussianMixture(3, random_state=0).fit(gappy)
    filled = DensityImputer(mixture).fit(gappy).transform(gappy)
    error = np.abs(filled - X)[np.isnan(gappy)].mean()
    mean = np.abs(np.nanmean(gappy, axis=0) - X)[np.isnan(gappy)].mean()
    assert error < 0.6 * mean


def test_gaps_cost_little_where_components_are_apart():
    X, _ = make_blobs(600, 4, centers=3, random_state=0)
    model = GaussianMixture(3, n_init=3, random_state=0).fit(with_gaps(X))
    whole = GaussianMixture(3, n_init=3, random_state=0).fit(X)
    assert whole.score(X) - model.score(X) < 0.1


@every_type
@pytest.mark.parametrize("source", ["memmap", "dask"])
def test_streams_give_the_steps_of_the_array(kind, source, tmp_path):
    X = blobs(3000)
    if source == "dask":
        stream = da.from_array(X, chunks=(700, 2))
    else:
        np.save(tmp_path / "X.npy", X)
        stream = np.load(tmp_path / "X.npy", mmap_mode="r")
    options = {"covariance_type": kind, "max_iter": 10, "tol": None, "random_state": 0}
    first = GaussianMixture(3, **options).fit(X)
    start = {
        "weights_init": first.weights_,
        "means_init": first.means_ + 0.5,
        "precisions_init": first.precisions_,
    }
    whole = GaussianMixture(3, **options, **start).fit(X)
    parts = GaussianMixture(3, **options, **start).fit(stream)
    np.testing.assert_allclose(parts.lower_bounds_, whole.lower_bounds_, rtol=1e-10)
    np.testing.assert_allclose(parts.means_, whole.means_, rtol=1e-8)
    np.testing.assert_allclose(parts.score_samples(stream), whole.score_samples(X), rtol=1e-8)
    np.testing.assert_array_equal(parts.predict(stream), whole.predict(X))
    assert GaussianMixture(3, n_init=2, max_iter=300, random_state=0).fit(stream).converged_
    with pytest.raises(ValueError, match="sample_weight is not supported"):
        GaussianMixture(3).fit(stream, sample_weight=np.ones(3000))


def test_a_feature_without_values_is_refused():
    X = blobs(30)
    X[:, 2] = np.nan
    with pytest.raises(ValueError, match="feature 2 has no value"):
        GaussianMixture(2).fit(X)
