"""Nearest rows against sorting all distances: ties, far rows, any scale, few and many rows."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from shallows._core.numerics import k_nearest as module
from shallows._core.numerics.k_nearest import k_nearest, kth_smallest, nearest

kernel = pytest.mark.kernel  # all but the test of many rows, which uncompiled take minutes


def by_sorting(X, Z, k):
    full = cdist(X.astype(float), Z.astype(float), "sqeuclidean")
    index = np.argsort(full, axis=1, kind="stable")[:, :k]
    return index, np.take_along_axis(full, index, 1)


@pytest.fixture(params=["single", "double"])
def precision(request, monkeypatch):
    """Screen in single precision, or in double alone, since every trial fails."""
    if request.param == "double":
        monkeypatch.setattr(module, "FARTHEST", -1.0)


@kernel
@pytest.mark.usefixtures("precision")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize(
    ("n", "d", "k"),
    [(1, 2, 1), (11, 5, 11), (300, 1, 7), (300, 3, 1), (900, 12, 250), (400, 60, 9)],
)
def test_equals_sorting_the_matrix(monkeypatch, n, d, k, offset, dtype):
    monkeypatch.setattr(module, "TILE_ROWS", 13)
    monkeypatch.setattr(module, "TILE_COLUMNS", 100)
    rng = np.random.default_rng(n + d)
    X, Z = ((rng.normal(size=(rows, d)) + offset).astype(dtype) for rows in (40, n))
    index, squared = k_nearest(X, Z, k)
    expected, least = by_sorting(X, Z, k)
    np.testing.assert_array_equal(index, expected)
    np.testing.assert_allclose(squared, least, rtol=1e-6 if dtype == np.float32 else 1e-12)


@kernel
@pytest.mark.usefixtures("precision")
def test_of_equally_near_rows_the_first_count():
    rng = np.random.default_rng(0)
    X, Z = rng.integers(-4, 5, size=(50, 4)) / 4, rng.integers(-4, 5, size=(400, 4)) / 4
    np.testing.assert_array_equal(k_nearest(X, Z, 5)[0], by_sorting(X, Z, 5)[0])
    points = np.array([[0.1, 0.7], [0.3, 0.2], [0.1, 0.7]])
    index, squared = nearest(points, points)
    assert index.tolist() == [0, 1, 0]
    assert not squared.any()
    assert k_nearest(points, points, 2)[0][0].tolist() == [0, 2]


@kernel
def test_copies_beyond_number():
    """Single precision gives up, double precision keeps as many as are asked for."""
    Z = np.repeat([[0.1, 0.3], [0.7, 0.2]], 500, axis=0)
    index, squared = k_nearest(np.array([[0.1, 0.3], [0.7, 0.2]]), Z, 20)
    assert index.tolist() == [list(range(20)), list(range(500, 520))]
    assert not squared.any()


@kernel
def test_rows_that_single_precision_cannot_tell_apart():
    rng = np.random.default_rng(1)
    Z = 1 + 1e-9 * rng.normal(size=(500, 3))
    Z[0] = -1
    index, _ = k_nearest(Z[:60], Z, 4)
    np.testing.assert_array_equal(index[1:], by_sorting(Z[:60], Z, 4)[0][1:])
    assert index[0, 0] == 0


@kernel
@pytest.mark.parametrize("far", [1e9, 1e30, 1e140])
def test_queries_far_from_all_rows(far):
    rng = np.random.default_rng(2)
    X, Z = rng.normal(size=(100, 3)), rng.normal(size=(300, 3))
    X[::7] *= far
    index, squared = k_nearest(X, Z, 3)
    expected, least = by_sorting(X, Z, 3)
    np.testing.assert_allclose(squared, least, rtol=1e-12)
    near = np.arange(100) % 7 > 0
    np.testing.assert_array_equal(index[near], expected[near])


@kernel
@pytest.mark.parametrize("unit", [1e25, 1e-25])
def test_squares_beyond_float32_do_not_spoil_its_distances(unit):
    rng = np.random.default_rng(3)
    X, Z = ((unit * rng.normal(size=(n, 5))).astype(np.float32) for n in (37, 211))
    index, lengths = k_nearest(X, Z, 3, root=True)
    expected, squared = by_sorting(X, Z, 3)
    np.testing.assert_array_equal(index, expected)
    np.testing.assert_allclose(lengths, np.sqrt(squared), rtol=1e-6)
    assert lengths.dtype == np.float32


def test_nearest_makes_no_array_of_all_pairs():
    many = np.random.default_rng(4).normal(size=(20_000, 2)).astype(np.float32)
    assert np.array_equal(nearest(many, many)[0], np.arange(20_000))


@kernel
def test_no_rows():
    index, squared = k_nearest(np.empty((0, 3)), np.ones((5, 3)), 2)
    assert index.shape == squared.shape == (0, 2)


@kernel
def test_kth_smallest_is_that_of_a_sort():
    rng = np.random.default_rng(5)
    for count in (1, 2, 3, 10, 97):
        for k in {1, (count + 1) // 2, count}:
            values = rng.integers(8, size=count + 5).astype(float)
            assert kth_smallest(values.copy(), count, k) == np.sort(values[:count])[k - 1]
