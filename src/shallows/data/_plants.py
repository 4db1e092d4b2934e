"""Signals that have passed unknown linear systems, for adaptive filters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.signal import lfilter

from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator


class Plant(NamedTuple):
    """Input and output of a system."""

    input: np.ndarray
    output: np.ndarray


class Channel(NamedTuple):
    """Sent signs and the received signal."""

    sent: np.ndarray
    received: np.ndarray


class Interference(NamedTuple):
    """Signal plus disturbance, a reference of the disturbance, and the clean signal."""

    primary: np.ndarray
    reference: np.ndarray
    signal: np.ndarray


def fir_plant(
    n_steps: PositiveInt,
    weights,
    *,
    noise: NonNegativeFloat = 0.0,
    random_state: RandomState = None,
) -> Plant:
    r"""Pass white Gaussian noise through a transversal filter and measure the output.

    :math:`d(n) = \sum_{j=1}^{L} w_j x(n - j + 1) + \nu(n)`, with zero input before the start.

    Parameters
    ----------
    n_steps : int
        Number of time steps.
    weights : array-like of shape (n_weights,)
        Impulse response :math:`w` of the plant.
    noise : float, default=0.0
        Standard deviation of the measurement noise :math:`\nu`.
    random_state : int, RandomState, Generator or None, default=None
        Seeds input and noise.

    Returns
    -------
    input : ndarray of shape (n_steps,)
        White noise x of variance 1.
    output : ndarray of shape (n_steps,)
        Measured output d.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import fir_plant
    >>> x, d = fir_plant(100, [1.0, -0.5], random_state=0)
    >>> bool(np.allclose(d[1:], x[1:] - 0.5 * x[:-1]))
    True
    """
    check_arguments(fir_plant, locals())
    rng = as_generator(random_state)
    x = rng.standard_normal(n_steps)
    return Plant(x, lfilter(_response(weights), 1.0, x) + noise * rng.standard_normal(n_steps))


def binary_channel(
    n_steps: PositiveInt,
    weights=(0.3, 1.0, 0.3),
    *,
    noise: NonNegativeFloat = 0.1,
    random_state: RandomState = None,
) -> Channel:
    """Send random signs through a channel with intersymbol interference and noise.

    Parameters
    ----------
    n_steps : int
        Number of signs.
    weights : array-like of shape (n_weights,), default=(0.3, 1.0, 0.3)
        Impulse response of the channel.
    noise : float, default=0.1
        Standard deviation of the Gaussian noise at the receiver.
    random_state : int, RandomState, Generator or None, default=None
        Seeds signs and noise.

    Returns
    -------
    sent : ndarray of shape (n_steps,)
        Signs -1.0 and 1.0.
    received : ndarray of shape (n_steps,)
        Received signal.

    Examples
    --------
    >>> from shallows.data import binary_channel
    >>> sent, received = binary_channel(5, [1.0], noise=0.0, random_state=0)
    >>> bool((sent == received).all())
    True
    """
    check_arguments(binary_channel, locals())
    rng = as_generator(random_state)
    sent = 2.0 * rng.integers(2, size=n_steps) - 1.0
    received = lfilter(_response(weights), 1.0, sent) + noise * rng.standard_normal(n_steps)
    return Channel(sent, received)


def interference(
    n_steps: PositiveInt,
    weights=(0.8, -0.5, 0.3),
    *,
    period: PositiveInt = 50,
    random_state: RandomState = None,
) -> Interference:
    r"""Return a sine plus noise, and a second recording of the noise source.

    The primary recording is :math:`s + \nu_0`. The reference is white noise :math:`\nu_1`, and
    :math:`\nu_0` is the reference filtered by `weights`.

    Parameters
    ----------
    n_steps : int
        Number of time steps.
    weights : array-like of shape (n_weights,), default=(0.8, -0.5, 0.3)
        Impulse response from the reference to the disturbance.
    period : int, default=50
        Period of the sine, in steps.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the noise.

    Returns
    -------
    primary : ndarray of shape (n_steps,)
        Signal plus disturbance.
    reference : ndarray of shape (n_steps,)
        The noise at its source.
    signal : ndarray of shape (n_steps,)
        The sine of variance 1/2.

    Examples
    --------
    >>> from shallows.data import interference
    >>> primary, reference, signal = interference(500, random_state=0)
    >>> bool(primary.var() > signal.var())
    True
    """
    check_arguments(interference, locals())
    rng = as_generator(random_state)
    reference = rng.standard_normal(n_steps)
    signal = np.sin(2 * np.pi * np.arange(n_steps) / period)
    return Interference(signal + lfilter(_response(weights), 1.0, reference), reference, signal)


def two_quadrants(n_samples: PositiveInt, *, random_state: RandomState = None) -> np.ndarray:
    """Draw uniform points from two unit squares that touch at the origin.

    Half of the points are in the first quadrant, half in the third. A sampler that changes one
    coordinate at a time never moves from one square to the other.

    Parameters
    ----------
    n_samples : int
        Number of points.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points.

    Examples
    --------
    >>> from shallows.data import two_quadrants
    >>> X = two_quadrants(100, random_state=0)
    >>> bool((X.prod(axis=1) >= 0).all())
    True
    """
    check_arguments(two_quadrants, locals())
    rng = as_generator(random_state)
    side = 2.0 * rng.integers(2, size=(n_samples, 1)) - 1.0
    return side * rng.random((n_samples, 2))


def _response(weights):
    response = np.asarray(weights, dtype=np.float64)
    if response.ndim != 1 or not len(response):
        raise ValueError(f"weights must be a list of numbers, got shape {response.shape}.")
    return response
