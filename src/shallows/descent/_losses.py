"""Losses by name, and the mean loss of a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shallows.descent import _classification_losses as classes
from shallows.descent import _regression_losses as numbers
from shallows.descent._types import Array


class Loss(NamedTuple):
    """A loss and its derivative with respect to the prediction.

    Both take (prediction, truth), and parameters of the loss by keyword. The value has one entry
    per element. Losses of class probabilities sum over the last axis and have one entry per
    sample. So `value(...).sum() / n_samples` is the mean loss in all cases.

    Examples
    --------
    >>> LOSSES["huber"].derivative(np.array([5.0]), np.array([0.0]), delta=2.0)
    array([2.])
    """

    value: Callable[..., Array]
    derivative: Callable[..., Array]


LOSSES: dict[str, Loss] = {
    "squared": Loss(numbers.squared, numbers.squared_slope),
    "half_squared": Loss(numbers.half_squared, numbers.half_squared_slope),
    "sign_squared": Loss(numbers.sign_squared, numbers.sign_squared_slope),
    "minkowski": Loss(numbers.minkowski, numbers.minkowski_slope),
    "absolute": Loss(numbers.absolute, numbers.absolute_slope),
    "huber": Loss(numbers.huber, numbers.huber_slope),
    "epsilon_insensitive": Loss(numbers.epsilon_insensitive, numbers.epsilon_insensitive_slope),
    "power_cost": Loss(classes.power_cost, classes.power_cost_slope),
    "perceptron": Loss(classes.perceptron, classes.perceptron_slope),
    "hinge": Loss(classes.hinge, classes.hinge_slope),
    "squared_hinge": Loss(classes.squared_hinge, classes.squared_hinge_slope),
    "logistic_loss": Loss(classes.logistic_loss, classes.logistic_loss_slope),
    "binary_cross_entropy": Loss(classes.binary_cross_entropy, classes.binary_cross_entropy_slope),
    "binary_kullback_leibler": Loss(
        classes.binary_kullback_leibler, classes.binary_cross_entropy_slope
    ),
    "cross_entropy": Loss(classes.cross_entropy, classes.cross_entropy_slope),
    "kullback_leibler": Loss(classes.kullback_leibler, classes.cross_entropy_slope),
    "softmax_cross_entropy": Loss(
        classes.softmax_cross_entropy, classes.softmax_cross_entropy_slope
    ),
}


def mean_loss(values: Array, sample_weight: Array | None = None) -> float:
    """Mean over samples of losses that are summed over outputs, in double precision.

    Parameters
    ----------
    values : array of floats, shape (n_samples,) or (n_samples, n_outputs)
        Values of a loss.
    sample_weight : array of shape (n_samples,) or None
        Weight of each sample; None weighs them equally.

    Returns
    -------
    float
        Weighted mean over samples of the sum over outputs.

    Examples
    --------
    >>> prediction, truth = np.array([[1.0, 2.0], [0.0, 0.0]]), np.zeros((2, 2))
    >>> mean_loss(LOSSES["half_squared"].value(prediction, truth))
    1.25
    """
    rows = values.reshape(len(values), -1).sum(axis=1, dtype=np.float64)
    return float(np.average(rows, weights=sample_weight))
