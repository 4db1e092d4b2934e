"""The locked test part: assessed once, with an interval, beside the baseline."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from shallows.study._measures import Measure, answers_of
from shallows.study._problem import Array, Problem
from shallows.study._tails import few_decide, is_heavy, losses_of, studentised
from shallows.study._verdict import Verdict
from shallows.validate import RepeatedAssessmentWarning, compare, error_bar

RESAMPLES, FEW_RESAMPLES = 2000, 200
MANY_ROWS = 20_000  # from which fewer resamples must do


@dataclass(frozen=True)
class Assessment:
    """What the test part says about a model.

    Parameters
    ----------
    score : float
        The measure on the test part; greater is better.
    low, high : float
        Ends of its interval.
    level : float
        Level of the interval.
    baseline : float
        Score of always giving the same answer.
    gain_low : float
        Lower end of the interval of the gain over the baseline.
    learned : bool
        Whether the gain can't well be chance.
    n_test : int
        Rows of the test part.
    n_assessments : int
        How often the test part was used.
    n_decisive : int
        Rows, one in a hundred, whose errors make more than a third of the sum that the score is
        made of: the interval says nothing then. 0 otherwise.
    decisive_share : float
        Their share of the sum.
    verdict : Verdict, optional
        What all evidence, cross-validation included, says.
    """

    score: float
    low: float
    high: float
    level: float
    baseline: float
    gain_low: float
    learned: bool
    n_test: int
    n_assessments: int
    n_decisive: int = 0
    decisive_share: float = 0.0
    verdict: Verdict | None = None


class TestSet:
    """Rows that were locked away before anything was looked at; it counts how often it is used.

    Parameters
    ----------
    problem : Problem
        The rows with their targets.
    level : float
        Level of the intervals.
    seed : int
        Seeds the resamples of the interval.
    n_before : int
        How often the rows were used already.

    Examples
    --------
    A study makes one, and looks at it once:

    >>> import numpy as np
    >>> from shallows.study import Study
    >>> x = np.arange(80.0)
    >>> found = Study({"x": x, "y": x > 40}, "y", only=["least squares"], repeats=1).run()
    >>> found.assessment.n_assessments
    1
    """

    __test__ = False  # pytest takes classes of this name for its own

    def __init__(self, problem: Problem, level: float = 0.95, seed: int = 0, n_before: int = 0):
        self._problem, self._level, self._seed = problem, level, seed
        self.n_assessments = n_before

    def assess(self, model: Any, baseline: Any, measure: Measure) -> tuple[Assessment, Array]:
        """Score a fitted model beside the baseline; return what was found and the answers."""
        self.n_assessments += 1
        if self.n_assessments > 1:
            warnings.warn(
                f"This is assessment number {self.n_assessments} of the same test part: a score "
                "picked from several is optimistic.",
                RepeatedAssessmentWarning,
                stacklevel=2,
            )
        problem = self._problem
        n_classes = len(problem.classes)
        answers = answers_of(model, problem.X, measure, n_classes)
        trivial = answers_of(baseline, problem.X, measure, n_classes)
        y, groups = problem.y, problem.groups
        score, base = measure.score(y, answers), measure.score(y, trivial)
        low, high = self._interval(measure, score, y, answers)
        gains = resampled(
            lambda rows: (
                measure.score(y[rows], answers[rows]) - measure.score(y[rows], trivial[rows])
            ),
            y,
            groups,
            problem.is_classification,
            self._seed,
        )
        gain_low = float(np.quantile(gains, (1 - self._level) / 2))
        learned = score > base and gain_low > 0
        if learned and measure.name == "accuracy" and groups is None:
            right, wrong = answers == y, trivial == y
            learned = compare(right, wrong, "mcnemar").p_value < 1 - self._level
        if learned and measure.name == "balanced_accuracy":  # resamples of few rows hardly differ
            p = _p_by_chance(measure, y, answers, self._seed)
            learned = low > base and p < (1 - self._level) / 2
        decisive = (0, 0.0)
        if not problem.is_classification:
            decisive = few_decide(losses_of(measure.name, y, answers))
        found = Assessment(
            score,
            low,
            high,
            self._level,
            base,
            gain_low,
            bool(learned),
            len(y),
            self.n_assessments,
            *decisive,
        )
        return found, answers

    def _interval(
        self, measure: Measure, score: float, y: Array, answers: Array
    ) -> tuple[float, float]:
        """Return Wilson's interval for accuracies of independent rows, else the bootstrap's."""
        problem = self._problem
        if measure.name == "balanced_accuracy" and problem.groups is None:
            return _around_mean_recall(y, answers, self._level)
        if measure.name == "accuracy" and problem.groups is None:
            bar = error_bar(round(score * len(y)), len(y), level=self._level)
            return bar.low, bar.high
        if measure.name in ("rmse", "mae") and is_heavy(y - answers):
            (losses,) = losses_of(measure.name, y, answers)
            ends = studentised(losses, problem.groups, self._level, number_of_draws(y), self._seed)
            power = 0.5 if measure.name == "rmse" else 1.0
            return -(ends[1] ** power), -(ends[0] ** power)
        values = resampled(
            lambda rows: measure.score(y[rows], answers[rows]),
            y,
            problem.groups,
            problem.is_classification,
            self._seed,
        )
        low, high = np.quantile(values, [(1 - self._level) / 2, (1 + self._level) / 2])
        return float(low), float(high)


def number_of_draws(y: Array) -> int:
    """Return how many resamples of the rows to draw."""
    return RESAMPLES if len(y) < MANY_ROWS else FEW_RESAMPLES


def _around_mean_recall(y: Array, answers: Array, level: float) -> tuple[float, float]:
    """Combine Wilson's intervals of the recalls; their errors are independent, so squares add."""
    parts = [answers[y == label] == label for label in np.unique(y)]
    bars = [error_bar(int(np.sum(part)), len(part), level=level) for part in parts]
    mean = np.mean([bar.estimate for bar in bars])
    below = np.linalg.norm([bar.estimate - bar.low for bar in bars]) / len(bars)
    above = np.linalg.norm([bar.high - bar.estimate for bar in bars]) / len(bars)
    return float(mean - below), float(mean + above)


def _p_by_chance(measure: Measure, y: Array, answers: Array, seed: int) -> float:
    """Return how often the same answers, given to rows at random, score as high."""
    rng = np.random.default_rng(seed)
    n_draws = number_of_draws(y)
    score = measure.score(y, answers) - 1e-9  # sums of the same terms in another order
    as_high = sum(measure.score(y, rng.permutation(answers)) >= score for _ in range(n_draws))
    return (1 + as_high) / (1 + n_draws)


def resampled(value: Any, y: Array, groups: Array | None, classes: bool, seed: int) -> Array:
    """Return values over bootstrap resamples: of whole groups, within classes, or of rows."""
    rng = np.random.default_rng(seed)
    n_draws = number_of_draws(y)
    if groups is not None:
        members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
        draws = (  # a draw of groups without one of the classes may have no score
            np.concatenate([members[i] for i in rng.integers(len(members), size=len(members))])
            for _ in range(n_draws)
        )
    elif classes:
        strata = [np.flatnonzero(y == label) for label in np.unique(y)]
        draws = (
            np.concatenate([rows[rng.integers(len(rows), size=len(rows))] for rows in strata])
            for _ in range(n_draws)
        )
    else:
        draws = (rng.integers(len(y), size=len(y)) for _ in range(n_draws))
    found = np.array([value(rows) for rows in draws])
    return found[np.isfinite(found)] if np.isfinite(found).any() else np.full(1, np.nan)
