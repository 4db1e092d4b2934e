"""Training and validation score along a path of complexity."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import validation_curve

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.validate._one_standard_error import simplest_of_the_best, standard_error
from shallows.validate._parts import (
    Scorer,
    Split,
    candidates_of,
    check_data,
    folds,
    score_part,
    stratifies,
    take,
)

Sweep = Literal["full", "economy"]


@dataclass(frozen=True)
class ComplexityCurve:
    """Result of `complexity_curve`.

    Parameters
    ----------
    parameter : str
        The parameter that sets the complexity.
    values : tuple
        The values tried, simplest first.
    train_scores : ndarray of shape (n_values, n_folds)
        Scores on the training parts.
    test_scores : ndarray of shape (n_values, n_folds)
        Scores on the validation parts.
    stopped_early : bool
        Whether an economy sweep skipped the last values.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import ComplexityCurve
    >>> scores = np.array([[0.5, 0.6], [0.8, 0.9], [0.8, 0.8]])
    >>> curve = ComplexityCurve("degree", (1, 2, 3), scores, scores, stopped_early=False)
    >>> curve.best, curve.diagnosis(1)
    (2, 'underfit')
    """

    parameter: str
    values: tuple[Any, ...]
    train_scores: NDArray[np.float64]
    test_scores: NDArray[np.float64]
    stopped_early: bool

    @property
    def best(self) -> Any:
        """Value with the best mean validation score."""
        return self.values[simplest_of_the_best(self.test_scores, None, 1)]

    @property
    def simplest(self) -> Any:
        """First value within one standard error of the best."""
        levels = np.arange(len(self.values), dtype=float)
        return self.values[simplest_of_the_best(self.test_scores, levels, 1)]

    def diagnosis(self, value: Any) -> str:
        """Name what limits the model at a value of the parameter.

        Parameters
        ----------
        value : object
            One of `values`.

        Returns
        -------
        word : {"underfit", "overfit", "fit"}
            ``"fit"`` if validation is within one standard error of the best. Otherwise
            ``"underfit"`` for simpler models than the best and ``"overfit"`` for more complex
            ones.
        """
        place, best = self.values.index(value), self.values.index(self.best)
        means = self.test_scores.mean(axis=1)
        if means[place] >= means[best] - standard_error(self.test_scores[best]):
            return "fit"
        return "underfit" if place < best else "overfit"

    def summary(self) -> str:
        """Describe the result in words.

        Returns
        -------
        text : str
            A few sentences.
        """
        best = self.values.index(self.best)
        judged = [(value, self.diagnosis(value)) for value in self.values]
        shown = "; ".join(
            f"{word} at {', '.join(str(v) for v, w in judged if w == word)}"
            for word in ("underfit", "fit", "overfit")
            if any(w == word for _, w in judged)
        )
        early = " The sweep stopped where validation became worse." if self.stopped_early else ""
        return (
            f"Best {self.parameter} {self.best}: validation {self.test_scores[best].mean():.4g}, "
            f"training {self.train_scores[best].mean():.4g}. Simplest within one standard error: "
            f"{self.simplest}. Diagnosis: {shown}.{early}"
        )


def complexity_curve(
    estimator: Any,
    X: Any,
    y: Any,
    parameter: str,
    values: Any,
    *,
    sweep: Sweep = "full",
    groups: Any = None,
    scoring: Any = None,
    cv: Any = 5,
    patience: PositiveInt = 1,
    random_state: RandomState = None,
) -> ComplexityCurve:
    """Measure training and validation scores from simple to complex models.

    The full sweep fits every value from scratch, with scikit-learn's `validation_curve`. The
    economy sweep starts at the simplest value and stops after `patience` values in a row with a
    mean validation score worse than the best so far. If the estimator has `warm_start`, each of
    its fits starts from the previous solution. This finds the same models only if fits converge to
    a unique solution.

    The validation score may rise again after a fall (double descent); an economy sweep misses it.

    Parameters
    ----------
    estimator : estimator
        Classifier, regressor or pipeline that ends in one.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Targets.
    parameter : str
        Name of the parameter, with ``step__`` in a pipeline.
    values : sequence
        Its values, from the simplest model to the most complex.
    sweep : {"full", "economy"}, default="full"
        Whether to try all values, or to stop when validation gets worse.
    groups : array-like of shape (n_samples,), default=None
        Group of each row; no group is in two parts of a fold.
    scoring : str, callable or None, default=None
        Score, as in scikit-learn; None means the estimator's own score.
    cv : int or splitter, default=5
        Folds; a number gives shuffled folds, stratified for classifiers.
    patience : int, default=1
        Number of worse values in a row that ends an economy sweep.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the folds, and the estimator if its own random state is None.

    Returns
    -------
    result : ComplexityCurve
        Scores of every value tried, the best value and a diagnosis.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from shallows.validate import complexity_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier()
    >>> found = complexity_curve(tree, X, y, "max_leaf_nodes", [2, 3, 5, 9], random_state=0)
    >>> found.diagnosis(2), found.simplest
    ('underfit', 3)
    """
    check_arguments(complexity_curve, locals())
    owner = "complexity_curve"
    y, groups = check_data(owner, X, y, groups)
    for_folds, for_model = as_generator(random_state).spawn(2)
    [model], _ = candidates_of(owner, estimator, None, for_model)
    if parameter not in model.get_params():
        raise ValueError(
            f"{owner}: {type(model).__name__} has no parameter {parameter!r}; its parameters are "
            f"{', '.join(sorted(model.get_params()))}."
        )
    if not len(values):
        raise ValueError(f"{owner}: values must contain at least one value, got none.")
    scorer = check_scoring(model, scoring)
    stratify = stratifies([model], y)
    [splits] = folds(owner, cv, X, y, groups, stratify=stratify, repeats=1, rng=for_folds)

    if sweep == "full":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)  # the fold is named below
            train, test = validation_curve(
                model,
                X,
                y,
                param_name=parameter,
                param_range=list(values),
                cv=splits,
                scoring=scorer,
                error_score="raise",
            )
        _refuse_undefined(test)
    else:
        train, test = _economy_sweep(model, X, y, parameter, values, splits, scorer, patience)
    tried = tuple(values[: len(test)])
    return ComplexityCurve(parameter, tried, train, test, stopped_early=len(tried) < len(values))


def _economy_sweep(
    model: Any,
    X: Any,
    y: NDArray[Any],
    parameter: str,
    values: Sequence[Any],
    splits: list[Split],
    scorer: Scorer,
    patience: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    prefix = parameter.rpartition("__")[0]
    warm = f"{prefix}__warm_start" if prefix else "warm_start"
    start = clone(model)
    if warm in start.get_params():
        start.set_params(**{warm: True})
    # One model per fold lives through the whole sweep, so that a warm start finds its solution.
    models = [clone(start) for _ in splits]
    train, test = [], []
    best, worse = -np.inf, 0
    for value in values:
        found = Parallel()(
            delayed(_advance)(each.set_params(**{parameter: value}), X, y, split, scorer, k)
            for k, (each, split) in enumerate(zip(models, splits, strict=True))
        )
        models = [each for each, _, _ in found]
        train.append([score for _, score, _ in found])
        test.append([score for _, _, score in found])
        mean = float(np.mean(test[-1]))
        best, worse = (mean, 0) if mean >= best else (best, worse + 1)
        if worse >= patience:
            break
    return np.array(train), np.array(test)


def _advance(
    model: Any, X: Any, y: NDArray[Any], split: Split, scorer: Scorer, fold: int
) -> tuple[Any, float, float]:
    train, test = split
    model.fit(take(X, train), y[train])
    scores = [
        score_part(model, take(X, rows), y[rows], scorer, f"the {part} part of fold {fold}")
        for part, rows in (("training", train), ("test", test))
    ]
    return model, scores[0], scores[1]


def _refuse_undefined(scores: NDArray[np.float64]) -> None:
    undefined = np.flatnonzero(~np.isfinite(scores).all(axis=0))
    if len(undefined):
        raise ValueError(
            f"complexity_curve: the score is undefined on fold {undefined[0]}. Use fewer or "
            "stratified folds, or another scoring."
        )
