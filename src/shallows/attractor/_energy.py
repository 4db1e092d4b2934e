"""Energy of binary states under symmetric couplings."""

from __future__ import annotations

import numpy as np


def energy(weights, states, biases=None) -> np.ndarray:
    r"""Return :math:`H(S) = -\sum_{i<j} w_{ij} S_i S_j - \sum_i b_i S_i`.

    With symmetric weights, setting a single unit to the sign of its field never raises the energy.
    A state in which every flip would raise it is an attractor. Equal positive weights make a
    ferromagnet, random ones a spin glass.

    Parameters
    ----------
    weights : array-like of shape (n_units, n_units)
        Symmetric couplings; the diagonal is ignored.
    states : array-like of shape (n_units,) or (n_samples, n_units)
        States +1 or -1.
    biases : array-like of shape (n_units,) or None, default=None
        External fields; None means none.

    Returns
    -------
    energies : float or ndarray of shape (n_samples,)
        Energy of each state.

    Examples
    --------
    >>> from shallows.attractor import energy
    >>> energy([[0, 1], [1, 0]], [[1, 1], [1, -1]])
    array([-1.,  1.])
    """
    weights, states = np.asarray(weights, dtype=np.float64), np.asarray(states, dtype=np.float64)
    if weights.ndim != 2 or weights.shape != (states.shape[-1],) * 2:
        raise ValueError(
            f"energy: states of {states.shape[-1]} units need weights of shape "
            f"{(states.shape[-1],) * 2}, got {weights.shape}."
        )
    if not np.allclose(weights, weights.T, rtol=1e-8, atol=1e-10):
        raise ValueError("energy: weights must be symmetric; otherwise no energy exists.")
    pairs = np.einsum("...i,...i->...", states @ weights, states)
    pairs -= states**2 @ np.diag(weights)
    outside = 0.0 if biases is None else states @ np.asarray(biases, dtype=np.float64)
    return -pairs / 2 - outside
