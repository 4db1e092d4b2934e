"""Lloyd's algorithm: assign rows to the nearest centre, move centres to the mean, repeat."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from shallows._core.numerics.kmeans.dense import DenseRows, Tally
from shallows._core.numerics.kmeans.other import SparseRows
from shallows._core.numerics.kmeans.starts import Start, place_centers

Array = NDArray[Any]
EmptyRule = Literal["reseed", "drop"]


class Rows(Protocol):
    """Data that k-means can run on.

    `origin` is a point amid the data, `scatter` the weighted sum of squared distances to it,
    `variance` the mean variance of the features.
    """

    @property
    def origin(self) -> Array: ...
    @property
    def scatter(self) -> float: ...
    @property
    def variance(self) -> float: ...

    def restart(self) -> None:
        """Forget what is known of centres so far."""

    def tally(self, centers: Array) -> Tally:
        """Assign rows to centres and return the sums of the clusters."""

    def farthest(self, centers: Array, n_rows: int) -> tuple[Array, Array, Array, Array]:
        """Return the rows farthest from their centre, their labels, weights and distances."""

    def finish(self, centers: Array) -> tuple[Array, float]:
        """Return labels and cost."""


class KMeansResult(NamedTuple):
    """What k-means found.

    `cost` holds the weighted sum of squared distances after each iteration; `converged` is whether
    the centres converged within `max_iter` iterations.
    """

    centers: Array
    labels: Array
    inertia: float
    n_iter: int
    cost: list[float]
    converged: bool


class Lloyd:
    """One run from given centres; `step` until `settled`, then `finish`."""

    def __init__(self, rows: Rows, centers: Array, tol: float, empty: EmptyRule = "reseed"):
        self.rows, self.centers, self.empty = rows, centers, empty
        self.limit = tol * rows.variance
        self.cost: list[float] = []
        self.settled = False
        rows.restart()

    def step(self) -> float:
        """Assign and move once; return the cost, which never rises."""
        tally = self.rows.tally(self.centers)
        if not tally.counts.all():
            tally = self._fill_empty(tally)
        self.centers, way, between = means_of(self.rows.origin, self.centers, *tally)
        self.settled = way <= self.limit
        # The scatter about the origin is that within clusters plus that of their means.
        self.cost.append(max(self.rows.scatter - between, 0.0))
        return self.cost[-1]

    def finish(self) -> KMeansResult:
        """Return the centres with the labels and the cost that belong to them."""
        labels, inertia = self.rows.finish(self.centers)
        return KMeansResult(self.centers, labels, inertia, len(self.cost), self.cost, self.settled)

    def _fill_empty(self, tally: Tally) -> Tally:
        """Drop empty clusters, or give each the row farthest from its centre."""
        empty = np.flatnonzero(tally.counts == 0)
        if self.empty == "drop":
            kept = tally.counts > 0
            self.centers = self.centers[kept]
            return Tally(*(part[kept] for part in tally))
        rows, labels, weights, squared = self.rows.farthest(self.centers, len(empty))
        tally = Tally(*(part.copy() for part in tally))
        for row, old, new, weight, distance in zip(
            rows, labels, empty, weights, squared, strict=True
        ):
            if distance == 0:
                break
            part = weight * (row - self.rows.origin)
            tally.sums[old] -= part
            tally.sums[new] = part
            tally.mass[old] -= weight
            tally.mass[new] = weight
            tally.counts[old] -= 1
            tally.counts[new] = 1
        return tally


def kmeans(
    X: Any,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    sample_weight: NDArray[np.float64] | None = None,
    init: Start | Array = "k-means++",
    n_init: int = 1,
    max_iter: int = 300,
    tol: float = 1e-4,
    empty: EmptyRule = "reseed",
) -> KMeansResult:
    """Return the best of `n_init` local minima of the weighted sum of squared distances.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows in C order, float32 or float64.
    n_clusters : int
        Number of centres.
    rng : Generator
        Each start takes a stream of its own.
    sample_weight : ndarray of shape (n_samples,), default=None
        Positive weights.
    init : {"k-means++", "random", "assignment"} or ndarray, default="k-means++"
        How to start.
    n_init : int, default=1
        Number of starts.
    max_iter : int, default=300
        Largest number of iterations of a start.
    tol : float, default=1e-4
        A run ends when the squared ways of all centres sum up to no more than this times
        the mean variance of the features.
    empty : {"reseed", "drop"}, default="reseed"
        What becomes of a cluster without rows.

    Returns
    -------
    result : KMeansResult
        Centres in the dtype of X, labels, cost and more.

    Examples
    --------
    >>> import numpy as np
    >>> kmeans(np.array([[0.0], [1.0], [9.0]]), 2, np.random.default_rng(0)).inertia
    0.5
    """
    weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    rows: Rows = SparseRows(X, weights) if issparse(X) else DenseRows(X, weights)
    results = []
    for stream in rng.spawn(n_init):
        run = Lloyd(rows, place_centers(X, n_clusters, weights, stream, init), tol, empty)
        while not run.settled and len(run.cost) < max_iter:
            run.step()
        results.append(run.finish())
    return min(results, key=lambda result: result.inertia)


def means_of(
    origin: Array, centers: Array, sums: Array, mass: Array, counts: Array
) -> tuple[Array, float, float]:
    """Return the means of clusters, the squared ways there and their scatter about the origin.

    A cluster without rows keeps its centre.
    """
    moved, filled = centers.copy(), counts > 0
    means = sums[filled] / mass[filled, None]
    moved[filled] = origin + means
    way = ((moved.astype(np.float64) - centers) ** 2).sum()
    return moved, float(way), float((sums[filled] * means).sum())
