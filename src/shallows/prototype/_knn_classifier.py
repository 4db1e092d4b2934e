"""Classification by the nearest training rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin

from shallows._core.data import check_labelled
from shallows._core.neighbors import Metric
from shallows._core.params import PositiveFloat, PositiveInt, check_params
from shallows.prototype._neighbors import NeighborsMixin, Weights, neighbor_weights


class KNeighborsClassifier(ClassifierMixin, NeighborsMixin):
    r"""Vote of the k nearest training rows.

    A missing value (NaN) is left out of a Minkowski or Hamming distance, which is scaled up by
    the share of features that are left; rows that have no feature in common are infinitely far
    apart. A tie goes to the class that comes first in `classes_`. Neighbours are found in a
    KD-tree for many rows of few features, otherwise in blocks of inner products.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours that vote. The model has about n / k parameters, so that a large
        k means a simple model.
    weights : {"uniform", "distance", "inverse-square"} or callable, default="uniform"
        Weight of a vote: 1, :math:`1/d` or :math:`1/d^2`; a callable turns an array of distances
        into one of weights. Neighbours at distance 0 outvote all others.
    metric : str or callable, default="minkowski"
        "minkowski"; "euclidean", "l2" or "nan_euclidean"; "manhattan", "cityblock" or "l1";
        "chebyshev"; "cosine", where a row of zeros is 1 away from all rows; "hamming", the share
        of features that differ; "precomputed"; or a function of two rows.
    p : float, default=2
        Power of "minkowski": 2 is Euclid's distance.
    feature_weights : array-like of shape (n_features,), optional
        Weight of each feature in a Minkowski distance of finite power, such as the relevances
        of `GRLVQ`.

    Attributes
    ----------
    classes_ : ndarray
        Class labels.
    n_samples_fit_ : int
        Number of training rows.

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
        metric: Metric = "minkowski",
        p: PositiveFloat = 2,
        feature_weights: ArrayLike | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.p = p
        self.feature_weights = feature_weights

    def fit(self, X, y):
        """Keep the training rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples; distances between them with a precomputed metric.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : KNeighborsClassifier
            The fitted estimator.
        """
        check_params(self)
        X, labels, _ = check_labelled(self, X, y, sparse=True, allow_nan=True)
        self._fit_index(X)
        self._labels = labels
        self.n_samples_fit_ = X.shape[0]
        return self

    def predict(self, X):
        """Return the class with most votes.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples; distances to the training rows with a precomputed metric.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        votes = self._votes(X)
        return self.classes_[votes.argmax(axis=1)]

    def predict_proba(self, X):
        """Return the share of the votes of each class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
            They sum to 1 in each row.
        """
        votes = self._votes(X)
        return votes / votes.sum(axis=1, keepdims=True)

    def _votes(self, X):
        distances, index = self.kneighbors(X)
        weights = neighbor_weights(self, distances)
        rows = np.arange(len(index))[:, None] * len(self.classes_)
        places = (rows + self._labels[index]).ravel()
        size = len(index) * len(self.classes_)
        votes = np.bincount(places, weights.ravel(), minlength=size)
        return votes.reshape(len(index), -1).astype(weights.dtype, copy=False)
