"""Projections of a data matrix: onto the span of its columns, and off its mean."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from sklearn.utils.validation import check_array

from shallows._core.contract.params import Fraction, PositiveInt, check_arguments


def hat_matrix(X, *, rcond: Fraction | None = None) -> np.ndarray:
    """Return the orthogonal projection onto the span of the columns of X.

    It takes targets y to the predictions of least squares, and so puts the hat on y. With the
    compact singular value decomposition X = U S V' it is U U', which needs no inverse and is
    right for any rank; for full rank it equals X (X'X)^-1 X'.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples, with a column of ones if an offset is wanted.
    rcond : float or None, default=None
        Singular values up to this share of the largest count as zero; None takes the machine
        precision times the larger dimension.

    Returns
    -------
    hat : ndarray of shape (n_samples, n_samples)
        Symmetric, idempotent, with the rank of X as trace. Its diagonal contains the leverages.

    Examples
    --------
    >>> from shallows.linear import hat_matrix
    >>> hat_matrix([[1.0], [1.0]])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    check_arguments(hat_matrix, locals())
    X = check_array(X, dtype=(np.float64, np.float32), input_name="X", estimator="hat_matrix")
    left, values, _ = linalg.svd(X, full_matrices=False)
    if rcond is None:
        rcond = max(X.shape) * float(np.finfo(values.dtype).eps)
    basis = left[:, values > rcond * values[0]]
    return basis @ basis.T


def centering_matrix(n: PositiveInt) -> np.ndarray:
    """Return the matrix H = I - 11'/n that subtracts the mean from a vector of length n.

    It is for formulas. To centre data, subtract the mean: that needs no matrix.

    Parameters
    ----------
    n : int
        Length of the vectors.

    Returns
    -------
    centering : ndarray of shape (n, n)
        Symmetric and idempotent, with H 1 = 0.

    Examples
    --------
    >>> from shallows.linear import centering_matrix
    >>> centering_matrix(2)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    check_arguments(centering_matrix, locals())
    return np.eye(n) - 1 / n
