"""Classification by the nearest training rows."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin

from shallows._core.contract.data import check_labelled, check_outputs
from shallows._core.contract.params import (
    NJobs,
    NumberArray,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.numerics.neighbors import Metric
from shallows.prototype._neighbors import NeighborsMixin, Search, Weights, neighbor_weights


class KNeighborsClassifier(ClassifierMixin, NeighborsMixin):
    r"""Vote of the k nearest training rows.

    A missing value (NaN) is left out of a Minkowski or Hamming distance, which is scaled up by
    the share of features that are left; rows that have no feature in common are infinitely far
    apart. A tie goes to the class that comes first in `classes_`. Neighbours are found in a
    tree where that spares distances, otherwise in blocks of inner products.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours that vote. The model has about n / k parameters, so that a large
        k means a simple model.
    weights : {"uniform", "distance", "inverse-square"}, callable or None, default="uniform"
        Weight of a vote: 1, :math:`1/d` or :math:`1/d^2`; a callable turns an array of distances
        into one of weights, None is "uniform". Neighbours at distance 0, or of infinite weight,
        outvote all others.
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
        Weight of each feature in a Minkowski distance of finite power, such as the relevances
        of `GRLVQ`.

    Attributes
    ----------
    classes_ : ndarray or list of ndarray
        Class labels; a list, one array per output, where `y` had several columns.
    outputs_2d_ : bool
        Whether `y` had several columns.
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
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier(7).fit(X, y)
    >>> model.predict(X[:3]), round(model.score(X, y), 3)
    (array([0, 0, 0]), 0.973)
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
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels; each column is an output of its own.

        Returns
        -------
        self : KNeighborsClassifier
            The fitted estimator.
        """
        check_params(self)
        shape = y.shape if issparse(y) else np.asarray(y).shape
        self.outputs_2d_ = len(shape) == 2 and shape[1] > 1
        if self.outputs_2d_:
            X, self._labels = check_outputs(self, X, y, sparse=True, allow_nan=True)
        else:
            X, self._labels, _ = check_labelled(self, X, y, sparse=True, allow_nan=True)
        self._fit_index(X)
        return self

    def predict(self, X):
        """Return the class with most votes.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples; distances to the training rows with a precomputed metric.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Class labels.
        """
        votes = self._votes(X)
        if not self.outputs_2d_:
            return self.classes_[votes.argmax(axis=1)]
        pairs = zip(self.classes_, votes, strict=True)
        return np.stack([classes[each.argmax(axis=1)] for classes, each in pairs], axis=1)

    def predict_proba(self, X):
        """Return the share of the votes of each class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples; distances to the training rows with a precomputed metric.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes), or list of such arrays
            They sum to 1 in each row; a list, one array per output, where `y` had several
            columns.
        """
        votes = self._votes(X)
        if not self.outputs_2d_:
            return votes / votes.sum(axis=1, keepdims=True)
        return [each / each.sum(axis=1, keepdims=True) for each in votes]

    def _votes(self, X):
        """Return the votes for each class, as a list where there are several outputs."""
        distances, index = self.kneighbors(X)
        weights = neighbor_weights(self, distances)
        if not self.outputs_2d_:
            return _count(self._labels[index], weights, len(self.classes_))
        pairs = zip(self.classes_, self._labels.T, strict=True)
        return [_count(labels[index], weights, len(classes)) for classes, labels in pairs]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


def _count(labels, weights, n_classes):
    """Return the sum of the weights of each class in each row."""
    places = np.arange(len(labels))[:, None] * n_classes + labels
    votes = np.bincount(places.ravel(), weights.ravel(), minlength=len(labels) * n_classes)
    return votes.reshape(len(labels), -1).astype(weights.dtype, copy=False)
