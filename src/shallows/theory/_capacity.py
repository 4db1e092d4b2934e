"""How many random labels perceptrons, and machines made of perceptrons, can store."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import entr, ndtr

from shallows._core.contract.params import NonNegativeInt, PositiveInt, check_value
from shallows.theory._dichotomies import count_dichotomies, log_count_dichotomies

NEARLY_EQUAL = 1e-11  # difference of logarithms, per label, that rounding may hide


def cake_number(K: NonNegativeInt, N: NonNegativeInt) -> int:
    r"""Return the largest number of pieces that K cuts make of a cake in N dimensions.

    The exact :math:`c(K, N) = \sum_{i=0}^N \binom K i`. In the plane these are the lazy caterer's
    numbers. Each labeling that a perceptron realises is such a piece of weight space: P points in
    N dimensions have :math:`C(P, N) = 2\, c(P - 1, N - 1)` of them.

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

    K threshold units over N inputs, combined by any fixed function, realise at most :math:`C(P,
    N)^K` labelings. At least half of all :math:`2^P` labelings are therefore out of reach if
    :math:`C(P, N)^K < 2^{P - 1}`. In infinitely many dimensions the bound solves :math:`K
    H_2(1/\alpha) = 1` with the binary entropy :math:`H_2` in bits [1]_. For many units its leading
    term is :math:`K \ln K / \ln 2`, which is far smaller than the bound for any practical K.

    Parameters
    ----------
    K : int
        Number of hidden units.
    N : int or None, default=None
        Dimension. None means infinitely many.

    Returns
    -------
    capacity : float
        The largest P / N at which half of the labelings may still be possible; 2 for one unit.

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
    # Double the bracket until it contains the capacity, then bisect it over whole P.
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
    # ln(C(P, N)^K / 2^(P - 1)), not negative as long as there is room for half.
    spare = K * log_count_dichotomies(P, N) - (P - 1) * np.log(2)
    if abs(spare) <= NEARLY_EQUAL * P:  # too close to call in floats: compare exact integers
        return count_dichotomies(P, N) ** K >= 2 ** (P - 1)
    return bool(spare > 0)


def _spare_bits(alpha: float, K: int) -> float:
    # H_2(a) = -a log2 a - (1 - a) log2(1 - a), here with a = 1 / alpha.
    share = 1 / alpha
    return float(K * (entr(share) - (1 - share) * np.log1p(-share)) / np.log(2) - 1)
