"""What the linear classifiers of this family share: fields, predictions, signed labels."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin

from shallows._core.data import check_new


class LinearClassifier(ClassifierMixin):
    """Predictions from `coef_` and `intercept_`, one row per class or one for two classes."""

    def decision_function(self, X):
        """Return the local fields.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        fields : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive values stand for ``classes_[1]``.
        """
        fields = check_new(self, X, sparse=True) @ self.coef_.T + self.intercept_
        return fields[:, 0] if len(self.coef_) == 1 else fields

    def predict(self, X):
        """Return the class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        fields = self.decision_function(X)
        return self.classes_[fields.argmax(1) if fields.ndim == 2 else (fields > 0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def signs(y, n_classes):
    """Return labels -1, +1 of each class against the rest; of two classes, the second alone."""
    own = [1] if n_classes == 2 else range(n_classes)
    return np.stack([np.where(y == k, 1.0, -1.0) for k in own])


def of_all_samples(values, sample_weight):
    """Return values of shape (n_models, n_samples) with zeros for samples of weight zero.

    A single model loses its axis.
    """
    if sample_weight is not None:
        took_part = np.asarray(sample_weight) > 0
        values, part = np.zeros((len(values), len(took_part)), dtype=values.dtype), values
        values[:, took_part] = part
    return values[0] if len(values) == 1 else values


def unsigned(indices):
    """Return a view as unsigned integers, which a kernel need not test for being negative."""
    return indices.view(f"u{indices.itemsize}")
