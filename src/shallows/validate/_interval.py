"""An estimate with its interval, and intervals of proportions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from shallows._core.contract.params import Fraction, NonNegativeInt, PositiveInt, check_value
from shallows.validate._inputs import Floats

ProportionMethod = Literal["wilson", "clopper-pearson"]


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Parameters
    ----------
    estimate : float
        The number itself.
    low, high : float
        Ends of the interval.
    standard_error : float
        Standard deviation of the estimate over data sets of this size.
    level : float
        Confidence level: share of data sets whose interval contains the true value.

    Examples
    --------
    >>> from shallows.validate import Interval
    >>> print(Interval(0.8, 0.711, 0.867, standard_error=0.04, level=0.95))
    0.8 (95 % interval 0.711 to 0.867)
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    level: float

    def __str__(self) -> str:
        share = f"{100 * self.level:.4g} % interval"
        return f"{self.estimate:.4g} ({share} {self.low:.4g} to {self.high:.4g})"


def error_bar(
    wrong: NonNegativeInt,
    n: PositiveInt,
    *,
    level: Fraction = 0.95,
    method: ProportionMethod = "wilson",
) -> Interval:
    r"""Return the error rate on a test set with its confidence interval.

    Let a classifier misclassify `wrong` of :math:`n` independent test samples. The standard error
    of the rate :math:`e` is :math:`\sqrt{e (1 - e) / n}`. It vanishes at 0 and 1, so the interval
    inverts a test instead: Wilson's interval covers about as often as stated, Clopper and
    Pearson's at least as often.

    Parameters
    ----------
    wrong : int
        Number of wrong predictions; for an accuracy, of correct ones.
    n : int
        Number of test samples; no choice may have been based on them.
    level : float, default=0.95
        Probability that the interval contains the true rate.
    method : {"wilson", "clopper-pearson"}, default="wilson"
        The interval.

    Returns
    -------
    interval : Interval
        The rate with its interval and standard error.

    Examples
    --------
    >>> from shallows.validate import error_bar
    >>> print(error_bar(20, 100))
    0.2 (95 % interval 0.1334 to 0.2888)
    >>> print(error_bar(0, 100, method="clopper-pearson"))
    0 (95 % interval 0 to 0.03622)
    """
    check_value("error_bar", "wrong", NonNegativeInt, wrong)
    check_value("error_bar", "n", PositiveInt, n)
    check_value("error_bar", "level", Fraction, level)
    check_value("error_bar", "method", ProportionMethod, method)
    if wrong > n:
        raise ValueError(f"error_bar: wrong must be at most n = {n}, got {wrong}.")
    rate = wrong / n
    limits = wilson if method == "wilson" else clopper_pearson
    low, high = limits(wrong, n, level)
    return Interval(rate, float(low), float(high), float(np.sqrt(rate * (1 - rate) / n)), level)


def wilson(successes: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Return the ends of Wilson's interval, elementwise; NaN if n is 0."""
    successes, n = np.asarray(successes, dtype=float), np.asarray(n, dtype=float)
    z = ndtri(0.5 + level / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Roots of (e - p)^2 = z^2 p (1 - p) / n in p.
        middle = (successes + z**2 / 2) / (n + z**2)
        half = z / (n + z**2) * np.sqrt(successes * (n - successes) / n + z**2 / 4)
    low, high = np.maximum(middle - half, 0), np.minimum(middle + half, 1)
    return np.where(successes == 0, 0 * half, low), np.where(successes == n, 1 + 0 * half, high)


def clopper_pearson(successes: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Return the ends of the exact interval, elementwise."""
    k, n = np.asarray(successes, dtype=float), np.asarray(n, dtype=float)
    tail = (1 - level) / 2
    low = np.where(k == 0, 0.0, betaincinv(np.maximum(k, 1), n - k + 1, tail))
    high = np.where(k == n, 1.0, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail))
    return low, high
