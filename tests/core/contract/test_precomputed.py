"""Distances that can't be any."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from shallows._core.contract.precomputed import check_lengths, check_pairs

ROWS = np.random.default_rng(0).normal(size=(300, 2))


def test_true_distances_pass():
    check_pairs("KMedoids", cdist(ROWS, ROWS))
    check_pairs("KMedoids", cdist(ROWS, ROWS).astype(np.float32))
    check_pairs("KMedoids", np.zeros((3, 3)))
    check_lengths("KMedoids", cdist(ROWS[:3], ROWS))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda D: D[:4], r"KMedoids: .* must be square.* got shape \(4, 300\)"),
        (lambda D: D + np.triu(np.ones_like(D), 1), "must be symmetric, but two differ by 1"),
        (lambda D: D + np.eye(len(D)), "0 from a sample to itself, got 1"),
        (lambda D: D.max() - D, "0 from a sample to itself"),
        (lambda D: D - 0.5, "Negative values in data passed to KMedoids"),
        (lambda D: np.where(np.eye(len(D)), np.nan, D), "not missing, got nan"),
        (csr_array, "must be a dense array"),
    ],
)
def test_others_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        check_pairs("KMedoids", change(cdist(ROWS, ROWS)))
