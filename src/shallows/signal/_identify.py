"""System identification: adaptive models of a system and of its inverse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.signal import lfilter
from sklearn.base import clone

from shallows.signal._delay_line import as_signal, delay_line
from shallows.signal._rls import RLS


def identify(plant: Callable, x, length: int, model=None):
    """Adapt a filter until its output equals that of a plant.

    If the plant is a transversal filter with at most as many weights, and the input excites it,
    the weights converge to its impulse response. Peaks in them are delays, such as echoes from
    layers.

    Parameters
    ----------
    plant : callable
        Takes a signal and returns one of the same length.
    x : array-like of shape (n_steps,)
        Input to both.
    length : int
        Number of weights.
    model : regressor or None, default=None
        The adaptive filter, such as an `LMS`; None means `RLS`.

    Returns
    -------
    model : regressor
        A fitted copy.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.signal import identify, transversal_filter
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> identify(lambda x: transversal_filter(x, [1.0, 0.5]), x, 3).coef_.round(3) + 0.0
    array([1. , 0.5, 0. ])
    """
    x = as_signal(x, "identify")
    return clone(model or RLS()).fit(delay_line(x, length), plant(x))


def identify_inverse(plant: Callable, x, length: int, delay: int = 0, model=None):
    """Adapt a filter until it inverts a plant.

    Its input is the output of the plant, its target the plant's input `delay` steps ago. The exact
    inverse of a transversal filter is recursive. If the response of the plant starts small, its
    inverse needs a delay.

    Parameters
    ----------
    plant : callable
        Takes a signal and returns one of the same length.
    x : array-like of shape (n_steps,)
        Input to the plant.
    length : int
        Number of weights.
    delay : int, default=0
        Delay of the restored signal, in steps.
    model : regressor or None, default=None
        The adaptive filter, such as an `LMS`; None means `RLS`.

    Returns
    -------
    model : regressor
        A fitted copy.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.signal import identify_inverse, transversal_filter
    >>> x = np.random.default_rng(0).normal(size=500)
    >>> model = identify_inverse(lambda x: transversal_filter(x, [1.0, 0.5]), x, 4)
    >>> model.coef_.round(1)
    array([ 1. , -0.5,  0.2, -0.1])
    """
    x = as_signal(x, "identify_inverse")
    if not 0 <= delay < len(x):
        raise ValueError(f"identify_inverse: delay must be from 0 to {len(x) - 1}, got {delay}.")
    late = np.concatenate([np.zeros(delay), x[: len(x) - delay]])
    return clone(model or RLS()).fit(delay_line(plant(x), length), late)


def invert_filter(weights) -> Callable:
    """Return the recursive filter that inverts a transversal one.

    Open-loop control: the plant turns a filtered signal back into the desired output.

    Parameters
    ----------
    weights : array-like of shape (n_weights,)
        Weights of the transversal filter. The first must not be zero, and the polynomial with
        these coefficients must have all zeros inside the unit circle; otherwise the inverse is
        unstable.

    Returns
    -------
    inverse : callable
        Takes a signal and returns one of the same length.

    Examples
    --------
    >>> from shallows.signal import invert_filter, transversal_filter
    >>> invert_filter([1.0, 0.5])(transversal_filter([1.0, 2.0, 3.0], [1.0, 0.5]))
    array([1., 2., 3.])
    """
    weights = as_signal(weights, "invert_filter")
    largest = np.abs(np.roots(weights)).max(initial=0.0) if weights[0] else np.inf
    if largest >= 1:
        raise ValueError(
            "invert_filter: the inverse of these weights is not stable: their polynomial has a "
            f"zero of size {largest:.3g}, but all must be below 1. Use identify_inverse with a "
            "delay."
        )
    return lambda x: lfilter([1.0], weights, as_signal(x, "invert_filter"))
