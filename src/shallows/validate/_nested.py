"""Nested cross-validation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.metrics import check_scoring

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.validate._one_standard_error import simplest_of_the_best, standard_error
from shallows.validate._parts import (
    Complexity,
    Split,
    candidates_of,
    check_data,
    complexity_of,
    describe_choice,
    fit_and_score,
    folds,
    stratifies,
    take,
)


@dataclass(frozen=True)
class OuterFold:
    """One outer fold of a nested cross-validation.

    Parameters
    ----------
    repeat, fold : int
        Number of the repetition and of the fold, from 0.
    choice : dict
        Parameters selected by the inner folds.
    inner_score : float
        Mean score of that choice over the inner folds.
    score : float
        Score of that choice on the outer test part.

    Examples
    --------
    >>> from shallows.validate import OuterFold
    >>> OuterFold(0, 1, {"alpha": 0.1}, inner_score=0.9, score=0.8).choice
    {'alpha': 0.1}
    """

    repeat: int
    fold: int
    choice: dict[str, Any]
    inner_score: float
    score: float


@dataclass(frozen=True)
class NestedScores:
    """Result of `nested_cross_validate`.

    Parameters
    ----------
    outer_folds : tuple of OuterFold
        The inner choice and the score of every outer fold.
    score : float
        Mean of the outer scores: an estimate for the whole procedure on new rows.
    standard_error : float
        Standard error of `score`, over the outer folds of one repetition.
    flat_score : float
        Mean score of the candidate that is best on the outer folds themselves, as reported by a
        cross-validation without nesting.
    flat_choice : dict
        The candidate of `flat_score`, in the first repetition.
    candidate_scores : ndarray of shape (n_candidates, n_outer_folds)
        Score of every candidate on every outer fold.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import NestedScores, OuterFold
    >>> fold = OuterFold(0, 0, {"alpha": 0.1}, inner_score=0.9, score=0.75)
    >>> NestedScores((fold,), 0.75, 0.0, 0.875, {"alpha": 1}, np.array([[0.875]])).optimism
    0.125
    """

    outer_folds: tuple[OuterFold, ...]
    score: float
    standard_error: float
    flat_score: float
    flat_choice: dict[str, Any]
    candidate_scores: NDArray[np.float64]

    @property
    def optimism(self) -> float:
        """The flat score minus the nested score."""
        return self.flat_score - self.score

    def summary(self) -> str:
        """Describe the result in words.

        Returns
        -------
        text : str
            A few sentences.
        """
        n_folds = len(self.outer_folds)
        choices = Counter(describe_choice(each.choice) for each in self.outer_folds)
        chosen = "; ".join(f"{text} ({times}x)" for text, times in choices.most_common())
        return (
            f"Nested score {self.score:.4g} ± {self.standard_error:.2g} over {n_folds} outer "
            f"folds. The flat score of the best of {len(self.candidate_scores)} candidates is "
            f"{self.flat_score:.4g}, {self.optimism:+.2g} beyond it. Inner choices: {chosen}."
        )


def nested_cross_validate(
    estimator: Any,
    grid: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    scoring: Any = None,
    outer: Any = 5,
    inner: Any = 5,
    repeats: PositiveInt = 1,
    complexity: Complexity | None = None,
    random_state: RandomState = None,
) -> NestedScores:
    """Assess a method including the selection of its parameters.

    For every outer fold, inner folds within its training part select a candidate. That candidate
    is fitted to the whole training part and scored on the test part, which had no influence on the
    selection. For comparison, the flat score is the best mean of a candidate over the outer folds;
    it is optimistic, because the same folds select and assess.

    Fits run on the workers of the surrounding `joblib.parallel_config`; their number does not
    change the result. Put preparation and feature selection into a pipeline, so that they are
    fitted within each training part.

    Parameters
    ----------
    estimator : estimator
        Classifier, regressor or pipeline that ends in one.
    grid : dict or list of dict
        Values to try for each parameter, as in `GridSearchCV`.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Targets.
    groups : array-like of shape (n_samples,), default=None
        Group of each row; no group is in two parts of an outer or an inner fold.
    scoring : str, callable or None, default=None
        Score to maximise, as in scikit-learn; None means the estimator's own score.
    outer : int or splitter, default=5
        Outer folds; a number gives shuffled folds, stratified for classifiers.
    inner : int or splitter, default=5
        Inner folds, made of the training part of an outer fold.
    repeats : int, default=1
        Repetitions with new outer folds, if `outer` is a number.
    complexity : str, callable or None, default=None
        Name of a parameter, or a function of the parameters. Inner folds then select by
        `one_standard_error` instead of by the best mean.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the folds, and the estimator if its own random state is None.

    Returns
    -------
    result : NestedScores
        Scores and choices of all outer folds, the flat score, and a summary in words.

    References
    ----------
    .. [1] G. Cawley and N. Talbot, "On over-fitting in model selection and subsequent selection
       bias in performance evaluation", JMLR 11, 2079-2107, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import GLVQ
    >>> from shallows.validate import nested_cross_validate
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"n_prototypes": [1, 2]}
    >>> model = GLVQ(max_iter=10, tol=None)
    >>> found = nested_cross_validate(model, grid, X, y, outer=3, inner=3, random_state=0)
    >>> len(found.outer_folds), found.score > 0.9
    (3, True)
    """
    check_arguments(nested_cross_validate, locals())
    owner = "nested_cross_validate"
    y, groups = check_data(owner, X, y, groups)
    for_folds, for_models = as_generator(random_state).spawn(2)
    models, settings = candidates_of(owner, estimator, grid, for_models)
    scorer = check_scoring(models[0], scoring)
    stratify = stratifies(models, y)
    levels = None
    if complexity is not None:
        levels = np.array([complexity_of(complexity, model.get_params()) for model in models])

    rounds = folds(owner, outer, X, y, groups, stratify=stratify, repeats=repeats, rng=for_folds)
    places = [(r, k, split) for r, splits in enumerate(rounds) for k, split in enumerate(splits)]
    # One flat list of splits, each outer fold followed by its inner folds, so that all fits run in
    # parallel.
    parts: list[tuple[Split, str]] = []
    for r, k, (train, test) in places:
        name = f"outer fold {k}" + (f" of repetition {r}" if repeats > 1 else "")
        own = None if groups is None else groups[train]
        within = f"{owner}, training part of {name}"
        [splits] = folds(
            within,
            inner,
            take(X, train),
            y[train],
            own,
            stratify=stratify,
            repeats=1,
            rng=for_folds,
        )
        parts.append(((train, test), name))
        parts += [
            ((train[learn], train[judge]), f"inner fold {i} of {name}")
            for i, (learn, judge) in enumerate(splits)
        ]

    scores = Parallel()(
        delayed(fit_and_score)(model, X, y, split, scorer, name)
        for split, name in parts
        for model in models
    )
    return _collect(
        np.reshape(scores, (len(parts), len(models))).T, parts, places, settings, levels
    )


def _collect(
    scores: NDArray[np.float64],
    parts: list[tuple[Split, str]],
    places: list[tuple[int, int, Split]],
    settings: list[dict[str, Any]],
    levels: NDArray[np.float64] | None,
) -> NestedScores:
    """Select on the inner columns, which follow the column of their outer fold.

    The selected candidate was already fitted on the outer fold, for the flat score.
    """
    starts = [i for i, (_, name) in enumerate(parts) if name.startswith("outer")]
    found = []
    for (repeat, fold, _), start, end in zip(
        places, starts, [*starts[1:], len(parts)], strict=True
    ):
        within = scores[:, start + 1 : end]
        chosen = simplest_of_the_best(within, levels, repeats=1)
        inner, outer = float(within[chosen].mean()), float(scores[chosen, start])
        found.append(OuterFold(repeat, fold, settings[chosen], inner, outer))

    outer_scores = np.array([each.score for each in found])
    repeat_of = np.array([each.repeat for each in found])
    repeats = int(repeat_of[-1]) + 1
    flat = scores[:, starts]
    means = np.array([flat[:, repeat_of == r].mean(axis=1) for r in range(repeats)])
    return NestedScores(
        outer_folds=tuple(found),
        score=float(outer_scores.mean()),
        standard_error=standard_error(outer_scores, repeats),
        flat_score=float(means.max(axis=1).mean()),
        flat_choice=settings[int(means[0].argmax())],
        candidate_scores=flat,
    )
