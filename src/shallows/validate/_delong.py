"""DeLong's variance of areas under ROC curves, with ties, in one sort per classifier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, expit, logit, ndtr, ndtri

from shallows._core.contract.params import Fraction, NonNegativeInt, check_value
from shallows._core.numerics.threads import map_blocks
from shallows.validate._comparison import Comparison
from shallows.validate._inputs import Bools, Floats, positives
from shallows.validate._interval import Interval

SMALLEST_VARIANCE = 1e-24  # anything smaller is rounding error of zero


@dataclass(frozen=True, eq=False)
class AucEstimate:
    """Areas under the ROC curves of classifiers on the same samples.

    Parameters
    ----------
    auc : ndarray of shape (n_classifiers,)
        The areas.
    covariance : ndarray of shape (n_classifiers, n_classifiers)
        Their estimated covariance over data sets of this size.
    n_positive, n_negative : int
        Samples of either class.

    Examples
    --------
    >>> from shallows.validate import delong
    >>> delong([0, 0, 1, 1, 1], [[1, 3], [3, 1], [2, 2], [4, 4], [5, 5]]).auc.round(4)
    array([0.8333, 0.8333])
    """

    auc: Floats
    covariance: Floats
    n_positive: int
    n_negative: int

    def interval(self, classifier: NonNegativeInt = 0, level: Fraction = 0.95) -> Interval:
        """Return the interval of one area, symmetric on the logit scale.

        At 0 and 1 DeLong's variance vanishes. The other end of the interval is then the area at
        which k disjoint pairs are all in order with probability ``(1 - level) / 2``; k is the size
        of the smaller class.

        Parameters
        ----------
        classifier : int, default=0
            Index of the classifier.
        level : float, default=0.95
            Probability that the interval contains the true area.

        Returns
        -------
        interval : Interval
            The area with its interval and standard error.
        """
        check_value("AucEstimate", "level", Fraction, level)
        area, error = self.auc[classifier], np.sqrt(self.covariance[classifier, classifier])
        if area in (0.0, 1.0):
            bound = ((1 - level) / 2) ** (1 / min(self.n_positive, self.n_negative))
            low, high = (bound, 1.0) if area == 1 else (0.0, 1 - bound)
        else:
            # Delta method: the standard error of logit(a) is that of a, divided by a (1 - a).
            reach = ndtri(0.5 + level / 2) * error / (area * (1 - area))
            low, high = expit(logit(area) - reach), expit(logit(area) + reach)
        return Interval(float(area), float(low), float(high), float(error), level)

    def difference(
        self,
        first: NonNegativeInt = 0,
        second: NonNegativeInt = 1,
        *,
        level: Fraction = 0.95,
        names: tuple[str, str] = ("A", "B"),
    ) -> Comparison:
        """Test whether two of the areas differ.

        Parameters
        ----------
        first, second : int, default=0, 1
            Indices of the two classifiers.
        level : float, default=0.95
            Level of the interval of their difference.
        names : tuple of str, default=("A", "B")
            Names of the two in the outcome.

        Returns
        -------
        comparison : Comparison
            Effect: the first area minus the second.
        """
        check_value("AucEstimate", "level", Fraction, level)
        effect = self.auc[first] - self.auc[second]
        own = self.covariance[first, first] + self.covariance[second, second]
        variance = own - 2 * self.covariance[first, second]
        if variance < max(SMALLEST_VARIANCE, 1e-12 * own):
            raise ValueError(
                "DeLong's test needs two scores that rank the samples differently, and not both "
                f"perfectly; the variance of the difference {effect:.4g} is zero here."
            )
        error = np.sqrt(variance)
        z, reach = effect / error, ndtri(0.5 + level / 2) * error
        return Comparison(
            "DeLong's test",
            float(z),
            float(2 * ndtr(-abs(z))),
            float(effect),
            float(effect - reach),
            float(effect + reach),
            "difference of the areas under the ROC curve",
            level,
            names,
        )

    def equality(self) -> tuple[float, float]:
        """Test whether all areas are equal.

        Returns
        -------
        statistic : float
            Chi-square statistic; its degrees of freedom are the number of independent contrasts.
        p_value : float
            Probability of such a statistic if all areas are equal.
        """
        if len(self.auc) < 2:
            raise ValueError("A test of equality needs at least 2 classifiers, got 1.")
        # Contrasts against the first classifier; the statistic does not depend on this choice.
        contrast = self.auc[1:] - self.auc[0]
        change = np.column_stack([-np.ones(len(contrast)), np.eye(len(contrast))])
        spread = change @ self.covariance @ change.T
        rank = np.linalg.matrix_rank(spread, hermitian=True)
        if rank == 0:
            raise ValueError("A test of equality needs classifiers that rank differently.")
        statistic = float(contrast @ np.linalg.pinv(spread, hermitian=True) @ contrast)
        return statistic, float(chdtrc(rank, statistic))


def delong(y_true: ArrayLike, scores: ArrayLike) -> AucEstimate:
    r"""Return areas under ROC curves and their covariance after DeLong.

    The area is a mean over pairs of a positive and a negative: 1 if the positive has the higher
    score, 1/2 if they tie, else 0. Averaging over one partner gives one value per sample. The
    covariance of these values, per class and divided by the class size, estimates the covariance
    of the areas [1]_. Ranks give all values in :math:`O(n \log n)` [2]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, at least 2 samples of each; the greater one is positive.
    scores : array-like of shape (n_samples,) or (n_samples, n_classifiers)
        Higher for the positive class.

    Returns
    -------
    estimate : AucEstimate
        Areas and covariance, with intervals and tests as methods.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach",
       Biometrics 44, 837-845, 1988.
    .. [2] X. Sun and W. Xu, "Fast implementation of DeLong's algorithm for comparing the areas
       under correlated receiver operating characteristic curves", IEEE Signal Processing Letters
       21, 1389-1393, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import delong
    >>> y = np.repeat([0, 1], 100)
    >>> scores = y[:, None] * [1.0, 2.0] + np.random.default_rng(0).normal(size=(200, 2))
    >>> estimate = delong(y, scores)
    >>> print(estimate.interval(1))
    0.9136 (95 % interval 0.8671 to 0.9449)
    >>> print(estimate.difference(1, 0, names=("strong", "weak")))
    strong against weak: difference of the areas under the ROC curve 0.1632 (95 % interval 0.08879
    to 0.2376). strong and weak differ at the 5 % level (DeLong's test, p = 1.7e-05).
    """
    positive, columns = positives("delong", y_true), np.asarray(scores, dtype=np.float64)
    if columns.ndim == 1:
        columns = columns[:, None]
    if columns.ndim != 2 or len(columns) != len(positive) or columns.shape[1] == 0:
        raise ValueError(
            f"delong: scores must have one row per label, {len(positive)} here, and one column "
            f"per classifier, got shape {np.shape(scores)}."
        )
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if min(n_positive, n_negative) < 2:
        raise ValueError(
            "delong needs at least 2 samples of each class, "
            f"got {n_positive} positive and {n_negative} negative."
        )
    if np.isnan(columns).any():
        raise ValueError("delong: scores must not be NaN; drop or repair those rows.")
    of_columns = map_blocks(
        lambda part: placements(positive, columns[:, part.start]), columns.shape[1], 1
    )
    values = np.array(of_columns)
    return AucEstimate(
        values[:, positive].mean(axis=1),
        np.atleast_2d(np.cov(values[:, positive])) / n_positive
        + np.atleast_2d(np.cov(values[:, ~positive])) / n_negative,
        n_positive,
        n_negative,
    )


def placements(positive: Bools, scores: Floats) -> Floats:
    """Return for each sample the share of the other class that it is ordered correctly with."""
    # Ties count half. Cumulative counts at the end of each tie give all shares in one sort.
    order = np.argsort(scores)
    ranked, signs = scores[order], positive[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    sizes = np.diff(ends, prepend=-1)
    positives_up_to = np.cumsum(signs)[ends]
    negatives_up_to = ends + 1 - positives_up_to
    n_positive, n_negative = positives_up_to[-1], negatives_up_to[-1]
    negatives_below = (negatives_up_to - np.diff(negatives_up_to, prepend=0) / 2) / n_negative
    positives_above = (n_positive - positives_up_to + np.diff(positives_up_to, prepend=0) / 2) / (
        n_positive
    )
    values = np.empty(len(scores))
    values[order] = np.where(
        signs, np.repeat(negatives_below, sizes), np.repeat(positives_above, sizes)
    )
    return values
