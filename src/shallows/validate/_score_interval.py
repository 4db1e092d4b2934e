"""Confidence interval of a score on a test part."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn import config_context
from sklearn.metrics import get_scorer
from sklearn.utils import get_tags

from shallows.validate._parts import take

RESAMPLES = 1000
RESAMPLES_OF_A_FUNCTION = 200  # fewer, because each one calls the model
SMALLEST_SHARE = 0.9  # share of the resamples on which the score must be defined


def score_interval(
    model: Any,
    X: Any,
    y: NDArray[Any],
    scoring: Any,
    score: float,
    level: float,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return Wilson's interval for accuracy, else bootstrap percentiles over test rows."""
    if scoring == "accuracy":
        hits = round(score * len(y))
        found = binomtest(hits, len(y)).proportion_ci(level, method="wilson")
        return float(found.low), float(found.high)
    named = isinstance(scoring, str)
    scorer = get_scorer(scoring) if named else scoring
    answers = _Answers(model, X) if named else model
    places = np.arange(len(y)) if named else X
    n_draws = RESAMPLES if named else RESAMPLES_OF_A_FUNCTION
    draws = rng.integers(len(y), size=(n_draws, len(y)))
    with config_context(skip_parameter_validation=named, assume_finite=named):
        values = [_score_or_nan(scorer, answers, take(places, rows), y[rows]) for rows in draws]
    if np.isfinite(values).mean() < SMALLEST_SHARE:
        return np.nan, np.nan
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


class _Answers:
    """Stand-in for a fitted model on fixed rows: given row numbers, it looks answers up.

    Scorers of scikit-learn need nothing else, so a thousand resamples cost one prediction.
    """

    def __init__(self, model: Any, X: Any):
        self._model, self._X = model, X
        self._known: dict[str, NDArray[Any]] = {}
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_

    def __sklearn_tags__(self) -> Any:
        return get_tags(self._model)

    def fit(self) -> None:
        raise TypeError("This stand-in of a fitted model can't be trained.")

    def predict(self, rows: NDArray[Any]) -> NDArray[Any]:
        return self._look_up("predict", rows)

    def __getattr__(self, name: str) -> Any:
        if name not in ("predict_proba", "predict_log_proba", "decision_function"):
            raise AttributeError(name)
        getattr(self._model, name)

        def answer(rows: NDArray[Any]) -> NDArray[Any]:
            return self._look_up(name, rows)

        answer.__name__ = name
        return answer

    def _look_up(self, name: str, rows: NDArray[Any]) -> NDArray[Any]:
        if name not in self._known:
            self._known[name] = np.asarray(getattr(self._model, name)(self._X))
        return self._known[name][rows]


def _score_or_nan(scorer: Any, model: Any, X: Any, y: NDArray[Any]) -> float:
    """Return the score, or NaN for a resample that lacks a class."""
    if y.dtype.kind != "f" and len(np.unique(y)) < 2:
        return np.nan
    return float(scorer(model, X, y))
