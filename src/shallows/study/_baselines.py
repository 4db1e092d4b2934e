"""Simple methods that any model must be held against."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import KFold, StratifiedKFold, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import type_of_target

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows.linear import LeastSquaresClassifier, Ridge
from shallows.prototype import KNeighborsClassifier, KNeighborsRegressor
from shallows.reduce import PCA
from shallows.study._over_windows import OverWindows
from shallows.study._rank import corrected_error
from shallows.validate import Interval


def baselines(
    X: Any, y: Any, *, folds: PositiveInt = 5, seed: int = 0, window: PositiveInt | None = None
) -> dict[str, Interval]:
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
    window : int, optional
        Says that the samples are a series in order of time. Folds then run forward, and a
        linear method that sees this many rows, the last one being the present, is added.

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
    >>> late = np.roll(X[:, 0], 2)  # two steps behind its cause
    >>> found = baselines(X, late, window=3)
    >>> found["linear"].estimate < 0.1, found["window ridge"].estimate > 0.9
    (True, True)
    """
    check_arguments(baselines, locals())
    X, y = np.asarray(X), np.asarray(y)
    numeric = type_of_target(y).startswith("continuous")
    few = min(10, X.shape[1], len(X) // 2)
    linear = Ridge(1.0) if numeric else LeastSquaresClassifier(alpha=1.0)
    models = {
        "always the same": DummyRegressor() if numeric else DummyClassifier(),
        "linear": linear,
        "k-NN": KNeighborsRegressor(5) if numeric else KNeighborsClassifier(5),
        "PCA and linear": make_pipeline(PCA(few), clone(linear)),
    }
    if window is not None:
        models["window ridge"] = OverWindows(clone(linear), window)
        kind: Any = TimeSeriesSplit(folds)
    else:
        shuffled = KFold if numeric else StratifiedKFold
        kind = shuffled(folds, shuffle=True, random_state=seed)
    splits = list(kind.split(X, y))
    ratio = float(np.mean([len(test) / len(train) for train, test in splits]))
    found = {}
    for name, model in models.items():
        scores = cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=splits)
        mean, error = float(scores.mean()), corrected_error(scores.tolist(), ratio)
        found[name] = Interval(mean, mean - 1.96 * error, mean + 1.96 * error, error, 0.95)
    return found
