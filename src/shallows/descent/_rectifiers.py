"""Unbounded activations, each next to its derivative.

`*_slope(x)` is the derivative at the net input; `*_slope_of_output(y)` computes it from the output
y, if the output determines it.
"""

from __future__ import annotations

import numpy as np

from shallows.descent._sigmoids import logistic
from shallows.descent._types import Array


def identity(x: Array) -> Array:
    """Linear unit: the output is the net input.

    Parameters
    ----------
    x : array of floats
        Net input.

    Returns
    -------
    array
        A copy of `x`.

    Examples
    --------
    >>> identity(np.array([-2.0, 0.0, 2.0]))
    array([-2.,  0.,  2.])
    """
    return np.positive(x)


def identity_slope(x: Array) -> Array:
    """Derivative of `identity`: 1; also a function of the output."""
    return np.ones_like(x)


def relu(x: Array) -> Array:
    """Rectified linear unit max(0, x).

    Parameters
    ----------
    x : array of floats
        Net input.

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> relu(np.array([-2.0, 0.0, 2.0]))
    array([0., 0., 2.])
    """
    return np.maximum(x, 0)


def relu_slope(x: Array) -> Array:
    """Derivative of `relu`: 1 above 0, else 0; also a function of the output."""
    return (x > 0).astype(np.result_type(x, np.float32))


def leaky_relu(x: Array, slope: float = 0.01) -> Array:
    """Leaky rectifier: x above 0, slope x below.

    Parameters
    ----------
    x : array of floats
        Net input.
    slope : float
        Slope of the negative side, between 0 and 1.

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> leaky_relu(np.array([-2.0, 0.0, 2.0]), slope=0.1)
    array([-0.2,  0. ,  2. ])
    """
    return np.maximum(x, slope * x)


def leaky_relu_slope(x: Array, slope: float = 0.01) -> Array:
    """Derivative of `leaky_relu`: 1 above 0, else `slope`; also a function of the output."""
    return np.maximum(relu_slope(x), slope)


def softplus(x: Array) -> Array:
    """Smooth rectifier ln(1 + exp(x)).

    Parameters
    ----------
    x : array of floats
        Net input.

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> softplus(np.array([-1e4, 0.0, 1e4])).round(6)
    array([0.00000e+00, 6.93147e-01, 1.00000e+04])
    """
    # ln(1 + e^x) = max(0, x) + ln(1 + e^-|x|) never overflows.
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def softplus_slope(x: Array) -> Array:
    """Derivative of `softplus`: the logistic function."""
    return logistic(x)


def softplus_slope_of_output(y: Array) -> Array:
    """Derivative of `softplus` from its output: 1 - exp(-y)."""
    return -np.expm1(-y)


def elu(x: Array) -> Array:
    """Exponential linear unit: x above 0, exp(x) - 1 below, smooth at 0.

    Parameters
    ----------
    x : array of floats
        Net input.

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> elu(np.array([-1e4, 0.0, 2.0]))
    array([-1.,  0.,  2.])
    """
    return np.maximum(x, 0) + np.expm1(np.minimum(x, 0))


def elu_slope(x: Array) -> Array:
    """Derivative of `elu`: 1 above 0, exp(x) below."""
    return np.exp(np.minimum(x, 0))


def elu_slope_of_output(y: Array) -> Array:
    """Derivative of `elu` from its output."""
    return np.minimum(y, 0) + 1


def swish(x: Array) -> Array:
    """Swish x / (1 + exp(-x)): a rectifier with a dip to -0.278 at x = -1.278.

    Parameters
    ----------
    x : array of floats
        Net input.

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> swish(np.array([-1.278465, 0.0, 1e4])).round(6)
    array([-2.78465e-01,  0.00000e+00,  1.00000e+04])
    """
    return x * logistic(x)


def swish_slope(x: Array) -> Array:
    """Derivative of `swish`: s (1 + x (1 - s)) with s the logistic function."""
    share = logistic(x)
    return share * (1 + x * (1 - share))
