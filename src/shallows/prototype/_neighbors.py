"""Search for nearest neighbours, and weights of neighbours."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new
from shallows._core.contract.gaps import refuse_gaps, refuse_sparse, takes_gaps, takes_sparse
from shallows._core.contract.params import PositiveInt, check_value
from shallows._core.contract.precomputed import check_lengths, check_pairs
from shallows._core.numerics.named_distance import NamedDistance, resolve_metric
from shallows._core.numerics.neighbors import (
    NeighborIndex,
    minkowski_power,
    refuse_extremes,
    without_itself,
)
from shallows._core.numerics.threads import uses_jobs

Weights = Literal["uniform", "distance", "inverse-square"] | Callable | None
Search = Literal["auto", "ball_tree", "kd_tree", "brute"]
POWERS = {"distance": 1, "inverse-square": 2}


class NeighborsMixin(BaseEstimator):
    """Answers from the training rows nearest to a sample; a gap is left out of a distance."""

    _takes_any_size = True  # distances are in double precision, which is checked for them

    @uses_jobs
    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Find the training rows nearest to each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Samples; the training rows, each without itself, unless given.
        n_neighbors : int, optional
            How many; as in the constructor unless given.
        return_distance : bool, default=True
            Whether to return the distances, too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            From near to far; only with `return_distance`.
        index : ndarray of shape (n_samples, n_neighbors)
            Places of the training rows.
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        check_value(type(self).__name__, "n_neighbors", PositiveInt, k)
        itself = X is None
        rows = self._training_rows if itself else self._check_queries(X)
        n = self._index.rows.shape[0] - itself
        if k > n:
            allowed = f"must lie between 1 and {n}" if n else "asks for others than the only row"
            raise ValueError(f"{type(self).__name__}: n_neighbors {allowed}, got {k}.")
        distances, index = self._index.query(rows, k + itself)
        if itself:
            distances, index = without_itself(distances, index)
        return (distances, index) if return_distance else index

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """Return the graph that leads from each sample to its nearest training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Samples; the training rows, each without itself, unless given.
        n_neighbors : int, optional
            How many; as in the constructor unless given.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an edge is 1 or as long as the distance.

        Returns
        -------
        graph : CSR matrix of shape (n_samples, n_samples_fit)
            One row per sample.
        """
        self._check_mode("kneighbors_graph", mode)
        distances, index = self.kneighbors(X, n_neighbors)
        edges = distances if mode == "distance" else np.ones_like(distances)
        starts = np.arange(len(index) + 1) * index.shape[1]
        shape = len(index), self._index.rows.shape[0]
        return csr_matrix((edges.ravel(), index.ravel(), starts), shape=shape)

    def _check_mode(self, method, mode):
        modes = Literal["connectivity", "distance"]
        check_value(f"{type(self).__name__}.{method}", "mode", modes, mode)

    def _fit_index(self, X):
        name, n = type(self).__name__, X.shape[0]
        refuse_sparse(name, X, self.metric, self.p)
        if "p" in (self.metric_params or {}):
            warnings.warn(
                f"{name}: Parameter p is found in metric_params. The corresponding parameter from "
                "__init__ is ignored.",
                SyntaxWarning,
                stacklevel=3,
            )
        metric = resolve_metric(name, self.metric, X, self.p, self.metric_params)
        if self.metric == "precomputed":
            check_pairs(name, X)
        if self.n_neighbors > n:
            raise ValueError(
                f"{name}: n_neighbors={self.n_neighbors} needs as many training rows, got "
                f"n_samples = {n}."
            )
        refuse_extremes(name, X, metric)
        refuse_gaps(name, X, metric, sparse=issparse(X))
        self._training_rows, self.n_samples_fit_ = X, n
        self._index = NeighborIndex(X, metric, self.p, self._checked_weights(X))
        self.effective_metric_ = self.metric
        self.effective_metric_params_ = dict(self.metric_params or {})
        if isinstance(metric, NamedDistance):
            self.effective_metric_params_ |= metric.params
        elif self.metric == "minkowski":
            self.effective_metric_ = metric

    def _checked_weights(self, X):
        name, weights = type(self).__name__, self.feature_weights
        if weights is None:
            return None
        power = minkowski_power(self.metric, self.p)
        if power is None or np.isinf(power):
            raise ValueError(
                f"{name}: feature_weights belong to the metrics 'minkowski', 'euclidean' and "
                f"'manhattan', got metric={self.metric!r}. Scale the features of X instead."
            )
        weights = np.asarray(weights)
        fit = weights.shape == (X.shape[1],) and weights.dtype.kind in "biuf"
        if not fit or not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError(
                f"{name}: feature_weights must be {X.shape[1]} numbers that are not "
                f"negative, got {self.feature_weights!r}."
            )
        return weights.astype(X.dtype)

    def _check_queries(self, X):
        name, X = type(self).__name__, check_new(self, X, sparse=True, allow_nan=True)
        if self.metric == "precomputed":
            check_lengths(name, X)
        refuse_extremes(name, X, self._index.metric, queries=True)
        sparse = issparse(X) or issparse(self._training_rows)
        refuse_gaps(name, X, self._index.metric, sparse=sparse)
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = takes_gaps(self.metric, self.p)
        tags.input_tags.sparse = takes_sparse(self.metric, self.p)
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def neighbor_weights(model, distances):
    """Return the weight of each neighbour; one at distance zero outweighs all others."""
    weights = model.weights
    if weights is None or weights == "uniform":
        return np.ones_like(distances)
    if callable(weights):
        return _checked_votes(model, weights(distances), distances)
    nearest = distances[:, :1]
    with np.errstate(divide="ignore", invalid="ignore"):
        # relative to the nearest one, so that no power overflows
        relative = (nearest / distances) ** POWERS[weights]
    relative = np.where(np.isinf(nearest), 1, relative)  # nothing in common with any neighbour
    return np.where(nearest > 0, relative, distances == 0).astype(distances.dtype)


def _checked_votes(model, votes, distances):
    """Return what a function made of the distances; infinite weights outweigh all others."""
    name, votes = type(model).__name__, np.asarray(votes)
    wanted = f"{name}: weights must turn an array of distances into weights of its shape"
    if votes.shape != distances.shape:
        raise ValueError(f"{wanted}, {distances.shape}, got {votes.shape}.")

    # A neighbour at distance zero has an infinite vote: only such neighbours count then.
    infinite = np.isposinf(votes)
    votes = np.where(infinite.any(axis=1, keepdims=True), infinite, votes)
    sums = votes.sum(axis=1)
    bad = ~np.isfinite(sums) | (sums <= 0)
    if bad.any():
        raise ValueError(
            "All neighbors of some sample is getting zero weights. Please modify 'weights' to "
            f"avoid this case: {wanted}, whose sum is positive in each row, got {votes[bad][0]} "
            f"for the distances {distances[bad][0]}."
        )
    return votes.astype(distances.dtype, copy=False)
