"""Transversal (FIR) filters, and tests of linear systems."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.signal import lfilter

from shallows._core.contract.rng import as_generator
from shallows.signal._delay_line import as_signal


def transversal_filter(x, weights) -> np.ndarray:
    r"""Return :math:`y(n) = \sum_{j=1}^L w_j x(n - j + 1)`, with zeros before the start.

    Parameters
    ----------
    x : array-like of shape (n_steps,)
        Signal.
    weights : array-like of shape (n_weights,)
        Weights, the weight of the present value first.

    Returns
    -------
    y : ndarray of shape (n_steps,)
        The filtered signal.

    Examples
    --------
    >>> from shallows.signal import transversal_filter
    >>> transversal_filter([1.0, 2.0, 3.0], [1.0, -1.0])
    array([1., 1., 1.])
    """
    weights = as_signal(weights, "transversal_filter")
    return lfilter(weights, [1.0], as_signal(x, "transversal_filter"))


def impulse_response(system: Callable, length: int) -> np.ndarray:
    """Return the response of a system to a one followed by zeros.

    Parameters
    ----------
    system : callable
        Takes a signal and returns one of the same length.
    length : int
        Number of steps.

    Returns
    -------
    response : ndarray of shape (length,)
        The response; for a transversal filter it is the weights.

    Examples
    --------
    >>> from shallows.signal import impulse_response, transversal_filter
    >>> impulse_response(lambda x: transversal_filter(x, [2.0, 1.0]), 4)
    array([2., 1., 0., 0.])
    """
    impulse = np.zeros(length)
    impulse[0] = 1.0
    return np.asarray(system(impulse), dtype=np.float64)


def is_linear(
    system: Callable, length: int = 100, *, trials: int = 5, tol: float = 1e-9, random_state=0
) -> bool:
    """Test on random signals whether a system is additive and homogeneous.

    A system that fails is not linear. A system that passes may be nonlinear for other signals.

    Parameters
    ----------
    system : callable
        Takes a signal and returns one.
    length : int, default=100
        Steps of the signals.
    trials : int, default=5
        Pairs of signals, each with two factors.
    tol : float, default=1e-9
        Largest difference, relative to the largest value.
    random_state : int, RandomState, Generator or None, default=0
        Seeds the signals.

    Returns
    -------
    linear : bool
        Whether every pair passed.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.signal import is_linear
    >>> is_linear(np.cumsum), is_linear(np.abs)
    (True, False)
    """
    rng = as_generator(random_state)
    for _ in range(trials):
        first, second = rng.standard_normal((2, length))
        a, b = rng.uniform(-3, 3, size=2)
        whole = np.asarray(system(a * first + b * second))
        parts = a * np.asarray(system(first)) + b * np.asarray(system(second))
        if np.abs(whole - parts).max() > tol * max(np.abs(whole).max(), np.abs(parts).max()):
            return False
    return True
