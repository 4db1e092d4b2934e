"""Simple methods that any model must be held against."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import type_of_target

from shallows._core.params import PositiveInt, check_arguments
from shallows.linear import LeastSquaresClassifier, Ridge
from shallows.prototype import KNeighborsClassifier, KNeighborsRegressor
from shallows.reduce import PCA
from shallows.study._rank import corrected_error
from shallows.validate import Interval


def baselines(X: Any, y: Any, *, folds: PositiveInt = 5, seed: int = 0) -> dict[str, Interval]:
    """Score the simple methods by cross-validation: always the same answer, linear, k-NN, PCA.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Classes, or numbers.
    folds : int
        Folds of cross-validation, stratified for classes.
    seed : int
        Decides the folds.

    Returns
    -------
    scores : dict of str to Interval
        Accuracy or R^2 of each method, with a 95 % interval of the mean.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.study import baselines
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> y = np.arange(500) % 100 == 0  # 99 % of one class
    >>> round(baselines(X, y)["always the same"].estimate, 2)
    0.99
    """
    check_arguments(baselines, locals())
    X, y = np.asarray(X), np.asarray(y)
    numeric = type_of_target(y).startswith("continuous")
    few = min(10, X.shape[1], len(X) // 2)
    if numeric:
        models = {
            "always the same": DummyRegressor(),
            "linear": Ridge(1.0),
            "k-NN": KNeighborsRegressor(5),
            "PCA and linear": make_pipeline(PCA(few), Ridge(1.0)),
        }
    else:
        models = {
            "always the same": DummyClassifier(),
            "linear": LeastSquaresClassifier(alpha=1.0),
            "k-NN": KNeighborsClassifier(5),
            "PCA and linear": make_pipeline(PCA(few), LeastSquaresClassifier(alpha=1.0)),
        }
    kind = KFold if numeric else StratifiedKFold
    splits = list(kind(folds, shuffle=True, random_state=seed).split(X, y))
    found = {}
    for name, model in models.items():
        scores = cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=splits)
        mean, error = float(scores.mean()), corrected_error(scores.tolist(), 1 / (folds - 1))
        found[name] = Interval(mean, mean - 1.96 * error, mean + 1.96 * error, error, 0.95)
    return found
