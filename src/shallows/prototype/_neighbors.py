"""What the nearest-neighbour methods share: the search, and the weights of neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from shallows._core.data import check_new
from shallows._core.neighbors import NeighborIndex
from shallows.prototype._nearest import refuse_empty_rows

Weights = Literal["uniform", "distance", "inverse-square"] | Callable
POWERS = {"distance": 1, "inverse-square": 2}
SPARSE_METRICS = ("euclidean", "cosine")


class NeighborsMixin(BaseEstimator):
    """Answers from the training rows nearest to a sample; a gap is left out of a distance."""

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
        itself = X is None
        rows = self._training_rows if itself else self._check_queries(X)
        n = self._index.rows.shape[0] - itself
        if not 0 < k <= n:
            raise ValueError(
                f"{type(self).__name__}: n_neighbors must lie between 1 and {n}, got {k}."
            )
        distances, index = self._index.query(rows, k + itself)
        if itself:
            distances, index = _without_itself(distances, index)
        return (distances, index) if return_distance else index

    def _fit_index(self, X):
        name, n = type(self).__name__, X.shape[0]
        if self.metric == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"{name}: metric='precomputed' needs a square matrix of distances between the "
                f"training rows, got shape {X.shape}."
            )
        if self.metric == "precomputed":
            uneven = np.abs(X - X.T).max() > 1e-8 * np.abs(X).max()
            if uneven or X.min() < 0:
                raise ValueError(
                    f"{name}: metric='precomputed' needs distances that are symmetric and not "
                    "negative."
                )
        if self.n_neighbors > n:
            raise ValueError(
                f"{name}: n_neighbors={self.n_neighbors} needs as many training rows, got "
                f"n_samples = {n}."
            )
        if issparse(X) and self.metric not in SPARSE_METRICS:
            raise ValueError(
                f"{name} takes sparse data with metric 'euclidean' or 'cosine', "
                f"got {self.metric!r}."
            )
        weights = self.feature_weights
        if weights is not None:
            weights = np.asarray(weights, dtype=X.dtype)
            if weights.shape != (X.shape[1],) or not np.all(weights >= 0):
                raise ValueError(
                    f"{name}: feature_weights must be {X.shape[1]} numbers that are not "
                    f"negative, got {self.feature_weights!r}."
                )
        self._training_rows = refuse_empty_rows(self, X)
        self._index = NeighborIndex(X, self.metric, self.p, weights)

    def _check_queries(self, X):
        X = check_new(self, X, sparse=True, allow_nan=True)
        return refuse_empty_rows(self, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.metric != "precomputed"
        tags.input_tags.sparse = self.metric in SPARSE_METRICS
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def neighbor_weights(distances, weights):
    """Return the weight of each neighbour; one at distance zero outweighs all others."""
    if weights == "uniform":
        return np.ones_like(distances)
    if callable(weights):
        return np.asarray(weights(distances), dtype=distances.dtype)
    nearest = distances[:, :1]
    with np.errstate(divide="ignore", invalid="ignore"):
        # relative to the nearest one, so that no power overflows
        relative = (nearest / distances) ** POWERS[weights]
    return np.where(nearest > 0, relative, distances == 0).astype(distances.dtype)


def _without_itself(distances, index):
    """Drop each row's own place, or the last one where copies crowd it out."""
    own = index == np.arange(len(index))[:, None]
    own[:, -1] |= ~own.any(axis=1)
    shape = (len(index), index.shape[1] - 1)
    return distances[~own].reshape(shape), index[~own].reshape(shape)
