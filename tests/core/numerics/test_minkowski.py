"""Sums of powers against SciPy, for products, other powers and the largest gap."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from shallows._core.numerics.minkowski import power_sums, root_of_sums

pytestmark = pytest.mark.kernel
POWERS = [0.25, 0.5, 1, 1.5, 1.7, 2, 2.25, 2.75, 3, 3.5, 4, 7, 16, 16.5, np.inf]


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("d", [1, 3, 4, 9])
@pytest.mark.parametrize("n_others", [1, 130])
def test_roots_are_the_distances_of_scipy(p, d, n_others):
    rng = np.random.default_rng(d)
    X, Z = rng.normal(size=(5, d)), rng.normal(size=(n_others, d))
    X[0] = Z[0]  # no gap at all
    options = {"metric": "chebyshev"} if np.isinf(p) else {"metric": "minkowski", "p": p}
    found = root_of_sums(power_sums(X, Z, p), p)
    np.testing.assert_allclose(found, cdist(X, Z, **options), rtol=1e-12)


def test_single_precision_is_summed_in_double():
    X = np.array([[1.0, 1e-4]], dtype=np.float32)
    found = power_sums(X, np.zeros((1, 2), np.float32), 3)
    assert found.dtype == np.float64
    assert found[0, 0] == pytest.approx(1 + float(np.float32(1e-4)) ** 3, rel=1e-15)


@pytest.mark.parametrize("p", [1, 1.7, 3, np.inf])
def test_distances_obey_the_triangle(p):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 6))
    distances = root_of_sums(power_sums(points, points, p), p)
    detours = (distances[:, :, None] + distances[None]).min(axis=1)
    assert (distances <= detours * (1 + 1e-12) + 1e-12).all()


def test_large_powers_lead_to_the_largest_gap():
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(6, 5)), rng.normal(size=(7, 5))
    largest = power_sums(X, Z, np.inf)
    for p in (4, 16, 64):
        ratio = root_of_sums(power_sums(X, Z, p), p) / largest
        assert (ratio >= 1 - 1e-12).all() and (ratio <= 5 ** (1 / p) + 1e-12).all()


@pytest.mark.parametrize("p", [0.3, 1.1, 2.9, 12.3])
def test_other_powers_hold_for_gaps_of_any_size(p):
    gaps = np.concatenate([[0.0], 10.0 ** np.linspace(-20, 20, 301), np.sqrt([0.5, 1.0, 2.0])])
    found = power_sums(gaps[:, None], np.zeros((1, 1)), p)[:, 0]
    np.testing.assert_allclose(found, gaps**p, rtol=2e-13)


def test_powers_beyond_the_range_of_floats_are_very_large_or_very_small():
    found = power_sums(np.array([[1e100], [1e-100]]), np.zeros((1, 1)), 9.9)[:, 0]
    assert found[0] > 1e307 and found[1] < 1e-307
