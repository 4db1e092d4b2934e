"""Model selection and assessment as one procedure."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    GroupShuffleSplit,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
)

from shallows._core.contract.params import Fraction, PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.validate._check_splits import check_splits
from shallows.validate._one_standard_error import simplest_of_the_best, standard_error
from shallows.validate._parts import (
    Complexity,
    Split,
    candidates_of,
    check_data,
    complexity_of,
    describe_choice,
    evaluate,
    folds,
    refuse_small_classes,
    score_part,
    stratifies,
    take,
    times_of,
)
from shallows.validate._score_interval import score_interval

_assessed: dict[str, int] = {}


class RepeatedAssessmentWarning(UserWarning):
    """A test part was used more than once, so its score is no longer one of unseen rows.

    Examples
    --------
    >>> import warnings
    >>> from shallows.validate import RepeatedAssessmentWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", RepeatedAssessmentWarning)  # to be strict
    """


@dataclass(frozen=True)
class Assessment:
    """Result of `select_and_assess`, with the only assessment of its test part.

    Parameters
    ----------
    model : estimator
        The chosen candidate, fitted to all rows outside the test part.
    choice : dict
        The parameters in which it differs from the other candidates.
    settings : tuple of dict
        All candidates.
    cv_scores : ndarray of shape (n_candidates, n_folds)
        Scores used for the selection.
    cv_score : float
        Mean score of the choice in the selection; optimistic, because it was selected by it.
    cv_standard_error : float
        Standard error of `cv_score`, over the folds of one repetition.
    test_score : float
        Score of `model` on the test part.
    interval : tuple of float
        Confidence interval of `test_score`.
    level : float
        Level of the confidence interval.
    test_rows : ndarray
        Row numbers of the test part.
    n_assessments : int
        How often this test part was assessed in this process; more than once gives a warning.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from shallows.validate import select_and_assess
    >>> X, y = load_wine(return_X_y=True)
    >>> found = select_and_assess(RidgeClassifier(), X, y, repeats=1, random_state=1)
    >>> found.optimism == found.cv_score - found.test_score
    True
    """

    model: Any
    choice: dict[str, Any]
    settings: tuple[dict[str, Any], ...]
    cv_scores: NDArray[np.float64]
    cv_score: float
    cv_standard_error: float
    test_score: float
    interval: tuple[float, float]
    level: float
    test_rows: NDArray[Any]
    n_assessments: int

    @property
    def optimism(self) -> float:
        """The score in the selection minus the score on the test part."""
        return self.cv_score - self.test_score

    def summary(self) -> str:
        """Describe the result in words.

        Returns
        -------
        text : str
            A few sentences.
        """
        low, high = self.interval
        text = (
            f"Chosen from {len(self.settings)} candidates: {describe_choice(self.choice)}. "
            f"Selection promised {self.cv_score:.4g} ± {self.cv_standard_error:.2g}; the "
            f"{len(self.test_rows)} rows locked away give {self.test_score:.4g}, {self.level:.0%} "
            f"interval {low:.4g} to {high:.4g}. Optimism of selection: {self.optimism:+.2g}."
        )
        if self.n_assessments > 1:
            text += (
                f" This is assessment number {self.n_assessments} of the same test part: a score "
                "picked from several is optimistic too."
            )
        return text


def select_and_assess(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    grid: Any = None,
    groups: Any = None,
    scoring: Any = None,
    test_size: Fraction = 0.25,
    cv: Any = 5,
    repeats: PositiveInt = 3,
    complexity: Complexity | None = None,
    level: Fraction = 0.95,
    random_state: RandomState = None,
) -> Assessment:
    """Lock a test part away, select by cross-validation on the rest, assess once.

    Everything that learns must do so within training parts: put preparation and feature selection
    into a pipeline. A `FrozenEstimator` among the candidates is refused. Steps applied to `X`
    before the call can't be detected: a scaler, an imputer or a feature selection fitted to all
    rows has already seen the test part.

    The test part is assessed once, for the returned result. Assessing the same test part again in
    the same process gives a warning.

    Fits run on the workers of the surrounding `joblib.parallel_config`; their number does not
    change the result.

    Parameters
    ----------
    estimator : estimator, or list or dict of estimators
        One method with a `grid`, or the candidates themselves.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Targets.
    grid : dict or list of dict, default=None
        Values to try for each parameter of `estimator`, as in `GridSearchCV`.
    groups : array-like of shape (n_samples,), default=None
        Group of each row; no group is in two parts.
    scoring : str, callable or None, default=None
        Score to maximise, as in scikit-learn; None means accuracy or R^2.
    test_size : float, default=0.25
        Share of rows to lock away, stratified for classifiers.
    cv : int or splitter, default=5
        Folds of the selection; a number gives shuffled folds, stratified for classifiers.
    repeats : int, default=3
        Repetitions of the selection with new folds, if `cv` is a number.
    complexity : str, callable or None, default=None
        Name of a parameter, or a function of the parameters. The simplest candidate within one
        standard error of the best is then chosen, instead of the best.
    level : float, default=0.95
        Level of the confidence interval: Wilson's for accuracy, else bootstrap percentiles.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the parts, the interval, and estimators if their own random state is None.

    Returns
    -------
    result : Assessment
        The fitted choice, scores of selection and test, the interval, and a summary in words.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from shallows.prototype import GLVQ
    >>> from shallows.validate import select_and_assess
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), GLVQ(max_iter=10, tol=None))
    >>> grid = {"glvq__n_prototypes": [1, 2]}
    >>> found = select_and_assess(model, X, y, grid=grid, repeats=1, random_state=0)
    >>> found.choice
    {'glvq__n_prototypes': 1}
    >>> found.interval[0] < found.test_score <= found.interval[1]
    True
    """
    check_arguments(select_and_assess, locals())
    owner = "select_and_assess"
    y, groups = check_data(owner, X, y, groups)
    for_lock, for_folds, for_models, for_interval = as_generator(random_state).spawn(4)
    models, settings = candidates_of(owner, estimator, grid, for_models)
    stratify = stratifies(models, y)
    if scoring is None:
        scoring = "accuracy" if is_classifier(models[0]) else "r2"
    scorer = check_scoring(models[0], scoring)

    rest, test = _lock_test_part(owner, X, y, groups, test_size, stratify, for_lock)
    own = None if groups is None else groups[rest]
    rounds = folds(
        f"{owner}, rows outside the test part",
        cv,
        take(X, rest),
        y[rest],
        own,
        stratify=stratify,
        repeats=repeats,
        rng=for_folds,
    )
    # Inside the selection, row numbers count from the first row of all data.
    places = [
        ((rest[train], rest[judge]), f"fold {k} of repetition {r}")
        for r, splits in enumerate(rounds)
        for k, (train, judge) in enumerate(splits)
    ]
    cv_scores = evaluate(models, places, X, y, scorer)

    levels = None
    if complexity is not None:
        levels = np.array([complexity_of(complexity, model.get_params()) for model in models])
    chosen = simplest_of_the_best(cv_scores, levels, repeats)
    model = clone(models[chosen]).fit(take(X, rest), y[rest])

    # Only now the test part is used.
    n_assessments = _count_assessments(take(X, test), y[test])
    test_score = score_part(model, take(X, test), y[test], scorer, "the test part")
    return Assessment(
        model=model,
        choice=settings[chosen],
        settings=tuple(settings),
        cv_scores=cv_scores,
        cv_score=float(cv_scores[chosen].mean()),
        cv_standard_error=standard_error(cv_scores[chosen], repeats),
        test_score=test_score,
        interval=score_interval(
            model, take(X, test), y[test], scoring, test_score, level, for_interval
        ),
        level=level,
        test_rows=test,
        n_assessments=n_assessments,
    )


def _lock_test_part(
    owner: str,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    test_size: float,
    stratify: bool,
    rng: np.random.Generator,
) -> Split:
    """Return the rows for selection and the locked rows, both in ascending order."""
    seed = int(rng.integers(2**31))
    splitter: Any
    if stratify and groups is not None:
        n_parts = max(2, round(1 / test_size))
        refuse_small_classes(owner, y, 2)
        splitter = StratifiedGroupKFold(n_parts, shuffle=True, random_state=seed)
    elif stratify:
        refuse_small_classes(owner, y, 2)
        splitter = StratifiedShuffleSplit(1, test_size=test_size, random_state=seed)
    elif groups is not None:
        splitter = GroupShuffleSplit(1, test_size=test_size, random_state=seed)
    else:
        splitter = ShuffleSplit(1, test_size=test_size, random_state=seed)
    first = next(iter(splitter.split(X, y, groups)))
    [(rest, test)] = check_splits([first], y if stratify else None, groups, times_of(X))
    return np.sort(rest), np.sort(test)


def _count_assessments(X: Any, y: NDArray[Any]) -> int:
    """Count how often these rows were a test part in this process; warn from the second time."""
    fingerprint = joblib.hash((X, y))
    count = _assessed[fingerprint] = _assessed.get(fingerprint, 0) + 1
    if count > 1:
        warnings.warn(
            f"select_and_assess: assessment number {count} of this test part. If you pick one "
            "of several assessments, test it on new rows.",
            RepeatedAssessmentWarning,
            stacklevel=3,
        )
    return count
