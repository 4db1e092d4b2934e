"""Delay embedding: the state of a system reconstructed from one coordinate."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from shallows.signal._delay_line import as_signal


def delay_embedding(y, k: int, delay: int = 1) -> np.ndarray:
    r"""Return the vectors :math:`(y(t), y(t - \delta), \ldots, y(t - (k-1) \delta))`.

    If the system moves on an attractor of dimension m and k is larger than 2 m, these vectors
    trace out the attractor up to a smooth change of coordinates [1]_. A smaller k may be enough.

    Parameters
    ----------
    y : array-like of shape (n_steps,)
        Observed signal.
    k : int
        Number of coordinates.
    delay : int, default=1
        Steps :math:`\delta` between coordinates.

    Returns
    -------
    vectors : ndarray of shape (n_steps - (k - 1) * delay, k)
        The first belongs to time (k - 1) * delay.

    References
    ----------
    .. [1] F. Takens, "Detecting strange attractors in turbulence", Lecture Notes in Mathematics
       898, 366-381, 1981.

    Examples
    --------
    >>> from shallows.signal import delay_embedding
    >>> delay_embedding([1, 2, 3, 4, 5], k=2, delay=2)
    array([[3., 1.],
           [4., 2.],
           [5., 3.]])
    """
    y = as_signal(y, "delay_embedding")
    span = (k - 1) * delay + 1
    if k < 1 or delay < 1 or span > len(y):
        raise ValueError(
            f"delay_embedding: k and delay must be at least 1 and span at most the {len(y)} steps "
            f"of the signal, got k={k} and delay={delay}, which span {span}."
        )
    return sliding_window_view(y, span)[:, ::-1][:, ::delay].copy()
