"""Decisions for balanced accuracy: every class counts as much as any other, rare or not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if

if TYPE_CHECKING:
    from shallows.study._candidates import Candidate


class Balanced(ClassifierMixin, BaseEstimator):
    r"""A method whose answers serve balanced accuracy.

    The mean recall of the classes is largest where a row gets the class :math:`k` with the
    largest :math:`P(k \mid x) / P(k)`. Where a method knows probabilities, it learns as ever and
    decides by this rule, with the shares of the training rows for :math:`P(k)`; the
    probabilities stay what they are. Where it knows none, it learns from rows that are weighted
    so that all classes weigh the same, and its scores are brought back to the shares afterwards.
    """

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Balanced:
        """Fit the method and count the classes."""
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        self.shares_ = counts / len(codes)
        model = clone(self.estimator)
        if hasattr(model, "predict_proba"):
            self.estimator_ = model.fit(X, y)
            return self
        step = f"{model.steps[-1][0]}__" if isinstance(model, Pipeline) else ""
        weights = 1 / (len(counts) * self.shares_[codes])
        self.estimator_ = model.fit(X, y, **{f"{step}sample_weight": weights})
        return self

    def predict(self, X: Any) -> Any:
        """Return the class that a row speaks for most, whatever the shares of the classes."""
        if not hasattr(self.estimator_, "predict_proba"):
            return self.estimator_.predict(X)
        return self.classes_[(self.estimator_.predict_proba(X) / self.shares_).argmax(axis=1)]

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return the method's own probabilities."""
        return self.estimator_.predict_proba(X)

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return scores whose logistic view speaks of classes with their shares in training."""
        scores = self.estimator_.decision_function(X)
        if hasattr(self.estimator_, "predict_proba"):
            return scores
        logs = np.log(self.shares_)
        return scores + (logs[1] - logs[0] if scores.ndim == 1 else logs)


def balance(candidate: Candidate) -> Candidate:
    """Return a candidate that serves balanced accuracy; a constant answer stays as it is."""
    if candidate.complexity == 0:
        return candidate
    return replace(
        candidate, build=lambda design, setting: Balanced(candidate.build(design, setting))
    )


def bare(model: Any) -> Any:
    """Return the method itself where its decisions are balanced, else the model."""
    return getattr(model, "estimator_", model.estimator) if isinstance(model, Balanced) else model
