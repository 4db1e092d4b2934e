"""Decoding of symbols from beliefs over time."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import uniform_filter1d


def decode_stream(beliefs, window: int = 5) -> np.ndarray:
    """Smooth beliefs over time and return the most believed symbol at each step.

    A single step at which another symbol is more likely does not change the answer, because the
    mean over the window decides.

    Parameters
    ----------
    beliefs : array-like of shape (n_steps, n_symbols)
        Belief in each symbol at each step, such as probabilities.
    window : int, default=5
        Length of the centred window, an odd number; at the ends only existing steps are used.

    Returns
    -------
    symbols : ndarray of shape (n_steps,)
        Numbers of the symbols.

    Examples
    --------
    >>> from shallows.signal import decode_stream
    >>> beliefs = [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.9, 0.1], [0.8, 0.2]]
    >>> decode_stream(beliefs, window=3)
    array([0, 0, 0, 0, 0])
    """
    beliefs = np.asarray(beliefs, dtype=np.float64)
    if beliefs.ndim != 2 or not np.isfinite(beliefs).all():
        raise ValueError(
            "decode_stream: beliefs must be finite numbers of shape (n_steps, n_symbols), got "
            f"shape {beliefs.shape}."
        )
    if window < 1 or window % 2 == 0:
        raise ValueError(f"decode_stream: window must be an odd number from 1 on, got {window}.")
    sums = uniform_filter1d(beliefs, window, axis=0, mode="constant")
    return sums.argmax(axis=1)
