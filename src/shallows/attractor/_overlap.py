"""Similarity of two states."""

from __future__ import annotations

import numpy as np


def overlap(states, patterns) -> np.ndarray:
    r"""Return :math:`m = S \cdot \xi / N` for each state and pattern.

    It is 1 for equal states, -1 for opposite states and about 0 for unrelated ones. Flipping a
    share f of the units gives 1 - 2 f.

    Parameters
    ----------
    states : array-like of shape (..., n_units)
        States +1 or -1.
    patterns : array-like of shape (n_units,) or (n_patterns, n_units)
        States to compare with.

    Returns
    -------
    overlaps : ndarray of shape (...) or (..., n_patterns)
        From -1 to 1.

    Examples
    --------
    >>> from shallows.attractor import overlap
    >>> overlap([1, 1, -1, -1], [[1, 1, -1, -1], [1, 1, 1, -1]])
    array([1. , 0.5])
    """
    states = np.asarray(states, dtype=np.float64)
    return states @ np.asarray(patterns, dtype=np.float64).T / states.shape[-1]
