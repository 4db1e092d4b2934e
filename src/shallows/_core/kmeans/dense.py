"""Dense rows: clusters found with bounds, their sums kept up to date."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows._core.compile import compiled, read_only
from shallows._core.kmeans.bounds import Assignment
from shallows._core.threads import map_blocks

Array = NDArray[Any]
BLOCK_ROWS = 8192
PASSES_BETWEEN_FRESH_SUMS = 16
MOVES_PER_BLOCK = 2**15  # fewer are sooner done than handed to a thread
ROWS_PER_CLUSTER = 16  # of a block: the sums of all blocks are small next to the rows


class Tally(NamedTuple):
    """Of each cluster: sum of the rows less the origin, sum of weights, number of rows."""

    sums: Array
    mass: Array
    counts: Array


class DenseRows:
    """The rows of an array; see `shallows._core.kmeans.lloyd.Rows`."""

    def __init__(self, X: Array, weights: Array):
        X = read_only(X)
        self.X, self.weights = X, weights
        mass = weights.sum()
        parts = map_blocks(lambda rows: weights[rows] @ X[rows], len(X), BLOCK_ROWS)
        self.origin = np.sum(parts, axis=0) / mass
        parts = map_blocks(
            lambda rows: scatter_about(self.origin, X[rows], weights[rows]), len(X), BLOCK_ROWS
        )
        self.scatter = float(np.sum(parts))
        self.variance = self.scatter / mass / X.shape[1]
        self.restart()

    def restart(self) -> None:
        """Forget what is known of centres so far."""
        self._assignment = Assignment(self.X, self.origin)
        self._running, self._age = empty_tally(0, 0), PASSES_BETWEEN_FRESH_SUMS

    def tally(self, centers: Array) -> Tally:
        """Assign rows to centres and return the sums of the clusters."""
        before = self._assignment.update(centers)
        places, order = self._assignment.places, self._assignment.order
        n_changed = int(np.count_nonzero(before != places))
        # Rounding errors of sums that only change must not pile up, nor stay at the end.
        stale = self._age >= (PASSES_BETWEEN_FRESH_SUMS if n_changed else 1)
        if stale or 4 * n_changed > len(before):
            self._running, self._age = empty_tally(*centers.shape), 0
            before, n_changed = np.full_like(places, -1), len(places)
        else:
            self._age += n_changed > 0

        def block(rows: slice) -> Tally:
            change, old, new = empty_tally(*centers.shape), before[rows], places[rows]
            changed = np.flatnonzero(old != new)
            move_sums(self.X[rows], self.weights[rows], self.origin, changed, old, new, *change)
            return change

        block_rows = MOVES_PER_BLOCK * len(places) // max(n_changed, 1)
        block_rows = max(block_rows, ROWS_PER_CLUSTER * len(centers))
        for change in map_blocks(block, len(places), block_rows):
            for part, more in zip(self._running, change, strict=True):
                part += more
        by_label = np.argsort(order)
        return Tally(*(part[by_label] for part in self._running))

    def farthest(self, centers: Array, n_rows: int) -> tuple[Array, Array, Array, Array]:
        """Return the rows farthest from their centre, their labels, weights and distances."""
        labels = self._assignment.labels
        squared = squared_to_own(self.X, centers, labels)
        rows = np.argsort(-squared, kind="stable")[:n_rows]
        return self.X[rows], labels[rows], self.weights[rows], squared[rows]

    def finish(self, centers: Array) -> tuple[Array, float]:
        """Return labels and cost."""
        centers = centers.astype(self.X.dtype, copy=False)
        self._assignment.update(centers)
        labels = self._assignment.labels
        parts = map_blocks(
            lambda rows: self.weights[rows] @ squared_to_own(self.X[rows], centers, labels[rows]),
            len(self.X),
            BLOCK_ROWS,
        )
        return labels, float(np.sum(parts))


def empty_tally(n_clusters: int, n_features: int) -> Tally:
    """Return the tally of no rows."""
    return Tally(
        np.zeros((n_clusters, n_features)), np.zeros(n_clusters), np.zeros(n_clusters, np.int64)
    )


@compiled
def scatter_about(origin, X, weights):
    """Return the weighted sum of squared distances to the origin, in float64."""
    scatter = 0.0
    for i in range(len(X)):
        total = 0.0
        for j in range(X.shape[1]):
            total += (X[i, j] - origin[j]) ** 2
        scatter += weights[i] * total
    return scatter


@compiled
def squared_to_own(X, centers, labels):
    """Return the squared distance of each row to its centre, in float64."""
    squared = np.zeros(len(X))
    for i in range(len(X)):
        for j in range(X.shape[1]):
            squared[i] += (np.float64(X[i, j]) - centers[labels[i], j]) ** 2
    return squared


@compiled
def move_sums(X, weights, origin, rows, before, places, sums, mass, counts):
    """Take rows out of their cluster `before`, unless it is -1, and put them in the present."""
    for i in rows:
        old, new, weight = before[i], places[i], weights[i]
        if old >= 0:
            counts[old] -= 1
            mass[old] -= weight
            for j in range(X.shape[1]):
                sums[old, j] -= weight * (X[i, j] - origin[j])
        counts[new] += 1
        mass[new] += weight
        for j in range(X.shape[1]):
            sums[new, j] += weight * (X[i, j] - origin[j])
