"""Spectrum of the scatter matrix of data, by whichever products cost least.

Data are a dense array, a CSR array, or a stream (a memory-mapped file or a Dask array).
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh, qr, svd
from scipy.sparse import diags_array, issparse

from shallows._core.numerics import moments
from shallows._core.numerics.krylov import leading_eigenpairs
from shallows._core.numerics.streams import float_type, fold, is_stream
from shallows._core.numerics.threads import map_blocks


class Spectrum(NamedTuple):
    """Eigenvalues and eigenvectors (rows) of the scatter matrix, and its trace."""

    weight: float
    mean: np.ndarray
    total: float
    values: np.ndarray
    vectors: np.ndarray


def by_covariance(X, weights):
    """Solve for the features' products: few features."""
    return of_moments(moments_of(X, weights))


def of_moments(known):
    """Return the spectrum of a scatter matrix."""
    values, vectors = eigh(known.scatter, driver="evd", check_finite=False)
    return Spectrum(
        known.weight, known.mean, np.trace(known.scatter), values[::-1], vectors.T[::-1]
    )


def by_shape(X, weights):
    """Solve for the products of the features or of the samples, whichever are fewer."""
    return (by_gram if len(X) < X.shape[1] else by_covariance)(X, weights)


def by_gram(X, weights):
    """Solve for the samples' products, which have the same non-zero eigenvalues: few samples."""
    known = moments_of(X, weights, diagonal=True)
    centred = _centred(X, known.mean, weights)
    values, left = eigh(centred @ centred.T, driver="evd", check_finite=False)
    largest = slice(None, -min(X.shape) - 1, -1)
    values, left = values[largest].astype(np.float64), left[:, largest]
    certain = values > np.sqrt(np.finfo(X.dtype).eps) * values[0]
    vectors = left.T @ centred
    vectors[certain] /= np.sqrt(values[certain, None]).astype(X.dtype)
    vectors[~certain] = _complete(vectors[certain], vectors[~certain])
    return Spectrum(known.weight, known.mean, known.scatter.sum(), values, vectors)


def _complete(rows, rest):
    """Return orthonormal rows orthogonal to `rows`, along `rest` as far as it determines them."""
    for _ in range(2):
        rest = rest - (rest @ rows.T) @ rows
        rest = qr(rest.T, mode="economic", check_finite=False)[0].T
    return rest


def by_svd(X, weights):
    """Decompose the centred data themselves: small singular values are resolved too."""
    known = moments_of(X, weights, diagonal=True)
    centred = _centred(X, known.mean, weights)
    _, singular, vectors = svd(centred, full_matrices=False, check_finite=False)
    values = singular.astype(np.float64) ** 2
    return Spectrum(known.weight, known.mean, known.scatter.sum(), values, vectors)


def by_products(X, weights, n_components, rng):
    """Find the leading pairs from a few passes over the data: few components."""
    known = moments_of(X, weights, diagonal=True)
    values, vectors = leading_eigenpairs(
        lambda block: _multiply(X, weights, known.mean, block),
        X.shape[1],
        n_components,
        rng,
    )
    return Spectrum(known.weight, known.mean, known.scatter.sum(), values, vectors.T)


def moments_of(X, weights=None, diagonal=False):
    """Return weight, mean and scatter matrix of the data, or its diagonal alone."""
    if is_stream(X):
        return fold(X, partial(moments.accumulate, diagonal=diagonal), moments.merge)
    if not issparse(X):
        return moments.accumulate(X, weights, diagonal=diagonal)
    scaled, weight = _scaled_rows(X, weights)
    mean = np.asarray(X.T @ (np.ones(X.shape[0]) if weights is None else weights)) / weight
    if diagonal:
        squares = np.asarray(scaled.multiply(scaled).sum(axis=0, dtype=np.float64)).ravel()
        return moments.Moments(weight, mean, squares - weight * mean**2)
    scatter = (scaled.T @ scaled).toarray() - weight * np.outer(mean, mean)
    return moments.Moments(weight, mean, scatter)


def _scaled_rows(X, weights):
    """Return a sparse X with rows times the roots of their weights, and the sum of weights."""
    if weights is None:
        return X, float(X.shape[0])
    return diags_array(np.sqrt(weights)) @ X, float(weights.sum())


def _multiply(X, weights, mean, block):
    """Return scatter @ block in one pass over X, without the scatter matrix."""
    if issparse(X):
        scaled, weight = _scaled_rows(X, weights)
        return scaled.T @ (scaled @ block) - weight * np.outer(mean, mean @ block)
    block = block.astype(float_type(X.dtype))

    def product(rows, weights=None):
        centred = _centred(rows, mean, weights)
        return centred.T @ (centred @ block)

    if is_stream(X):
        return fold(X, product, np.add)

    def part(rows):
        few = (slice(i, min(i + 512, rows.stop)) for i in range(rows.start, rows.stop, 512))
        return sum(product(X[i], None if weights is None else weights[i]) for i in few)

    return sum(map_blocks(part, len(X), -(-len(X) // 16)))


def _centred(X, mean, weights):
    centred = X - mean.astype(X.dtype)
    if weights is not None:
        centred *= np.sqrt(weights)[:, None].astype(X.dtype)
    return centred


def varying(estimator, spectrum, X, n_components):
    """Return the places of at most `n_components` directions along which the data vary."""
    floor = max(X.shape) * np.finfo(X.dtype).eps * max(spectrum.values[0], 0)
    varies = np.flatnonzero(spectrum.values > floor)[:n_components]
    if not len(varies):
        name = type(estimator).__name__
        raise ValueError(f"{name} needs data that vary, got equal samples only.")
    return varies


def largest_positive(vectors):
    """Return rows, which are eigenvectors of either sign, with their largest entry positive."""
    largest = np.abs(vectors).argmax(axis=1)
    negative = vectors[np.arange(len(vectors)), largest] < 0
    return np.where(negative[:, None], -vectors, vectors)
