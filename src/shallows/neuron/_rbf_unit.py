"""Radial basis function units, which respond near their centre."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.distances import squared_distances
from shallows.descent._activations import softmax


def rbf_unit(s, centers, beta: float = 1.0, *, normalized: bool = False) -> np.ndarray:
    r"""Return the activations :math:`\exp(-\beta |s - c|^2)` of radial units.

    Parameters
    ----------
    s : array-like of shape (n_samples, n_features)
        Inputs.
    centers : array-like of shape (n_units, n_features)
        Centres :math:`c` of the units.
    beta : float, default=1.0
        Steepness: the width of a unit is :math:`1 / \sqrt{2 \beta}`.
    normalized : bool, default=False
        Whether to divide by the sum over all units. Then the nearest unit responds even to distant
        inputs, for large `beta` alone.

    Returns
    -------
    activations : ndarray of shape (n_samples, n_units)
        One column per unit.

    Examples
    --------
    >>> from shallows.neuron import rbf_unit
    >>> rbf_unit([[0.0], [1.0]], [[0.0], [2.0]]).round(3)
    array([[1.   , 0.018],
           [0.368, 0.368]])
    >>> rbf_unit([[100.0]], [[0.0], [2.0]], normalized=True).round(3)
    array([[0., 1.]])
    """
    if not beta > 0:
        raise ValueError(f"rbf_unit: beta must be positive, got {beta}.")
    s, centers = np.asarray(s, dtype=np.float64), np.asarray(centers, dtype=np.float64)
    squares = squared_distances(s, centers)
    return softmax(-squares, beta) if normalized else np.exp(-beta * squares)
