"""Small rules: effective parameters, bounds for forests, embedding dimensions."""

from __future__ import annotations

from math import floor

import numpy as np

from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_value


def knn_effective_parameters(n_samples: PositiveInt, n_neighbors: PositiveInt) -> float:
    """Return the effective number of parameters of nearest neighbours: n_samples / n_neighbors.

    A rough measure of flexibility, comparable with the number of coefficients of a linear model.
    It is not the VC dimension, which is infinite for a single neighbour.

    Parameters
    ----------
    n_samples : int
        Number of training samples.
    n_neighbors : int
        Neighbours per prediction, at most `n_samples`.

    Returns
    -------
    parameters : float
        All samples for one neighbour, 1 if every prediction averages all samples.

    Examples
    --------
    >>> from shallows.theory import knn_effective_parameters
    >>> knn_effective_parameters(50, 25)
    2.0
    """
    check_value("knn_effective_parameters", "n_samples", PositiveInt, n_samples)
    check_value("knn_effective_parameters", "n_neighbors", PositiveInt, n_neighbors)
    if n_neighbors > n_samples:
        raise ValueError(
            "knn_effective_parameters: n_neighbors must be at most n_samples, got "
            f"{n_neighbors} of {n_samples}."
        )
    return n_samples / n_neighbors


def breiman_bound(strength, correlation):
    r"""Return an upper bound on the generalisation error of a forest.

    :math:`PE^* \leq \bar\rho (1 - s^2) / s^2`, with the strength :math:`s` (the mean margin) and
    the mean correlation :math:`\bar\rho` between the raw margins of two trees, weighted with their
    standard deviations [1]_. Strong trees with little correlation make a good forest.

    Parameters
    ----------
    strength : float or array-like
        Mean margin, above 0 and at most 1.
    correlation : float or array-like
        Weighted mean correlation, between 0 and 1.

    Returns
    -------
    bound : float or ndarray
        Upper bound on the error; above 1 it says nothing.

    References
    ----------
    .. [1] L. Breiman, "Random forests", Machine Learning 45, 5-32, 2001.

    Examples
    --------
    >>> from shallows.theory import breiman_bound
    >>> breiman_bound(0.5, 0.1).round(10)
    np.float64(0.3)
    """
    strength, correlation = np.asarray(strength, float), np.asarray(correlation, float)
    if not np.all((strength > 0) & (strength <= 1)):
        raise ValueError(
            f"breiman_bound: strength must be in (0, 1], got {strength!r}; the bound needs a "
            "forest that is right on average."
        )
    if not np.all((correlation >= 0) & (correlation <= 1)):
        raise ValueError(f"breiman_bound: correlation must be in [0, 1], got {correlation!r}.")
    return correlation * (1 - strength**2) / strength**2


def takens_dimension(dimension: NonNegativeFloat) -> int:
    """Return how many delayed values surely reconstruct an attractor.

    By Takens' theorem ``2 m + 1`` values or more are enough for an attractor of dimension m, which
    may be a fraction [1]_. Fewer can do: three are enough for Lorenz's attractor.

    Parameters
    ----------
    dimension : float
        Dimension m of the attractor.

    Returns
    -------
    delays : int
        The smallest whole number that is at least ``2 m + 1``.

    References
    ----------
    .. [1] F. Takens, "Detecting strange attractors in turbulence", Lecture Notes in Mathematics
       898, 366-381, 1981.

    Examples
    --------
    >>> from shallows.theory import takens_dimension
    >>> takens_dimension(2.06), takens_dimension(2)
    (6, 5)
    """
    check_value("takens_dimension", "dimension", NonNegativeFloat, dimension)
    # -floor(-x) rounds up.
    return -floor(-(2 * dimension + 1))
