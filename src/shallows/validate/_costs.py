"""Decisions when some errors cost more than others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shallows._core.contract.data import check_weights
from shallows._core.contract.params import Fraction, check_value
from shallows.validate._inputs import Floats


def cost_matrix_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    costs: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Return the mean cost :math:`c_{ij}` of assigning class j to samples of class i.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes.
    y_pred : array-like of shape (n_samples,)
        Predicted classes.
    costs : array-like of shape (n_classes, n_classes)
        Rows actual, columns predicted. Ones off the diagonal give the error rate.
    labels : array-like of shape (n_classes,), optional
        The class of each row; by default all that occur, sorted.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample, for costs that also depend on the sample.

    Returns
    -------
    loss : float
        Weighted mean cost.

    Examples
    --------
    >>> from shallows.validate import cost_matrix_loss
    >>> costs = [[0, 10], [1, 0]]  # ham (0) sent to the spam folder costs ten times more
    >>> cost_matrix_loss([0, 0, 1, 1], [0, 1, 0, 1], costs)
    2.75
    """
    owner = "cost_matrix_loss"
    true, predicted = np.asarray(y_true), np.asarray(y_pred)
    if true.ndim != 1 or true.shape != predicted.shape or len(true) == 0:
        raise ValueError(
            f"{owner}: y_true and y_pred must be equally long columns, "
            f"got shapes {true.shape} and {predicted.shape}."
        )
    names = np.unique(np.concatenate([true, predicted])) if labels is None else np.asarray(labels)
    prices = _cost_matrix(owner, costs, len(names))
    weights = check_weights(sample_weight, len(true))
    cost = prices[_positions(owner, true, names), _positions(owner, predicted, names)]
    return float(weights @ cost / weights.sum())


def cost_decision(
    probability: ArrayLike, costs: ArrayLike, *, classes: ArrayLike | None = None
) -> NDArray[Any]:
    r"""Return the Bayes decision: the class with the least expected cost.

    Class :math:`j` has the expected cost :math:`\sum_i p_i c_{ij}`. With ones off the diagonal the
    decision is the most probable class.

    Parameters
    ----------
    probability : array-like of shape (n_samples, n_classes)
        Class probabilities, as from `predict_proba`.
    costs : array-like of shape (n_classes, n_classes)
        Rows actual, columns predicted.
    classes : array-like of shape (n_classes,), optional
        Labels of the columns; 0, 1, ... by default.

    Returns
    -------
    decision : ndarray of shape (n_samples,)
        Labels; the first one if several have the same cost.

    Examples
    --------
    >>> from shallows.validate import cost_decision
    >>> probability = [[0.3, 0.7], [0.05, 0.95]]
    >>> cost_decision(probability, [[0, 1], [1, 0]]), cost_decision(probability, [[0, 10], [1, 0]])
    (array([1, 1]), array([0, 1]))
    """
    owner = "cost_decision"
    chances = np.asarray(probability, dtype=float)
    if chances.ndim != 2 or not np.all(chances >= 0):
        raise ValueError(
            f"{owner}: probability must be an array (n_samples, n_classes) of values 0 or more, "
            f"got shape {chances.shape}."
        )
    names = np.arange(chances.shape[1]) if classes is None else np.asarray(classes)
    if names.shape != chances.shape[1:]:
        raise ValueError(
            f"{owner}: classes must name the {chances.shape[1]} columns, got {classes!r}."
        )
    return names[(chances @ _cost_matrix(owner, costs, len(names))).argmin(axis=1)]


def cost_threshold(
    costs: ArrayLike,
    *,
    prevalence: Fraction | None = None,
    training_prevalence: Fraction | None = None,
) -> float:
    r"""Return the probability above which the positive class is the cheaper decision.

    The Bayes decision is positive from :math:`p^* = (c_{01} - c_{00}) / (c_{01} - c_{00} + c_{10}
    - c_{11})` on. If positives have the share `prevalence` in use, but had the share
    `training_prevalence` in training, the threshold on the odds of the model shifts by the ratio
    of the prior odds.

    Parameters
    ----------
    costs : array-like of shape (2, 2)
        Rows actual, columns predicted; negative first. Each error must cost more than the correct
        decision.
    prevalence : float, optional
        Share of positives in use.
    training_prevalence : float, optional
        Share of positives in training; give both or neither.

    Returns
    -------
    threshold : float
        Threshold for `sklearn.model_selection.FixedThresholdClassifier`.

    Examples
    --------
    >>> from shallows.validate import cost_threshold
    >>> round(cost_threshold([[0, 1], [4, 0]]), 3)
    0.2
    >>> round(cost_threshold([[0, 1], [4, 0]], prevalence=0.02, training_prevalence=0.5), 4)
    0.9245
    """
    prices = _cost_matrix("cost_threshold", costs, 2)
    false_alarm, miss = prices[0, 1] - prices[0, 0], prices[1, 0] - prices[1, 1]
    if false_alarm <= 0 or miss <= 0:
        raise ValueError(
            "cost_threshold: each error must cost more than the correct decision in the same row, "
            f"got costs {prices.tolist()}; otherwise one decision is always the cheaper one."
        )
    if (prevalence is None) != (training_prevalence is None):
        raise ValueError("cost_threshold: give prevalence and training_prevalence both, or none.")
    # Cheaper decision: positive if p (c10 - c11) > (1 - p) (c01 - c00).
    odds = false_alarm / miss
    if prevalence is not None and training_prevalence is not None:
        check_value("cost_threshold", "prevalence", Fraction, prevalence)
        check_value("cost_threshold", "training_prevalence", Fraction, training_prevalence)
        odds *= training_prevalence / (1 - training_prevalence) * (1 - prevalence) / prevalence
    return float(odds / (1 + odds))


def _cost_matrix(owner: str, costs: ArrayLike, n_classes: int) -> Floats:
    prices = np.asarray(costs, dtype=float)
    if prices.shape != (n_classes, n_classes) or not np.isfinite(prices).all():
        raise ValueError(
            f"{owner}: costs must be a finite matrix ({n_classes}, {n_classes}), rows actual and "
            f"columns predicted, got shape {prices.shape}."
        )
    return prices


def _positions(owner: str, y: NDArray[Any], names: NDArray[Any]) -> NDArray[np.intp]:
    order = np.argsort(names)
    unknown = ~np.isin(y, names)
    if unknown.any():
        raise ValueError(f"{owner}: {y[unknown][0]!s} is not one of the labels {names.tolist()}.")
    return order[np.searchsorted(names, y, sorter=order)]
