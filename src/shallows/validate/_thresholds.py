"""From a wanted performance, or from costs, to the threshold on a score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from shallows._core.contract.params import Fraction, Probability, check_value
from shallows.validate._costs import _cost_matrix
from shallows.validate._inputs import Bools, Floats, binary_scores, threshold_counts


@dataclass(frozen=True)
class WorkingPoint:
    """A threshold on a score and what the classifier does there.

    Parameters
    ----------
    threshold : float
        Scores at or above it are called positive; infinity calls none so.
    tpr, fpr : float
        True and false positive rate.
    precision : float
        Share of true ones among those called positive; NaN where there are none.
    cost : float
        Expected cost of a decision; NaN where no costs were given.

    Examples
    --------
    >>> from shallows.validate import WorkingPoint
    >>> WorkingPoint(0.4, tpr=1.0, fpr=0.25, precision=0.8).threshold
    0.4
    """

    threshold: float
    tpr: float
    fpr: float
    precision: float
    cost: float = float("nan")


def best_threshold(
    y_true: ArrayLike,
    scores: ArrayLike,
    costs: ArrayLike = ((0, 1), (1, 0)),
    *,
    prevalence: Fraction | None = None,
) -> WorkingPoint:
    """Return the threshold with the least expected cost on these data.

    It asks nothing of the score but its order, unlike `cost_threshold`, which takes calibrated
    probabilities. What is chosen on some data is assessed on others.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the greater one is positive.
    scores : array-like of shape (n_samples,)
        Higher for the positive class.
    costs : array-like of shape (2, 2), default=((0, 1), (1, 0))
        Rows actual, columns predicted; negative first.
    prevalence : float, optional
        Share of positives where the classifier is used; that of `y_true` unless told.

    Returns
    -------
    point : WorkingPoint
        The highest of equally cheap thresholds.

    Examples
    --------
    >>> from shallows.validate import best_threshold
    >>> y, scores = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    >>> best_threshold(y, scores).threshold
    0.5
    >>> best_threshold(y, scores, costs=[[0, 1], [5, 0]]).threshold
    0.3
    """
    owner = "best_threshold"
    positive, numbers = binary_scores(owner, y_true, scores)
    prices = _cost_matrix(owner, costs, 2)
    if prevalence is not None:
        check_value(owner, "prevalence", Fraction, prevalence)
    share = positive.mean() if prevalence is None else prevalence
    thresholds, tpr, fpr, precision = _points(positive, numbers)
    on_negatives = fpr * prices[0, 1] + (1 - fpr) * prices[0, 0]
    on_positives = (1 - tpr) * prices[1, 0] + tpr * prices[1, 1]
    cost = (1 - share) * on_negatives + share * on_positives
    nearly = 1e-12 * np.abs(prices).max()  # rounding must not choose between equals
    best = int(np.argmax(cost <= cost.min() + nearly))
    return WorkingPoint(
        *(float(column[best]) for column in (thresholds, tpr, fpr, precision, cost))
    )


def threshold_for(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    tpr: Probability | None = None,
    fpr: Probability | None = None,
    precision: Probability | None = None,
) -> WorkingPoint:
    """Return the threshold that meets a demand at the least price in the other rates.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the greater one is positive.
    scores : array-like of shape (n_samples,)
        Higher for the positive class.
    tpr : float, optional
        At least this true positive rate: the highest such threshold.
    fpr : float, optional
        At most this false positive rate: the lowest such threshold.
    precision : float, optional
        At least this precision: the lowest such threshold, which finds most positives.

    Returns
    -------
    point : WorkingPoint
        What the threshold does on these data.

    Examples
    --------
    >>> from shallows.validate import threshold_for
    >>> y, scores = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    >>> threshold_for(y, scores, tpr=0.9).threshold
    0.3
    >>> threshold_for(y, scores, fpr=0.0).threshold
    0.5
    """
    owner = "threshold_for"
    demands = {"tpr": tpr, "fpr": fpr, "precision": precision}
    given = {name: value for name, value in demands.items() if value is not None}
    if len(given) != 1:
        raise ValueError(f"{owner} takes one of tpr, fpr and precision, got {len(given)} of them.")
    ((name, wanted),) = given.items()
    check_value(owner, name, Probability, wanted)
    thresholds, tprs, fprs, precisions = _points(*binary_scores(owner, y_true, scores))
    if name == "tpr":
        chosen = int(np.argmax(tprs >= wanted))
    elif name == "fpr":
        chosen = int(np.flatnonzero(fprs <= wanted)[-1])
    else:
        meets = np.flatnonzero(precisions >= wanted)
        if len(meets) == 0:
            raise ValueError(
                f"{owner}: no threshold reaches precision {wanted}; "
                f"the best here is {np.nanmax(precisions):.4g}."
            )
        chosen = int(meets[-1])
    return WorkingPoint(*(float(column[chosen]) for column in (thresholds, tprs, fprs, precisions)))


def _points(positive: Bools, scores: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return thresholds, falling from infinity, with tpr, fpr and precision at each."""
    thresholds, tp, fp = threshold_counts(positive, scores)
    precision = np.append(np.nan, tp / (tp + fp))
    return (
        np.append(np.inf, thresholds),
        np.append(0.0, tp / tp[-1]),
        np.append(0.0, fp / fp[-1]),
        precision,
    )
