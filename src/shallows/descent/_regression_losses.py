"""Regression losses, each next to its derivative.

Every function takes (prediction, truth) and works element by element; the derivative is with
respect to the prediction. No loss is divided by the number of samples or summed over outputs.
"""

from __future__ import annotations

import numpy as np

from shallows.descent._types import Array


def squared(prediction: Array, truth: Array) -> Array:
    """Squared error (p - t)^2, without the factor 1/2.

    Parameters
    ----------
    prediction, truth : array of floats
        Values of the same shape.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> squared(np.array([3.0]), np.array([1.0]))
    array([4.])
    """
    return (prediction - truth) ** 2


def squared_slope(prediction: Array, truth: Array) -> Array:
    """Derivative of `squared`: 2 (p - t)."""
    return 2 * (prediction - truth)


def half_squared(prediction: Array, truth: Array) -> Array:
    """Squared error with the factor 1/2: (p - t)^2 / 2.

    Parameters
    ----------
    prediction, truth : array of floats
        Values of the same shape.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> half_squared(np.array([3.0]), np.array([1.0]))
    array([2.])
    """
    return (prediction - truth) ** 2 / 2


def half_squared_slope(prediction: Array, truth: Array) -> Array:
    """Derivative of `half_squared`: p - t."""
    return prediction - truth


def sign_squared(prediction: Array, truth: Array, gamma: float = 0.0) -> Array:
    """Squared error that gives priority to the sign (Makram-Ebeid), without 1/2.

    gamma (p - t)^2 if p and t have the same sign, (p - t)^2 if p t <= 0. During training gamma is
    raised from 0 (only wrong signs cost) to 1 (squared error).

    Parameters
    ----------
    prediction, truth : array of floats
        Values of the same shape.
    gamma : float
        Weight of errors with the correct sign, between 0 and 1.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> sign_squared(np.array([0.5, -0.5]), np.array([1.0, 1.0]), gamma=0.1)
    array([0.025, 2.25 ])
    """
    return _sign_weight(prediction, truth, gamma) * (prediction - truth) ** 2


def sign_squared_slope(prediction: Array, truth: Array, gamma: float = 0.0) -> Array:
    """Derivative of `sign_squared` away from p t = 0."""
    return _sign_weight(prediction, truth, gamma) * 2 * (prediction - truth)


def _sign_weight(prediction: Array, truth: Array, gamma: float) -> Array:
    # Signs, not the product: a product of two small numbers may underflow to 0.
    agree = np.sign(prediction) * np.sign(truth) > 0
    return np.where(agree, gamma, 1).astype(np.result_type(prediction, np.float32))


def minkowski(prediction: Array, truth: Array, r: float = 1.5) -> Array:
    """Minkowski-r error |p - t|^r, without a factor.

    Maximum likelihood under noise with density proportional to exp(-beta |n|^r): r = 2 estimates
    the mean, r = 1 the median, r < 2 is robust against outliers.

    Parameters
    ----------
    prediction, truth : array of floats
        Values of the same shape.
    r : float
        Exponent, positive.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> minkowski(np.array([5.0]), np.array([1.0]), r=1.5)
    array([8.])
    """
    return np.abs(prediction - truth) ** r


def minkowski_slope(prediction: Array, truth: Array, r: float = 1.5) -> Array:
    """Derivative of `minkowski`: r |p - t|^(r-1) sign(p - t); 0 at p = t."""
    error = prediction - truth
    size = np.where(error == 0, 1, np.abs(error))
    return r * size ** (r - 1) * np.sign(error)


def absolute(prediction: Array, truth: Array) -> Array:
    """Absolute error |p - t|.

    Parameters
    ----------
    prediction, truth : array of floats
        Values of the same shape.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> absolute(np.array([3.0]), np.array([1.0]))
    array([2.])
    """
    return np.abs(prediction - truth)


def absolute_slope(prediction: Array, truth: Array) -> Array:
    """Derivative of `absolute`: the sign of p - t, 0 at the kink."""
    return np.sign(prediction - truth)


def huber(prediction: Array, truth: Array, delta: float = 1.0) -> Array:
    """Huber loss: e^2 / 2 for |e| <= delta, delta (|e| - delta / 2) beyond.

    Parameters
    ----------
    prediction, truth : array of floats
        Values of the same shape; e is their difference.
    delta : float
        Error above which the parabola becomes a straight line.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> huber(np.array([0.5, 10.0]), np.array([0.0, 0.0]))
    array([0.125, 9.5  ])
    """
    size = np.abs(prediction - truth)
    inner = np.minimum(size, delta)
    return inner * (size - inner / 2)


def huber_slope(prediction: Array, truth: Array, delta: float = 1.0) -> Array:
    """Derivative of `huber`: the error clipped to [-delta, delta]."""
    return np.clip(prediction - truth, -delta, delta)


def epsilon_insensitive(prediction: Array, truth: Array, epsilon: float = 0.1) -> Array:
    """Error beyond a tube: max(0, |p - t| - epsilon).

    Parameters
    ----------
    prediction, truth : array of floats
        Values of the same shape.
    epsilon : float
        Half width of the tube in which errors cost nothing.

    Returns
    -------
    array
        Loss of each element.

    Examples
    --------
    >>> epsilon_insensitive(np.array([0.25, 3.0]), np.array([0.0, 0.0]), epsilon=0.5)
    array([0. , 2.5])
    """
    return np.maximum(np.abs(prediction - truth) - epsilon, 0)


def epsilon_insensitive_slope(prediction: Array, truth: Array, epsilon: float = 0.1) -> Array:
    """Derivative of `epsilon_insensitive`: the sign of p - t outside the tube, else 0."""
    error = prediction - truth
    return np.sign(error) * (np.abs(error) > epsilon)
