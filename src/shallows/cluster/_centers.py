"""The base of estimators with centres: answers, enough samples, checked starts, rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.metrics import pairwise

from shallows._core.contract.data import check_new, check_weights
from shallows._core.contract.magnitude import check_magnitude
from shallows._core.contract.params import NumberArray
from shallows._core.numerics.distances import euclidean_distances
from shallows._core.numerics.kmeans import DenseRows, SparseRows, place_centers, search_once
from shallows._core.numerics.threads import hold_threads

Init = Literal["k-means++", "random", "assignment"] | NumberArray | Callable[..., Any]
ONE_THREAD_WORK = 2**17  # products that BLAS computes on one thread anyway


class CentersMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin):
    """Answers from `cluster_centers_`: nearest centre, distances to all, cost."""

    _takes_sparse = True

    def predict(self, X):
        """Return the cluster with the nearest centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, as `fit` takes them.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Index of the cluster of each sample.
        """
        X = check_new(self, X, sparse=self._takes_sparse, unread=True)
        with _threads_for(X, self.cluster_centers_):
            if issparse(X):
                return SparseRows(X, np.ones(X.shape[0])).finish(self.cluster_centers_)[0]
            search = search_once(X, self.cluster_centers_.astype(X.dtype, copy=False))
        if search.n_lost:
            check_new(self, X)  # refuses NaN
        return search.labels

    def transform(self, X):
        """Return the distance to each centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, dense or sparse as `fit` takes them.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            Euclidean distances.
        """
        return distances_to(check_new(self, X, sparse=self._takes_sparse), self.cluster_centers_)

    def score(self, X, y=None, sample_weight=None):
        """Return the cost with the sign turned, so that larger is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, as `fit` takes them.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; not for memory-mapped and Dask arrays.

        Returns
        -------
        score : float
            Minus the weighted sum of squared distances to the nearest centre.
        """
        return -self._labels_and_cost(X, sample_weight)[1]

    def _labels_and_cost(self, X, sample_weight=None):
        X = check_new(self, X, sparse=self._takes_sparse, unread=True)
        weights = check_weights(sample_weight, X.shape[0], type(self).__name__)
        with _threads_for(X, self.cluster_centers_):
            labels, cost = rows_of(X, weights).finish(self.cluster_centers_)
        if not np.isfinite(cost):
            check_new(self, X, sparse=self._takes_sparse)  # refuses NaN
        return labels, cost

    @property
    def _n_features_out(self):
        return len(self.cluster_centers_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def check_samples(model, X, dtype=np.float64):
    """Raise where there are fewer samples than clusters, or their squares do not fit `dtype`."""
    check_enough(model, X.shape[0])
    check_magnitude(type(model).__name__, X, dtype)


def check_enough(model, n_samples):
    """Raise where there are fewer samples than clusters."""
    if n_samples < model.n_clusters:
        raise ValueError(
            f"n_samples={n_samples} should be >= n_clusters={model.n_clusters}. "
            f"Ask {type(model).__name__} for fewer clusters."
        )


def n_starts(model, several):
    """Return how many starts ``model.n_init`` asks for; several, where chance matters much."""
    if not isinstance(model.init, str) and not callable(model.init):
        if model.n_init not in ("auto", 1):
            name = type(model).__name__
            warnings.warn(
                f"{name}: Explicit initial center position passed: performing only one init in "
                f"{name} instead of n_init={model.n_init}.",
                RuntimeWarning,
                stacklevel=4,
            )
        return 1
    if model.n_init == "auto":
        return 1 if model.init == "k-means++" else several
    return model.n_init


def start_centers(model, X, weights, rng):
    """Return the starting centres that ``model.init`` asks for."""
    init = model.init
    if callable(init):  # written for scikit-learn, it expects a RandomState
        seed = np.random.RandomState(rng.integers(2**32, dtype=np.uint32))
        init = init(X, model.n_clusters, random_state=seed)
    centers = place_centers(X, model.n_clusters, weights, rng, init)
    wanted = {"clusters": model.n_clusters, "features of the data": X.shape[1]}
    for (what, size), found in zip(wanted.items(), centers.shape, strict=True):
        if size != found:
            raise ValueError(
                f"{type(model).__name__}: The shape of the initial centers {centers.shape} does "
                f"not match the number of {what} {size}. init must be of shape "
                f"({model.n_clusters}, {X.shape[1]}), one row per cluster."
            )
    if not np.isfinite(centers).all():
        raise ValueError(f"{type(model).__name__}: init must be finite, got NaN or infinity.")
    return centers


def rows_of(X, weights):
    """Return samples in the form that Lloyd's algorithm takes."""
    return SparseRows(X, weights) if issparse(X) else DenseRows(X, weights)


def distances_to(X, centers):
    """Return the Euclidean distance of each sample to each centre."""
    with _threads_for(X, centers):
        if issparse(X):
            found = pairwise.euclidean_distances(X, centers)
        else:
            found = euclidean_distances(X, centers.astype(X.dtype, copy=False))
    if not np.isfinite(found.sum()):  # of new samples that are far larger than those of `fit`
        check_magnitude("KMeans", X)
    return found


def _threads_for(X, centers):
    """Keep BLAS from starting threads for little work, which may wait long for one another."""
    return hold_threads() if X.shape[0] * centers.size > ONE_THREAD_WORK else nullcontext()
