"""Distances against double loops, far from the origin, with ties, in both dtypes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from shallows._core.numerics.distances import (
    euclidean_distances,
    k_smallest,
    kernel_distances,
    squared_distances,
)

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(37, 5)), RNG.normal(size=(11, 5))


def by_loops(X, Z):
    return np.array([[sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) for z in Z] for x in X])


@pytest.mark.kernel
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_squared_distances_equal_the_double_loop(shift):
    found = squared_distances(X + shift, Z + shift)
    np.testing.assert_allclose(found, by_loops(X + shift, Z + shift), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3000, 3, 40), (700, 900, 7), (900, 4, 900), (1, 1, 1)])
def test_distances_of_many_rows_are_those_of_scipy(shape, dtype):
    n, d, k = shape
    rng = np.random.default_rng(n)
    rows, others = rng.normal(size=(n, d)).astype(dtype), rng.normal(size=(k, d)).astype(dtype)
    expected = cdist(rows, others)
    tolerance = {"rtol": 1e-6 if dtype == np.float32 else 1e-11, "atol": 1e-7}
    np.testing.assert_allclose(euclidean_distances(rows, others), expected, **tolerance)
    np.testing.assert_allclose(squared_distances(rows, others), expected**2, **tolerance)


@pytest.mark.kernel
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_a_number_stays_in_its_row(value):
    broken = X.copy()
    broken[3, 2] = value
    with np.errstate(invalid="ignore"):  # of which only a kernel that is not compiled warns
        found = squared_distances(broken, Z)
    assert not np.isfinite(found[3]).any()
    kept = np.arange(len(X)) != 3
    np.testing.assert_allclose(found[kept], by_loops(X, Z)[kept], rtol=1e-12, atol=1e-12)


@given(arrays(np.float64, (6, 3), elements=st.floats(-1e6, 1e6)))
def test_squared_distances_are_never_negative(points):
    assert (squared_distances(points, points[::-1]) >= 0).all()


def test_float32_stays_float32():
    found = squared_distances(X.astype(np.float32), Z.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, by_loops(X, Z), rtol=3e-6, atol=1e-9)


def test_kernel_distance_with_the_linear_kernel_is_euclidean():
    found = kernel_distances(X, Z, lambda a, b: a @ b.T)
    np.testing.assert_allclose(found, by_loops(X, Z), rtol=1e-12, atol=1e-12)


def test_kernel_distance_with_a_gaussian_kernel_is_bounded_by_two():
    found = kernel_distances(X, X, lambda a, b: np.exp(-squared_distances(a, b)))
    assert (found <= 2).all()
    np.testing.assert_allclose(np.diag(found), 0, atol=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_smallest_values_are_those_of_a_stable_sort(dtype):
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 17):
        for k in {1, 2, n // 2 + 1, n} - {2 * (n == 1)}:
            values = rng.choice([0, 1, 2, np.inf, np.nan], size=(6, n)).astype(dtype)
            order = np.argsort(np.nan_to_num(values, nan=np.inf, posinf=np.inf), kind="stable")
            np.testing.assert_array_equal(k_smallest(values, k), np.sort(order[:, :k]))
