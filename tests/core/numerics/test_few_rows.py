"""What NumPy does for few rows equals what kernels do for many."""

import numpy as np
import pytest

from shallows._core.numerics import distances
from shallows._core.numerics.kmeans.exhaustive import nearest_of_few, nearest_rows
from shallows._core.numerics.kmeans.lloyd import means_of
from shallows._core.numerics.kmeans.starts import (
    costs_by_differences,
    costs_of_few,
    largest_difference,
    rows_at,
)

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 4, 7])
def test_nearest_centres_of_few_and_of_many_rows(dtype, d):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(300, d)).astype(dtype)
    centers = X[:5].copy()
    X[7] = np.nan  # lost: near to no centre
    found, labels = np.empty((2, 300), np.int32)
    lost = [nearest_rows(X, centers, found), nearest_of_few(X, centers, labels)]
    naive = ((X[:, None].astype(float) - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert lost == [1, 1]
    known = np.arange(300) != 7
    assert np.array_equal(found[known], naive[known]) and np.array_equal(found, labels)


@pytest.mark.parametrize("scale", [1.0, 2.0**-500])
def test_costs_of_more_centres_for_few_and_many_rows(scale):
    rng = np.random.default_rng(0)
    X, trials = rng.normal(size=(600, 3)) / scale, rng.normal(size=(4, 3)) / scale
    weights, least = rng.random(600), rng.random(600)
    one, other = np.empty((2, 6, 600))  # room for more trials than there are
    costs = [
        count(X, weights, least, scale, trials, squared)
        for count, squared in ((costs_by_differences, one), (costs_of_few, other))
    ]
    naive = np.minimum(((scale * (trials[:, None] - X)) ** 2).sum(axis=2), least)
    assert one[:4] == pytest.approx(naive) and other[:4] == pytest.approx(naive)
    assert costs[0] == pytest.approx(naive @ weights) and costs[1] == pytest.approx(costs[0])


def test_rows_at_shares_of_the_running_sum():
    weights, least = np.array([1.0, 2.0, 0.0, 1.0]), np.array([1.0, 0.5, 9.0, 2.0])
    assert rows_at(weights, least, np.array([0.0, 0.5, 1.0, 2.5, 4.0, 9.0])).tolist() == [
        0, 0, 1, 3, 3, 3,
    ]  # fmt: skip


def test_largest_difference_from_the_first_row():
    assert largest_difference(np.array([[1.0, -2.0], [4.0, -2.0], [0.0, 3.0]])) == 5.0


def test_a_cluster_without_rows_keeps_its_centre():
    centers = np.array([[0.0, 0.0], [5.0, 5.0]])
    sums, mass = np.array([[2.0, 4.0], [0.0, 0.0]]), np.array([2.0, 0.0])
    moved, way, between = means_of(np.ones(2), centers, sums, mass, np.array([2, 0]))
    assert moved.tolist() == [[2.0, 3.0], [5.0, 5.0]] and way == 13.0 and between == 10.0


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_of_few_and_of_many_rows(monkeypatch, dtype, root):
    rng = np.random.default_rng(0)
    X, Z = (rng.normal(1e3, 1, size=(n, 6)).astype(dtype) for n in (50, 9))
    few = distances._distances(X, Z, root=root)
    monkeypatch.setattr(distances, "FEW_CELLS", 0)
    many = distances._distances(X, Z, root=root)
    naive = ((X[:, None].astype(float) - Z) ** 2).sum(axis=2) ** (0.5 if root else 1)
    assert few.dtype == many.dtype == dtype
    assert few == pytest.approx(naive, rel=1e-5) and many == pytest.approx(few, rel=1e-6)
