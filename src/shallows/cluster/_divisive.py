"""Divisive clustering."""

from __future__ import annotations

import heapq
import warnings
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_unlabelled
from shallows._core.contract.magnitude import check_magnitude
from shallows._core.contract.params import PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.threads import hold_threads
from shallows.cluster._centers import CentersMixin, check_enough
from shallows.cluster._cut_clusters import halves, whole


class DivisiveClustering(CentersMixin, BaseEstimator):
    """Clustering by splitting, from one cluster of all samples on.

    Always the cluster with the largest sum of squares is cut in two: by k-means with two
    centres, or across its direction of largest variance, at the mean. Every split lowers the
    sum of squares. A few splits of many samples are quicker than all their merges.

    Parameters
    ----------
    n_clusters : int or None, default=8
        Number of clusters; with None splits go on until all samples of a cluster are equal.
    split : {"kmeans", "principal"}, default="kmeans"
        How a cluster is cut.
    n_init : int, default=3
        Starts of k-means for each split.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the starts of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample; of a sample of weight zero the one with the nearest mean. A sample
        may be nearer to the mean of a cluster that was split off earlier, which `predict` returns.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Means of the clusters.
    inertia_ : float
        The weighted sum of squared distances to the means.
    costs_ : ndarray of shape (n_clusters_,)
        The sum of squares with 1, 2, ... clusters.
    linkage_matrix_ : ndarray of shape (n_clusters_ - 1, 4)
        The splits from the last to the first as merges of clusters in SciPy's format. The height
        of a merge is the sum of squares of the cluster that was split.
    n_clusters_ : int
        Number of clusters found.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.cluster import DivisiveClustering
    >>> X = [[0.0], [1.0], [9.0], [10.0], [30.0]]
    >>> model = DivisiveClustering(3, random_state=0).fit(X)
    >>> model.costs_
    array([582.,  82.,   1.])
    """

    def __init__(
        self,
        n_clusters: PositiveInt | None = 8,
        *,
        split: Literal["kmeans", "principal"] = "kmeans",
        n_init: PositiveInt = 3,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.split = split
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Split the samples.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the sum of squares.

        Returns
        -------
        self : DivisiveClustering
            The fitted estimator.
        """
        check_params(self)
        given = X
        X, weights = check_unlabelled(self, X, sample_weight, sparse=True)
        check_magnitude("DivisiveClustering", X, X.dtype)
        if self.n_clusters is not None:
            check_enough(self, X.shape[0])
        rng, n = as_generator(self.random_state), X.shape[0]
        # Always split the part of the largest cost; the heap has it on top.
        parts, splits = [whole(X, weights)], []
        queue = [(-parts[0].cost, 0)]
        with hold_threads():
            while len(splits) + 1 < (self.n_clusters or n) and queue[0][0] < 0:
                _, number = heapq.heappop(queue)
                for half in halves(parts[number], self.split, self.n_init, rng):
                    parts.append(half)
                    heapq.heappush(queue, (-half.cost, len(parts) - 1))
                splits.append((number, len(parts) - 2, len(parts) - 1))
                parts[number] = parts[number]._replace(
                    X=None, weights=None, rows=None
                )  # only the moments of a split part are needed from now on
        self._keep(X, parts, splits)
        if sample_weight is not None and not np.asarray(sample_weight).all():
            labels, self.labels_ = self.labels_, self.predict(given)
            self.labels_[np.asarray(sample_weight) > 0] = labels
        return self

    @property
    def linkage_matrix_(self):
        """The splits as merges in SciPy's format, in double precision as SciPy wants it."""
        return self._tree

    def _keep(self, X, parts, splits):
        leaves = sorted(set(range(len(parts))) - {number for number, _, _ in splits})
        self.n_clusters_ = len(leaves)
        self.labels_ = np.empty(X.shape[0], np.int64)
        for label, number in enumerate(leaves):
            self.labels_[parts[number].rows] = label
        self.cluster_centers_ = np.array([parts[number].mean for number in leaves], dtype=X.dtype)

        # What each split has lowered the cost by; summed up from the end, the cost of each number
        # of parts.
        gains = [parts[a].cost - parts[b].cost - parts[c].cost for a, b, c in splits]
        self.inertia_ = float(sum(parts[number].cost for number in leaves))
        later = np.concatenate([np.cumsum(gains[::-1])[::-1], [0.0]])
        self.costs_ = (self.inertia_ + later).astype(X.dtype)
        self._tree = _as_merges(parts, splits, leaves)
        if self.n_clusters is not None and len(leaves) < self.n_clusters:
            warnings.warn(
                f"DivisiveClustering found {len(leaves)} distinct samples, fewer than n_clusters="
                f"{self.n_clusters}.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _as_merges(parts, splits, leaves):
    """Return the linkage matrix: the last split first, whose sum of squares was the smallest."""
    name = {number: label for label, number in enumerate(leaves)}
    size = dict.fromkeys(leaves, 1)
    tree, height = np.empty((len(splits), 4)), 0.0
    for row, (number, a, b) in enumerate(reversed(splits)):
        size[number] = size[a] + size[b]
        name[number] = len(leaves) + row
        height = max(height, parts[number].cost)  # by rounding a part may exceed the whole
        tree[row] = *sorted((name[a], name[b])), height, size[number]
    return tree
