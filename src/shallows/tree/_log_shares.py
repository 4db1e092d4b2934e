"""Logarithms of class shares, for whatever gives shares."""

from __future__ import annotations

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.metaestimators import available_if


class LogSharesMixin:
    """Adds `predict_log_proba` to estimators with `predict_proba`."""

    @available_if(is_classifier)
    def predict_log_proba(self, X):
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, as `predict_proba` takes them.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`; minus infinity where a share is zero.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
