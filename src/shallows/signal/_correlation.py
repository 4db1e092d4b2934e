"""Correlations of an input signal and a desired signal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows.signal._delay_line import as_signal, delay_line


class Correlation(NamedTuple):
    """Time averages: `R` of x x', `p` of x d, and `power` of d^2."""

    R: np.ndarray
    p: np.ndarray
    power: float


def correlation(x, d, length: int) -> Correlation:
    r"""Return :math:`R = E[x x^T]`, :math:`p = E[x d]` and :math:`E[d^2]`, without centring.

    Here :math:`x(n)` is the vector of the last values of the signal. Averages are over all
    complete windows. For a long stationary signal R is nearly constant along its diagonals.

    Parameters
    ----------
    x : array-like of shape (n_steps,)
        Input signal.
    d : array-like of shape (n_steps,)
        Desired signal.
    length : int
        Number of taps.

    Returns
    -------
    moments : Correlation
        The averages.

    Examples
    --------
    >>> from shallows.signal import correlation
    >>> correlation([1.0, 2.0, 3.0], [0.0, 1.0, 1.0], 2).R
    array([[6.5, 4. ],
           [4. , 2.5]])
    """
    x, d = as_signal(x, "correlation"), as_signal(d, "correlation")
    if len(x) != len(d) or not 1 <= length <= len(x):
        raise ValueError(
            "correlation: x and d must have the same length, at least that of the filter, got "
            f"{len(x)}, {len(d)} and length={length}."
        )
    rows, wanted = delay_line(x, length)[length - 1 :], d[length - 1 :]
    n = len(wanted)
    return Correlation(rows.T @ rows / n, rows.T @ wanted / n, float(wanted @ wanted / n))
