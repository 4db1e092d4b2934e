"""Bounded activations, each next to its derivative.

`*_slope(x)` is the derivative at the net input. `*_slope_of_output(y)` computes it from the output
y, if the output determines it: a network that stored y saves an exponential.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import special

from shallows.descent._types import Array

FLAT = 40.0  # exp(-FLAT**2) is zero in double precision


def logistic(x: Array, gain: float = 1.0, threshold: float = 0.0) -> Array:
    """Logistic sigmoid 1 / (1 + exp(-gain (x - threshold))), between 0 and 1.

    Parameters
    ----------
    x : array of floats
        Net input.
    gain : float
        Slope factor; the derivative is at most gain / 4.
    threshold : float
        Net input at which the output is 1/2.

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> logistic(np.array([-1e4, 0.0, 1e4]))
    array([0. , 0.5, 1. ])
    """
    # As exact as scipy.special.expit and faster; an infinite exp gives the correct limit 0.
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-gain * (x - threshold)))


def logistic_slope(x: Array, gain: float = 1.0, threshold: float = 0.0) -> Array:
    """Derivative of `logistic`: gain f (1 - f)."""
    return logistic_slope_of_output(logistic(x, gain, threshold), gain)


def logistic_slope_of_output(y: Array, gain: float = 1.0, threshold: float = 0.0) -> Array:
    """Derivative of `logistic` from its output."""
    return gain * y * (1 - y)


def tanh(x: Array, gain: float = 1.0, threshold: float = 0.0) -> Array:
    """Hyperbolic tangent tanh(gain (x - threshold)), between -1 and 1.

    Parameters
    ----------
    x : array of floats
        Net input.
    gain : float
        Slope at the threshold.
    threshold : float
        Net input at which the output is 0.

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> tanh(np.array([-1e4, 0.0, 1e4]))
    array([-1.,  0.,  1.])
    """
    return np.tanh(gain * (x - threshold))


def tanh_slope(x: Array, gain: float = 1.0, threshold: float = 0.0) -> Array:
    """Derivative of `tanh`: gain (1 - f^2)."""
    return tanh_slope_of_output(tanh(x, gain, threshold), gain)


def tanh_slope_of_output(y: Array, gain: float = 1.0, threshold: float = 0.0) -> Array:
    """Derivative of `tanh` from its output."""
    return gain * (1 - y * y)


def erf(x: Array, gain: float = 1.0) -> Array:
    """Error function erf(gain x), an odd sigmoid between -1 and 1.

    Parameters
    ----------
    x : array of floats
        Net input.
    gain : float
        Slope factor; the slope at 0 is 2 gain / sqrt(pi).

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> erf(np.array([-1e4, 0.0, 1e4]))
    array([-1.,  0.,  1.])
    """
    return special.erf(gain * x)


def erf_slope(x: Array, gain: float = 1.0) -> Array:
    """Derivative of `erf`: 2 gain / sqrt(pi) exp(-(gain x)^2)."""
    scaled = np.clip(gain * x, -FLAT, FLAT)
    return (2 * gain / np.pi**0.5) * np.exp(-scaled * scaled)


def gaussian(x: Array, beta: float = 1.0, center: float = 0.0) -> Array:
    """Radial bump exp(-beta (x - center)^2), at most 1.

    Parameters
    ----------
    x : array of floats
        Net input.
    beta : float
        Inverse squared width, 1 / (2 s^2) for a bump of standard deviation s.
    center : float
        Net input at which the output is 1.

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> gaussian(np.array([-1e4, 0.0, 1e4]))
    array([0., 1., 0.])
    """
    scaled = np.clip(beta**0.5 * (x - center), -FLAT, FLAT)
    return np.exp(-scaled * scaled)


def gaussian_slope(x: Array, beta: float = 1.0, center: float = 0.0) -> Array:
    """Derivative of `gaussian`: -2 beta (x - center) f."""
    scaled = np.clip(beta**0.5 * (x - center), -FLAT, FLAT)
    return (-2 * beta**0.5) * scaled * np.exp(-scaled * scaled)


def threshold(
    x: Array,
    theta: float = 0.0,
    states: Literal["pm1", "01"] = "pm1",
    tie: Literal["upper", "lower"] = "upper",
) -> Array:
    """Step at theta: the upper state above it, the lower state below it.

    Parameters
    ----------
    x : array of floats
        Net input.
    theta : float
        Threshold.
    states : {"pm1", "01"}
        Whether the lower state is -1 or 0; the upper state is 1.
    tie : {"upper", "lower"}
        State for x = theta.

    Returns
    -------
    array
        States, in the shape and dtype of `x`.

    Examples
    --------
    >>> threshold(np.array([-2.0, 0.0, 2.0]))
    array([-1.,  1.,  1.])
    >>> threshold(np.array([-2.0, 0.0, 2.0]), states="01", tie="lower")
    array([0., 0., 1.])
    """
    above = (x >= theta if tie == "upper" else x > theta).astype(np.result_type(x, np.float32))
    return 2 * above - 1 if states == "pm1" else above


def threshold_slope(
    x: Array,
    theta: float = 0.0,
    states: Literal["pm1", "01"] = "pm1",
    tie: Literal["upper", "lower"] = "upper",
) -> Array:
    """Derivative of `threshold`: 0 where it exists."""
    return np.zeros_like(x)


def piecewise_linear(x: Array, low: float = 0.0, high: float = 1.0) -> Array:
    """Ramp: 0 below `low`, 1 above `high`, linear between.

    The difference of two rectifiers, max(0, z) - max(0, z - 1) with z = (x - low) / (high - low).

    Parameters
    ----------
    x : array of floats
        Net input.
    low, high : float
        Ends of the linear part, low < high.

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> piecewise_linear(np.array([-2.0, 0.25, 2.0]))
    array([0.  , 0.25, 1.  ])
    """
    return np.clip((x - low) / (high - low), 0, 1)


def piecewise_linear_slope(x: Array, low: float = 0.0, high: float = 1.0) -> Array:
    """Derivative of `piecewise_linear`: 1 / (high - low) between the ends, 0 at and beyond them."""
    return ((x > low) & (x < high)).astype(np.result_type(x, np.float32)) / (high - low)


def tanh_like(x: Array, steepness: int = 1) -> Array:
    """Odd piecewise-linear approximation of tanh that needs only shifts and floor.

    With ``u = 2^n |x|`` and ``m = floor(u)`` it is ``sign(x) (1 + 2^-m ((u - m) / 2 - 1))``, hence
    ``f(m 2^-n) = 1 - 2^-m``. For n = 1 it stays within 0.038 of tanh.

    Parameters
    ----------
    x : array of floats
        Net input.
    steepness : int
        The exponent n; the slope at 0 is 2^(n-1).

    Returns
    -------
    array
        Output, in the shape and dtype of `x`.

    Examples
    --------
    >>> tanh_like(np.array([-1.0, 0.0, 0.5, 1.5]))
    array([-0.75 ,  0.   ,  0.5  ,  0.875])
    """
    scaled, floor = _scaled_and_floor(x, steepness)
    return np.sign(x) * (1 + np.exp2(-floor) * ((scaled - floor) / 2 - 1))


def tanh_like_slope(x: Array, steepness: int = 1) -> Array:
    """Derivative of `tanh_like`: 2^(n-1-m); at corners the slope of the outer side."""
    return np.exp2(steepness - 1 - _scaled_and_floor(x, steepness)[1])


def _scaled_and_floor(x: Array, steepness: int) -> tuple[Array, Array]:
    zero = 1100.0  # 2**-1100 is zero in double precision
    scaled = 2.0**steepness * np.minimum(np.abs(x), zero / 2.0**steepness)
    return scaled, np.floor(scaled)
