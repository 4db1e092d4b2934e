"""Firing rate: number of spikes in a time window, divided by its length."""

from __future__ import annotations

import numpy as np


def mean_firing_rate(spikes, window: float, duration: float | None = None) -> np.ndarray:
    """Count spikes in consecutive windows and divide by the length of a window.

    The time of a spike within its window is lost.

    Parameters
    ----------
    spikes : array-like of shape (n_spikes,)
        Times of the spikes, not negative.
    window : float
        Length of a window.
    duration : float or None, default=None
        Duration of the recording; an incomplete last window is dropped. None means the time of the
        last spike.

    Returns
    -------
    rates : ndarray of shape (n_windows,)
        Spikes per unit of time in each window.

    Examples
    --------
    >>> from shallows.neuron import mean_firing_rate
    >>> mean_firing_rate([0.5, 1.5, 2.5, 3.5], window=2.0, duration=4.0)
    array([1., 1.])
    """
    spikes = np.asarray(spikes, dtype=np.float64)
    if spikes.ndim != 1 or not np.isfinite(spikes).all() or (spikes < 0).any():
        raise ValueError(
            "mean_firing_rate: spikes must be a sequence of times that are finite and not "
            f"negative, got {spikes!r}."
        )
    if not window > 0:
        raise ValueError(f"mean_firing_rate: window must be positive, got {window}.")
    if duration is None:
        duration = spikes.max(initial=0.0)
    # A tiny factor keeps the last window if rounding makes it appear incomplete.
    n_windows = int(np.floor(duration / window * (1 + 1e-12)))
    places = np.floor(spikes[spikes < n_windows * window] / window).astype(np.int64)
    return np.bincount(places, minlength=n_windows)[:n_windows] / window
