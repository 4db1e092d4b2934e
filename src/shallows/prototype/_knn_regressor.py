"""Regression by the nearest training rows."""

from __future__ import annotations

import numpy as np
from sklearn.base import RegressorMixin

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import (
    NJobs,
    NumberArray,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.numerics.neighbors import Metric
from shallows.prototype._neighbors import NeighborsMixin, Search, Weights, neighbor_weights


class KNeighborsRegressor(RegressorMixin, NeighborsMixin):
    r"""Mean target of the k nearest training rows.

    With all rows as neighbours it is the mean of the targets, with one it steps from target to
    target. A missing value (NaN) is left out of a Minkowski or Hamming distance.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours.
    weights : {"uniform", "distance", "inverse-square"}, callable or None, default="uniform"
        Weight of a neighbour in the mean: 1, :math:`1/d` or :math:`1/d^2`; a callable turns an
        array of distances into one of weights, None is "uniform". Neighbours at distance 0, or
        of infinite weight, outweigh all others.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        Taken for scikit-learn's sake; the search is chosen by the data, and the result is
        the same.
    leaf_size : int, default=30
        Taken for scikit-learn's sake; the size of leaves is chosen by the data.
    p : float, default=2
        Power of "minkowski": 2 is Euclid's distance, 1 the "manhattan" distance, and a large
        one tends to "chebyshev".
    metric : str or callable, default="minkowski"
        "minkowski"; "euclidean", "l2" or "nan_euclidean"; "manhattan", "cityblock" or "l1";
        "chebyshev"; "cosine", where a row of zeros is 1 away from all rows; "hamming", the share
        of features that differ; "precomputed"; another name of SciPy's `cdist`; "haversine"; or
        a function of two rows.
    metric_params : dict or None, default=None
        Parameters of the metric: `p` and `w`, weights of the features, of a Minkowski
        distance; keyword arguments of a function.
    n_jobs : int or None, default=None
        Number of threads: None takes as many as the process may use, -1 all cores.
    feature_weights : array-like of shape (n_features,), optional
        Weight of each feature in a Minkowski distance of finite power.

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
    >>> from shallows.prototype import KNeighborsRegressor
    >>> model = KNeighborsRegressor(2).fit([[0.0], [1.0], [5.0]], [1.0, 2.0, 9.0])
    >>> model.predict([[0.4], [4.0]])
    array([1.5, 5.5])
    """

    def __init__(
        self,
        n_neighbors: PositiveInt = 5,
        *,
        weights: Weights = "uniform",
        algorithm: Search = "auto",
        leaf_size: PositiveInt = 30,
        p: PositiveFloat = 2,
        metric: Metric = "minkowski",
        metric_params: dict | None = None,
        n_jobs: NJobs = None,
        feature_weights: NumberArray | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.feature_weights = feature_weights

    def fit(self, X, y):
        """Keep the training rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples; distances between them with a precomputed metric.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.

        Returns
        -------
        self : KNeighborsRegressor
            The fitted estimator.
        """
        check_params(self)
        X, targets, _ = check_regression(self, X, y, sparse=True, allow_nan=True)
        self._fit_index(X)
        self._targets = targets
        return self

    def predict(self, X):
        """Return the weighted mean of the neighbours' targets.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples; distances to the training rows with a precomputed metric.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        distances, index = self.kneighbors(X)
        weights = neighbor_weights(self, distances)
        weights = weights / weights.sum(axis=1, keepdims=True)
        return np.einsum("ik,ik...->i...", weights, self._targets[index])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
