"""K-medoids."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_new, check_unlabelled, check_weights
from shallows._core.contract.params import NumberArray, PositiveInt, check_params
from shallows._core.contract.precomputed import check_lengths, check_pairs
from shallows._core.contract.rng import RandomState, as_generator
from shallows.cluster import _swaps
from shallows.cluster._centers import check_samples
from shallows.cluster._dissimilarity import (
    Metric,
    check_directions,
    distances_between,
    one_name,
    refuse_condensed,
)


class KMedoids(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    r"""Clustering by samples with the least sum of distances to the others.

    The cost is :math:`\sum_i w_i \min_k d(x_i, m_k)`, where each medoid :math:`m_k` is one of
    the samples. Distances may be any, and since they aren't squared, one far sample has little
    weight.

    "fasterpam" exchanges a medoid for another sample wherever that lowers the cost, until no
    exchange does [1]_. "alternate" moves each medoid to the middle of its cluster and
    assigns again, as k-means does; its minima are worse.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    metric : str, default="euclidean"
        Distance of two samples: "euclidean" or "l2", "manhattan" or "l1", "chebyshev", "cosine",
        "correlation", or "precomputed", where `fit` takes a square array of distances.
    method : {"fasterpam", "alternate"}, default="fasterpam"
        How medoids improve.
    init : {"random", "build"} or array-like, default="random"
        Starting medoids: samples drawn at random, chosen one by one so that each lowers the
        cost most, or the indices of n_clusters samples.
    max_iter : int, default=300
        Largest number of rounds over all samples.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the start.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (n_clusters,)
        The samples that are medoids.
    cluster_centers_ : ndarray of shape (n_clusters, n_features) or None
        These samples; None if distances are given.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample. A medoid is in its own even where another lies at the same place,
        in which `predict` sees the first of the two.
    inertia_ : float
        The cost.
    history_ : dict of str to list of float
        The cost after each round of "fasterpam", before each of "alternate", under ``"loss"``.
    n_iter_ : int
        Rounds over all samples.
    n_swaps_ : int
        Exchanges made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Notes
    -----
    A square array of n^2 distances is held in float64. For more samples than memory allows
    take a random part of them, or `KMeans`.

    References
    ----------
    .. [1] E. Schubert and P. J. Rousseeuw, "Fast and eager k-medoids clustering", Information
       Systems 101, 101804, 2021.

    Examples
    --------
    >>> from shallows.cluster import KMedoids
    >>> model = KMedoids(2, random_state=0).fit([[0.0], [1.0], [2.0], [10.0], [99.0]])
    >>> sorted(model.cluster_centers_.ravel().tolist()), model.inertia_
    ([1.0, 99.0], 11.0)
    """

    def __init__(
        self,
        n_clusters: PositiveInt = 8,
        *,
        metric: Metric = "euclidean",
        method: Literal["fasterpam", "alternate"] = "fasterpam",
        init: Literal["random", "build"] | NumberArray = "random",
        max_iter: PositiveInt = 300,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.method = method
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Find the medoids.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Samples, or their distances if `metric` is "precomputed".
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the cost. A sample of weight zero may be a medoid.

        Returns
        -------
        self : KMedoids
            The fitted estimator.
        """
        check_params(self)
        refuse_condensed("KMedoids", X)
        X, _ = check_unlabelled(self, X)
        weights = check_weights(sample_weight, len(X), "KMedoids")
        check_samples(self, X)
        given, metric = self.metric == "precomputed", one_name(self.metric)
        if given:
            check_pairs("KMedoids", X)
            distances = np.ascontiguousarray(X, dtype=np.float64)
        else:
            check_directions("KMedoids", X, metric)
            distances = distances_between(X, X, metric)

        # FasterPAM swaps against any sample; the alternative moves each medoid within its cluster.
        medoids = self._start(distances, weights)
        improve = self._swap if self.method == "fasterpam" and self.n_clusters > 1 else self._move
        self.history_ = {"loss": []}
        improve(distances, weights, medoids)
        self.medoid_indices_ = medoids
        self.cluster_centers_ = None if given else X[medoids].copy()
        return self

    def predict(self, X):
        """Return the cluster with the nearest medoid.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_training_samples)
            Samples, or their distances to the training samples if `metric` is "precomputed".

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Index of the cluster of each sample.
        """
        return self.transform(X).argmin(axis=1)

    def transform(self, X):
        """Return the distance to each medoid.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_training_samples)
            Samples, or their distances to the training samples if `metric` is "precomputed".

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            Distances.
        """
        X = check_new(self, X)
        if self.metric == "precomputed":
            check_lengths("KMedoids", X)
            return X[:, self.medoid_indices_]
        metric = one_name(self.metric)
        check_directions("KMedoids", X, metric)
        return distances_between(X, self.cluster_centers_, metric).astype(X.dtype, copy=False)

    def score(self, X, y=None, sample_weight=None):
        """Return the cost with the sign turned, so that larger is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_training_samples)
            Samples, or their distances to the training samples if `metric` is "precomputed".
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        score : float
            Minus the weighted sum of distances to the nearest medoid.
        """
        nearest = self.transform(X).min(axis=1)
        return -float(check_weights(sample_weight, len(nearest), "KMedoids") @ nearest)

    def _start(self, distances, weights):
        n = len(distances)
        if not isinstance(self.init, str):
            medoids = np.array(self.init)
            whole = medoids.shape == (self.n_clusters,) and medoids.dtype.kind in "iu"
            if not whole or len(np.unique(medoids)) < len(medoids) or not _within(medoids, n):
                raise ValueError(
                    f"KMedoids: init must be {self.n_clusters} different indices of samples from "
                    f"0 to {n - 1}, got {self.init!r}."
                )
            return medoids.astype(np.int64)
        if self.init == "random":
            rng = as_generator(self.random_state)
            return rng.choice(n, self.n_clusters, replace=False)
        medoids = np.empty(self.n_clusters, np.int64)
        _swaps.build(distances, weights, medoids)
        return medoids

    def _swap(self, distances, weights, medoids):
        known = _swaps.nearest_medoids(distances, medoids)
        idle, at, self.n_swaps_ = np.zeros(1, np.int64), 0, 0
        for n_iter in range(1, self.max_iter + 1):
            at, swaps = _swaps.swap_pass(distances, weights, medoids, known, at, idle)
            self.n_iter_, self.n_swaps_ = n_iter, self.n_swaps_ + swaps
            self.history_["loss"].append(float(weights @ known.near))
            if idle[0] >= len(distances):
                break
        self._finish(distances, weights, medoids, settled=idle[0] >= len(distances))

    def _move(self, distances, weights, medoids):
        self.n_swaps_, moved = 0, 1
        for n_iter in range(1, self.max_iter + 1):
            own, near, _, _ = _swaps.nearest_medoids(distances, medoids)
            self.history_["loss"].append(float(weights @ near))
            moved = _swaps.move_to_middle(distances, weights, medoids, own)
            self.n_iter_, self.n_swaps_ = n_iter, self.n_swaps_ + moved
            if not moved:
                break
        self._finish(distances, weights, medoids, settled=not moved)

    def _finish(self, distances, weights, medoids, settled):
        own, near, _, _ = _swaps.nearest_medoids(distances, medoids)
        self.labels_, self.inertia_ = own.astype(np.int64), float(weights @ near)
        if not settled:
            warnings.warn(
                f"KMedoids stopped after max_iter={self.max_iter} rounds before it converged. "
                "Raise max_iter.",
                ConvergenceWarning,
                stacklevel=4,
            )

    @property
    def _n_features_out(self):
        return len(self.medoid_indices_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _within(medoids, n):
    return medoids.min() >= 0 and medoids.max() < n
