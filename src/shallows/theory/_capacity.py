"""How many random labels perceptrons, and machines built of them, can store."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import entr, ndtr

from shallows._core.contract.params import NonNegativeInt, PositiveInt, check_value
from shallows.theory._dichotomies import count_dichotomies, log_count_dichotomies

NEARLY_EQUAL = 1e-11  # difference of logarithms, per label, that rounding may hide


def cake_number(K: NonNegativeInt, N: NonNegativeInt) -> int:
    r"""Return the largest number of pieces into which K cuts divide a cake of N dimensions.

    The exact :math:`c(K, N) = \sum_{i=0}^N \binom K i`. In the plane these are the lazy
    caterer's numbers. A labeling is such a piece of weight space: with P points in N dimensions
    :math:`C(P, N) = 2\, c(P - 1, N - 1)`.

    Parameters
    ----------
    K : int
        Number of cuts.
    N : int
        Dimension.

    Returns
    -------
    pieces : int
        Exact, of any size.

    Examples
    --------
    >>> from shallows.theory import cake_number
    >>> [cake_number(K, 2) for K in range(6)], [cake_number(K, 3) for K in range(6)]
    ([1, 2, 4, 7, 11, 16], [1, 2, 4, 8, 15, 26])
    """
    check_value("cake_number", "K", NonNegativeInt, K)
    check_value("cake_number", "N", NonNegativeInt, N)
    return count_dichotomies(K + 1, N + 1) // 2


def gardner_capacity(kappa):
    r"""Return how many random labels per dimension can be stored with a given stability.

    In infinitely many dimensions
    :math:`\alpha_c = 1 / \int_{-\kappa}^\infty Dt\, (t + \kappa)^2
    = 1 / [(1 + \kappa^2) \Phi(\kappa) + \kappa \varphi(\kappa)]`, for inputs whose components
    have variance 1 [1]_. Without stability it is 2.

    Parameters
    ----------
    kappa : float or array-like
        Stability, 0 or more; below zero the formula is an upper bound.

    Returns
    -------
    capacity : float or ndarray
        Labels per dimension.

    References
    ----------
    .. [1] E. Gardner, "The space of interactions in neural network models", Journal of Physics A
       21, 257-270, 1988.

    Examples
    --------
    >>> from shallows.theory import gardner_capacity
    >>> gardner_capacity([0, 0.5, 1]).round(4)
    array([2.    , 0.9612, 0.5196])
    """
    kappa = np.asarray(kappa, dtype=float)
    density = np.exp(-(kappa**2) / 2) / np.sqrt(2 * np.pi)
    return 1 / ((1 + kappa**2) * ndtr(kappa) + kappa * density)


def machine_capacity(K: PositiveInt, N: PositiveInt | None = None) -> float:
    r"""Return a bound on how many random labels per dimension a machine of K units can store.

    K threshold units over N inputs, whatever fixed function combines them, realise at most
    :math:`C(P, N)^K` labelings, so that half of all :math:`2^P` are out of reach where
    :math:`C(P, N)^K < 2^{P - 1}`. In infinitely many dimensions the bound solves
    :math:`K H_2(1/\alpha) = 1` with the binary entropy :math:`H_2` in bits [1]_; to leading
    order for many units it is :math:`K \ln K / \ln 2`, which is far below it for any practical
    K.

    Parameters
    ----------
    K : int
        Number of hidden units.
    N : int or None, default=None
        Dimension. None stands for infinitely many.

    Returns
    -------
    capacity : float
        The largest P / N for which the count leaves room for half of the labelings; 2 for one
        unit.

    References
    ----------
    .. [1] G. J. Mitchison and R. M. Durbin, "Bounds on the learning capacity of some multi-layer
       networks", Biological Cybernetics 60, 345-356, 1989.

    Examples
    --------
    >>> from shallows.theory import machine_capacity
    >>> [machine_capacity(K, 1000) for K in (1, 2, 6, 10)]
    [2.0, 9.065, 40.531, 76.859]
    >>> round(machine_capacity(2), 3)
    9.089
    """
    check_value("machine_capacity", "K", PositiveInt, K)
    check_value("machine_capacity", "N", PositiveInt | None, N)
    if K == 1:
        return 2.0
    if N is None:
        return float(brentq(_spare_bits, 2, 1e18, args=(K,), rtol=1e-15))
    low, high = 2 * int(N), 4 * int(N)
    while _room_for_half(high, N, K):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _room_for_half(middle, N, K):
            low = middle
        else:
            high = middle
    return low / int(N)


def _room_for_half(P, N, K) -> bool:
    spare = K * log_count_dichotomies(P, N) - (P - 1) * np.log(2)
    if abs(spare) <= NEARLY_EQUAL * P:  # rounding may hide which is larger
        return count_dichotomies(P, N) ** K >= 2 ** (P - 1)
    return bool(spare > 0)


def _spare_bits(alpha: float, K: int) -> float:
    share = 1 / alpha
    return float(K * (entr(share) - (1 - share) * np.log1p(-share)) / np.log(2) - 1)
