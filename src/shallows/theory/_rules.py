"""Small rules: effective parameters, bounds for forests, embedding dimensions."""

from __future__ import annotations

from math import floor

import numpy as np

from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_value


def knn_effective_parameters(n_samples: PositiveInt, n_neighbors: PositiveInt) -> float:
    """Return roughly how many parameters nearest neighbours fit: samples per neighbourhood.

    It measures how flexible the method is, to compare it with a linear model of so many
    coefficients. It is not its VC dimension, which is infinite for a single neighbour.

    Parameters
    ----------
    n_samples : int
        Number of training samples.
    n_neighbors : int
        Neighbours that are averaged, at most `n_samples`.

    Returns
    -------
    parameters : float
        Their ratio: all samples for one neighbour, 1 where all are averaged.

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

    :math:`PE^* \leq \bar\rho (1 - s^2) / s^2`, with the strength :math:`s` (the mean margin)
    and the mean correlation :math:`\bar\rho` of the raw margins of two trees, weighted with
    their standard deviations [1]_. Uncorrelated strong trees make a good forest.

    Parameters
    ----------
    strength : float or array-like
        Mean margin, above 0 and at most 1.
    correlation : float or array-like
        Weighted mean correlation, between 0 and 1.

    Returns
    -------
    bound : float or ndarray
        It says nothing where it is above 1.

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
    """Return how many delayed values are sure to reconstruct an attractor.

    Any whole number from ``2 m + 1`` on does for an attractor of dimension m, which may be a
    fraction [1]_. Fewer may do: three are enough for Lorenz's.

    Parameters
    ----------
    dimension : float
        Dimension m of the attractor.

    Returns
    -------
    delays : int
        The smallest whole number, ``2 m + 1`` or more.

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
    return -floor(-(2 * dimension + 1))
