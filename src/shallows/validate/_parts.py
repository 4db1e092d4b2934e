"""Rows, folds and candidates for model selection and diagnosis."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    ParameterGrid,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)
from sklearn.utils.validation import check_consistent_length

from shallows.validate._check_splits import check_splits, is_missing

Array = NDArray[Any]
Split = tuple[Array, Array]
Scorer = Callable[[Any, Any, Any], float]
Complexity = str | Callable[[Mapping[str, Any]], float]


def take(X: Any, rows: Array) -> Any:
    """Return some rows of an array, a sparse matrix or a data frame."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else np.asarray(X)[rows]


def check_data(owner: str, X: Any, y: Any, groups: Any = None) -> tuple[Array, Array | None]:
    """Return targets and groups as arrays with one entry per row of X, none of them missing."""
    check_consistent_length(X, y, groups)
    y = np.asarray(y)
    missing = np.flatnonzero(is_missing(y))
    if len(missing):
        raise ValueError(
            f"{owner}: y must be known for every row, but {len(missing)} of {len(y)} targets are "
            f"missing, the first in row {missing[0]}. Drop these rows first."
        )
    return y, None if groups is None else np.asarray(groups)


def seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """Return an unfitted copy; `random_state` parameters that are None are seeded from `rng`."""
    fresh = clone(estimator)
    parameters = fresh.get_params()
    names = [name for name in sorted(parameters) if name.rpartition("__")[2] == "random_state"]
    is_open = {name: int(rng.integers(2**31)) for name in names if parameters[name] is None}
    return fresh.set_params(**is_open)


def candidates_of(
    owner: str, estimator: Any, grid: Any, rng: np.random.Generator
) -> tuple[list[Any], list[dict[str, Any]]]:
    """Return the candidates, and for each the parameters in which it differs."""
    if isinstance(estimator, Mapping | Sequence) and not hasattr(estimator, "fit"):
        named = estimator if isinstance(estimator, Mapping) else dict(enumerate(estimator))
        if grid is not None or not named:
            problem = "several estimators and a grid" if named else "none"
            raise ValueError(
                f"{owner} needs one estimator with a grid, or at least one candidate without, "
                f"got {problem}."
            )
        for model in named.values():
            refuse_fitted_parts(owner, model)
        settings: list[dict[str, Any]] = [{"candidate": name} for name in named]
        return [seeded(model, rng) for model in named.values()], settings
    refuse_fitted_parts(owner, estimator)
    base = seeded(estimator, rng)
    settings = [dict(setting) for setting in ParameterGrid({} if grid is None else grid)]
    return [clone(base).set_params(**setting) for setting in settings], settings


def refuse_fitted_parts(owner: str, estimator: Any) -> None:
    """Raise ValueError if a part was already fitted, perhaps to rows of other folds."""
    for name, value in {"the estimator": estimator, **estimator.get_params()}.items():
        if isinstance(value, FrozenEstimator):
            raise ValueError(
                f"{owner}: {name} is a FrozenEstimator, which was fitted before the data were "
                "split and may have seen the test rows. Pass it unfitted, so that it is fitted "
                "within each training part."
            )


def folds(
    owner: str,
    cv: Any,
    X: Any,
    y: Array,
    groups: Array | None,
    *,
    stratify: bool,
    repeats: int,
    rng: np.random.Generator,
) -> list[list[Split]]:
    """Return the checked splits of each repetition; an int becomes shuffled k-fold."""
    if not isinstance(cv, int | np.integer):
        if repeats != 1:
            raise ValueError(
                f"{owner}: repeats={repeats} needs the number of folds as an int, got a splitter. "
                "Use a repeated splitter with repeats=1."
            )
        splits = check_cv(cv, y, classifier=stratify).split(X, y, groups)
        return [check_splits(splits, y if stratify else None, groups, times_of(X))]
    if stratify:
        refuse_small_classes(owner, y, int(cv))
    splitters = [
        _k_fold(int(cv), stratify, groups is not None, int(seed))
        for seed in rng.integers(2**31, size=repeats)
    ]
    labels, times = y if stratify else None, times_of(X)
    return [check_splits(each.split(X, y, groups), labels, groups, times) for each in splitters]


def refuse_small_classes(owner: str, y: Array, n_splits: int) -> None:
    """Raise ValueError if a class has fewer rows than there are folds."""
    labels, counts = np.unique(y, return_counts=True)
    rarest = int(counts.argmin())
    if counts[rarest] < n_splits:
        raise ValueError(
            f"{owner}: class {labels[rarest].item()!r} has {counts[rarest]} rows, fewer than the "
            f"{n_splits} folds. Use fewer folds, merge the class, or split with LeaveOnePerClass."
        )


def times_of(X: Any) -> Array | None:
    """Return the row times of a data frame indexed by dates, else None."""
    index = getattr(X, "index", None)
    if type(index).__name__ not in ("DatetimeIndex", "PeriodIndex"):
        return None
    return np.asarray(index.asi8)  # type: ignore[union-attr]


def evaluate(
    models: Iterable[Any], places: Iterable[tuple[Split, str]], X: Any, y: Array, scorer: Scorer
) -> NDArray[np.float64]:
    """Fit and score every model on every split; rows are models, columns splits.

    The work is spread over the workers of the surrounding `joblib.parallel_config`.
    """
    models, places = list(models), list(places)
    scores = Parallel()(
        delayed(fit_and_score)(model, X, y, split, scorer, where)
        for model in models
        for split, where in places
    )
    return np.reshape(scores, (len(models), len(places)))


def fit_and_score(model: Any, X: Any, y: Array, split: Split, scorer: Scorer, where: str) -> float:
    """Fit a fresh copy to the first part of the split and score it on the second."""
    train, test = split
    fitted = clone(model).fit(take(X, train), y[train])
    return score_part(fitted, take(X, test), y[test], scorer, where)


def score_part(model: Any, X: Any, y: Array, scorer: Scorer, where: str) -> float:
    """Score a fitted model; an undefined score raises an error that names the part."""
    reason = ""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)
        try:
            score = float(scorer(model, X, y))
        except UndefinedMetricWarning as warning:
            score, reason = np.nan, f" ({warning})"
    if not np.isfinite(score):
        raise ValueError(
            f"The score is undefined on {where}: {_contents(y)}{reason} Use fewer or stratified "
            "folds, or another scoring."
        )
    return score


def stratifies(models: Sequence[Any], y: Array) -> bool:
    """Return whether folds should be stratified by class."""
    return is_classifier(models[0]) and y.ndim == 1


def complexity_of(complexity: Complexity, parameters: Mapping[str, Any]) -> float:
    """Return the complexity of a candidate: one of its parameters, or a function of them."""
    if callable(complexity):
        return float(complexity(parameters))
    if complexity not in parameters:
        raise ValueError(
            f"complexity {complexity!r} must be a parameter of the candidates; they have "
            f"{', '.join(sorted(parameters))}."
        )
    return float(parameters[complexity])


def describe_choice(setting: Mapping[str, Any]) -> str:
    """Write parameters as `name=value` pairs."""
    return ", ".join(f"{name}={value}" for name, value in setting.items()) or "the only candidate"


def _k_fold(n_splits: int, stratify: bool, grouped: bool, seed: int) -> Any:
    kinds = {
        (True, True): StratifiedGroupKFold,
        (True, False): StratifiedKFold,
        (False, True): GroupKFold,
        (False, False): KFold,
    }
    return kinds[stratify, grouped](n_splits, shuffle=True, random_state=seed)


def _contents(y: Array) -> str:
    if y.dtype.kind == "f" or y.ndim > 1:
        return f"it holds {len(y)} rows."
    labels, counts = np.unique(y, return_counts=True)
    shown = ", ".join(f"{n} of class {v.item()!r}" for v, n in zip(labels, counts, strict=True))
    return f"it holds {shown}."
