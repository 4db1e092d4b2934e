"""Individual learning rates of parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shallows.descent._types import Array


def fan_in_rates(rate: float, fan_in: Sequence[int], sizes: Sequence[int]) -> Array:
    """Rates inversely proportional to the number of inputs of a unit.

    Parameters
    ----------
    rate : float
        Rate of a unit with a single input.
    fan_in : sequence of int
        Inputs per unit of each layer (or of each unit).
    sizes : sequence of int
        Parameters of each layer (or of each unit), in the order of the flat vector.

    Returns
    -------
    array, shape (sum of sizes,)
        One rate per parameter.

    Examples
    --------
    >>> fan_in_rates(1.0, fan_in=[2, 4], sizes=[3, 1])
    array([0.5 , 0.5 , 0.5 , 0.25])
    """
    return np.repeat(rate / np.asarray(fan_in, dtype=float), sizes)


def curvature_rates(curvature: Array, rate: float = 1.0, floor: float = 1e-6) -> Array:
    """Rates inversely proportional to the diagonal second derivatives of the cost.

    On a separable parabola `rate` = 1 reaches the minimum in one step.

    Parameters
    ----------
    curvature : array of floats
        Diagonal of the Hessian matrix; absolute values are used.
    rate : float
        Rate at curvature 1.
    floor : float
        Smallest curvature that is trusted, as a share of the largest.

    Returns
    -------
    array
        One rate per parameter.

    Examples
    --------
    >>> curvature_rates(np.array([2.0, 8.0]))
    array([0.5  , 0.125])
    """
    size = np.abs(curvature)
    return rate / np.maximum(size, floor * size.max())
