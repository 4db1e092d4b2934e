"""The threshold on a score that gives the least cost, or a required performance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from shallows._core.contract.params import Fraction, Probability, check_value
from shallows.validate._costs import _cost_matrix
from shallows.validate._inputs import Bools, Floats, binary_scores, threshold_counts


@dataclass(frozen=True)
class WorkingPoint:
    """A threshold on a score, with the performance of the classifier at it.

    Parameters
    ----------
    threshold : float
        Scores at or above it are classified as positive; infinity classifies none so.
    tpr, fpr : float
        True and false positive rate.
    precision : float
        Share of true positives among samples classified as positive; NaN if there are none.
    cost : float
        Expected cost of a decision; NaN if no costs were given.

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
    """Return the threshold with the least expected cost on the given data.

    Only the order of the scores matters; `cost_threshold`, in contrast, needs calibrated
    probabilities. Assess the chosen threshold on other data.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the greater one is positive.
    scores : array-like of shape (n_samples,)
        Higher for the positive class.
    costs : array-like of shape (2, 2), default=((0, 1), (1, 0))
        Rows actual, columns predicted; negative first.
    prevalence : float, optional
        Share of positives in use; by default the share in `y_true`.

    Returns
    -------
    point : WorkingPoint
        The highest of equally cheap thresholds, with its rates.

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
    """Return the threshold that meets a requirement with the best of the other rates.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the greater one is positive.
    scores : array-like of shape (n_samples,)
        Higher for the positive class.
    tpr : float, optional
        Least true positive rate; the highest threshold that reaches it is chosen.
    fpr : float, optional
        Largest false positive rate; the lowest threshold that keeps it is chosen.
    precision : float, optional
        Least precision; the lowest threshold that reaches it is chosen: it finds most positives.

    Returns
    -------
    point : WorkingPoint
        The rates at the threshold on these data.

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
