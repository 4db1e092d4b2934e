"""Kernel density estimates against scikit-learn and the integral of the windows."""

import numpy as np
import pytest
from sklearn import neighbors
from sklearn.datasets import load_iris

from shallows.density import KernelDensity

X = load_iris().data
WINDOWS = ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"]


@pytest.mark.parametrize("kernel", WINDOWS)
@pytest.mark.parametrize("weighted", [False, True])
def test_densities_are_those_of_scikit_learn(kernel, weighted):
    weights = np.random.default_rng(0).uniform(0.1, 2, len(X)) if weighted else None
    data = X[:, :3]  # scikit-learn's norm of the cosine is wrong in even dimensions
    ours = KernelDensity(kernel=kernel, bandwidth=0.7).fit(data, sample_weight=weights)
    theirs = neighbors.KernelDensity(kernel=kernel, bandwidth=0.7)
    theirs.fit(data, sample_weight=weights)
    queries = data[::7] + 0.1
    found, wanted = ours.score_samples(queries), theirs.score_samples(queries)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert ours.score(queries) == pytest.approx(found.sum())


@pytest.mark.parametrize("kernel", WINDOWS)
def test_windows_integrate_to_one(kernel):
    model = KernelDensity(kernel=kernel, bandwidth=0.5).fit([[0.0, 0.0]])
    reach = 12.0 if kernel == "exponential" else 3.0
    line = np.linspace(-reach, reach, 601)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    cell = (line[1] - line[0]) ** 2
    assert np.exp(model.score_samples(grid)).sum() * cell == pytest.approx(1, abs=5e-3)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_of_width(rule):
    theirs = neighbors.KernelDensity(bandwidth=rule).fit(X)
    assert KernelDensity(bandwidth=rule).fit(X).bandwidth_ == pytest.approx(theirs.bandwidth_)


def test_other_metrics():
    ours = KernelDensity(kernel="linear", metric="manhattan").fit(X)
    theirs = neighbors.KernelDensity(kernel="linear", metric="manhattan").fit(X)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-6)


@pytest.mark.parametrize("kernel", ["gaussian", "tophat"])
def test_draws_have_the_spread_of_window_and_data(kernel):
    model = KernelDensity(kernel=kernel, bandwidth=2.0).fit(X)
    drawn = model.sample(20_000, random_state=0)
    within = 4.0 if kernel == "gaussian" else 4.0 / (X.shape[1] + 2)
    np.testing.assert_allclose(drawn.var(axis=0), X.var(axis=0) + within, rtol=0.05)
    with pytest.raises(NotImplementedError, match="kernel='linear'"):
        KernelDensity(kernel="linear").fit(X).sample()
