"""Tapped delay line: the last values of a signal, at every time."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def delay_line(x, length: int) -> np.ndarray:
    r"""Return the rows :math:`(x(n), x(n-1), \ldots, x(n-L+1))` for all times n.

    Values before the start are zero. The rows share memory, so they need no more than the signal.

    Parameters
    ----------
    x : array-like of shape (n_steps,)
        Signal.
    length : int
        Number of taps :math:`L`.

    Returns
    -------
    rows : ndarray of shape (n_steps, length)
        A read-only view.

    Examples
    --------
    >>> from shallows.signal import delay_line
    >>> delay_line([1.0, 2.0, 3.0], 2)
    array([[1., 0.],
           [2., 1.],
           [3., 2.]])
    """
    x = as_signal(x, "delay_line")
    if length < 1:
        raise ValueError(f"delay_line: length must be at least 1, got {length}.")
    padded = np.concatenate([np.zeros(length - 1), x])
    return sliding_window_view(padded, length)[:, ::-1]


def as_signal(x, owner: str) -> np.ndarray:
    """Return a finite float64 vector."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 1 or not len(x) or not np.isfinite(x).all():
        raise ValueError(
            f"{owner}: a signal must be a sequence of finite numbers, at least one, got an array "
            f"of shape {x.shape}{'' if np.isfinite(x).all() else ' with gaps'}."
        )
    return x
