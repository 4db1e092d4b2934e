"""The first matrix of GMLVQ against discriminant analysis and plain formulas."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import scale

from shallows.prototype import GMLVQ
from shallows.prototype._matrix_start import start_matrix
from shallows.prototype._start import Samples, Start

X, Y = load_iris(return_X_y=True)
X = scale(X)


def started(data, y, weights=None, rank=None, shrinkage=0.1, **options):
    """Return a model that has its prototypes, and its first matrix."""
    model = GMLVQ(rank=rank, **options)
    weights = np.ones(len(y)) if weights is None else weights
    model.classes_ = np.unique(y)
    samples = Samples(data, y, weights)
    place = model._begin(samples, np.random.default_rng(0))
    start = Start(place.prototypes, model.prototype_labels_, model._spread)
    return model, start_matrix(samples, start, rank or data.shape[1], shrinkage)


def naive_spread(model, data, y, weights):
    """Return the mean outer product of the gaps to the nearest prototype of the same class."""
    total = np.zeros((data.shape[1], data.shape[1]))
    for row, label, weight in zip(data, y, weights, strict=True):
        gaps = row - model.prototypes_[model.prototype_labels_ == label]
        gap = gaps[np.sum(gaps**2, axis=1).argmin()]
        total += weight * np.outer(gap, gap)
    return total / weights.sum()


@pytest.mark.parametrize("shrinkage", [1e-6, 0.1, 0.7])
def test_first_borders_are_those_of_linear_discriminants(shrinkage):
    model, omega = started(X, Y, shrinkage=shrinkage)
    peer = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage, priors=[1 / 3] * 3)
    peer.fit(X, Y)
    new = np.random.default_rng(0).normal(scale=2, size=(1000, 4))
    squares = np.sum(((new[:, None] - model.prototypes_) @ omega.T) ** 2, axis=2)
    scores = peer.decision_function(new)
    np.testing.assert_array_equal(squares.argmin(axis=1), scores.argmax(axis=1))
    ours, theirs = (-(d - d[:, :1])[:, 1:] for d in (squares, -scores))
    ratio = np.sum(ours * theirs) / np.sum(ours**2)  # the unit of the distances is free
    np.testing.assert_allclose(ratio * ours, theirs, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("shape", [(60, 4), (20, 30)], ids=["tall", "wide"])
@pytest.mark.parametrize("n_prototypes", [1, 2])
def test_matrix_is_the_inverse_root_of_the_shrunk_spread(shape, n_prototypes):
    rng = np.random.default_rng(0)
    data = rng.normal(size=shape) * rng.uniform(0.1, 3, shape[1]) @ rng.normal(size=(shape[1],) * 2)
    y, weights = np.arange(len(data)) % 2, rng.uniform(0.5, 2, len(data))
    model, omega = started(data, y, weights, n_prototypes=n_prototypes)
    spread = naive_spread(model, data, y, weights)
    spread = 0.9 * spread + 0.1 * np.trace(spread) / shape[1] * np.eye(shape[1])
    expected = np.linalg.inv(spread)
    expected /= np.trace(expected)
    np.testing.assert_allclose(omega.T @ omega, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("shape", [(90, 6), (12, 30)], ids=["tall", "wide"])
def test_of_few_rows_those_lead_in_which_prototypes_differ(shape):
    """Three prototypes span a plane, so two rows keep the distances between them."""
    rng = np.random.default_rng(1)
    y = np.arange(shape[0]) % 3
    data = rng.normal(size=shape) @ rng.normal(size=(shape[1],) * 2) + np.eye(3, shape[1])[y]
    model, omega = started(data, y, rank=2)
    whole = started(data, y)[1]
    few, all_ = (
        np.sum(((model.prototypes_[[0, 0, 1]] - model.prototypes_[[1, 2, 2]]) @ m.T) ** 2, axis=1)
        for m in (omega, whole)
    )
    np.testing.assert_allclose(few / few.sum(), all_ / all_.sum(), rtol=1e-4)


def test_more_rows_than_samples_and_prototypes_are_still_independent():
    data = np.random.default_rng(0).normal(size=(6, 40))
    omega = started(data, np.arange(6) % 2, rank=25)[1]
    assert omega.shape == (25, 40)
    assert np.linalg.matrix_rank(omega) == 25


def test_one_row_starts_where_classes_are_apart_for_their_spread():
    """Means differ more along the first feature, but samples spread there far more."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    data = rng.normal(size=(400, 2)) * [10, 0.2] + np.outer(y, [3, 1])
    model, omega = started(data, y, rank=1, shrinkage=1e-3)
    places = np.abs((data[:, None] - model.prototypes_) @ omega[0])
    assert np.mean(places.argmin(axis=1) == y) > 0.98
    sphere = started(data, y, rank=1, shrinkage=1.0)[1]
    assert np.abs(sphere[0]).argmax() == 0


@pytest.mark.parametrize("unit", [1e-80, 1.0, 1e80])
def test_unit_of_the_data_changes_nothing(unit):
    np.testing.assert_allclose(started(unit * X, Y)[1], started(X, Y)[1], rtol=1e-6)


def test_samples_on_their_prototypes_start_with_a_sphere():
    data, y = np.repeat(np.eye(3), 5, axis=0), np.repeat([0, 1, 2], 5)
    np.testing.assert_allclose(started(data, y)[1], np.eye(3) / np.sqrt(3))
    assert GMLVQ(random_state=0).fit(data, y).score(data, y) == 1.0


def test_first_block_of_partial_fit_starts_with_a_sphere():
    model = GMLVQ(relevance_rate=0.0, random_state=0)
    model.partial_fit(X[::40], Y[::40], classes=[0, 1, 2])
    np.testing.assert_allclose(model.relevance_matrix_, np.eye(4) / 4, atol=1e-12)
