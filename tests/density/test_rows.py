import numpy as np
import pytest
from numpy.testing import assert_array_equal

from shallows.density._distinct_rows import distinct_rows, find_rows


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize(
    ("n", "d", "values"), [(500, 1, 20), (300, 3, 6), (200, 40, 2), (50, 2, 9)]
)
def test_rows_are_numbered_as_by_numpy(kind, n, d, values):
    X = (np.random.default_rng(0).integers(values, size=(n, d)) - values // 3).astype(kind)
    rows, numbers = distinct_rows(X)
    expected, index = np.unique(X, axis=0, return_inverse=True)
    assert_array_equal(rows, expected)
    assert_array_equal(numbers, index.ravel())


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize(
    ("n", "d", "values"), [(500, 1, 20), (300, 3, 6), (200, 40, 2), (5, 2, 90)]
)
def test_rows_are_found_as_by_a_dictionary(kind, n, d, values):
    rng = np.random.default_rng(1)
    points = rng.integers(values, size=(30, d)).astype(kind)  # some of them twice
    X = np.concatenate([rng.integers(-1, values + 1, size=(n, d)).astype(kind), points])
    known = {tuple(row): i for i, row in enumerate(points)}
    assert_array_equal(find_rows(X, points), [known.get(tuple(row), -1) for row in X])


def test_values_too_far_apart_to_be_counted():
    points = np.array([[0, 10**12], [10**12, 3], [7, 7]])
    X = np.array([[7, 7], [10**12, 3], [10**12, 10**12], [-1, 7], [10**15, 7]])
    assert_array_equal(find_rows(X, points), [2, 1, -1, -1, -1])
    assert_array_equal(distinct_rows(X)[0], np.unique(X, axis=0))
