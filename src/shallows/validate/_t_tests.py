"""Tests on the mean difference of scores from the same splits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc, fdtri, stdtr, stdtrit

from shallows.validate._comparison import Comparison
from shallows.validate._inputs import Floats, finite_pair

MEAN = "mean difference of the scores"


def paired_t(scores_a: ArrayLike, scores_b: ArrayLike, level: float, **words: Any) -> Comparison:
    """Student's test for independent pairs, such as one per data set."""
    a, b = finite_pair("compare", scores_a, scores_b)
    return _on_mean("paired t-test", a - b, 1 / len(a), level, **words)


def corrected_t(
    scores_a: ArrayLike, scores_b: ArrayLike, level: float, ratio: float, **words: Any
) -> Comparison:
    """Nadeau and Bengio's test: add n_test / n_train to 1/J in the variance of the mean."""
    a, b = finite_pair("compare", scores_a, scores_b)
    return _on_mean("corrected resampled t-test", a - b, 1 / len(a) + ratio, level, **words)


def five_by_two_t(
    scores_a: ArrayLike, scores_b: ArrayLike, level: float, **words: Any
) -> Comparison:
    """Dietterich's test: the first difference divided by the spread within the five halvings."""
    difference, spread = _five_by_two(scores_a, scores_b)
    first, error = difference[0, 0], np.sqrt(spread.mean())
    measure = "difference of the scores in the first fold"
    return _student("5x2cv paired t-test", first, error, 5, level, measure, **words)


def five_by_two_f(
    scores_a: ArrayLike, scores_b: ArrayLike, level: float, **words: Any
) -> Comparison:
    """Alpaydin's combined test of all ten differences, with the means that it does not reject."""
    difference, spread = _five_by_two(scores_a, scores_b)
    statistic = np.sum(difference**2) / (2 * spread.sum())
    mean = difference.mean()
    # A true mean m is accepted if 10 [var + (mean - m)^2] / (2 sum spread) <= F; solve for m.
    room = fdtri(10, 5, level) * spread.sum() / 5 - difference.var()
    reach = np.sqrt(room) if room >= 0 else np.nan
    return Comparison(
        "combined 5x2cv F-test",
        float(statistic),
        float(fdtrc(10, 5, statistic)),
        float(mean),
        float(mean - reach),
        float(mean + reach),
        MEAN,
        level,
        **words,
    )


def _on_mean(
    test: str, difference: Floats, variance_factor: float, level: float, **words: Any
) -> Comparison:
    spread = difference.var(ddof=1)
    if not spread > (1e-12 * np.abs(difference).max()) ** 2:
        raise ValueError(
            f"compare: the {test} needs differences that vary, got {len(difference)} times "
            f"{difference[0]:.4g}; use test='sign' for constant ones."
        )
    error, freedom = np.sqrt(variance_factor * spread), len(difference) - 1
    return _student(test, difference.mean(), error, freedom, level, MEAN, **words)


def _student(
    test: str, effect: float, error: float, freedom: int, level: float, measure: str, **words: Any
) -> Comparison:
    t, reach = effect / error, stdtrit(freedom, 0.5 + level / 2) * error
    return Comparison(
        test,
        float(t),
        float(2 * stdtr(freedom, -abs(t))),
        float(effect),
        float(effect - reach),
        float(effect + reach),
        measure,
        level,
        **words,
    )


def _five_by_two(scores_a: ArrayLike, scores_b: ArrayLike) -> tuple[Floats, Floats]:
    """Return the differences (5, 2) and the variance of each halving."""
    shapes = [np.shape(scores) for scores in (scores_a, scores_b)]
    if any(shape not in ((5, 2), (10,)) for shape in shapes):
        raise ValueError(
            "compare: a 5x2cv test takes the scores of five 2-fold cross-validations, shape "
            f"(5, 2) or 10 in a row, got shapes {shapes[0]} and {shapes[1]}."
        )
    a, b = finite_pair("compare", np.ravel(scores_a), np.ravel(scores_b))
    difference = (a - b).reshape(5, 2)
    spread = (difference[:, 0] - difference[:, 1]) ** 2 / 2
    if not spread.sum() > (1e-12 * np.abs(difference).max()) ** 2:
        raise ValueError(
            "compare: a 5x2cv test needs differences that vary within a halving, "
            "but they are equal in all five."
        )
    return difference, spread
