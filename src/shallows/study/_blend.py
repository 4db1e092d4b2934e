"""Several methods that answer together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if

from shallows.study._calibrate import log_chances, scale
from shallows.study._measures import chances_of


class Blend(BaseEstimator):
    r"""A weighted mean of methods, or a linear model over their answers.

    Numbers: :math:`\sum_m w_m f_m(x) + b`. Classes: each method's probabilities are calibrated by
    a slope and shifts, then their weighted mean is; stacked, the logarithms of probabilities are
    added with the weights instead. A single method with its calibration is a blend of one.

    Parameters
    ----------
    estimators : list of estimators
        The methods.
    weights : array of shape (n_methods,)
        What each counts.
    scalings : list of array or None
        Slope and shifts of each method's probabilities; None for numbers.
    last : array or None
        Slope and shifts of the joint probabilities; for numbers the constant b.
    stacked : bool
        Whether logarithms are added.
    """

    def __init__(
        self,
        estimators: Sequence[Any],
        weights: Any,
        scalings: Sequence[Any] | None = None,
        last: Any = None,
        stacked: bool = False,
    ):
        self.estimators = estimators
        self.weights = weights
        self.scalings = scalings
        self.last = last
        self.stacked = stacked

    def fit(self, X: Any, y: Any) -> Blend:
        """Fit every method; weights and calibration stay."""
        return self.filled([clone(each).fit(X, y) for each in self.estimators])

    def filled(self, fitted: Sequence[Any]) -> Blend:
        """Take fitted methods."""
        self.estimators_ = list(fitted)
        if self.scalings is not None:
            self.classes_ = np.arange(len(self.scalings[0]) - 1)
        return self

    def predict(self, X: Any) -> Any:
        """Return codes of the most probable classes, or numbers."""
        if self.scalings is not None:
            return self.predict_proba(X).argmax(axis=1)
        parts = [np.asarray(each.predict(X), dtype=np.float64) for each in self.estimators_]
        return join_numbers(parts, self.weights, self.last)

    @available_if(lambda self: self.scalings is not None)
    def predict_proba(self, X: Any) -> Any:
        """Return the joint probabilities."""
        n_classes = len(self.scalings[0]) - 1  # type: ignore[index]
        parts = [chances_of(each, X, n_classes) for each in self.estimators_]
        parts = [scale(p, s) for p, s in zip(parts, self.scalings, strict=True)]  # type: ignore[arg-type]
        return join_chances(parts, self.weights, self.last, self.stacked)


def join_numbers(parts: Sequence[Any], weights: Any, constant: Any) -> Any:
    """Return weighted sums plus a constant."""
    total = sum(weight * part for weight, part in zip(weights, parts, strict=True))
    return total if constant is None else total + float(constant)


def join_chances(parts: Sequence[Any], weights: Any, last: Any, stacked: bool) -> Any:
    """Return joint probabilities: a mean, or a product of powers."""
    if stacked:
        logs = sum(w * log_chances(part) for w, part in zip(weights, parts, strict=True))
        powers = np.exp(logs - logs.max(axis=1, keepdims=True))
        joint = powers / powers.sum(axis=1, keepdims=True)
    else:
        joint = sum(weight * part for weight, part in zip(weights, parts, strict=True))
    return joint if last is None else scale(joint, last)
