"""Sums of products of inputs and targets: all that least squares and ridge need of tall data."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from shallows._core.contract.data import check_weights
from shallows._core.numerics import moments
from shallows._core.numerics.streams import check_stream, float_type, fold
from shallows._core.numerics.threads import map_blocks, quick_lapack
from shallows.linear._sparse import squares

BLOCK_ROWS = 4096
FAR = 0.01  # of a column of zeros and others: deviation over root mean square


class Products(NamedTuple):
    """X'X, X'Y and the diagonal of Y'Y in float64, of centred data where an offset is fitted.

    `spread` is the least ratio of a column's centred to its plain norm: near the rounding
    error, what is left of the column is noise.
    """

    weight: float
    x_mean: np.ndarray
    y_mean: np.ndarray
    xx: np.ndarray
    xy: np.ndarray
    yy: np.ndarray
    spread: float


class Joined(NamedTuple):
    """Rows of inputs, targets and weights side by side, joined only when they are read."""

    X: np.ndarray
    Y: np.ndarray
    weights: np.ndarray

    @property
    def shape(self):
        return self.X.shape[0], self.X.shape[1] + self.Y.shape[1] + 1

    @property
    def dtype(self):
        return np.dtype(np.float64)

    def __len__(self):
        return self.X.shape[0]

    def __getitem__(self, rows):
        return np.hstack([self.X[rows], self.Y[rows], self.weights[rows, None]], dtype=np.float64)


def of_array(X, Y, weights, fit_intercept) -> Products:
    """Return the products of data in memory, dense or CSR; Y is two-dimensional."""
    with np.errstate(over="ignore", invalid="ignore"):  # products that overflow are an error
        if issparse(X):
            with quick_lapack(X.shape[1]):
                return _checked(_of_sparse(X, Y, weights, fit_intercept))
        return of_moments(_moments_of_array(X, Y, weights), X.shape[1], fit_intercept)


def moments_of(X, Y, weights) -> moments.Moments:
    """Return the joint moments of inputs and targets, read block by block."""
    if isinstance(X, np.ndarray):
        return fold(Joined(X, Y, weights), _accumulate, moments.merge)
    joined = np.concatenate([X, Y, weights[:, None]], axis=1)  # NumPy hands this to Dask
    return fold(joined, _accumulate, moments.merge)


def of_moments(joint, n_features, fit_intercept) -> Products:
    """Return the products that joint moments of inputs and targets hold."""
    weight, mean, scatter = joint
    used = scatter if fit_intercept else scatter + weight * np.outer(mean, mean)
    plain = np.diagonal(scatter) + weight * mean**2
    split = slice(None, n_features), slice(n_features, None)
    centre = mean if fit_intercept else np.zeros_like(mean)
    products = Products(
        weight,
        centre[split[0]],
        centre[split[1]],
        used[split[0], split[0]],
        used[split[0], split[1]],
        np.diagonal(used)[split[1]],
        _spread(np.diagonal(used)[split[0]], plain[split[0]]),
    )
    return _checked(products)


def check_targets_of_stream(estimator, X, y, sample_weight):
    """Check a stream with its targets; returns (Y, weights, whether y has one dimension)."""
    check_stream(estimator, X)
    y = y if hasattr(y, "chunks") else np.asarray(y)
    if y.ndim not in (1, 2) or len(y) != X.shape[0]:
        raise ValueError(
            f"{type(estimator).__name__}: y must have {X.shape[0]} rows in one or two "
            f"dimensions, like X, got shape {y.shape}."
        )
    weights = check_weights(sample_weight, X.shape[0])
    return (y[:, None] if y.ndim == 1 else y), weights, y.ndim == 1, float_type(X.dtype)


def _moments_of_array(X, Y, weights) -> moments.Moments:
    """Return joint moments without ever joining X and Y: only blocks of them are copied."""
    split, width = X.shape[1], X.shape[1] + Y.shape[1]
    # Moments about the mean of the first block, so that large means cost no digits.
    first = slice(None, BLOCK_ROWS)
    centre = np.hstack([X[first].mean(axis=0), Y[first].mean(axis=0)], dtype=np.float64)
    roots = None if (weights == 1).all() else np.sqrt(weights)

    def block(rows):
        moved = np.empty((rows.stop - rows.start, width))
        np.subtract(X[rows], centre[:split], out=moved[:, :split])
        np.subtract(Y[rows], centre[split:], out=moved[:, split:])
        total = weights[rows] @ moved
        if roots is not None:
            moved *= roots[rows, None]
        return total, moved.T @ moved

    parts = map_blocks(block, len(X), BLOCK_ROWS)
    weight = float(weights.sum())
    # Then about the true mean.
    shift = np.sum([total for total, _ in parts], axis=0) / weight
    scatter = reduce(np.add, (product for _, product in parts))
    return moments.Moments(weight, centre + shift, scatter - weight * np.outer(shift, shift))


def _accumulate(block) -> moments.Moments:
    block = block.astype(np.float64, copy=False)
    weights = block[:, -1]
    return moments.accumulate(block[:, :-1], None if (weights == 1).all() else weights)


def _of_sparse(X, Y, weights, fit_intercept) -> Products:
    X, Y = X.astype(np.float64, copy=False), Y.astype(np.float64)
    weight = weights.sum()
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean, y_mean = X.T @ weights / weight, weights @ Y / weight
    Y = Y - y_mean
    xx = squares(X, weights)
    plain = np.diagonal(xx).copy()
    xx -= weight * np.outer(x_mean, x_mean)
    xy, yy = X.T @ (weights[:, None] * Y), weights @ Y**2

    # Columns far from zero lose digits when the mean is taken off: these are centred first.
    far = np.flatnonzero(np.diagonal(xx) < FAR**2 * plain)
    if fit_intercept and len(far):
        x_mean = _centre_far(X, Y, weights, x_mean, far, xx, xy)
    return Products(weight, x_mean, y_mean, xx, xy, yy, _spread(np.diagonal(xx), plain))


def _centre_far(X, Y, weights, x_mean, far, xx, xy):
    """Put right, in place, the products of columns far from zero, and return the means.

    Differences of large numbers have lost the digits that count. Such columns have few zeros, so
    they are spread out and centred first.
    """
    dense = X[:, far].toarray() - x_mean[far]
    rest = weights @ dense / weights.sum()
    dense -= rest
    weighted = weights[:, None] * dense
    xx[:, far] = X.T @ weighted
    xx[far] = xx[:, far].T
    xx[np.ix_(far, far)] = dense.T @ weighted
    xy[far] = weighted.T @ Y
    x_mean = x_mean.copy()
    x_mean[far] += rest
    return x_mean


def _checked(products):
    """Refuse products that are no numbers."""
    if not (np.isfinite(products.xx).all() and np.isfinite(products.xy).all()):
        raise ValueError(
            "Products of the columns of X, or of X and y, are beyond the range of numbers. Scale "
            "the data."
        )
    return products


def _spread(used, plain):
    ratios = np.maximum(used, 0) / np.where(plain > 0, plain, 1)
    return float(np.sqrt(ratios.min()))
