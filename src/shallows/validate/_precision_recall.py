"""Precision and recall at every threshold, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtri

from shallows._core.contract.params import Fraction, check_value
from shallows.validate._inputs import Floats, binary_scores, threshold_counts
from shallows.validate._interval import Interval, clopper_pearson, wilson


@dataclass(frozen=True, eq=False)
class PrecisionRecall:
    """Precision and recall over the thresholds of a score, from the highest down.

    Parameters
    ----------
    threshold : ndarray
        Distinct scores, falling; scores at or above are classified as positive.
    precision, precision_low, precision_high : ndarray
        Share of true positives among the samples classified as positive, with its interval.
    recall, recall_low, recall_high : ndarray
        Share of the positives that are found, with its interval.
    average_precision : Interval
        Area under the step curve.

    Examples
    --------
    >>> from shallows.validate import precision_recall
    >>> precision_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).recall
    array([0.5, 0.5, 1. , 1. ])
    """

    threshold: Floats
    precision: Floats
    precision_low: Floats
    precision_high: Floats
    recall: Floats
    recall_low: Floats
    recall_high: Floats
    average_precision: Interval


def precision_recall(
    y_true: ArrayLike, scores: ArrayLike, *, level: Fraction = 0.95
) -> PrecisionRecall:
    r"""Return precision and recall at every threshold with their intervals.

    The intervals along the curve are Wilson's, each for its own threshold: for precision given the
    number of samples classified as positive, for recall given the number of positives. The
    interval of average precision is symmetric on the logit scale, with the standard error
    :math:`\sqrt{A (1 - A) / n_+}` on the original scale [1]_. It is approximate;
    `bootstrap_interval` is the slower alternative.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the greater one is positive.
    scores : array-like of shape (n_samples,)
        Higher for the positive class.
    level : float, default=0.95
        Probability that each interval contains the true value.

    Returns
    -------
    curve : PrecisionRecall
        One entry per distinct score.

    References
    ----------
    .. [1] K. Boyd, K. H. Eng and C. D. Page, "Area under the precision-recall curve: point
       estimates and confidence intervals", ECML PKDD 2013, 451-466.

    Examples
    --------
    >>> from shallows.validate import precision_recall
    >>> curve = precision_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.precision.round(3)
    array([1.   , 0.5  , 0.667, 0.5  ])
    >>> print(curve.average_precision)
    0.8333 (95 % interval 0.1082 to 0.9952)
    """
    check_value("precision_recall", "level", Fraction, level)
    threshold, tp, fp = threshold_counts(*binary_scores("precision_recall", y_true, scores))
    called, n_positive = tp + fp, tp[-1]
    precision, recall = tp / called, tp / n_positive
    average = float(np.diff(recall, prepend=0) @ precision)
    return PrecisionRecall(
        threshold,
        precision,
        *wilson(tp, called, level),
        recall,
        *wilson(tp, np.full_like(tp, n_positive), level),
        _average_interval(average, n_positive, level),
    )


def _average_interval(average: float, n_positive: float, level: float) -> Interval:
    error = float(np.sqrt(average * (1 - average) / n_positive))
    if error == 0:  # all positives come first: use the interval for n_positive successes
        low, high = clopper_pearson(n_positive, n_positive, level)
        return Interval(average, float(low), float(high), error, level)
    reach = ndtri(0.5 + level / 2) / np.sqrt(n_positive * average * (1 - average))
    low, high = expit(logit(average) - reach), expit(logit(average) + reach)
    return Interval(average, float(low), float(high), error, level)
