"""Decisions of the LVQ classifiers by distances to prototypes."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin

from shallows._core.contract.data import check_new
from shallows._core.contract.gaps import one_entry_each, refuse_sparse_gaps


class NearestPrototypeMixin(ClassifierMixin):
    """Decides by the distances to prototypes, which `_distances` of the estimator returns.

    A missing value (NaN) is left out of a distance. It is missing in the distances to all
    prototypes alike, so that they stay comparable.
    """

    _takes_sparse = False

    def predict(self, X):
        """Return the class of the nearest prototype.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        distances = self._distances(check_queries(self, X, sparse=self._takes_sparse))
        return self.classes_[self.prototype_labels_[distances.argmin(axis=1)]]

    def decision_function(self, X):
        """Return how clearly a sample belongs to each class, by relative distance.

        With ``d`` the squared distance to the nearest prototype of a class and ``r`` to
        the nearest of all others, the value is ``(r - d) / (r + d)``, between -1 and 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples, n_classes) or (n_samples,)
            With two classes, the values of ``classes_[1]`` alone.
        """
        distances = self._distances(check_queries(self, X, sparse=self._takes_sparse))
        own = nearest_of_each_class(distances, self.prototype_labels_)
        two_nearest = np.partition(own, 1, axis=0)
        rest = np.where(own == two_nearest[0], two_nearest[1], two_nearest[0])
        values = ((rest - own) / np.maximum(rest + own, np.finfo(own.dtype).tiny)).T
        return values[:, 1].copy() if len(self.classes_) == 2 else values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._takes_sparse
        return tags


def nearest_of_each_class(distances, labels):
    """Return the distance to the nearest prototype of each class, one row per class."""
    return np.stack([distances[:, labels == k].min(axis=1) for k in range(labels[-1] + 1)])


def check_queries(model, X, *, sparse=False):
    """Return X for a fitted model; NaN is a missing value."""
    X = check_new(model, X, sparse=sparse, allow_nan=True)
    refuse_sparse_gaps(type(model).__name__, X)
    return one_entry_each(X)
