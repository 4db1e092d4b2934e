"""A method over windows of a series: several rows in order of time make one answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if

from shallows.study._balanced import bare
from shallows.study._blend import Blend


class OverWindows(BaseEstimator):
    """A method that sees the last rows of a series, not the present one alone.

    Rows come in order of time. The answer at t rests on the rows t - window + 1 to t, side by
    side. Training leaves out the first window - 1 rows, whose past is not known; where they must
    be answered, the first row stands for its own past.
    """

    def __init__(self, estimator: Any, window: int = 5):
        self.estimator, self.window = estimator, window

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OverWindows:
        """Fit the method to all whole windows."""
        if len(X) <= self.window:
            raise ValueError(
                f"A window of {self.window} rows needs more than as many rows, got {len(X)}."
            )
        first = self.window - 1
        rows = windows_of(np.asarray(X), self.window)[first:]
        weights = {} if sample_weight is None else {"sample_weight": sample_weight[first:]}
        self.estimator_ = clone(self.estimator).fit(rows, np.asarray(y)[first:], **weights)
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Answer every row from its window."""
        return self.estimator_.predict(windows_of(np.asarray(X), self.window))

    def score(self, X: Any, y: Any) -> float:
        """Return the method's own score over windows."""
        return float(self.estimator_.score(windows_of(np.asarray(X), self.window), y))

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return the method's scores of every row."""
        return self.estimator_.decision_function(windows_of(np.asarray(X), self.window))


def windows_of(X: Any, window: int) -> Any:
    """Return each row beside those before it, oldest first; the first row is its own past."""
    past = np.concatenate([np.repeat(X[:1], window - 1, axis=0), X])
    views = np.lib.stride_tricks.sliding_window_view(past, window, axis=0)
    return views.transpose(0, 2, 1).reshape(len(X), -1)


def window_of(model: Any) -> int:
    """Return how many rows a fitted model or pipeline looks at for one answer."""
    method = bare(model)
    if isinstance(method, Blend):
        return max(window_of(each) for each in method.estimators_)
    steps = getattr(method, "steps", None)
    last = steps[-1][1] if steps else method
    return last.window if isinstance(last, OverWindows) else 1
