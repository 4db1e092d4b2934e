"""Choose among candidates by repeated cross-validation, assess the choice once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score, train_test_split


class Candidate(NamedTuple):
    """A method with all its preparation, so that each fold fits both anew."""

    name: str
    model: Any


@dataclass(frozen=True)
class Score:
    """Accuracy of one candidate in cross-validation."""

    name: str
    mean: float
    standard_error: float
    seconds: float


@dataclass(frozen=True)
class StudyResult:
    """What a study found.

    `scores` stand in the order of the candidates. `chosen` is the first of them, that is the
    simplest, whose mean is within one standard error of the best. `accuracy` is its share of
    correct answers on the locked test set, `interval` the exact 95 % interval of it, `majority`
    what always answering the most frequent class would have scored there, and `optimism` what
    cross-validation had promised beyond `accuracy`.
    """

    n_train: int
    n_test: int
    scores: tuple[Score, ...]
    chosen: str
    accuracy: float
    interval: tuple[float, float]
    majority: float
    model: Any

    @property
    def optimism(self) -> float:
        """Cross-validated mean of the chosen candidate less its accuracy on the test set."""
        promised = next(score.mean for score in self.scores if score.name == self.chosen)
        return promised - self.accuracy

    @property
    def learned(self) -> bool:
        """Whether the test set shows that the choice beats the most frequent class."""
        return self.interval[0] > self.majority


def study(
    X: Any,
    y: Any,
    candidates: Sequence[Candidate],
    *,
    folds: int = 10,
    repeats: int = 5,
    test_size: float = 0.25,
    seed: int = 0,
    report: Callable[[Score], None] = lambda score: None,
) -> StudyResult:
    """Lock a test set away, select by repeated stratified cross-validation, assess once.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        Class labels.
    candidates : sequence of Candidate
        Methods to compare, from simple to complex.
    folds, repeats : int
        Cross-validation is run `repeats` times with other folds.
    test_size : float, default=0.25
        Share of the data that is touched only once, at the end.
    seed : int, default=0
        Decides the test set and the folds.
    report : callable
        Called with each score as soon as it is known.

    Returns
    -------
    result : StudyResult
        Scores of all candidates and the assessment of the chosen one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import GLVQ
    >>> from shallows.study import Candidate, study
    >>> X, y = load_iris(return_X_y=True)
    >>> result = study(X, y, [Candidate("GLVQ", GLVQ(random_state=0))], repeats=1)
    >>> result.accuracy > 0.9
    True
    """
    X, X_test, y, y_test = train_test_split(
        X, y, test_size=test_size, stratify=y, random_state=seed
    )
    splits = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
    scores = []
    for candidate in candidates:
        scores.append(_score(candidate, X, y, splits, folds))
        report(scores[-1])
    chosen = candidates[_simplest_within_one_error(scores)]
    model = clone(chosen.model).fit(X, y)
    correct = int(np.sum(model.predict(X_test) == y_test))
    interval = binomtest(correct, len(y_test)).proportion_ci(0.95, method="exact")
    return StudyResult(
        n_train=len(y),
        n_test=len(y_test),
        scores=tuple(scores),
        chosen=chosen.name,
        accuracy=correct / len(y_test),
        interval=(float(interval.low), float(interval.high)),
        majority=float(np.mean(y_test == DummyClassifier().fit(X, y).predict(X_test))),
        model=model,
    )


def _score(candidate: Candidate, X: Any, y: Any, splits: Any, folds: int) -> Score:
    start = time.perf_counter()
    found = cross_val_score(candidate.model, X, y, cv=splits, error_score="raise")
    # Folds share training data, which the plain standard error ignores: Nadeau and Bengio (2003)
    # add the ratio of test to training size.
    error = found.std(ddof=1) * np.sqrt(1 / len(found) + 1 / (folds - 1))
    return Score(candidate.name, float(found.mean()), float(error), time.perf_counter() - start)


def _simplest_within_one_error(scores: Sequence[Score]) -> int:
    best = max(scores, key=lambda score: score.mean)
    enough = best.mean - best.standard_error
    return next(i for i, score in enumerate(scores) if score.mean >= enough)
