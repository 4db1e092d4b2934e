"""Classification losses of a score or probability, each next to its derivative.

Every function takes (prediction, truth); the derivative is with respect to the prediction. Scores
are real numbers with truth -1 or +1, probabilities lie in [0, 1] with truth in [0, 1]. No loss is
divided by the number of samples or inputs.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from shallows.descent._activations import softmax
from shallows.descent._rectifiers import softplus
from shallows.descent._sigmoids import logistic
from shallows.descent._types import Array


def power_cost(prediction: Array, truth: Array, k: float = 1.0, margin: float = 1.0) -> Array:
    """Power cost (c - E)^k where E = truth * score <= c, else 0.

    The family of perceptron costs: k = 1, c = 0 is the perceptron cost; k = 1, c = 1 the hinge
    loss; k = 2, c = 1 the squared hinge loss; k = 0, c = 0 counts errors, including E = 0.

    Parameters
    ----------
    prediction : array of floats
        Scores.
    truth : array of floats
        Classes, -1 or +1.
    k : float
        Exponent, not negative.
    margin : float
        The margin c that E must exceed.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> power_cost(np.array([0.5, -1.0, 2.0]), np.ones(3), k=2)
    array([0.25, 4.  , 0.  ])
    """
    gap = margin - truth * prediction
    return np.where(gap >= 0, np.maximum(gap, 0) ** k, 0)


def power_cost_slope(prediction: Array, truth: Array, k: float = 1.0, margin: float = 1.0) -> Array:
    """Derivative of `power_cost`: -k truth (c - E)^(k-1).

    At E = c and k = 1 it is the slope on the costly side, so that a perceptron at w = 0 starts to
    learn; for other k it is 0.
    """
    gap = margin - truth * prediction
    costly = gap >= 0 if k == 1 else gap > 0
    return np.where(costly, -k * truth * np.where(costly, gap, 1) ** (k - 1), 0)


def perceptron(prediction: Array, truth: Array) -> Array:
    """Perceptron cost max(0, -E) with E = truth * score.

    Parameters
    ----------
    prediction : array of floats
        Scores.
    truth : array of floats
        Classes, -1 or +1.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> perceptron(np.array([0.5, -1.0]), np.ones(2))
    array([0., 1.])
    """
    return power_cost(prediction, truth, 1.0, 0.0)


def perceptron_slope(prediction: Array, truth: Array) -> Array:
    """Derivative of `perceptron`: -truth where E <= 0, else 0."""
    return power_cost_slope(prediction, truth, 1.0, 0.0)


def hinge(prediction: Array, truth: Array) -> Array:
    """Hinge loss max(0, 1 - E) with E = truth * score.

    Parameters
    ----------
    prediction : array of floats
        Scores.
    truth : array of floats
        Classes, -1 or +1.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> hinge(np.array([0.5, -1.0, 2.0]), np.ones(3))
    array([0.5, 2. , 0. ])
    """
    return power_cost(prediction, truth, 1.0, 1.0)


def hinge_slope(prediction: Array, truth: Array) -> Array:
    """Derivative of `hinge`: -truth where E <= 1, else 0."""
    return power_cost_slope(prediction, truth, 1.0, 1.0)


def squared_hinge(prediction: Array, truth: Array) -> Array:
    """Squared hinge loss max(0, 1 - E)^2 with E = truth * score, without 1/2.

    Parameters
    ----------
    prediction : array of floats
        Scores.
    truth : array of floats
        Classes, -1 or +1.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> squared_hinge(np.array([0.5, -1.0, 2.0]), np.ones(3))
    array([0.25, 4.  , 0.  ])
    """
    return power_cost(prediction, truth, 2.0, 1.0)


def squared_hinge_slope(prediction: Array, truth: Array) -> Array:
    """Derivative of `squared_hinge`: -2 truth max(0, 1 - E)."""
    return power_cost_slope(prediction, truth, 2.0, 1.0)


def logistic_loss(prediction: Array, truth: Array) -> Array:
    """Logistic loss ln(1 + exp(-E)) with E = truth * score, in nats.

    It is the cross-entropy of the probability logistic(score) and equals ln 2 at score 0.

    Parameters
    ----------
    prediction : array of floats
        Scores.
    truth : array of floats
        Classes, -1 or +1.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> logistic_loss(np.array([1e4, -1e4]), np.ones(2))
    array([    0., 10000.])
    """
    return softplus(-truth * prediction)


def logistic_loss_slope(prediction: Array, truth: Array) -> Array:
    """Derivative of `logistic_loss`: -truth logistic(-E)."""
    return -truth * logistic(-truth * prediction)


def binary_cross_entropy(prediction: Array, truth: Array) -> Array:
    """Cross-entropy -t ln p - (1 - t) ln(1 - p) of a probability, in nats, per element.

    Probabilities are clipped at the smallest normal float, which keeps the loss finite.

    Parameters
    ----------
    prediction : array of floats
        Probabilities of class 1.
    truth : array of floats
        Classes 0 and 1, or probabilities.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> binary_cross_entropy(np.array([0.5, 1.0]), np.array([1.0, 1.0])).round(6)
    array([0.693147, 0.      ])
    """
    return -truth * np.log(_positive(prediction)) - (1 - truth) * np.log(_positive(1 - prediction))


def binary_cross_entropy_slope(prediction: Array, truth: Array) -> Array:
    """Derivative of `binary_cross_entropy`: (1 - t) / (1 - p) - t / p."""
    return (1 - truth) / _positive(1 - prediction) - truth / _positive(prediction)


def binary_kullback_leibler(prediction: Array, truth: Array) -> Array:
    """Divergence of a probability p from the true one t, in nats, per element.

    t ln(t / p) + (1 - t) ln((1 - t) / (1 - p)): cross-entropy minus the entropy of t.

    Parameters
    ----------
    prediction : array of floats
        Probabilities of class 1.
    truth : array of floats
        Classes 0 and 1, or probabilities.

    Returns
    -------
    array
        Loss of each element, 0 where both agree.

    Examples
    --------
    >>> binary_kullback_leibler(np.array([0.25, 0.5]), np.array([0.25, 1.0])).round(6)
    array([0.      , 0.693147])
    """
    return special.rel_entr(truth, _positive(prediction)) + special.rel_entr(
        1 - truth, _positive(1 - prediction)
    )


def cross_entropy(prediction: Array, truth: Array) -> Array:
    """Cross-entropy -sum_k t_k ln p_k of class probabilities, in nats, per sample.

    Probabilities are clipped at the smallest normal float, which keeps the loss finite.

    Parameters
    ----------
    prediction : array of floats, shape (..., n_classes)
        Class probabilities, summing to 1.
    truth : array of floats, shape (..., n_classes)
        One-hot classes, or probabilities.

    Returns
    -------
    array, shape (...)
        Loss of each sample.

    Examples
    --------
    >>> cross_entropy(np.full((1, 10), 0.1), np.eye(10)[:1]).round(6)
    array([2.302585])
    """
    return -(truth * np.log(_positive(prediction))).sum(axis=-1)


def cross_entropy_slope(prediction: Array, truth: Array) -> Array:
    """Derivative of `cross_entropy` by each p_k, treated as independent: -t_k / p_k."""
    return -truth / _positive(prediction)


def kullback_leibler(prediction: Array, truth: Array) -> Array:
    """Divergence sum_k t_k ln(t_k / p_k) of class probabilities, in nats, per sample.

    Cross-entropy minus the entropy of the truth, hence with the same derivative.

    Parameters
    ----------
    prediction : array of floats, shape (..., n_classes)
        Class probabilities, summing to 1.
    truth : array of floats, shape (..., n_classes)
        One-hot classes, or probabilities.

    Returns
    -------
    array, shape (...)
        Loss of each sample, 0 where both agree.

    Examples
    --------
    >>> kullback_leibler(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])).round(6)
    array([0.693147])
    """
    return special.rel_entr(truth, _positive(prediction)).sum(axis=-1)


def softmax_cross_entropy(prediction: Array, truth: Array) -> Array:
    """Cross-entropy of softmax(scores), in nats, per sample, numerically stable.

    Parameters
    ----------
    prediction : array of floats, shape (..., n_classes)
        Scores before softmax.
    truth : array of floats, shape (..., n_classes)
        One-hot classes, or probabilities that sum to 1.

    Returns
    -------
    array, shape (...)
        Loss of each sample.

    Examples
    --------
    >>> softmax_cross_entropy(np.array([[0.0, 1e4]]), np.array([[1.0, 0.0]]))
    array([10000.])
    """
    return -(truth * special.log_softmax(prediction, axis=-1)).sum(axis=-1)


def softmax_cross_entropy_slope(prediction: Array, truth: Array) -> Array:
    """Derivative of `softmax_cross_entropy`: softmax(scores) - truth."""
    return softmax(prediction) - truth


def _positive(probability: Array) -> Array:
    return np.maximum(probability, np.finfo(probability.dtype).tiny)
