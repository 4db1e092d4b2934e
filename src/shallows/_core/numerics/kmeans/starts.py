"""Where k-means starts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from shallows._core.numerics.compile import compiled, read_only
from shallows._core.numerics.threads import block_slices, map_blocks

Array = NDArray[Any]
Start = Literal["k-means++", "random", "assignment"]
CHUNK = 256
LITTLE_WORK, WORK_PER_BLOCK = 2**24, 2**22  # products; few are sooner done than handed over
FEW_FEATURES = 12  # of which differences are sooner squared than products taken
FEW_DIFFERENCES = 2**14  # sooner squared by NumPy than a kernel is compiled
ROOM = 2.0**40  # for sums of squares, and for rows much nearer to the middle than the farthest
MOST_OFFSET = 0.9  # share of the squared lengths of rows that may be due to their middle
LARGEST_EXPONENT = {4: 40, 8: 480}  # of rows by bytes of a number, whose squares are in range


def place_centers(
    X: Any, n_clusters: int, weights: Array, rng: np.random.Generator, init: Start | Array
) -> Array:
    """Return starting centres in the dtype of X.

    "random" draws rows, "assignment" takes the means of a random partition, "k-means++"
    draws rows far from one another.
    """
    if not isinstance(init, str):
        return np.array(init, dtype=X.dtype, order="C")
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
    n_trials = 2 + int(math.log(n_clusters))
    dense = _FewFeatures if X.shape[1] <= FEW_FEATURES else _ManyFeatures
    distances = (_SparseRows if issparse(X) else dense)(X, weights, n_trials)
    chosen = np.empty(n_clusters, np.int64)
    until = np.cumsum(weights)
    first = np.searchsorted(until, rng.random(1) * until[-1], side="right")
    chosen[0] = distances.take_best(np.minimum(first, len(weights) - 1))
    for k in range(1, n_clusters):
        trials = _draw(distances, weights, rng.random(n_trials))
        chosen[k] = distances.take_best(trials)
    return chosen


def _draw(distances: Any, weights: Array, uniform: Array) -> Array:
    """Draw rows by weight times distance: first the block, then the row in it."""
    until = np.cumsum(distances.block_costs)
    targets = np.sort(uniform) * until[-1]
    rows = np.empty(len(targets), np.int64)
    for b in np.unique(owner := np.searchsorted(until[:-1], targets, side="right")):
        part, before = distances.blocks[b], until[b - 1] if b else 0.0
        within = targets[owner == b] - before
        rows[owner == b] = part.start + rows_at(weights[part], distances.least[part], within)
    return rows


class _DenseRows:
    """Squared distance of each row to the nearest of the centres so far, in `least`."""

    def __init__(self, X: Array, weights: Array, n_trials: int, dtype: Any):
        self.X, self.weights = read_only(X), weights
        self.least, self.block_costs = np.full(len(X), np.inf, dtype), np.empty(0)
        work, self._block_rows = (X.shape[1] + 8) * n_trials, len(X)
        if work * len(X) > LITTLE_WORK:
            self._block_rows = CHUNK * math.ceil(WORK_PER_BLOCK / work / CHUNK)
        self.blocks = block_slices(len(X), self._block_rows)
        self._with = np.empty((n_trials, len(X)), dtype)

    def take_best(self, trials: Array) -> int:
        """Add the row that leaves the smallest cost to the centres; return it."""
        rows = self.X[trials]
        parts = np.array(self._map(lambda block: self._costs(block, rows)))
        best = parts.sum(axis=0).argmin()
        self.least[:] = self._with[best]
        self.least[trials[best]] = 0
        self.block_costs = parts[:, best]
        return int(trials[best])

    def _costs(self, block: slice, trials: Array) -> Array:
        """Return the cost of a block with each trial added; write the distances to `_with`."""
        raise NotImplementedError

    def _map(self, task: Callable[[slice], Array]) -> list[Array]:
        return map_blocks(task, len(self.X), self._block_rows)


class _FewFeatures(_DenseRows):
    """By differences, in float64."""

    def __init__(self, X: Array, weights: Array, n_trials: int):
        super().__init__(X, weights, n_trials, np.float64)
        self._scale = _scale(self.X, LARGEST_EXPONENT[8])

    def _costs(self, block: slice, trials: Array) -> Array:
        data = self.X[block], self.weights[block], self.least[block]
        few = len(data[0]) * trials.size < FEW_DIFFERENCES
        costs = costs_of_few if few else costs_by_differences
        return costs(*data, self._scale, trials, self._with[:, block])


class Rows(NamedTuple):
    """Rows with their weights, least squared distances so far, and squared lengths.

    Distances and lengths are scaled; lengths are seen from the middle.
    """

    X: Array
    weights: Array
    least: Array
    lengths: Array


class _ManyFeatures(_DenseRows):
    """By products on BLAS; rows far from zero are moved to their middle first."""

    def __init__(self, X: Array, weights: Array, n_trials: int):
        super().__init__(X, weights, n_trials, X.dtype)
        self._middle, self._scale = np.zeros(X.shape[1], X.dtype), X.dtype.type(1)
        self._moved, lengths = False, self._squared_lengths()
        limits = np.finfo(X.dtype)
        in_range = limits.tiny * ROOM < lengths.max() < limits.max / ROOM
        middle = np.ones(len(X), X.dtype) @ X / len(X) if in_range else X.mean(0, dtype=np.float64)
        middle = middle.astype(X.dtype)
        if not in_range or middle @ middle > MOST_OFFSET * lengths.mean():
            self._middle, self._moved = middle, True
            self._scale = X.dtype.type(_scale(self.X, LARGEST_EXPONENT[X.itemsize]))
            lengths = self._squared_lengths()
        self._lengths = lengths.astype(X.dtype, copy=False)

    def _squared_lengths(self) -> Array:
        return np.concatenate(
            self._map(lambda block: squared_lengths(self.X[block], self._middle, self._scale))
        )

    def _costs(self, block: slice, trials: Array) -> Array:
        return costs_by_products(
            Rows(self.X[block], self.weights[block], self.least[block], self._lengths[block]),
            self._moved,
            self._middle,
            self._scale,
            trials,
            self._with[:, block],
        )


def _scale(X: Array, most: int) -> float:
    """Return one or, where squares of rows would overflow or vanish, a power of two."""
    exponent = math.frexp(largest_difference(X))[1]
    return 1.0 if abs(exponent) < most else 2.0**-exponent


class _SparseRows:
    """The same for CSR rows."""

    def __init__(self, X: Any, weights: Array, n_trials: int):
        self.X, self.weights = X, weights
        self.blocks = block_slices(X.shape[0], WORK_PER_BLOCK // n_trials)
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
        self.block_costs = np.array([shares[rows].sum() for rows in self.blocks])
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


def rows_at(weights: Array, least: Array, targets: Array) -> Array:
    """Return where the running sum of weight times distance exceeds each target, in order."""
    until = np.cumsum(weights * least)
    return np.minimum(np.searchsorted(until, targets, side="right"), len(least) - 1)


def largest_difference(X: Array) -> float:
    """Return the largest difference of a value from that of the first row."""
    first = X[0].astype(np.float64)
    return float(np.maximum(X.max(axis=0) - first, first - X.min(axis=0)).max())


@compiled
def squared_lengths(X, middle, scale):
    """Return the squared distances of rows from a point, scaled, in float64."""
    squared = np.empty(len(X))
    for i in range(len(X)):
        row, total = X[i], 0.0
        for j in range(len(row)):
            total += (np.float64((row[j] - middle[j]) * scale)) ** 2
        squared[i] = total
    return squared


def costs_of_few(
    X: Array, weights: Array, least: Array, scale: float, trials: Array, squared: Array
) -> Array:
    """Return and write the same as `costs_by_differences`, for few rows."""
    rows, points = X.astype(np.float64) * scale, trials.astype(np.float64) * scale
    with np.errstate(over="ignore"):
        found = ((points[:, None] - rows) ** 2).sum(axis=2)
    least = np.minimum(found, least)
    squared[: len(trials)] = least
    return least @ weights


@compiled
def costs_by_differences(X, weights, least, scale, trials, squared):
    """Return what the cost would be with each of the trials added to the centres.

    The least scaled squared distances then are written to `squared`, one row per trial. Rows lie
    side by side in a tile, so that loops run over rows.
    """
    tile, found, costs = np.empty((X.shape[1], CHUNK)), np.empty(CHUNK), np.zeros(len(trials))
    for first in range(0, len(X), CHUNK):
        n_rows = min(CHUNK, len(X) - first)
        rows = slice(first, first + n_rows)
        part, known, weight = X[rows], least[rows], weights[rows]

        # Turn a chunk of rows, so that the values of a feature are neighbours in memory.
        for i in range(n_rows):
            for j in range(X.shape[1]):
                tile[j, i] = part[i, j] * scale
        for t in range(len(trials)):
            # Squared distances of the chunk to this trial.
            result, cost = squared[t, rows], 0.0
            for i in range(n_rows):
                found[i] = 0
            for j in range(X.shape[1]):
                values, value = tile[j], trials[t, j] * scale
                for i in range(n_rows):
                    found[i] += (values[i] - value) ** 2

            # Each row keeps the nearer of its old centre and the trial: D(x)^2 of k-means++.
            for i in range(n_rows):
                value = min(found[i], known[i])
                result[i] = value
                cost += weight[i] * value
            costs[t] += cost
    return costs


@compiled
def costs_by_products(data, moved, middle, scale, trials, squared):
    """Return the same from products of rows and trials on BLAS.

    The lengths of rows are seen from the middle and scaled; where that has `moved` them, a tile
    of rows is, too.
    """
    X, weights, least, lengths = data
    tile, zero = np.empty((CHUNK, X.shape[1]), X.dtype), X.dtype.type(0)

    # The trials as the rows are seen, and their squared lengths.
    centers, norms = np.empty_like(trials), np.zeros(len(trials), X.dtype)
    for t in range(len(trials)):
        for j in range(X.shape[1]):
            centers[t, j] = (trials[t, j] - middle[j]) * scale
            norms[t] += centers[t, j] ** 2
    costs = np.zeros(len(trials))
    for first in range(0, len(X), CHUNK):
        rows = slice(first, min(first + CHUNK, len(X)))
        part, length, known, weight = X[rows], lengths[rows], least[rows], weights[rows]

        # x'c for a tile of rows and all trials.
        if moved:
            for i in range(len(part)):
                for j in range(X.shape[1]):
                    tile[i, j] = (part[i, j] - middle[j]) * scale
            products = np.dot(tile[: len(part)], centers.T)
        else:
            products = np.dot(part, centers.T)
        for t in range(len(trials)):
            result, cost = squared[t, rows], 0.0
            for i in range(len(part)):
                # |x - c|^2 = |x|^2 + |c|^2 - 2 x'c, or what was nearer before: D(x)^2.
                value = max(length[i] + norms[t] - products[i, t] - products[i, t], zero)
                value = min(value, known[i])
                result[i] = value
                cost += weight[i] * value
            costs[t] += cost
    return costs
