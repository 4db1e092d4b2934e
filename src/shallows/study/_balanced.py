"""Decisions for balanced accuracy: every class counts as much as any other, rare or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone


class Balanced(ClassifierMixin, BaseEstimator):
    r"""A method whose answers serve balanced accuracy.

    The mean recall of the classes is largest where a row gets the class :math:`k` with the
    largest :math:`P(k \mid x) / P(k)`, with the shares of the training rows for :math:`P(k)`; the
    probabilities stay what they are.
    """

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Balanced:
        """Fit the method and count the classes."""
        return self.filled(clone(self.estimator).fit(X, y), y)

    def filled(self, fitted: Any, y: Any) -> Balanced:
        """Take a fitted method and count the classes of its training rows."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        self.estimator_ = fitted
        return self

    def predict(self, X: Any) -> Any:
        """Return the class that a row speaks for most, whatever the shares of the classes."""
        return self.classes_[(self.estimator_.predict_proba(X) / self.shares_).argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        """Return the method's own probabilities."""
        return self.estimator_.predict_proba(X)


def bare(model: Any) -> Any:
    """Return the method itself where its decisions are balanced or it is a blend of one."""
    if isinstance(model, Balanced):
        return bare(getattr(model, "estimator_", model.estimator))
    members = getattr(model, "estimators_", None)
    if type(model).__name__ == "Blend" and members is not None and len(members) == 1:
        return members[0]
    return model
