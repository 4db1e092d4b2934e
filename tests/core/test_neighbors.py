import copy
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import nan_euclidean_distances

from shallows._core.neighbors import NeighborIndex


def rows(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def by_hand(distances, k):
    index = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, index, 1), index


METRICS = [
    ("euclidean", 2, "euclidean", {}),
    ("manhattan", 2, "cityblock", {}),
    ("chebyshev", 2, "chebyshev", {}),
    ("minkowski", 3, "minkowski", {"p": 3}),
    ("cosine", 2, "cosine", {}),
]


@pytest.mark.parametrize(("metric", "p", "name", "options"), METRICS)
@pytest.mark.parametrize("shape", [(600, 2), (60, 9), (3000, 12)])
def test_neighbours_are_those_of_all_distances(metric, p, name, options, shape):
    X, Q = rows(*shape), rows(20, shape[1], 1)
    distances, index = NeighborIndex(X, metric, p).query(Q, 7)
    expected, places = by_hand(cdist(Q, X, name, **options), 7)
    np.testing.assert_allclose(distances, expected, atol=1e-12)
    np.testing.assert_array_equal(index, places)


def test_weights_functions_and_sparse_rows():
    X, Q, weights = rows(50, 4), rows(9, 4, 1), np.array([1.0, 0.0, 4.0, 0.5])
    expected = by_hand(cdist(Q, X, "minkowski", p=3, w=weights), 4)
    found = NeighborIndex(X, "minkowski", 3, weights).query(Q, 4)
    np.testing.assert_allclose(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    manhattan = by_hand(cdist(Q, X, "cityblock"), 4)
    own = NeighborIndex(X, lambda a, b: np.abs(a - b).sum()).query(Q, 4)
    np.testing.assert_array_equal(own[1], manhattan[1])
    for metric in ("euclidean", "cosine"):
        found = NeighborIndex(csr_matrix(X), metric).query(csr_matrix(Q), 4)
        expected = by_hand(cdist(Q, X, metric), 4)
        np.testing.assert_allclose(found[0], expected[0], atol=1e-7)
        np.testing.assert_array_equal(found[1], expected[1])


def test_gaps_are_left_out():
    X, Q = rows(40, 5), rows(8, 5, 1)
    X[np.random.default_rng(2).random(X.shape) < 0.2] = np.nan
    X[:, 0] = rows(40, 1, 3)[:, 0]
    distances, index = NeighborIndex(X).query(Q, 3)
    expected = by_hand(nan_euclidean_distances(Q, X), 3)
    np.testing.assert_allclose(distances, expected[0])
    np.testing.assert_array_equal(index, expected[1])
    for power, metric in [(1, "manhattan"), (np.inf, "chebyshev")]:
        distances, _ = NeighborIndex(X, metric).query(Q[:1], 1)
        gap = np.abs(Q[0] - X)
        share = 5 / np.sum(~np.isnan(X), axis=1)
        total = np.nansum(gap, axis=1) * share if power == 1 else np.nanmax(gap, axis=1)
        assert distances[0, 0] == pytest.approx(total.min())


def test_copies_find_the_same():
    X, Q = rows(600, 2), rows(5, 2, 1)
    index = NeighborIndex(X)
    for other in (pickle.loads(pickle.dumps(index)), copy.deepcopy(index)):
        assert other == index
        np.testing.assert_array_equal(other.query(Q, 3)[1], index.query(Q, 3)[1])
    assert NeighborIndex(X + 1) != index
