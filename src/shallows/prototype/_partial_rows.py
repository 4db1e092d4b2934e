"""Rows with missing values, and rows of a sparse matrix: distances, winners and sums.

A missing value (NaN) is left out of the distances of its row to all units alike, so that
they stay comparable, and of the mean of its feature.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse

from shallows._core.contract.gaps import empty_rows, refuse_empty
from shallows._core.numerics.kmeans.dense import Tally
from shallows._core.numerics.streams import fold
from shallows._core.numerics.threads import map_blocks

BLOCK_ROWS = 4096


def is_partial(X):
    """Tell whether X is sparse or has missing values."""
    return issparse(X) or bool(np.isnan(X).any())


def partial_squares(X, units):
    """Return the squared distance of each row to each unit over the values there are."""
    if issparse(X):
        own = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        squared = own[:, None] - 2 * (X @ units.T) + np.einsum("ij,ij->i", units, units)
    else:
        centre = units.mean(axis=0)
        observed, moved = ~np.isnan(X), units - centre
        values = np.where(observed, X - centre, 0)
        own = np.einsum("ij,ij->i", values, values)
        squared = own[:, None] - 2 * (values @ moved.T) + observed @ (moved**2).T
    return np.maximum(squared, 0).astype(X.dtype, copy=False)


def partial_winners(X, units, by_product):
    """Return the nearest unit of each row, or that of the largest inner product."""
    if not by_product:
        return partial_squares(X, units).argmin(axis=1).astype(np.int32)
    values = X if issparse(X) else np.nan_to_num(X)
    return (values @ units.T).argmax(axis=1).astype(np.int32)


def sparse_scatter(X, weights, centre):
    """Return for each column of a sparse matrix the weighted sum of squares about a centre."""
    owners, n = np.repeat(weights, np.diff(X.indptr)), X.shape[1]
    squares = np.bincount(X.indices, owners * (X.data - centre[X.indices]) ** 2, n)
    full = np.bincount(X.indices, minlength=n) == X.shape[0]
    zeros = np.where(full, 0, weights.sum() - np.bincount(X.indices, owners, n))
    return squares + np.maximum(zeros, 0) * centre * centre


class PartialRows:
    """Sums up the rows that each unit wins; see `shallows._core.numerics.kmeans.lloyd.Rows`.

    With missing values the mass of a unit differs between features. The origin is the mean unless
    given.
    """

    def __init__(self, X, weights, by_product, origin=None):
        self.X, self.weights, self.by_product = X, weights, by_product
        self.origin, self.total = np.zeros(X.shape[1]), float(weights.sum())
        if issparse(X):
            self._values, self._observed = X, None
            self.scatter = float(weights @ np.asarray(X.multiply(X).sum(axis=1)).ravel())
            return
        self._observed = ~np.isnan(X)
        self.origin = _means(*_sums(X, weights)) if origin is None else origin
        self._values = np.where(self._observed, X - self.origin, 0)
        self.scatter = float(weights @ np.einsum("ij,ij->i", self._values, self._values))

    def tally(self, units):
        """Return the sums of rows that each unit wins, less the origin, and their mass."""
        n_rows = self.X.shape[0]
        parts = map_blocks(
            lambda rows: partial_winners(self.X[rows], units, self.by_product), n_rows, BLOCK_ROWS
        )
        winners = np.concatenate(parts)
        members = csr_array((self.weights, (winners, np.arange(n_rows))), (len(units), n_rows))
        counts = np.bincount(winners, minlength=len(units))
        if self._observed is None:
            return Tally((members @ self._values).toarray(), members.sum(axis=1), counts)
        return Tally(members @ self._values, members @ self._observed, counts)


class PartialStream:
    """The same for a memory-mapped file or a Dask array with missing values; each call reads it."""

    def __init__(self, owner, X, by_product):
        def sums(block):
            return *_sums(block, np.ones(len(block))), len(block)

        self.owner, self.X, self.by_product = owner, X, by_product
        *parts, self.total = self._fold(sums, _add)
        self.origin = _means(*parts)
        self.scatter = self._fold(lambda block: self._rows(block).scatter, np.add)

    def tally(self, units):
        """Return the sums of rows that each unit wins, less the origin, and their mass."""
        tally = self._fold(lambda block: self._rows(block).tally(units), _add)
        return Tally(*tally)

    def _rows(self, block):
        return PartialRows(block, np.ones(len(block)), self.by_product, self.origin)

    def _fold(self, function, join):
        return fold_partial(self.owner, self.X, function, join)


def fold_partial(owner, X, function, join):
    """Fold over a stream whose rows may have gaps; raise where one has no value at all."""

    def accumulate(block):
        return function(block), len(block), empty_rows(block)

    def merge(left, right):
        return join(left[0], right[0]), left[1] + right[1], np.append(left[2], left[1] + right[2])

    found, n_rows, empty = fold(X, accumulate, merge, allow_nan=True)
    refuse_empty(owner, empty, n_rows)
    return found


def _sums(X, weights):
    """Return the weighted sum of each feature and the weight of the values that it has."""
    observed = ~np.isnan(X)
    return weights @ np.where(observed, X, 0), weights @ observed


def _means(sums, mass):
    return sums / np.maximum(mass, 1e-300)


def _add(left, right):
    return tuple(map(np.add, left, right))
