"""K-means on small random parts of the data."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_unlabelled
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveInt,
    Probability,
    Verbose,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.threads import hold_threads
from shallows.cluster._centers import (
    CentersMixin,
    Init,
    check_samples,
    n_starts,
    rows_of,
    start_centers,
)
from shallows.cluster._mini_batch_steps import Patience, batch_step


class MiniBatchKMeans(CentersMixin, IterativeMixin, BaseEstimator):
    """K-means that moves its centres after every few samples.

    Each step assigns a random batch of samples to the nearest centres, and each centre becomes
    the mean of all samples it was given so far [1]_. That is quicker than `KMeans` on many
    samples and ends at a slightly higher cost; `partial_fit` learns from data that arrive in
    pieces.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "random", "assignment"}, array-like or callable, default="k-means++"
        Starting centres, see `KMeans`; found on `init_size` samples.
    max_iter : int, default=100
        Largest number of passes, each of n_samples / batch_size batches.
    batch_size : int, default=1024
        Samples in a batch.
    verbose : int or bool, default=0
        Whether to report the cost of each batch.
    compute_labels : bool, default=True
        Whether `fit` finds labels and cost of all training samples at the end.
    random_state : int, RandomState, Generator or None, default=None
        Seeds starts and batches.
    tol : float, default=0.0
        Training ends when the smoothed squared way of the centres in one step falls below this
        times the mean variance of the features.
    max_no_improvement : int or None, default=10
        Training ends after so many batches without a new least smoothed cost.
    init_size : int or None, default=None
        Samples from which the start is found; with None three batches, or three times
        `n_clusters` if that is more.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the one with the least cost on `init_size` samples is kept.
        "auto" means 3 for "random", "assignment" and a function, else 1.
    reassignment_ratio : float, default=0.01
        A centre that was given fewer samples than this share of the most is moved to a
        random sample of the batch, after every ten samples for each cluster.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training sample, after `partial_fit` of the samples given last.
    inertia_ : float
        The cost for these samples: the weighted sum of squared distances to the centres; without
        `compute_labels` an estimate from the last batch.
    history_ : dict of str to list of float
        Cost per unit of weight of each batch, before its step, under ``"loss"``.
    n_steps_ : int
        Batches seen.
    n_iter_ : int
        The same, since each batch is an iteration with an entry in `history_`; scikit-learn counts
        passes over all samples here.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] D. Sculley, "Web-scale k-means clustering", WWW, 1177-1178, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.cluster import MiniBatchKMeans
    >>> X, _ = load_iris(return_X_y=True)
    >>> model = MiniBatchKMeans(3, batch_size=50, random_state=0).fit(X)
    >>> model.inertia_ < 1.05 * 78.85
    True
    """

    _takes_any_size = True  # samples are scaled where their squares overflow

    def __init__(
        self,
        n_clusters: PositiveInt = 8,
        *,
        init: Init = "k-means++",
        max_iter: PositiveInt = 100,
        batch_size: PositiveInt = 1024,
        verbose: Verbose = 0,
        compute_labels: bool = True,
        random_state: RandomState = None,
        tol: NonNegativeFloat = 0.0,
        max_no_improvement: PositiveInt | None = 10,
        init_size: PositiveInt | None = None,
        n_init: Literal["auto"] | PositiveInt = "auto",
        reassignment_ratio: Probability = 0.01,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio

    def fit(self, X, y=None, sample_weight=None):
        """Find the centres.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,), default=None
            Not used to find the centres; handed to the callbacks.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the cost.

        Returns
        -------
        self : MiniBatchKMeans
            The fitted estimator.
        """
        check_params(self)
        data, weights = self._check(X, sample_weight, reset=True)
        n, batch = data.shape[0], min(self.batch_size, data.shape[0])
        rng = as_generator(self.random_state)
        training = Training(
            self,
            self.max_iter * n // batch,
            state=("cluster_centers_",),
            X=X,
            y=y,
            sample_weight=sample_weight,
        )
        with hold_threads():
            self._begin(data, weights, rng)
            # Means of batches are noisy, so that costs and ways are smoothed before they are
            # judged.
            limit = self.tol * rows_of(data, weights).variance
            patience = Patience(limit, self.max_no_improvement, min(1.0, 2 * batch / (n + 1)))
            for _ in training:
                rows = rng.integers(n, size=batch)
                cost, way = self._step(data[rows], weights[rows], rng)
                training.record(cost)
                if patience.ends(cost, way):
                    training.stop("tol")
        self.history_, self.n_iter_ = training.history, training.n_iter
        self.n_steps_ = self.n_iter_
        if self.compute_labels:
            self.labels_, self.inertia_ = self._labels_and_cost(X, sample_weight)
        else:
            vars(self).pop("labels_", None)
            self.inertia_ = self.history_["loss"][-1] * float(weights.sum())
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Go on with one step on these samples; the first call also finds the start.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples, at least `n_clusters` in the first call.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the cost.

        Returns
        -------
        self : MiniBatchKMeans
            The estimator.
        """
        check_params(self)
        first = not hasattr(self, "cluster_centers_")
        data, weights = self._check(X, sample_weight, reset=first)
        if first:
            self._rng = as_generator(self.random_state)
            self._begin(data, weights, self._rng)
            self.n_iter_, self.history_ = 0, {"loss": []}
        elif not hasattr(self, "_rng"):
            self._rng = as_generator(self.random_state)
        cost, _ = self._step(data, weights, self._rng)
        self.history_["loss"].append(cost)
        self.n_iter_ += 1
        self.n_steps_ = self.n_iter_
        self.labels_, self.inertia_ = self._labels_and_cost(X, sample_weight)
        return self

    def _check(self, X, sample_weight, reset):
        X, weights = check_unlabelled(self, X, sample_weight, sparse=True, reset=reset)
        if reset:
            check_samples(self, X, X.dtype if issparse(X) else np.float64)
        return X, weights

    def _begin(self, X, weights, rng):
        """Take the best of several starts on a random part of the data."""
        usual = max(3 * self.batch_size, 3 * self.n_clusters)
        size = min(max(self.init_size or usual, self.n_clusters), X.shape[0])
        rows = rng.choice(X.shape[0], size, replace=False) if size < X.shape[0] else slice(None)
        part, part_weights = X[rows], weights[rows]
        number = n_starts(self, 3)
        starts = [start_centers(self, part, part_weights, rng) for _ in range(number)]
        if number > 1:
            starts.sort(key=lambda centers: rows_of(part, part_weights).finish(centers)[1])
        self.cluster_centers_ = starts[0]
        self._counts = np.zeros(self.n_clusters)
        self._since_moved = 0

    def _step(self, X, weights, rng):
        """Move the centres after one batch; return its mean cost before and their squared way."""
        self._move_rare(X, rng)
        self.cluster_centers_, cost, way = batch_step(
            X, weights, self.cluster_centers_, self._counts
        )
        self._since_moved += X.shape[0]
        return cost, way

    def _move_rare(self, X, rng):
        """Put centres that were given next to nothing on random samples of the batch."""
        if self._since_moved < 10 * self.n_clusters or not self.reassignment_ratio:
            return
        self._since_moved = 0
        rare = np.flatnonzero(self._counts < self.reassignment_ratio * self._counts.max())
        rare = rare[np.argsort(self._counts[rare], kind="stable")][: X.shape[0] // 2]
        if len(rare):
            rows = rng.choice(X.shape[0], len(rare), replace=False)
            chosen = X[np.sort(rows)]
            self.cluster_centers_ = self.cluster_centers_.copy()
            self.cluster_centers_[rare] = chosen.toarray() if issparse(chosen) else chosen
            kept = np.delete(self._counts, rare)
            self._counts[rare] = kept.min() if len(kept) else 0.0
