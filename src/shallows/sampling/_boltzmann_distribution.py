"""Boltzmann distributions: probabilities from costs."""

from __future__ import annotations

import numpy as np
from scipy.integrate import nquad
from scipy.special import logsumexp

from shallows._core.contract.params import PositiveFloat, check_params
from shallows._core.contract.rng import as_generator


def partition_function(proto, support) -> float:
    r"""Return the sum or integral Z that normalises an unnormalised density.

    Parameters
    ----------
    proto : callable or array-like
        A non-negative function with one argument per coordinate; or the values themselves.
    support : sequence of tuples of float, or None
        Ends of the interval of each coordinate, possibly infinite; None for an array of values to
        sum.

    Returns
    -------
    Z : float
        Partition function.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.sampling import partition_function
    >>> Z = partition_function(lambda x: np.exp(-x * x / 2), [(-np.inf, np.inf)])
    >>> round(Z**2 / (2 * np.pi), 6)
    1.0
    """
    if support is None:
        values = np.asarray(proto, dtype=np.float64)
        if not (values >= 0).all() or not values.sum() > 0:
            raise ValueError("partition_function: values must not be negative, nor all zero.")
        return float(values.sum())
    Z = float(nquad(proto, list(support))[0])
    if not (np.isfinite(Z) and Z > 0):
        raise ValueError(f"partition_function: the integral must be positive and finite, got {Z}.")
    return Z


class BoltzmannDistribution:
    r"""States with probability :math:`\exp(-C(s) / T) / Z(T)` depending on their cost.

    At high temperature all states are equally likely, at low temperature only those of least cost.

    Parameters
    ----------
    costs : array-like of shape (n_states,)
        Cost of each state.
    temperature : float, default=1.0
        Temperature T.

    Attributes
    ----------
    log_partition : float
        Logarithm of Z.
    probabilities : ndarray of shape (n_states,)
        Probability of each state.

    Examples
    --------
    >>> from shallows.sampling import BoltzmannDistribution
    >>> BoltzmannDistribution([0.0, 0.0, 1000.0]).probabilities
    array([0.5, 0.5, 0. ])
    """

    def __init__(self, costs, temperature: PositiveFloat = 1.0):
        self.costs = np.asarray(costs, dtype=np.float64)
        self.temperature = temperature
        check_params(self)
        if self.costs.ndim != 1 or not len(self.costs) or not np.isfinite(self.costs).all():
            raise ValueError(
                "BoltzmannDistribution: costs must be finite numbers, one per state, got shape "
                f"{self.costs.shape}."
            )
        self.log_partition = float(logsumexp(-self.costs / temperature))
        self.probabilities = np.exp(-self.costs / temperature - self.log_partition)

    def sample(self, n: int, random_state=None) -> np.ndarray:
        """Draw indices of states.

        Parameters
        ----------
        n : int
            Number of draws.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        states : ndarray of shape (n,)
            Indices of states.
        """
        rng = as_generator(random_state)
        return rng.choice(len(self.costs), size=n, p=self.probabilities)
