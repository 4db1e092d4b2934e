"""Quantisation error: the cost of k-means."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_array

from shallows._core.contract.data import check_weights
from shallows._core.numerics.k_nearest import nearest


def quantization_error(X, centers, *, half: bool = False, sample_weight=None) -> float:
    """Return the sum of squared distances of samples to the nearest centre.

    It falls with the number of centres, so only equal numbers can be compared.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    centers : array-like of shape (n_centers, n_features)
        Centres, codebook vectors or prototypes.
    half : bool, default=False
        Whether to take half of it, whose gradient has no factor of two.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample.

    Returns
    -------
    error : float
        The weighted sum.

    Examples
    --------
    >>> from shallows.cluster import quantization_error
    >>> quantization_error([[0.0], [1.0], [5.0]], [[0.0], [4.0]])
    2.0
    """
    own = {"order": "C", "estimator": "quantization_error"}
    X = check_array(X, dtype=(np.float64, np.float32), input_name="X", **own)
    centers = check_array(centers, dtype=X.dtype, input_name="centers", **own)
    if X.shape[1] != centers.shape[1]:
        raise ValueError(
            f"quantization_error: X has {X.shape[1]} features and centers have "
            f"{centers.shape[1]}; they must have the same."
        )
    weights = check_weights(sample_weight, len(X), "quantization_error")
    error = float(weights @ nearest(X, centers)[1].astype(np.float64))
    return error / 2 if half else error
