import copy
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import cosine_distances, nan_euclidean_distances

from shallows._core.numerics.neighbors import NeighborIndex, refuse_extremes


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
    ("minkowski", 0.5, "minkowski", {"p": 0.5}),
    ("l1", 2, "cityblock", {}),
    ("cityblock", 2, "cityblock", {}),
    ("l2", 3, "euclidean", {}),
    ("nan_euclidean", 3, "euclidean", {}),
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


def test_gaps_leave_a_row_at_distance_zero_from_itself():
    X = rows(50, 4) + 1e6
    X[np.random.default_rng(2).random(X.shape) < 0.2] = np.nan
    X[:, 0] = rows(50, 1, 3)[:, 0] + 1e6
    distances, index = NeighborIndex(X).query(X, 2)
    np.testing.assert_array_equal(index[:, 0], np.arange(50))
    assert not distances[:, 0].any() and distances[:, 1].min() > 0
    np.testing.assert_allclose(distances[:, 1], np.sort(naive_partial(X, X), axis=1)[:, 1])


def naive_partial(X, Z, power=2.0):
    found = np.full((len(X), len(Z)), np.inf)
    for i, x in enumerate(X):
        for j, z in enumerate(Z):
            gaps = np.abs(x - z)[~np.isnan(x - z)]
            if len(gaps):
                found[i, j] = (np.sum(gaps**power) * X.shape[1] / len(gaps)) ** (1 / power)
    return found


def test_gaps_in_other_powers_and_hamming():
    X, Q = rows(30, 4).round(), rows(6, 4, 1).round()
    X[np.random.default_rng(2).random(X.shape) < 0.3] = np.nan
    Q[0, 1:] = np.nan
    X[3, 0] = np.nan
    for power in (1.0, 3.0, 5.5):
        expected = naive_partial(Q, X, power)
        np.testing.assert_allclose(NeighborIndex(X, "minkowski", power).distances(Q), expected)
    common = ~np.isnan(Q[:, None] - X)
    differ = ((Q[:, None] != X) & common).sum(axis=2)
    with np.errstate(invalid="ignore"):
        expected = np.where(common.any(axis=2), differ / common.sum(axis=2), np.inf)
    np.testing.assert_allclose(NeighborIndex(X, "hamming").distances(Q), expected)
    whole = np.nan_to_num(X)
    np.testing.assert_allclose(
        NeighborIndex(whole, "hamming").distances(whole), np.mean(whole[:, None] != whole, axis=2)
    )


def test_large_powers_approach_the_largest_gap():
    X, Q = 1e-3 * rows(700, 3), 1e-3 * rows(9, 3, 1)
    distances, index = NeighborIndex(X, "minkowski", 400).query(Q, 3)
    expected = by_hand(cdist(Q, X, "chebyshev"), 3)
    np.testing.assert_allclose(distances, expected[0], rtol=3 ** (1 / 400) - 1)
    assert distances.min() > 0 and index.shape == (9, 3)


def test_a_row_of_zeros_is_one_away_under_cosine():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    expected = cosine_distances(X, X.copy())
    for data in (X, csr_matrix(X)):
        np.testing.assert_allclose(NeighborIndex(data, "cosine").distances(data), expected)
    assert np.isfinite(NeighborIndex(X, "cosine").query(X, 4)[0]).all()


def test_copies_find_the_same():
    X, Q = rows(600, 2), rows(5, 2, 1)
    index = NeighborIndex(X)
    for other in (pickle.loads(pickle.dumps(index)), copy.deepcopy(index)):
        assert other == index
        np.testing.assert_array_equal(other.query(Q, 3)[1], index.query(Q, 3)[1])
    assert NeighborIndex(X + 1) != index


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_and_dense_rows_meet(metric):
    X, Q = rows(50, 4), rows(9, 4, 1)
    expected = by_hand(cdist(Q, X, metric), 4)
    for known, asked in ((csr_matrix(X), Q), (X, csr_matrix(Q)), (csr_matrix(X), csr_matrix(Q))):
        found = NeighborIndex(known, metric).query(asked, 4)
        np.testing.assert_allclose(found[0], expected[0], atol=1e-12)
        np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_are_at_distance_zero_from_themselves(dtype):
    X = rows(60, 5).astype(dtype) + 100
    X[:, 3:] = 0
    distances, index = NeighborIndex(csr_matrix(X)).query(csr_matrix(X), 2)
    expected = by_hand(cdist(X.astype(float), X.astype(float)), 2)
    assert not distances[:, 0].any() and distances.dtype == dtype
    np.testing.assert_array_equal(index, expected[1])
    np.testing.assert_allclose(distances, expected[0], rtol=1e-5)


@pytest.mark.parametrize("metric", ["hamming", "manhattan", "chebyshev"])
def test_of_equally_near_rows_the_first_ones_are_found(metric):
    X = np.random.default_rng(0).integers(1, 3, size=(400, 9)).astype(float)
    index = NeighborIndex(X, metric)
    found = index.query(X[:20], 7)[1]
    expected = by_hand(index.distances(X[:20]), 7)[1]
    np.testing.assert_array_equal(found, expected)


def test_of_copies_the_first_ones_are_nearest_by_angle():
    """Other rows that are equally near may come in any order: rounding decides."""
    rng = np.random.default_rng(0)
    distinct = rng.normal(size=(40, 9))
    X = distinct[rng.integers(40, size=400)]
    distances, index = NeighborIndex(X, "cosine").query(distinct, 7)
    for row, found, values in zip(distinct, index, distances, strict=True):
        copies = np.flatnonzero((row == X).all(axis=1))[:7]
        np.testing.assert_array_equal(found[: len(copies)], copies)
        assert not values[: len(copies)].any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("zeros", [(), (3, 17)])
def test_angles_are_those_of_scipy_and_zeros_are_at_distance_one(zeros, dtype):
    X, Q = rows(60, 5).astype(dtype), rows(12, 5, 1).astype(dtype)
    X[list(zeros)], Q[4] = 0, 0
    Q[5] *= 1e-30 if dtype == np.float32 else 1e-120
    distances, index = NeighborIndex(X, "cosine").query(Q, 6)
    used = np.arange(12) != 4
    exact = cdist(Q[used].astype(float) / np.abs(Q[used]).max(axis=1, keepdims=True), X, "cosine")
    exact[np.isnan(exact)] = 1
    expected = by_hand(exact, 6)
    np.testing.assert_allclose(
        distances[used], expected[0], atol=1e-6 if dtype == np.float32 else 1e-12
    )
    np.testing.assert_array_equal(index[used], expected[1])
    np.testing.assert_array_equal(distances[4], np.ones(6))
    np.testing.assert_array_equal(index[4], np.arange(6))


def test_values_whose_squares_have_no_float_are_refused():
    X = rows(5, 2)
    for unit in (1e152, 1e-152):
        for data in (unit * X, csr_matrix(unit * X)):
            with pytest.raises(ValueError, match=r"Me: the largest number in X is"):
                refuse_extremes("Me", data)
        refuse_extremes("Me", unit * X, "hamming")
    refuse_extremes("Me", 1e-152 * X, queries=True)
    for unit in (0.0, 1e140, 1e-140):
        refuse_extremes("Me", np.append(unit * X, [[np.nan, 0]], axis=0))
    refuse_extremes("Me", (1e30 * X).astype(np.float32))


@pytest.mark.kernel
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_products_of_sparse_rows(kind):
    rng = np.random.default_rng(0)
    X, Z = (rows(n, 9, n) * (rng.random((n, 9)) < 0.3) for n in (12, 15))
    X[3], Z[4] = 0, 0
    left, right = csr_matrix(X), csr_matrix(Z)
    for part in (left, right):
        part.indices, part.indptr = part.indices.astype(kind), part.indptr.astype(kind)
    index = NeighborIndex(right, "euclidean")
    np.testing.assert_allclose(index.distances(left), cdist(X, Z), atol=1e-7)
    again = pickle.loads(pickle.dumps(index))
    np.testing.assert_array_equal(again.distances(left), index.distances(left))
