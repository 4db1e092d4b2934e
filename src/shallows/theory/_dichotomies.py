"""How many labelings of P points in N dimensions hyperplanes through the origin realise.

For a threshold, append a constant 1 to every point: one more dimension.
"""

from __future__ import annotations

from itertools import combinations, islice
from math import comb
from reprlib import repr as short

import numpy as np
from scipy.special import betainc, gammaln

from shallows._core.contract.params import Fraction, NonNegativeInt, PositiveInt, check_value
from shallows._core.numerics.separability import gordan_alternative

MOST_SUBSETS = 10**7
NEAR_UNDERFLOW = 1e-250
SMALLEST_LOG = -746  # below the log of the smallest positive float


def count_dichotomies(P: NonNegativeInt, N: NonNegativeInt) -> int:
    r"""Count the linearly separable labelings of P points in general position.

    The exact number :math:`C(P, N) = 2 \sum_{i<N} \binom{P-1}{i}`, which is :math:`2^P` for
    :math:`P \leq N` [1]_. It bounds the number for points in any other position from above.

    Parameters
    ----------
    P : int
        Number of points.
    N : int
        Dimension.

    Returns
    -------
    count : int
        Exact, of any size. 100,000 points take about a second, and time grows with the square of
        their number; `log_count_dichotomies` is fast for any number.

    References
    ----------
    .. [1] T. M. Cover, "Geometrical and statistical properties of systems of linear
       inequalities with applications in pattern recognition", IEEE Transactions on Electronic
       Computers EC-14, 326-334, 1965.

    Examples
    --------
    >>> from shallows.theory import count_dichotomies
    >>> [count_dichotomies(P, 3) for P in range(1, 7)]
    [2, 4, 8, 14, 22, 32]
    """
    check_value("count_dichotomies", "P", NonNegativeInt, P)
    check_value("count_dichotomies", "N", NonNegativeInt, N)
    P, N = int(P), int(N)
    if P <= N:
        return 2**P
    # C(P, N) + C(P, P - N) = 2^P, so the shorter of the two sums is enough.
    if 2 * N > P:
        return 2**P - count_dichotomies(P, P - N)
    binomial, total = 1, 0
    for i in range(N):
        total += binomial
        binomial = binomial * (P - 1 - i) // (i + 1)
    return 2 * total


def log_count_dichotomies(P, N):
    r"""Return the natural logarithm of the number of separable labelings.

    Parameters
    ----------
    P : int or array-like of int
        Number of points.
    N : int or array-like of int
        Dimension.

    Returns
    -------
    log_count : float or ndarray
        :math:`\ln C(P, N)` with a relative error below 1e-12, even for millions of points.

    Examples
    --------
    >>> from shallows.theory import log_count_dichotomies
    >>> log_count_dichotomies(1_000_000, 10).round(6)
    np.float64(112.230879)
    """
    P, N = whole_numbers("log_count_dichotomies", P, N)
    log_count = np.asarray(P * np.log(2.0))
    # Above P / 2 the complement is the small part: ln C = P ln 2 + ln(1 - its share).
    many = (P > N) & (2 * N > P)
    log_count[many] += np.log1p(-fraction_separable(P[many], P[many] - N[many]))
    few = (P > N) & (2 * N <= P) & (N > 0)
    log_count[few] = np.log(2.0) + _log_binomial_sum(P[few] - 1, N[few] - 1)
    log_count[(P > N) & (N == 0)] = -np.inf
    return log_count[()]


def count_ambiguous(P: NonNegativeInt, N: PositiveInt) -> int:
    """Count the separable labelings that leave the label of one more point open.

    Both labels of the new point keep these labelings separable. Hence ``C(P + 1, N) = C(P, N) +
    Z(P, N)``, and ``Z(P, N) = C(P, N - 1)``.

    Parameters
    ----------
    P : int
        Number of points, in general position together with the new one.
    N : int
        Dimension.

    Returns
    -------
    count : int
        Exact, of any size.

    Examples
    --------
    >>> from shallows.theory import count_ambiguous, count_dichotomies
    >>> count_ambiguous(4, 3), count_dichotomies(5, 3) - count_dichotomies(4, 3)
    (8, 8)
    """
    check_value("count_ambiguous", "P", NonNegativeInt, P)
    check_value("count_ambiguous", "N", PositiveInt, N)
    return count_dichotomies(P, N - 1)


def fraction_separable(P, N):
    r"""Return the share of all labelings that are linearly separable.

    This is the probability that random labels of P points in general position are separable:
    :math:`C(P, N) / 2^P = I_{1/2}(P - N, N)`, a regularised incomplete beta function.

    Parameters
    ----------
    P : int or array-like of int
        Number of points.
    N : int or array-like of int
        Dimension.

    Returns
    -------
    fraction : float or ndarray
        1 up to ``P = N`` and 1/2 at ``P = 2 N``, both exact; elsewhere with a relative error below
        1e-12.

    Examples
    --------
    >>> from shallows.theory import fraction_separable
    >>> fraction_separable([20, 32, 40, 48], 20).round(5)
    array([1.     , 0.92519, 0.5    , 0.12148])
    """
    P, N = whole_numbers("fraction_separable", P, N)
    fraction = np.asarray(P <= N, dtype=float)
    between = (P > N) & (N > 0)
    fraction[between] = betainc(P[between] - N[between], N[between], 0.5)
    fraction[between & (P == 2 * N)] = 0.5
    for place in map(tuple, np.argwhere(between & (fraction < NEAR_UNDERFLOW))):
        # betainc loses digits in this range. The quotient of exact counts is rounded only once.
        p, n = int(P[place]), int(N[place])
        if log_count_dichotomies(p, n) - p * np.log(2) > SMALLEST_LOG:
            fraction[place] = count_dichotomies(p, n) / 2**p
    return fraction[()]


def capacity_perceptron(N: PositiveInt | None = None, probability: Fraction = 0.5) -> float:
    """Return how many random labels per dimension a perceptron can store.

    Parameters
    ----------
    N : int or None, default=None
        Dimension. None means infinitely many; the capacity is then 2 for any probability.
    probability : float, default=0.5
        Smallest accepted probability that all labels can be stored.

    Returns
    -------
    capacity : float
        The largest P / N for which `fraction_separable` is at least `probability`.

    Examples
    --------
    >>> from shallows.theory import capacity_perceptron
    >>> capacity_perceptron(), capacity_perceptron(20), capacity_perceptron(20, 0.99)
    (2.0, 2.0, 1.4)
    """
    check_value("capacity_perceptron", "N", PositiveInt | None, N)
    check_value("capacity_perceptron", "probability", Fraction, probability)
    if N is None:
        return 2.0
    # Double the bracket until it contains the capacity, then bisect it over whole P.
    low, high = int(N), 2 * int(N)
    while fraction_separable(high, N) >= probability:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if fraction_separable(middle, N) >= probability:
            low = middle
        else:
            high = middle
    return low / int(N)


def in_general_position(X, tol: Fraction = 1e-9) -> bool:
    """Return whether any N of the points, or all if there are fewer, are linearly independent.

    Every subset is examined, so use it for small sets.

    Parameters
    ----------
    X : array-like of shape (P, N)
        Points.
    tol : float, default=1e-9
        Points count as dependent if their smallest singular value is at most this.

    Returns
    -------
    general : bool
        True if no subset is dependent; hence True for no points.

    Examples
    --------
    >>> from shallows.theory import in_general_position
    >>> in_general_position([[1, 0], [1, 1], [0, 1]])
    True
    >>> in_general_position([[1, 0], [1, 1], [-2, -2]])
    False
    """
    X = _points("in_general_position", X)
    check_value("in_general_position", "tol", Fraction, tol)
    if len(X) == 0:
        return True
    lengths = np.linalg.norm(X, axis=1)
    if not lengths.all():
        return False
    n_subsets, size = comb(len(X), min(X.shape)), min(X.shape)
    if n_subsets > MOST_SUBSETS:
        raise ValueError(
            f"in_general_position examines every subset of {size} points: {n_subsets} here, at "
            f"most {MOST_SUBSETS} are possible. Give fewer points."
        )
    # Lengths don't matter for dependence; with unit vectors `tol` has one meaning for all.
    directions = X / lengths[:, None]
    remaining = combinations(range(len(X)), size)
    # Subsets go to the SVD in batches, which keeps memory small.
    while subsets := list(islice(remaining, 4096)):
        values = np.linalg.svd(directions[np.array(subsets)], compute_uv=False)
        if values.min(initial=1.0) <= tol:
            return False
    return True


def is_separable(X, labels) -> bool:
    r"""Return whether a hyperplane through the origin separates labelled points.

    By Gordan's theorem either some :math:`w` has :math:`S w \cdot x > 0` for all points, or some
    convex combination of the vectors :math:`S x` is zero. The true alternative is found and
    verified.

    Parameters
    ----------
    X : array-like of shape (P, N)
        Points.
    labels : array-like of shape (P,)
        Labels +1 and -1.

    Returns
    -------
    separable : bool
        True if a hyperplane has all points, scaled to length 1, more than 1e-13 away from it.

    Raises
    ------
    ArithmeticError
        If neither alternative can be verified to 1e-9.

    Examples
    --------
    >>> from shallows.theory import is_separable
    >>> X = [[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> is_separable(X, [-1, -1, -1, 1]), is_separable(X, [-1, 1, 1, -1])
    (True, False)
    """
    X, labels = _points("is_separable", X), np.asarray(labels)
    if labels.shape != (len(X),) or not np.isin(labels, (-1, 1)).all():
        raise ValueError(
            f"is_separable: labels must be {len(X)} values -1 or 1, got {short(labels)}."
        )
    if X.size == 0:
        return len(X) == 0
    return gordan_alternative(X * labels[:, None]).w is not None


def separable_labelings(X):
    """Return every labeling of the points that a hyperplane through the origin realises.

    Points are added one by one. The work therefore grows with the number of separable labelings,
    not with the number of all labelings. The points may be in any position.

    Parameters
    ----------
    X : array-like of shape (P, N)
        Points.

    Returns
    -------
    labelings : ndarray of shape (n_labelings, P)
        Labels +1 and -1, one labeling per row.

    Examples
    --------
    >>> from shallows.theory import separable_labelings
    >>> separable_labelings([[1, 0], [1, 1], [-2, -2]])
    array([[-1, -1,  1],
           [-1,  1, -1],
           [ 1, -1,  1],
           [ 1,  1, -1]])
    """
    X = _points("separable_labelings", X)
    found = [()]
    # A labeling can be separable only if it was so without the last point.
    for P in range(1, len(X) + 1):
        longer = [(*labels, label) for labels in found for label in (-1, 1)]
        found = [labels for labels in longer if is_separable(X[:P], labels)]
    return np.array(found, dtype=int).reshape(len(found), len(X))


def _points(owner, X):
    try:
        points = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        points = np.zeros(0)
    if points.ndim != 2 or not np.isfinite(points).all():
        raise ValueError(f"{owner}: X must be a finite array of shape (P, N), got {short(X)}.")
    return points


def whole_numbers(owner, P, N):
    """Return P and N as float arrays of one shape."""
    for name, value in (("P", P), ("N", N)):
        try:
            numbers = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            numbers = np.array(np.nan)
        if not np.all((numbers >= 0) & (numbers == np.floor(numbers)) & (numbers < 2**53)):
            raise ValueError(
                f"{owner}: {name} must be whole numbers, 0 or more, got {short(value)}."
            )
    return (array.copy() for array in np.broadcast_arrays(np.float64(P), np.float64(N)))


def _log_binomial_sum(n, k):
    """Return the log of the sum of binom(n, i) over i <= k, where 2 k < n."""
    # The last term, divided by binom(n, k), is 1; each earlier one follows from it by a ratio
    # below 1, until terms no longer change the sum.
    term, total, i = np.ones_like(n), np.ones_like(n), k.copy()
    while np.any(term > 1e-17 * total):
        term = term * i / (n - i + 1)
        total += term
        i -= 1
    return _log_binomial(n, k) + np.log(total)


def _log_binomial(n, k):
    """Return log binom(n, k) for n >= 1 without the cancellation of log-gamma functions."""
    inside = (k > 0) & (k < n)
    a, b, n = k[inside], (n - k)[inside], n[inside]
    # ln n!/(k! (n-k)!) by Stirling's formula: entropy, square-root term, remainders.
    entropy = a * np.log(n / a) - b * np.log1p(-a / n)
    log_binomial = np.zeros_like(k)
    log_binomial[inside] = (
        entropy
        - 0.5 * np.log(2 * np.pi * a * b / n)
        + (_stirling_error(n) - _stirling_error(a) - _stirling_error(b))
    )
    return log_binomial


def _stirling_error(n):
    """Return log n! minus Stirling's (n + 1/2) log n - n + log(2 pi) / 2, for n >= 1."""
    # The asymptotic series 1/(12 n) - 1/(360 n^3) + ..., exact to double precision for n > 15.
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * n**2)) / n**2) / n**2) / n
    direct = gammaln(n + 1) - (n + 0.5) * np.log(n) + n - 0.5 * np.log(2 * np.pi)
    return np.where(n > 15, series, direct)
