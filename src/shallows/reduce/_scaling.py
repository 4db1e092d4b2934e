"""Distances between samples, classical scaling of them, and where new samples go."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from shallows._core.numerics.distances import euclidean_distances
from shallows._core.numerics.linalg import center_gram
from shallows._core.numerics.neighbors import NeighborIndex
from shallows._core.numerics.threads import hold_threads, map_blocks, quick_lapack
from shallows.reduce._spectrum import largest_positive

DENSE_UP_TO = 400


def all_distances(estimator, X, metric):
    """Return the distance of each sample to each, in float64; X itself where precomputed."""
    if metric == "euclidean":
        wide = X.astype(np.float64)
        distances = euclidean_distances(wide, wide)
    elif metric == "precomputed":
        distances = np.array(X, dtype=np.float64)
        if distances.shape[0] != distances.shape[1]:
            raise ValueError(
                f"{type(estimator).__name__}: precomputed distances must be square, "
                f"got shape {distances.shape}."
            )
        if (distances < 0).any() or not np.allclose(distances, distances.T):
            raise ValueError(
                f"{type(estimator).__name__}: precomputed distances must be symmetric and not "
                "negative."
            )
    else:
        distances = np.asarray(NeighborIndex(X, metric).distances(X), dtype=np.float64)
    np.fill_diagonal(distances, 0)
    return distances


def classical_scaling(distances, n_components):
    """Return coordinates whose inner products come closest to those the distances imply.

    Returns
    -------
    coordinates : ndarray of shape (n_samples, n_components)
        Columns are eigenvectors of the centred matrix of -d^2/2 times the roots of the
        eigenvalues; zeros where the eigenvalue is not positive. The largest entry of each
        is positive.
    values : ndarray of shape (n_components,)
        Eigenvalues, descending.
    smallest : float
        The smallest eigenvalue of all; clearly negative where no points of a Euclidean
        space have these distances.
    """
    products = center_gram(distances**2 * -0.5)
    n = len(products)
    if n <= DENSE_UP_TO or n_components > n // 10:
        with quick_lapack(n):
            values, vectors = eigh(products, driver="evd", check_finite=False)
        smallest = values[0]
        values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
    else:
        values, vectors, smallest = _outer_eigenpairs(products, n_components)
    vectors = largest_positive(vectors.T).T
    return vectors * np.sqrt(np.maximum(values, 0)), values, float(smallest)


def _outer_eigenpairs(products, n_pairs):
    """Return the largest eigenvalues, their vectors, and the smallest eigenvalue."""
    n = len(products)

    def multiply(vector):
        return np.concatenate(map_blocks(lambda rows: products[rows] @ vector, n, 512))

    start = np.random.default_rng(0).standard_normal(n)
    with hold_threads():
        plain = LinearOperator((n, n), multiply, dtype=np.float64)
        values, vectors = eigsh(plain, n_pairs, which="LA", v0=start)
        top = values[-1]
        flipped = LinearOperator((n, n), lambda v: top * v - multiply(v), dtype=np.float64)
        smallest = top - eigsh(flipped, 1, which="LA", v0=start, tol=1e-4)[0][0]
    return values[::-1], vectors[:, ::-1], smallest


def warn_unless_positive(estimator, values):
    """Say so where fewer dimensions carry anything than were asked for."""
    positive = int(np.sum(values > 1e-10 * max(values[0], 0)))
    if positive < len(values):
        warnings.warn(
            f"{type(estimator).__name__}: only {positive} of n_components={len(values)} have a "
            "positive eigenvalue; the other coordinates are zero.",
            UserWarning,
            stacklevel=3,
        )


def place_by_distances(distances, mean_squares, coordinates, values):
    """Return classical coordinates of new samples from distances to the training samples.

    Gower's formula, z = Z'(m - d^2) / (2 lambda), with m the mean squared distance of each
    training sample to all; exact for training samples.
    """
    scaled = coordinates / np.where(values > 0, values, np.inf)
    return 0.5 * (mean_squares - distances**2) @ scaled


def new_distances(X, X_fit, metric):
    """Return the distance of each new sample to each training sample, in float64."""
    if metric == "precomputed":
        return np.asarray(X, dtype=np.float64)
    if metric == "euclidean":
        return euclidean_distances(X.astype(np.float64), X_fit.astype(np.float64))
    return np.asarray(NeighborIndex(X_fit, metric).distances(X), dtype=np.float64)
