"""Where k-means starts."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from shallows._core.compile import compiled, read_only
from shallows._core.threads import block_slices, map_blocks

Array = NDArray[Any]
Start = Literal["k-means++", "random", "assignment"]
CHUNK = 256
BLOCK_ROWS = 128 * CHUNK  # fewer are sooner done than handed to a thread
ROOM = 2.0**40  # for sums of squares, and for rows much nearer to the middle than the farthest


def place_centers(
    X: Any, n_clusters: int, weights: Array, rng: np.random.Generator, init: Start | Array
) -> Array:
    """Return starting centres in the dtype of X.

    "random" draws rows, "assignment" takes the means of a random partition, "k-means++"
    draws rows far from one another.
    """
    if not isinstance(init, str):
        return np.array(init, dtype=X.dtype)
    if init == "assignment":
        return _means_of_random_parts(X, n_clusters, weights, rng)
    if init == "k-means++":
        return _rows(X, plus_plus(X, n_clusters, weights, rng))
    share = weights / weights.sum()
    return _rows(X, rng.choice(X.shape[0], n_clusters, replace=False, p=share))


def plus_plus(X: Any, n_clusters: int, weights: Array, rng: np.random.Generator) -> Array:
    """Return the rows that greedy k-means++ picks.

    Each centre is the best of 2 + log(n_clusters) rows drawn with a chance proportional to
    weight times squared distance to the nearest centre so far: the one that leaves the
    smallest sum of these products (Arthur and Vassilvitskii, SODA 2007).
    """
    distances = _SparseDistances(X, weights) if issparse(X) else _DenseDistances(X, weights)
    n_trials = 2 + int(math.log(n_clusters))
    chosen = np.empty(n_clusters, np.int64)
    chosen[0] = distances.take_best(rng.choice(X.shape[0], size=1, p=weights / weights.sum()))
    for k in range(1, n_clusters):
        trials = _draw(distances, weights, rng.random(n_trials))
        chosen[k] = distances.take_best(trials)
    return chosen


def _draw(distances: Any, weights: Array, uniform: Array) -> Array:
    """Draw rows by weight times distance: first the block, then the row in it."""
    blocks = block_slices(len(weights), BLOCK_ROWS)
    until = np.cumsum(distances.block_costs)
    targets = uniform * until[-1]
    rows = np.empty(len(uniform), np.int64)
    for b in np.unique(owner := np.searchsorted(until[:-1], targets, side="right")):
        part = blocks[b]
        inside = np.cumsum(weights[part] * distances.least[part])
        before = until[b - 1] if b else 0.0
        found = np.searchsorted(inside, targets[owner == b] - before, side="right")
        rows[owner == b] = part.start + np.minimum(found, len(inside) - 1)
    return rows


class _DenseDistances:
    """Squared distance of each row to the nearest of the centres so far, in `least`."""

    def __init__(self, X: Array, weights: Array):
        X = read_only(X)
        middle, lengths = _seen_from_middle(X)
        limits = np.finfo(X.dtype)
        if not limits.tiny * ROOM < lengths.max() < limits.max / ROOM:
            X = read_only(_in_range(X, middle))
            middle, lengths = _seen_from_middle(X)
        self.X, self.weights = X, weights
        self.least = np.full(len(X), np.inf, X.dtype)
        self.block_costs = np.empty(0)
        self._with = np.empty((0, len(X)), X.dtype)
        self._middle, self._lengths = middle, lengths

    def take_best(self, trials: Array) -> int:
        """Add the row that leaves the smallest cost to the centres; return it."""
        if len(self._with) != len(trials):
            self._with = np.empty((len(trials), len(self.X)), self.X.dtype)
        data = self.X, self.weights, self.least, self._lengths, self._middle
        centers = self.X[trials] - self._middle
        parts = map_blocks(
            lambda rows: trial_costs(*data, centers, rows.start, rows.stop, self._with),
            len(self.X),
            BLOCK_ROWS,
        )
        best = int(np.sum(parts, axis=0).argmin())
        self.least[:] = self._with[best]
        self.least[trials[best]] = 0
        self.block_costs = np.array(parts)[:, best]
        return int(trials[best])


def _seen_from_middle(X: Array) -> tuple[Array, Array]:
    """Return the mean of the rows and their squared distances from it."""
    middle = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
    lengths = map_blocks(
        lambda rows: squared_lengths(X, middle, rows.start, rows.stop), len(X), BLOCK_ROWS
    )
    return middle, np.concatenate(lengths)


def _in_range(X: Array, middle: Array) -> Array:
    """Return X over a power of two, so that squares of float32 neither overflow nor vanish."""
    widest = np.abs(X - middle.astype(np.float64)).max()
    scaled: Array = np.ldexp(X, -np.frexp(widest)[1]) if widest > 0 else X
    return scaled


class _SparseDistances:
    """The same for CSR rows."""

    def __init__(self, X: Any, weights: Array):
        self.X, self.weights = X, weights
        self.norms = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        self.least = np.full(X.shape[0], np.inf)
        self.block_costs = np.empty(0)

    def take_best(self, trials: Array) -> int:
        """Add the row that leaves the smallest cost to the centres; return it."""
        squared = -2.0 * (self.X[trials] @ self.X.T).toarray()
        squared += self.norms + self.norms[trials][:, None]
        squared = np.minimum(np.maximum(squared, 0.0), self.least)
        best = int((squared @ self.weights).argmin())
        self.least = squared[best]
        self.least[trials[best]] = 0
        shares = self.weights * self.least
        blocks = block_slices(len(shares), BLOCK_ROWS)
        self.block_costs = np.array([shares[rows].sum() for rows in blocks])
        return int(trials[best])


def _means_of_random_parts(
    X: Any, n_clusters: int, weights: Array, rng: np.random.Generator
) -> Array:
    """Every part gets at least one row, so that none is empty."""
    labels = rng.integers(n_clusters, size=X.shape[0])
    labels[rng.choice(X.shape[0], n_clusters, replace=False)] = np.arange(n_clusters)
    parts = csr_array((weights, (labels, np.arange(X.shape[0]))), shape=(n_clusters, X.shape[0]))
    sums = parts @ X
    sums = sums.toarray() if issparse(sums) else sums
    return (sums / parts.sum(axis=1)[:, None]).astype(X.dtype)


def _rows(X: Any, rows: Array) -> Array:
    return X[rows].toarray() if issparse(X) else X[rows]


@compiled
def squared_lengths(X, middle, start, stop):
    """Return the squared distances of some rows from a point."""
    squared = np.zeros(stop - start, X.dtype)
    for p in range(start, stop):
        for j in range(X.shape[1]):
            squared[p - start] += (X[p, j] - middle[j]) ** 2
    return squared


@compiled
def trial_costs(X, weights, least, lengths, middle, centers, start, stop, squared):
    """Return what the cost of some rows would be with each of the centres added.

    Their least squared distances then are written to `squared`, one row per centre. They
    come from products of a tile of rows on BLAS. Centres and lengths are seen from the middle.
    """
    tile, zero = np.empty((CHUNK, X.shape[1]), X.dtype), X.dtype.type(0)
    norms = np.zeros(len(centers), X.dtype)
    for c in range(len(centers)):
        for j in range(X.shape[1]):
            norms[c] += centers[c, j] ** 2
    costs = np.zeros(len(centers))
    for first in range(start, stop, CHUNK):
        rows = slice(first, min(first + CHUNK, stop))
        part, length, known, weight = X[rows], lengths[rows], least[rows], weights[rows]
        for p in range(len(part)):
            for j in range(X.shape[1]):
                tile[p, j] = part[p, j] - middle[j]
        products = np.dot(centers, tile[: len(part)].T)
        for c in range(len(centers)):
            product, found, cost = products[c], squared[c, rows], 0.0
            for p in range(len(part)):
                value = max(length[p] + norms[c] - product[p] - product[p], zero)
                found[p] = min(value, known[p])
                cost += weight[p] * found[p]
            costs[c] += cost
    return costs
