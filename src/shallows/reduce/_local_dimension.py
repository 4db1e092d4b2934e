"""The dimension of data near a point."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_array

from shallows._core.contract.params import Fraction, PositiveInt, check_arguments
from shallows._core.numerics.k_nearest import k_nearest


def local_dimension(X, point, *, k: PositiveInt = 20, threshold: Fraction = 0.05):
    """Count the directions along which the density of data falls slowly around a point.

    The covariance of the nearest samples has one eigenvalue per direction. Along the sheet
    on which the data lie they are of one size; across it they are those of the noise.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data.
    point : array-like of shape (n_features,) or (n_points, n_features)
        Where to look; one point or several.
    k : int, default=20
        Number of nearest samples. Fewer see the noise, more see the curvature.
    threshold : float, default=0.05
        A direction counts where its variance exceeds this share of the largest. It must lie
        above the noise, as share of the spread of the neighbours.

    Returns
    -------
    dimension : int or ndarray of shape (n_points,)
        Number of directions at each point; 0 where all neighbours stand at one place.

    Examples
    --------
    >>> from shallows.data import make_manifold
    >>> from shallows.reduce import local_dimension
    >>> X = make_manifold("plane", 500, noise=0.01, random_state=0).X
    >>> local_dimension(X, X[0])
    2
    """
    check_arguments(local_dimension, {"k": k, "threshold": threshold})
    X = check_array(X, dtype=np.float64, order="C")
    points = np.array(point, dtype=np.float64)
    single = points.ndim == 1
    points = check_array(np.atleast_2d(points), order="C")
    if points.shape[1] != X.shape[1] or not 2 <= k <= len(X):
        raise ValueError(
            f"local_dimension: point must have {X.shape[1]} features and k lie between 2 and "
            f"n_samples={len(X)}, got {points.shape[1]} features and k={k}."
        )

    # Variances of the neighbours along their principal axes; those above the threshold count.
    index, _ = k_nearest(points, X, k)
    near = X[index]
    near = near - near.mean(axis=1, keepdims=True)
    variances = np.linalg.svd(near, compute_uv=False) ** 2
    floor = np.finfo(float).eps * np.square(X).max()
    dimension = np.sum(variances > np.maximum(threshold * variances[:, :1], floor), axis=1)
    return int(dimension[0]) if single else dimension
