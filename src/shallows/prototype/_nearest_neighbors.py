"""Search for the nearest training rows."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_rows
from shallows._core.contract.params import (
    NJobs,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
    check_value,
)
from shallows._core.numerics.neighbors import Metric
from shallows._core.numerics.threads import map_blocks, uses_jobs
from shallows.prototype._neighbors import NeighborsMixin, Search

CELLS = 2**20


class NearestNeighbors(NeighborsMixin):
    """Search for the training rows nearest to a sample, or within a radius of it.

    A missing value (NaN) is left out of a Minkowski or Hamming distance.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours of a call that does not name it.
    radius : float, default=1.0
        Radius of a call that does not name it.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        Taken for scikit-learn's sake; the search is chosen by the data, and the result is the
        same.
    leaf_size : int, default=30
        Taken for scikit-learn's sake; the size of leaves is chosen by the data.
    metric : str or callable, default="minkowski"
        Distance between rows, as `KNeighborsClassifier` takes it.
    p : float, default=2
        Power of "minkowski".
    metric_params : dict or None, default=None
        Parameters of the metric: `p` and `w`, weights of the features, of a Minkowski distance;
        keyword arguments of a function.
    n_jobs : int or None, default=None
        Number of threads: None takes as many as the process may use, -1 all cores.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows.
    effective_metric_ : str or callable
        The metric in use; a name without parameters for "minkowski" where there is one.
    effective_metric_params_ : dict
        Its parameters.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.prototype import NearestNeighbors
    >>> search = NearestNeighbors(n_neighbors=2).fit([[0.0], [1.0], [5.0]])
    >>> search.kneighbors([[0.8]])[1]
    array([[1, 0]])
    >>> search.radius_neighbors([[0.8]], 0.5, return_distance=False)[0]
    array([1])
    """

    feature_weights = None  # metric_params has them

    def __init__(
        self,
        *,
        n_neighbors: PositiveInt = 5,
        radius: NonNegativeFloat = 1.0,
        algorithm: Search = "auto",
        leaf_size: PositiveInt = 30,
        metric: Metric = "minkowski",
        p: PositiveFloat = 2,
        metric_params: dict | None = None,
        n_jobs: NJobs = None,
    ):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Keep the training rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples; distances between them with a precomputed metric.
        y : None
            Ignored.

        Returns
        -------
        self : NearestNeighbors
            The fitted estimator.
        """
        check_params(self)
        self._fit_index(check_rows(self, X, sparse=True, allow_nan=True))
        return self

    @uses_jobs
    def radius_neighbors(self, X=None, radius=None, return_distance=True, sort_results=False):
        """Find all training rows within a radius of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Samples; the training rows, each without itself, unless given.
        radius : float, optional
            Largest distance; as in the constructor unless given.
        return_distance : bool, default=True
            Whether to return the distances, too.
        sort_results : bool, default=False
            Whether neighbours come from near to far.

        Returns
        -------
        distances : ndarray of shape (n_samples,), of arrays
            Distances to the neighbours of each sample; only with `return_distance`.
        index : ndarray of shape (n_samples,), of arrays
            Places of the training rows.
        """
        check_is_fitted(self)
        name = f"{type(self).__name__}.radius_neighbors"
        radius = self.radius if radius is None else radius
        check_value(name, "radius", NonNegativeFloat, radius)
        if sort_results and not return_distance:
            raise ValueError(f"{name}: return_distance must be True if sort_results is True.")
        itself = X is None
        rows = self._training_rows if itself else self._check_queries(X)
        if self.metric != "precomputed":
            rows = self._index.scaled(self._index.alike(rows))

        def block(part):
            lengths = self._index.distances(rows[part])
            near = lengths <= radius
            if itself:
                near[np.arange(len(near)), np.arange(part.start, part.stop)] = False
            found = [np.flatnonzero(row) for row in near]
            if sort_results:
                pairs = zip(lengths, found, strict=True)
                found = [index[np.argsort(row[index], kind="stable")] for row, index in pairs]
            pairs = zip(lengths, found, strict=True)
            return [(row[index], index) for row, index in pairs]

        size = max(1, CELLS // self.n_samples_fit_)
        if callable(self.metric):
            parts = [block(slice(0, rows.shape[0]))]
        else:
            parts = map_blocks(block, rows.shape[0], size)
        found = [pair for part in parts for pair in part]
        index = _array_of([places for _, places in found])
        if not return_distance:
            return index
        return _array_of([lengths.astype(rows.dtype) for lengths, _ in found]), index

    def radius_neighbors_graph(self, X=None, radius=None, mode="connectivity", sort_results=False):
        """Return the graph that leads from each sample to all training rows within a radius.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Samples; the training rows, each without itself, unless given.
        radius : float, optional
            Largest distance; as in the constructor unless given.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an edge is 1 or as long as the distance.
        sort_results : bool, default=False
            Whether the edges of a row come from short to long.

        Returns
        -------
        graph : CSR matrix of shape (n_samples, n_samples_fit)
            One row per sample.
        """
        self._check_mode("radius_neighbors_graph", mode)
        distances, index = self.radius_neighbors(X, radius, True, sort_results)
        counts = [len(places) for places in index]
        edges = np.concatenate(distances) if mode == "distance" else np.ones(sum(counts))
        starts = np.append(0, np.cumsum(counts))
        shape = len(index), self.n_samples_fit_
        return csr_matrix((edges, np.concatenate(index), starts), shape=shape)


def _array_of(parts):
    """Return an array of arrays, which may differ in length."""
    found = np.empty(len(parts), dtype=object)
    found[:] = parts
    return found
