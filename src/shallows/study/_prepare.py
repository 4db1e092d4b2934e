"""Preparations that stand before a method and are learned inside the folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler

MOST_ONE_HOT = 30  # columns of a category; the rarer levels share one
QUANTILES = 200


@dataclass(frozen=True)
class Design:
    """What a builder must know about the data."""

    numbers: tuple[int, ...]
    categories: tuple[int, ...]
    n_columns: int  # after preparation, about
    n_classes: int
    seed: int
    positive: bool = False  # whether no target is below zero


def scaled(design: Design, model: Any, normal: bool = False) -> Pipeline:
    """Put medians into gaps, z-scores and one-hot codes before a model that measures distances.

    With `normal` each number is mapped to the quantile of a normal distribution instead, so that
    long tails and outliers have no reach.
    """
    scale = StandardScaler()
    if normal:
        scale = QuantileTransformer(
            n_quantiles=QUANTILES, output_distribution="normal", random_state=design.seed
        )
    gaps = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return make_pipeline(_by_column(design, make_pipeline(gaps, scale)), model)


def plain(design: Design, model: Any) -> Pipeline:
    """Put medians into gaps and one-hot codes before a model that does not mind scales."""
    gaps = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return make_pipeline(_by_column(design, gaps), model)


def target_scaled(model: Any) -> TransformedTargetRegressor:
    """Let a model learn z-scores of the target."""
    return TransformedTargetRegressor(model, transformer=StandardScaler())


def _by_column(design: Design, numbers: Any) -> ColumnTransformer:
    codes = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_ONE_HOT, sparse_output=False
    )
    steps = [("numbers", numbers, list(design.numbers))] if design.numbers else []
    if design.categories:
        steps.append(("categories", codes, list(design.categories)))
    return ColumnTransformer(steps)


class LogTarget(RegressorMixin, BaseEstimator):
    """A method that learns the logarithm of one plus a target that is never negative.

    The exponential of a mean logarithm is below the mean, so answers are multiplied by the factor
    that makes their sum right on the training rows (Duan's smearing, without its residuals).
    """

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> LogTarget:
        """Fit the method to logarithms and find the factor."""
        y = np.asarray(y, dtype=np.float64)
        if y.min() < 0:
            raise ValueError(f"The logarithm needs targets from 0 on, got {y.min():g}.")
        self.largest_ = float(np.log1p(y.max()))
        self.estimator_ = clone(self.estimator).fit(X, np.log1p(y))
        answers = self._raw(X)
        self.factor_ = float(np.clip(y.sum() / max(answers.sum(), 1e-300), 0.5, 2.0))
        return self

    def predict(self, X: Any) -> Any:
        """Return targets on their own scale."""
        return self.factor_ * self._raw(X)

    def _raw(self, X: Any) -> Any:
        logs = np.asarray(self.estimator_.predict(X), dtype=np.float64)
        return np.expm1(np.clip(logs, 0.0, self.largest_ + 1.0))
