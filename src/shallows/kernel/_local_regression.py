"""Kernel smoothers: weighted means and local straight lines."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from shallows._core.contract.params import PositiveFloat, check_value
from shallows._core.numerics.distances import squared_distances
from shallows._core.numerics.threads import map_blocks

BLOCK = 256


def local_regression(X, y, new, sigma=1.0, degree=1):
    """Return what a fit around each new point, weighted by a Gaussian, predicts there.

    With degree 0 it is the weighted mean of the targets (Nadaraya and Watson); with degree 1 a
    weighted straight line, which is free of the mean's bias at the borders and reproduces linear
    functions exactly.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Targets.
    new : array-like of shape (n_new, n_features)
        Points to predict.
    sigma : float, default=1.0
        Width of the Gaussian weights.
    degree : {0, 1}, default=1
        Mean or straight line.

    Returns
    -------
    predictions : ndarray of shape (n_new,)
        Values at the new points; where the weighted samples lie too flat for a line, the line of
        least slope.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.kernel import local_regression
    >>> X = np.arange(5.0)[:, None]
    >>> local_regression(X, 2 * X[:, 0] + 1, [[0.0], [6.0]]).round(6)
    array([ 1., 13.])
    """
    check_value("local_regression", "sigma", PositiveFloat, sigma)
    check_value("local_regression", "degree", Literal[0, 1], degree)
    X, new = check_array(X, dtype=np.float64), check_array(new, dtype=np.float64)
    y = check_array(y, dtype=np.float64, ensure_2d=False)
    check_consistent_length(X, y)
    if new.shape[1] != X.shape[1]:
        raise ValueError(
            f"local_regression: new points must have the {X.shape[1]} features of X, got "
            f"{new.shape[1]}."
        )

    def block(rows):
        exponents = squared_distances(new[rows], X) / (-2 * sigma**2)
        # The nearest sample gets weight 1, so that weights far from all samples don't vanish.
        weights = np.exp(exponents - exponents.max(axis=1, keepdims=True))
        if degree == 0:
            return weights @ y / weights.sum(axis=1)
        return np.array(
            [_line(X - x, y, w) for x, w in zip(new[rows], np.sqrt(weights), strict=True)]
        )

    return np.concatenate(map_blocks(block, len(new), BLOCK))


def _line(offsets, y, roots):
    """Return the value at offset 0 of the weighted least-squares line."""
    inputs = np.column_stack([np.ones(len(y)), offsets]) * roots[:, None]
    return np.linalg.lstsq(inputs, y * roots, rcond=None)[0][0]
