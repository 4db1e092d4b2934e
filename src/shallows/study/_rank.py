"""Rank the methods that lasted, test their differences, choose the simplest of the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from shallows.study._search import Search, Standing
from shallows.validate import adjust_p_values, compare


@dataclass(frozen=True)
class Ranked:
    """A method as cross-validation saw it.

    Parameters
    ----------
    name, source : str
        The method and the library it comes from.
    setting : dict
        Its best parameters.
    complexity : int
        Its place among methods from simple to complex.
    mean : float
        Mean score over the folds; greater is better.
    standard_error : float
        Of the mean, after Nadeau and Bengio.
    low, high : float
        Ends of the 95 % interval of the mean.
    p_value : float
        Of the hypothesis that it is as good as the best method, adjusted after Holm.
    seconds : float
        Time that all its evaluations took.
    chosen : bool
        Whether it is the choice.
    """

    name: str
    source: str
    setting: dict[str, Any]
    complexity: int
    mean: float
    standard_error: float
    low: float
    high: float
    p_value: float
    seconds: float
    chosen: bool

    @property
    def p_in_words(self) -> str:
        """The p-value as people read it."""
        return "< 0.001" if self.p_value < 0.001 else f"{self.p_value:.2g}"


def rank(search: Search, ratio: float, level: float = 0.95) -> list[Ranked]:
    """Return the methods from best to worst; `ratio` is the size of test over training folds."""
    standings = search.standings
    best = max(standings, key=lambda standing: standing.mean)
    others = [standing for standing in standings if standing is not best]
    names = [other.entry.candidate.name for other in others]
    adjusted = adjust_p_values([_p_value(best, other, ratio) for other in others])
    by_name = dict(zip(names, map(float, adjusted), strict=True))
    chosen = choose(standings, ratio)
    ranked = []
    for standing in sorted(standings, key=lambda standing: -standing.mean):
        candidate = standing.entry.candidate
        error = corrected_error(standing.scores, ratio)
        reach = error * float(student.ppf((1 + level) / 2, max(len(standing.scores) - 1, 1)))
        ranked.append(
            Ranked(
                candidate.name,
                candidate.source,
                dict(standing.entry.setting),
                candidate.complexity,
                standing.mean,
                error,
                standing.mean - reach,
                standing.mean + reach,
                by_name.get(candidate.name, 1.0),
                standing.seconds,
                standing is chosen,
            )
        )
    return ranked


def choose(standings: Sequence[Standing], ratio: float) -> Standing:
    """Return the simplest method within one standard error of the best; of equals the better."""
    best = max(standings, key=lambda standing: standing.mean)
    enough = best.mean - corrected_error(best.scores, ratio)
    near = [standing for standing in standings if standing.mean >= enough]
    simplest = min(standing.entry.candidate.complexity for standing in near)
    equals = [each for each in near if each.entry.candidate.complexity == simplest]
    return max(equals, key=lambda standing: standing.mean)


def corrected_error(scores: Sequence[float], ratio: float) -> float:
    """Return the standard error of a mean over folds that share training rows."""
    if len(scores) < 2:
        return 0.0
    return float(np.std(scores, ddof=1) * np.sqrt(1 / len(scores) + ratio))


def _p_value(best: Standing, other: Standing, ratio: float) -> float:
    """Return the p-value of the corrected resampled t-test; equal scores can't be told apart."""
    difference = np.subtract(best.scores, other.scores)
    if np.ptp(difference) <= 1e-12 * max(1.0, float(np.abs(difference).max())):
        return 1.0 if abs(difference.mean()) < 1e-12 else 0.0
    return compare(best.scores, other.scores, "corrected-t", test_train_ratio=ratio).p_value
