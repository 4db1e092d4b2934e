"""Dense rows: their nearest centres, and the sums of clusters kept up to date."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.compile import compiled, read_only
from shallows._core.numerics.kmeans.bounds import Bounded
from shallows._core.numerics.kmeans.exhaustive import Exhaustive
from shallows._core.numerics.threads import map_blocks

Array = NDArray[Any]
BLOCK_NUMBERS = 2**19  # fewer are sooner added up than handed to a thread
PASSES_BETWEEN_FRESH_SUMS = 16
ROWS_PER_CLUSTER = 16  # of a block: the sums of all blocks are small next to the rows
# All distances take less time than bounds up to so many features, and so many numbers in the
# centres: in one pass, in many passes, and in many passes times so many rows.
MOST_FEATURES, NUMBERS_IN_ONE_PASS, NUMBERS, NUMBERS_TIMES_ROWS = 24, 256, 40, 200_000


class Tally(NamedTuple):
    """Of each cluster: sum of the rows less the origin, sum of weights, number of rows."""

    sums: Array
    mass: Array
    counts: Array


class DenseRows:
    """The rows of an array; see `shallows._core.numerics.kmeans.lloyd.Rows`."""

    def __init__(self, X: Array, weights: Array):
        self.X, self.weights = read_only(X), weights
        self._block_rows = max(1, BLOCK_NUMBERS // X.shape[1])
        self.restart()

    @cached_property
    def origin(self) -> Array:
        """The mean."""
        X, weights = self.X, self.weights
        single = X.dtype == np.float32  # of which a product would make a copy
        add = weighted_sum if single else np.matmul
        parts = map_blocks(lambda rows: add(weights[rows], X[rows]), len(X), self._block_rows)
        mean: Array = np.sum(parts, axis=0) / weights.sum()
        return mean

    @cached_property
    def scatter(self) -> float:
        """The cost of one cluster."""
        parts = map_blocks(
            lambda rows: scatter_about(self.origin, self.X[rows], self.weights[rows]),
            len(self.X),
            self._block_rows,
        )
        return float(np.sum(parts))

    @cached_property
    def variance(self) -> float:
        """The mean variance of a feature."""
        return self.scatter / float(self.weights.sum()) / self.X.shape[1]

    def restart(self) -> None:
        """Forget what is known of centres so far."""
        self._search: Bounded | Exhaustive | None = None
        self._running, self._age = empty_tally(0, 0), PASSES_BETWEEN_FRESH_SUMS

    def tally(self, centers: Array) -> Tally:
        """Assign rows to centres and return the sums of the clusters."""
        search = self._search_for(centers)
        before = search.update(centers)
        n_changed = int(np.count_nonzero(before != search.places))
        # Rounding errors of sums that only change must not pile up, nor stay at the end.
        stale = self._age >= (PASSES_BETWEEN_FRESH_SUMS if n_changed else 1)
        fresh = stale or 4 * n_changed > len(before)
        if fresh:
            self._running, self._age, n_changed = empty_tally(*centers.shape), 0, len(before)
        elif n_changed:
            self._age += 1
        self._move(before, search.places, search.order, fresh, n_changed)
        return self._running

    def farthest(self, centers: Array, n_rows: int) -> tuple[Array, Array, Array, Array]:
        """Return the rows farthest from their centre, their labels, weights and distances."""
        labels = self._search_for(centers).labels
        squared = squared_to_own(self.X, centers, labels)
        rows = np.argsort(-squared, kind="stable")[:n_rows]
        return self.X[rows], labels[rows], self.weights[rows], squared[rows]

    def finish(self, centers: Array) -> tuple[Array, float]:
        """Return labels and cost."""
        centers = centers.astype(self.X.dtype, copy=False)
        if self._search is None:
            labels = nearest_centers(self.X, centers)
        else:
            self._search.update(centers)
            labels = self._search.labels
        parts = map_blocks(
            lambda rows: cost_of(self.X[rows], self.weights[rows], centers, labels[rows]),
            len(self.X),
            self._block_rows,
        )
        return labels, float(np.sum(parts))

    def _search_for(self, centers: Array) -> Bounded | Exhaustive:
        self._search = self._search or search_for(self.X, len(centers), self.origin)
        return self._search

    def _move(
        self, before: Array, places: Array, order: Array, fresh: bool, n_changed: int
    ) -> None:
        """Bring the running sums up to date, on several threads where much has changed."""
        n_clusters, n_features = self._running.sums.shape
        block_rows = BLOCK_NUMBERS * len(places) // max(1, n_changed * n_features)

        def move(rows: slice, tally: Tally) -> Tally:
            X, weights = self.X[rows], self.weights[rows]
            move_sums(X, weights, self.origin, before[rows], places[rows], order, fresh, tally)
            return tally

        if block_rows >= len(places):
            move(slice(None), self._running)
            return
        block_rows = max(block_rows, ROWS_PER_CLUSTER * n_clusters)
        changes = map_blocks(
            lambda rows: move(rows, empty_tally(n_clusters, n_features)), len(places), block_rows
        )
        for change in changes:
            for part, more in zip(self._running, change, strict=True):
                part += more


def search_for(X: Array, n_clusters: int, origin: Array) -> Bounded | Exhaustive:
    """Return what follows so many centres soonest."""
    n_rows, n_features = X.shape
    numbers = n_clusters * n_features
    few = numbers <= NUMBERS or n_rows * numbers <= NUMBERS_TIMES_ROWS
    return Exhaustive(X) if few and n_features <= MOST_FEATURES else Bounded(X, origin)


def nearest_centers(X: Array, centers: Array) -> Array:
    """Return the nearest centre of each row; of centres equally near the first."""
    return search_once(X, centers).labels


def search_once(X: Array, centers: Array) -> Bounded | Exhaustive:
    """Return what has found the nearest centres, and knows whether rows were lost."""
    few = X.shape[1] <= MOST_FEATURES and centers.size <= NUMBERS_IN_ONE_PASS
    quicker = few or X.shape[1] <= MOST_FEATURES // 8
    search = Exhaustive(X) if quicker else Bounded(X, centers.mean(axis=0, dtype=np.float64))
    search.update(centers)
    return search


def empty_tally(n_clusters: int, n_features: int) -> Tally:
    """Return the tally of no rows."""
    return Tally(
        np.zeros((n_clusters, n_features)), np.zeros(n_clusters), np.zeros(n_clusters, np.int64)
    )


def tally_of(X: Array, weights: Array, origin: Array, labels: Array, n_clusters: int) -> Tally:
    """Return the tally of rows whose clusters are known."""
    tally, order = empty_tally(n_clusters, X.shape[1]), np.arange(n_clusters, dtype=np.int32)
    move_sums(read_only(X), weights, origin, labels, labels, order, True, tally)
    return tally


@compiled
def weighted_sum(weights, X):
    """Return the sum of the rows times their weights, in float64."""
    total = np.zeros(X.shape[1])
    for i in range(len(X)):
        row, weight = X[i], weights[i]
        for j in range(len(row)):
            total[j] += weight * row[j]
    return total


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
def cost_of(X, weights, centers, labels):
    """Return the weighted sum of squared distances to the own centre, in float64."""
    cost = 0.0
    for i in range(len(X)):
        row, center, total = X[i], centers[labels[i]], 0.0
        for j in range(len(row)):
            total += (np.float64(row[j]) - center[j]) ** 2
        cost += weights[i] * total
    return cost


@compiled
def squared_to_own(X, centers, labels):
    """Return the squared distance of each row to its centre, in float64."""
    squared = np.empty(len(X))
    for i in range(len(X)):
        row, center, total = X[i], centers[labels[i]], 0.0
        for j in range(len(row)):
            total += (np.float64(row[j]) - center[j]) ** 2
        squared[i] = total
    return squared


@compiled
def move_sums(X, weights, origin, before, places, order, fresh, tally):
    """Move rows whose place has changed from cluster to cluster; with `fresh`, add all rows.

    The cluster at a place is ``order[place]``. The rows are counted, their weights and, times
    these, the rows less the origin are summed.
    """
    sums, mass, counts = tally
    for i in range(len(places)):
        if before[i] == places[i] and not fresh:
            continue
        weight = weights[i]

        # Take the row off its old cluster, and add it to the new one.
        if not fresh:
            old = order[before[i]]
            counts[old] -= 1
            mass[old] -= weight
            for j in range(X.shape[1]):
                sums[old, j] -= weight * (X[i, j] - origin[j])
        new = order[places[i]]
        counts[new] += 1
        mass[new] += weight
        for j in range(X.shape[1]):
            sums[new, j] += weight * (X[i, j] - origin[j])
