"""Grid search that refines the grid around the best value, round after round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.validate._parts import (
    candidates_of,
    check_data,
    describe_choice,
    evaluate,
    folds,
    stratifies,
)


@dataclass(frozen=True)
class SearchPath:
    """Result of `coarse_to_fine`.

    Parameters
    ----------
    model : estimator
        The best candidate, fitted to all rows.
    best_params : dict
        Its parameters.
    best_score : float
        Its mean score over the folds; optimistic, because the candidate was selected by it.
    grids : tuple of dict
        The grid of every round.
    tried : tuple of dict
        Parameters, round and mean score of every candidate, in the order tried.

    Examples
    --------
    >>> from shallows.validate import SearchPath
    >>> tried = ({"params": {"alpha": 0.1}, "round": 0, "score": 0.9},)
    >>> SearchPath(None, {"alpha": 0.1}, 0.9, ({"alpha": [0.1]},), tried).summary()
    'Best of 1 candidates in 1 rounds: alpha=0.1 with a mean score of 0.9.'
    """

    model: Any
    best_params: dict[str, Any]
    best_score: float
    grids: tuple[dict[str, list[Any]], ...]
    tried: tuple[dict[str, Any], ...]

    def summary(self) -> str:
        """Describe the result in words.

        Returns
        -------
        text : str
            One sentence.
        """
        return (
            f"Best of {len(self.tried)} candidates in {len(self.grids)} rounds: "
            f"{describe_choice(self.best_params)} with a mean score of {self.best_score:.4g}."
        )


def coarse_to_fine(
    estimator: Any,
    grid: Mapping[str, Sequence[Any]],
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = 5,
    rounds: PositiveInt = 3,
    random_state: RandomState = None,
) -> SearchPath:
    """Search a coarse grid, then finer grids around the best candidate.

    A round tries every combination of values. The next round has about as many values per
    parameter, between the neighbours of the best value. If all values are positive and span more
    than a factor of ten, steps are ratios; a best value at an end of the grid then gets a
    neighbour one step beyond the end. Otherwise steps are differences, and no value leaves the
    first grid. Integers stay integers; words and bools keep all their values. No candidate is
    tried twice, and all rounds use the same folds.

    Parameters
    ----------
    estimator : estimator
        Classifier, regressor or pipeline that ends in one.
    grid : dict
        Values of each parameter in the first round, numbers in ascending order.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Targets.
    groups : array-like of shape (n_samples,), default=None
        Group of each row; no group is in two parts of a fold.
    scoring : str, callable or None, default=None
        Score to maximise, as in scikit-learn; None means the estimator's own score.
    cv : int or splitter, default=5
        Folds; a number gives shuffled folds, stratified for classifiers.
    rounds : int, default=3
        Number of grids.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the folds, and the estimator if its own random state is None.

    Returns
    -------
    result : SearchPath
        The best candidate, fitted, and all that were tried.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from shallows.validate import coarse_to_fine
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = coarse_to_fine(Ridge(), {"alpha": [1e-3, 1e-1, 10]}, X, y, random_state=0)
    >>> [round(value, 5) for value in found.grids[1]["alpha"]]
    [0.0001, 0.001, 0.01]
    """
    check_arguments(coarse_to_fine, locals())
    owner = "coarse_to_fine"
    y, groups = check_data(owner, X, y, groups)
    for_folds, for_model = as_generator(random_state).spawn(2)
    [base], _ = candidates_of(owner, estimator, None, for_model)
    scorer = check_scoring(base, scoring)
    stratify = stratifies([base], y)
    [splits] = folds(owner, cv, X, y, groups, stratify=stratify, repeats=1, rng=for_folds)
    places = [(split, f"fold {k}") for k, split in enumerate(splits)]

    current = {name: list(values) for name, values in grid.items()}
    grids: list[dict[str, list[Any]]] = []
    tried: list[dict[str, Any]] = []
    scores: dict[str, float] = {}
    best: dict[str, Any] = {}
    for number in range(rounds):
        grids.append(current)
        models, settings = candidates_of(owner, base, current, for_model)
        new = [i for i, setting in enumerate(settings) if describe_choice(setting) not in scores]
        # A candidate of an earlier round keeps its score: the folds are the same.
        found = evaluate([models[i] for i in new], places, X, y, scorer).mean(axis=1)
        for i, score in zip(new, found, strict=True):
            scores[describe_choice(settings[i])] = float(score)
            tried.append({"params": settings[i], "round": number, "score": float(score)})
        best = max(tried, key=lambda each: each["score"])
        current = {name: refined(values, best["params"][name]) for name, values in current.items()}
    model = clone(base).set_params(**best["params"]).fit(X, y)
    return SearchPath(model, best["params"], best["score"], tuple(grids), tuple(tried))


def refined(values: list[Any], best: Any) -> list[Any]:
    """Return values on both sides of the best one, within its neighbours."""
    numeric = all(isinstance(value, Real) and not isinstance(value, bool) for value in values)
    if not numeric or len(values) < 2:
        return values
    ordered = sorted(values)
    ratios = ordered[0] > 0 and ordered[-1] > 10 * ordered[0]
    scale = np.log(ordered) if ratios else np.array(ordered, dtype=float)
    place = ordered.index(best)
    outside = 1 if ratios else 0
    padded = np.concatenate(
        [
            [scale[0] - outside * (scale[1] - scale[0])],
            scale,
            [scale[-1] + outside * (scale[-1] - scale[-2])],
        ]
    )
    # Half of the values on each side of the best one, evenly spaced up to its neighbours.
    side = len(values) // 2
    below = np.linspace(padded[place], scale[place], side + 2)[1:-1]
    above = np.linspace(scale[place], padded[place + 2], side + 2)[1:-1]
    new = [float(value) for value in np.concatenate([below, above])]
    new = [*(np.exp(new).tolist() if ratios else new), best]
    if all(isinstance(value, Integral) for value in values):
        new = [round(value) for value in new]
    return sorted(set(new))
