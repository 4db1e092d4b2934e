"""Input checks, fields, predictions and labels of the linear classifiers of this family."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight

from shallows._core.contract.data import check_labelled, check_new


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
            With two classes, positive values mean ``classes_[1]``.
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
    """Return checked X, class indices, weights times those of the classes, and who takes part.

    The last are the samples of a weight above zero, or None for all. A class of weight zero
    stays one of the classes.
    """
    options = {"sparse": True, "classes": classes, "reset": reset}
    checked, indices, weights = check_labelled(estimator, X, y, sample_weight, **options)
    took_part = None if sample_weight is None else np.asarray(sample_weight) > 0

    # Class weights multiply those of the samples.
    if estimator.class_weight is not None:
        labels = estimator.classes_[indices]
        factors = compute_sample_weight(estimator.class_weight, labels)
        if not np.isfinite(factors).all() or (factors < 0).any() or not factors.any():
            raise ValueError(
                f"{type(estimator).__name__}: class_weight must be finite, not negative and not "
                f"zero for all samples, got {estimator.class_weight!r}."
            )
        weights *= factors
        # A class of weight 0 takes no part: check again without its samples.
        if not factors.all():
            rest = np.ones(len(weights), dtype=bool) if took_part is None else took_part
            combined = np.zeros(len(rest))
            combined[rest] = weights
            options["classes"] = estimator.classes_
            checked, indices, weights = check_labelled(estimator, X, y, combined, **options)
            took_part = combined > 0
            if classes is None and reset and np.ptp(indices) == 0:
                raise ValueError(
                    f"{type(estimator).__name__}: class_weight must leave at least 2 classes a "
                    f"weight above 0, got {estimator.class_weight!r}."
                )
    return checked, indices, weights, took_part


def check_part(estimator, X, y, sample_weight, classes):
    """Return the same for a `partial_fit`, and whether it is the first."""
    if estimator.class_weight == "balanced":
        raise ValueError(
            f'{type(estimator).__name__}: class_weight="balanced" needs all samples at once and '
            "partial_fit sees only some. Give the weights as a dict, or call fit."
        )
    first = not hasattr(estimator, "coef_")
    return *check_weighted(estimator, X, y, sample_weight, classes, reset=first), first


def append_part(estimator, loss, **values):
    """Store one call of `partial_fit`; a NaN or infinite loss is an error, as in `fit`.

    What only `fit` can record is NaN here.
    """
    if not np.isfinite(loss):
        raise FloatingPointError(
            f"{type(estimator).__name__}: the loss became {loss} in call {estimator.n_iter_ + 1}. "
            "Lower the learning rate or scale the data."
        )
    values["loss"] = loss
    for name, history in estimator.history_.items():
        history.append(float(values.get(name, np.nan)))
    estimator.n_iter_ += 1


def signs(y, n_classes):
    """Return labels -1, +1 of each class against the rest; of two classes, the second alone."""
    own = [1] if n_classes == 2 else range(n_classes)
    return np.stack([np.where(y == k, 1.0, -1.0) for k in own])


def of_all_samples(values, took_part):
    """Return values of shape (n_models, n_samples) with zeros for samples that took no part.

    A single model loses its axis.
    """
    if took_part is not None:
        values, part = np.zeros((len(values), len(took_part)), dtype=values.dtype), values
        values[:, took_part] = part
    return values[0] if len(values) == 1 else values
