"""Centring and moments of a data matrix with samples in rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.moments import accumulate

Array = NDArray[np.floating[Any]]


def center(X: Array) -> Array:
    """Subtract the mean row: H X without building H.

    Parameters
    ----------
    X : array of floats, shape (n_samples, ...)
        The data.

    Returns
    -------
    array
        Centred copy, in the shape and dtype of `X`.

    Examples
    --------
    >>> center(np.array([[1.0, 2.0], [3.0, 6.0]]))
    array([[-1., -2.],
           [ 1.,  2.]])
    """
    return X - X.mean(axis=0, dtype=np.float64).astype(X.dtype)


def center_gram(K: Array) -> Array:
    """Centre a Gram matrix in feature space: H K H without building H.

    Parameters
    ----------
    K : array of floats, shape (n, n)
        Symmetric matrix of inner products or, after a factor -1/2, of squared distances.

    Returns
    -------
    array, shape (n, n)
        Matrix whose rows and columns sum to 0.

    Examples
    --------
    >>> center_gram(np.array([[1.0, 2.0], [2.0, 4.0]]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    rows = K.mean(axis=1, dtype=np.float64)
    shift = (rows - rows.mean() / 2).astype(K.dtype)
    centred = K - shift
    centred -= shift[:, None]
    return centred


def mean_and_covariance(
    X: Array, *, ddof: int, sample_weight: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and covariance of the rows of X, in double precision.

    Parameters
    ----------
    X : array of floats, shape (n_samples, n_features)
        The data.
    ddof : int
        The divisor is n_samples - ddof: 0 is the estimate of maximum likelihood, too small by
        (n - 1) / n on average, 1 the unbiased one. It has no default, since both are common.
    sample_weight : array of shape (n_samples,) or None
        Weights that count as repetitions; None weighs all rows equally.

    Returns
    -------
    mean : array, shape (n_features,)
        Mean row.
    covariance : array, shape (n_features, n_features)
        Covariance matrix.

    Examples
    --------
    >>> mean, covariance = mean_and_covariance(np.array([[1.0], [3.0]]), ddof=1)
    >>> mean, covariance
    (array([2.]), array([[2.]]))
    """
    moments = accumulate(X, sample_weight)
    return moments.mean, moments.covariance(ddof)
