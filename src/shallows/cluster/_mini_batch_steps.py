"""One step of mini-batch k-means, and when to stop."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from shallows._core.numerics.compile import compiled, read_only
from shallows._core.numerics.kmeans import SparseRows, nearest_centers


def batch_step(X, weights, centers, counts):
    """Move each centre to the mean of all samples it was given so far, with this batch.

    Parameters
    ----------
    X, weights : ndarray or CSR matrix, ndarray
        The batch.
    centers : ndarray of shape (n_clusters, n_features)
        Centres before.
    counts : ndarray of shape (n_clusters,)
        Weight that each was given; the batch is added.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
        Centres after.
    cost : float
        Mean cost of the batch before.
    way : float
        Sum of the squared ways of the centres.
    """
    if issparse(X):
        return _sparse_step(X, weights, centers, counts)
    return pull(read_only(X), weights, nearest_centers(X, centers), centers, counts)


def _sparse_step(X, weights, centers, counts):
    rows = SparseRows(X, weights)
    tally = rows.tally(centers)
    counts += tally.mass
    used = tally.counts > 0
    ways = tally.sums[used] / tally.mass[used, None] - centers[used]
    # The spread about the means, plus that of the means about their centres.
    within = rows.scatter - (tally.sums[used] ** 2 / tally.mass[used, None]).sum()
    cost = max(within, 0.0) + tally.mass[used] @ (ways**2).sum(axis=1)
    moved = centers.astype(np.float64)
    moved[used] += (tally.mass[used] / counts[used])[:, None] * ways
    way = float(((moved - centers) ** 2).sum())
    return moved.astype(centers.dtype), float(cost) / weights.sum(), way


@compiled
def pull(X, weights, labels, centers, counts):
    """Return centres, mean cost before and squared ways; weights are added to the counts."""
    # Sum the weighted differences of each centre.
    pulls, cost, mass, way = np.zeros(centers.shape), 0.0, 0.0, 0.0
    for i in range(len(X)):
        # Sum the gaps of the rows to their centre, and their weights.
        row, center, own = X[i], centers[labels[i]], pulls[labels[i]]
        weight, squared = weights[i], 0.0
        for j in range(len(row)):
            gap = np.float64(row[j]) - center[j]
            own[j] += weight * gap
            squared += gap * gap
        counts[labels[i]] += weight
        cost += weight * squared
        mass += weight
    # Each centre moves by the mean difference over all samples it ever had.
    moved = centers.copy()
    for c in range(len(centers)):
        for j in range(X.shape[1]):
            if pulls[c, j] != 0.0:
                moved[c, j] += pulls[c, j] / counts[c]
                way += (pulls[c, j] / counts[c]) ** 2
    return moved, cost / mass, way


class Patience:
    """Watches moving averages of cost and way, as scikit-learn's does."""

    def __init__(self, limit, max_no_improvement, rate):
        self.limit, self.rate = limit, rate
        self.most_misses = np.inf if max_no_improvement is None else max_no_improvement
        self.cost = self.way = None
        self.least, self.misses, self.steps = np.inf, 0, 0

    def ends(self, cost, way):
        """Tell whether to stop after a batch with this cost and way; the first is skipped."""
        self.steps += 1
        if self.steps == 1:
            return False
        self.cost = cost if self.cost is None else self.cost + self.rate * (cost - self.cost)
        self.way = way if self.way is None else self.way + self.rate * (way - self.way)
        if self.limit and self.way <= self.limit:
            return True
        self.misses = 0 if self.cost < self.least else self.misses + 1
        self.least = min(self.cost, self.least)
        return self.misses >= self.most_misses
