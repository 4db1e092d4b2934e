"""K-means."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_unlabelled
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, Verbose, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.kmeans import Lloyd, StreamRows
from shallows._core.numerics.streams import (
    check_stream,
    float_type,
    is_stream,
    map_rows,
    sample_rows,
)
from shallows._core.numerics.threads import hold_threads
from shallows.cluster._centers import (
    CentersMixin,
    Init,
    check_enough,
    check_samples,
    distances_to,
    n_starts,
    rows_of,
    start_centers,
)

STREAM_SAMPLE_PER_CLUSTER = 1000


class KMeans(CentersMixin, IterativeMixin, BaseEstimator):
    r"""Clustering by centres with the least sum of squared distances.

    Lloyd's algorithm assigns each sample to the nearest centre, moves each centre to the
    mean of its samples, and repeats [1]_. The cost
    :math:`\sum_i w_i \min_k \|x_i - c_k\|^2` never rises, and a local minimum is reached after
    finitely many steps. Where there are many centres or features, bounds from the triangle
    inequality replace most distances [2]_; the result is that of an exhaustive search.

    A memory-mapped file or a Dask array is read block by block, one pass per iteration, and
    need not fit in memory; starting centres then come from a random part of the rows.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "random", "assignment"}, array-like or callable, default="k-means++"
        Starting centres: samples drawn far from one another [3]_, samples drawn at random,
        means of a random partition, an array of shape (n_clusters, n_features), or a function
        that returns one, called as ``init(X, n_clusters, random_state=...)`` with a RandomState.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the best is kept. "auto" means 10 for "random", "assignment"
        and a function, else 1. From given centres there is one start.
    max_iter : int, default=300
        Largest number of iterations of one start.
    tol : float, default=1e-4
        A start ends when the squared ways of all centres in one iteration sum up to no more
        than this times the mean variance of the features.
    verbose : int or bool, default=0
        Whether to report the cost of each iteration.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the starting centres.
    copy_x : bool, default=True
        Taken for scikit-learn's sake: X is never changed, and copied only where it must
        be.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        Taken for scikit-learn's sake; which distances are computed follows from the data,
        and the result is the same.
    empty : {"reseed", "drop"}, default="reseed"
        A cluster that loses all its samples gets the sample farthest from its centre, or is
        left out of the result.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training sample.
    inertia_ : float
        The cost: the weighted sum of squared distances to the nearest centre.
    history_ : dict of str to list of float
        The cost after each iteration of the best start under ``"loss"``.
    n_iter_ : int
        Iterations of the best start.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Notes
    -----
    A callback sees the iterations of all starts, one after the other.

    References
    ----------
    .. [1] S. P. Lloyd, "Least squares quantization in PCM", IEEE Transactions on
       Information Theory 28, 129-137, 1982.
    .. [2] Y. Ding et al., "Yinyang K-means: a drop-in replacement of the classic K-means
       with consistent speedup", ICML, 2015.
    .. [3] D. Arthur and S. Vassilvitskii, "k-means++: the advantages of careful seeding",
       SODA, 1027-1035, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.cluster import KMeans
    >>> X, _ = load_iris(return_X_y=True)
    >>> model = KMeans(3, n_init=5, random_state=0).fit(X)
    >>> round(model.inertia_, 2)
    78.85
    """

    _takes_any_size = True  # samples are scaled where their squares overflow

    def __init__(
        self,
        n_clusters: PositiveInt = 8,
        *,
        init: Init = "k-means++",
        n_init: Literal["auto"] | PositiveInt = "auto",
        max_iter: PositiveInt = 300,
        tol: NonNegativeFloat = 1e-4,
        verbose: Verbose = 0,
        random_state: RandomState = None,
        copy_x: bool = True,
        algorithm: Literal["lloyd", "elkan"] = "lloyd",
        empty: Literal["reseed", "drop"] = "reseed",
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.empty = empty

    def fit(self, X, y=None, sample_weight=None):
        """Find the centres.

        Parameters
        ----------
        X : array-like, CSR matrix, memory-mapped or Dask array of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,), default=None
            Not used to find the centres; handed to the callbacks.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the cost; not for memory-mapped and Dask arrays.

        Returns
        -------
        self : KMeans
            The fitted estimator.
        """
        check_params(self)
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warnings.warn(
                "KMeans: algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' "
                "instead.",
                RuntimeWarning,
                stacklevel=3,
            )
        data, weights, rows = self._check(X, sample_weight)
        streams = as_generator(self.random_state).spawn(n_starts(self, 10))
        run = Training(
            self,
            self.max_iter,
            state=("cluster_centers_",),
            X=X,
            y=y,
            sample_weight=sample_weight,
        )
        with hold_threads():
            for stream in run.starts(streams):
                lloyd = Lloyd(rows, self._start(data, weights, stream), self.tol, self.empty)
                for _ in run.epochs():
                    run.record(lloyd.step())
                    self.cluster_centers_ = lloyd.centers
                    if lloyd.settled:  # the centres moved by less than `tol` asks for
                        run.stop("tol")
                run.keep(lloyd)
        self._keep(run.best().result, X, sample_weight)
        return self

    def predict(self, X):
        """Return the cluster with the nearest centre.

        Parameters
        ----------
        X : array-like, CSR matrix, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Index of the cluster of each sample.
        """
        return self._labels_and_cost(X)[0] if is_stream(X) else super().predict(X)

    def transform(self, X):
        """Return the distance to each centre.

        Parameters
        ----------
        X : array-like, CSR matrix, memory-mapped or Dask array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        distances : ndarray or Dask array of shape (n_samples, n_clusters)
            Euclidean distances.
        """
        if not is_stream(X):
            return super().transform(X)
        check_stream(self, X, reset=False)
        distances = partial(distances_to, centers=self.cluster_centers_)
        return map_rows(distances, X, len(self.cluster_centers_), float_type(X.dtype))

    def _check(self, X, sample_weight):
        """Return training data, weights, and both in the form that Lloyd's algorithm takes."""
        if is_stream(X):
            _refuse_weights(sample_weight)
            check_stream(self, X)
            check_enough(self, X.shape[0])
            return X, None, StreamRows(X)
        X, weights = check_unlabelled(self, X, sample_weight, sparse=True)
        check_samples(self, X, X.dtype if issparse(X) else np.float64)
        return X, weights, rows_of(X, weights)

    def _labels_and_cost(self, X, sample_weight=None):
        if not is_stream(X):
            return super()._labels_and_cost(X, sample_weight)
        _refuse_weights(sample_weight)
        check_stream(self, X, reset=False)
        with hold_threads():
            return StreamRows(X).finish(self.cluster_centers_)

    def _start(self, X, weights, rng):
        if is_stream(X):
            X = sample_rows(X, STREAM_SAMPLE_PER_CLUSTER * self.n_clusters, rng)
            weights = np.ones(len(X))
        return start_centers(self, X, weights, rng)

    def _keep(self, run, X, sample_weight):
        result = run.finish()
        self.cluster_centers_, self.labels_ = result.centers, result.labels
        self.inertia_, self.n_iter_ = result.inertia, result.n_iter
        self.history_ = {"loss": result.cost}
        if sample_weight is not None and not np.asarray(sample_weight).all():
            self.labels_ = self.predict(X)
        found = len(np.unique(self.labels_))
        if found < self.n_clusters and self.empty == "reseed":
            warnings.warn(
                f"KMeans: Number of distinct clusters ({found}) found smaller than n_clusters "
                f"({self.n_clusters}). X may hold too few different samples.",
                ConvergenceWarning,
                stacklevel=3,
            )
        if not run.settled:
            warnings.warn(
                f"KMeans stopped after {self.n_iter_} iterations before it converged. "
                "Raise max_iter, raise tol, or scale the data.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _refuse_weights(sample_weight):
    if sample_weight is not None:
        raise ValueError(
            "KMeans takes no sample_weight for a memory-mapped or Dask array. "
            "Load the data with np.asarray if they fit in memory."
        )
