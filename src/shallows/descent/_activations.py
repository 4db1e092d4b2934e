"""Activations by name, and softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shallows.descent import _rectifiers as rectifiers
from shallows.descent import _sigmoids as sigmoids
from shallows.descent._types import Array


class Activation(NamedTuple):
    """An elementwise activation with its derivative.

    `value(x)` and `derivative(x)` take the net input. `derivative_of_output(y)` computes the same
    derivative from the output y = value(x); it is None if y does not determine it. All take the
    parameters of the activation by keyword, such as `gain`.

    Examples
    --------
    >>> ACTIVATIONS["tanh"].derivative(np.zeros(1), gain=2.0)
    array([2.])
    """

    value: Callable[..., Array]
    derivative: Callable[..., Array]
    derivative_of_output: Callable[..., Array] | None = None


ACTIVATIONS: dict[str, Activation] = {
    "identity": Activation(
        rectifiers.identity, rectifiers.identity_slope, rectifiers.identity_slope
    ),
    "logistic": Activation(
        sigmoids.logistic, sigmoids.logistic_slope, sigmoids.logistic_slope_of_output
    ),
    "tanh": Activation(sigmoids.tanh, sigmoids.tanh_slope, sigmoids.tanh_slope_of_output),
    "erf": Activation(sigmoids.erf, sigmoids.erf_slope),
    "gaussian": Activation(sigmoids.gaussian, sigmoids.gaussian_slope),
    "threshold": Activation(sigmoids.threshold, sigmoids.threshold_slope),
    "piecewise_linear": Activation(sigmoids.piecewise_linear, sigmoids.piecewise_linear_slope),
    "tanh_like": Activation(sigmoids.tanh_like, sigmoids.tanh_like_slope),
    "relu": Activation(rectifiers.relu, rectifiers.relu_slope, rectifiers.relu_slope),
    "leaky_relu": Activation(
        rectifiers.leaky_relu, rectifiers.leaky_relu_slope, rectifiers.leaky_relu_slope
    ),
    "softplus": Activation(
        rectifiers.softplus, rectifiers.softplus_slope, rectifiers.softplus_slope_of_output
    ),
    "elu": Activation(rectifiers.elu, rectifiers.elu_slope, rectifiers.elu_slope_of_output),
    "swish": Activation(rectifiers.swish, rectifiers.swish_slope),
}


def softmax(x: Array, beta: float = 1.0) -> Array:
    """Softmax over the last axis, exp(beta x_k) / sum_j exp(beta x_j).

    Parameters
    ----------
    x : array of floats
        Net inputs; the last axis runs over the competing units.
    beta : float
        Inverse temperature: 0 gives equal outputs, large values select the largest input.

    Returns
    -------
    array
        Positive outputs that sum to 1 along the last axis.

    Examples
    --------
    >>> softmax(np.array([0.0, 0.0, -1e4]))
    array([0.5, 0.5, 0. ])
    """
    outputs = beta * x
    # Subtracting the maximum changes nothing but avoids overflow.
    outputs -= outputs.max(axis=-1, keepdims=True)
    np.exp(outputs, out=outputs)
    outputs /= outputs.sum(axis=-1, keepdims=True)
    return outputs


def softmax_backward(output: Array, upstream: Array, beta: float = 1.0) -> Array:
    """Product of a row vector with the Jacobian of `softmax` (backward pass).

    The Jacobian is beta (diag(s) - s s'), so its product with u is beta s (u - s.u). No matrix is
    formed.

    Parameters
    ----------
    output : array of floats
        Value s of softmax.
    upstream : array of floats
        Derivative u of the cost with respect to the output, in the same shape.
    beta : float
        Inverse temperature used for `output`.

    Returns
    -------
    array
        Derivative of the cost with respect to the net input, in the same shape.

    Examples
    --------
    >>> softmax_backward(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    array([ 0.25, -0.25])
    """
    mean = np.einsum("...k,...k->...", output, upstream)[..., None]
    return beta * output * (upstream - mean)
