"""Sums of numbers that are known by their logarithms, against SciPy."""

import numpy as np
import pytest
from scipy.special import logsumexp

from shallows._core.numerics.log_sums import log_sums


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (10_000, 2), (7, 500), (0, 4)])
def test_rows_of_any_size(shape):
    logs = 300 * np.random.default_rng(0).standard_normal(shape)
    np.testing.assert_allclose(log_sums(logs), logsumexp(logs, axis=1), rtol=1e-14)


def test_zeros_infinities_and_gaps():
    inf, nan = np.inf, np.nan
    logs = np.array([[-inf, -inf], [-inf, 2.0], [inf, 1.0], [inf, -inf], [nan, 1.0], [1e4, 1e4]])
    expected = [-inf, 2.0, inf, inf, nan, 1e4 + np.log(2)]
    np.testing.assert_allclose(log_sums(logs), expected, rtol=1e-15)


def test_single_precision_is_kept():
    logs = np.zeros((3, 4), dtype=np.float32)
    assert log_sums(logs).dtype == np.float32
    np.testing.assert_allclose(log_sums(logs), np.log(4), rtol=1e-6)
