"""Centring and moments against their definitions and NumPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from shallows._core.numerics.linalg import (
    center,
    center_gram,
    mean_and_covariance,
)

RNG = np.random.default_rng(0)


def test_centring_is_a_product_with_the_centring_matrix():
    H = np.eye(6) - np.ones((6, 6)) / 6
    X = RNG.normal(size=(6, 3))
    np.testing.assert_allclose(center(X), H @ X, atol=1e-15)
    K = X @ X.T + 5
    np.testing.assert_allclose(center_gram(K), H @ K @ H, atol=1e-13)


def test_centring_keeps_float32_and_accumulates_in_double():
    X = np.full((2**16, 2), 0.1, dtype=np.float32)
    centred = center(X)
    assert centred.dtype == np.float32
    np.testing.assert_array_equal(centred, 0)
    assert center_gram(np.ones((3, 3), dtype=np.float32)).dtype == np.float32


TABLES = arrays(np.float64, (7, 3), elements=st.floats(-100, 100))


@given(TABLES, st.sampled_from([0, 1]))
def test_moments_agree_with_numpy(X, ddof):
    mean, covariance = mean_and_covariance(X, ddof=ddof)
    np.testing.assert_allclose(mean, X.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(covariance, np.cov(X.T, ddof=ddof), atol=1e-9)


def test_weights_count_as_repetitions_and_covariance_is_mean_product_less_product_of_means():
    X = RNG.normal(size=(6, 2))
    repeats = np.array([1, 2, 3, 1, 1, 4])
    weighted = mean_and_covariance(X, ddof=1, sample_weight=repeats.astype(float))
    repeated = mean_and_covariance(np.repeat(X, repeats, axis=0), ddof=1)
    for left, right in zip(weighted, repeated, strict=True):
        np.testing.assert_allclose(left, right)
    mean, covariance = mean_and_covariance(X, ddof=0)
    np.testing.assert_allclose(covariance, X.T @ X / 6 - np.outer(mean, mean), atol=1e-14)


def test_variance_with_one_over_n_is_too_small_by_n_minus_one_over_n():
    n = 4
    samples = np.random.default_rng(1).normal(size=(20000, n, 1))
    found = np.array([mean_and_covariance(sample, ddof=0)[1][0, 0] for sample in samples[:3000]])
    standard_error = found.std() / np.sqrt(len(found))
    # Five standard errors: error probability below 1e-6.
    assert abs(found.mean() - (n - 1) / n) < 5 * standard_error
    assert abs(found.mean() - 1) > 5 * standard_error
