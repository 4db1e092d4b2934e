"""Do events forecast with probability p happen with frequency p?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from shallows._core.contract.params import Fraction, PositiveInt, check_value
from shallows.validate._inputs import Floats, binary_scores
from shallows.validate._interval import wilson

Strategy = Literal["uniform", "quantile"]


@dataclass(frozen=True, eq=False)
class CalibrationTable:
    """Predicted probability and observed frequency in bins of the prediction, without empty bins.

    Parameters
    ----------
    edge_low, edge_high : ndarray
        Ends of each bin.
    count : ndarray
        Samples in each bin.
    predicted : ndarray
        Their mean predicted probability.
    observed, low, high : ndarray
        Their share of positives, with a confidence interval.
    expected_error : float
        Expected calibration error: mean distance between the two over the samples.
    largest_error : float
        Largest distance between the two in a bin.

    Examples
    --------
    >>> from shallows.validate import calibration_table
    >>> calibration_table([0, 1, 1, 1], [0.2, 0.3, 0.9, 0.8], n_bins=2).observed
    array([0.5, 1. ])
    """

    edge_low: Floats
    edge_high: Floats
    count: Floats
    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    expected_error: float
    largest_error: float


def calibration_table(
    y_true: ArrayLike,
    probability: ArrayLike,
    *,
    n_bins: PositiveInt = 10,
    strategy: Strategy = "uniform",
    level: Fraction = 0.95,
) -> CalibrationTable:
    r"""Return the reliability of predicted probabilities, bin by bin, with intervals.

    The expected calibration error :math:`\sum_b (n_b / n) |\bar y_b - \bar p_b|` is positive even
    for perfect predictions: about :math:`0.8 \sqrt{p (1 - p) / n_b}`, averaged over the bins. The
    intervals show which distances are larger than chance explains.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the greater one is positive.
    probability : array-like of shape (n_samples,)
        Predicted probability of the positive class.
    n_bins : int, default=10
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, or with equally many samples.
    level : float, default=0.95
        Probability that each interval contains the true frequency.

    Returns
    -------
    table : CalibrationTable
        One entry per bin that contains samples.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import calibration_table
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(10_000)
    >>> y = rng.random(10_000) < p
    >>> overconfident = calibration_table(y, p**2 / (p**2 + (1 - p) ** 2))
    >>> round(calibration_table(y, p).expected_error, 3), round(overconfident.expected_error, 3)
    (0.011, 0.098)
    """
    owner = "calibration_table"
    check_value(owner, "n_bins", PositiveInt, n_bins)
    check_value(owner, "strategy", Strategy, strategy)
    check_value(owner, "level", Fraction, level)
    positive, chance = binary_scores(owner, y_true, probability)
    if chance.min() < 0 or chance.max() > 1:
        raise ValueError(
            f"{owner}: probability must lie in [0, 1], got values from {chance.min():.4g} "
            f"to {chance.max():.4g}; calibrate scores first."
        )
    steps = np.linspace(0, 1, n_bins + 1)
    edges = steps if strategy == "uniform" else np.unique(np.quantile(chance, steps))
    # The right-most edge belongs to the last bin.
    bins = np.clip(np.searchsorted(edges, chance, side="right") - 1, 0, max(len(edges) - 2, 0))
    count = np.bincount(bins, minlength=n_bins).astype(float)
    used = count > 0
    hits = np.bincount(bins, weights=positive, minlength=n_bins)[used]
    predicted = np.bincount(bins, weights=chance, minlength=n_bins)[used] / count[used]
    observed, held = hits / count[used], np.flatnonzero(used)
    gap = np.abs(observed - predicted)
    return CalibrationTable(
        edges[held],
        edges[np.minimum(held + 1, len(edges) - 1)],
        count[used],
        predicted,
        observed,
        *wilson(hits, count[used], level),
        float(count[used] @ gap / len(chance)),
        float(gap.max()),
    )
