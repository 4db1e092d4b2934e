"""Kurtosis, a measure of how far a distribution is from a Gaussian."""

from __future__ import annotations

import numpy as np
from scipy import stats


def kurtosis(y):
    r"""Return the excess kurtosis :math:`\langle (y - \bar y)^4 \rangle / \sigma^4 - 3`.

    It is 0 for a Gaussian, positive for heavy tails and a sharp peak, negative for light
    tails; the sum of independent variables has one nearer to 0 than the variables have.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_variables)
        Samples.

    Returns
    -------
    kurtosis : float or ndarray of shape (n_variables,)
        One value per variable.

    Examples
    --------
    >>> from shallows.reduce import kurtosis
    >>> kurtosis([-1.0, 1.0, -1.0, 1.0])
    -2.0
    """
    values = np.asarray(y, dtype=np.float64)
    if values.ndim not in (1, 2) or not len(values) or not np.isfinite(values).all():
        raise ValueError(
            "kurtosis: y must be finite samples of shape (n_samples,) or (n_samples, "
            f"n_variables), got shape {values.shape}."
        )
    if not np.all(np.ptp(values, axis=0) > 0):
        raise ValueError("kurtosis: a constant variable has none; remove it.")
    result = stats.kurtosis(values, axis=0)
    return float(result) if values.ndim == 1 else result
