"""What the linear classifiers of this family share: checks, fields, predictions, labels."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight

from shallows._core.data import check_labelled, check_new


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
        return self._fields(check_new(self, X, sparse=True))

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
        winners = _winners(self.decision_function(X))
        return self.classes_[winners]

    def _fields(self, X):
        fields = X @ self.coef_.T + self.intercept_
        return fields[:, 0] if len(self.coef_) == 1 else fields

    def _accuracy(self, X, y, weights):
        """Return the share of checked samples whose class index is `y`."""
        return float(np.average(_winners(self._fields(X)) == y, weights=weights))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _winners(fields):
    return fields.argmax(1) if fields.ndim == 2 else (fields > 0).astype(int)


def check_weighted(estimator, X, y, sample_weight, classes=None, *, reset=True):
    """Return checked X, class indices, and weights times those of the classes."""
    X, y, weights = check_labelled(
        estimator, X, y, sample_weight, sparse=True, classes=classes, reset=reset
    )
    if estimator.class_weight is not None:
        weights *= compute_sample_weight(estimator.class_weight, estimator.classes_[y])
    return X, y, weights


def check_part(estimator, X, y, sample_weight, classes):
    """Return the same for a `partial_fit`, and whether it is the first."""
    if estimator.class_weight == "balanced":
        raise ValueError(
            f'{type(estimator).__name__}: class_weight="balanced" needs all samples at once and '
            "partial_fit sees only some. Give the weights as a dict, or call fit."
        )
    first = not hasattr(estimator, "coef_")
    return *check_weighted(estimator, X, y, sample_weight, classes, reset=first), first


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
