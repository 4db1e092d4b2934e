"""Volterra features: products of the values in a window."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import PolynomialFeatures


def volterra_features(U, degree: int = 2) -> np.ndarray:
    """Return all products of up to `degree` columns, the columns themselves first.

    A linear model of these features is a Volterra series. Their number grows fast: d + d (d + 1) /
    2 for degree 2. Higher degrees are rarely worthwhile.

    Parameters
    ----------
    U : array-like of shape (n_samples, n_features)
        Windows, one per row.
    degree : int, default=2
        Largest number of factors.

    Returns
    -------
    features : ndarray of shape (n_samples, n_products)
        Products, by degree.

    Examples
    --------
    >>> from shallows.signal import volterra_features
    >>> volterra_features([[2.0, 3.0]])
    array([[2., 3., 4., 6., 9.]])
    """
    return PolynomialFeatures(degree, include_bias=False).fit_transform(U)
