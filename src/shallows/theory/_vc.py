"""VC dimension, the bounds that follow from it, and structural risk minimisation."""

from __future__ import annotations

from itertools import combinations
from reprlib import repr as short
from typing import NamedTuple

import numpy as np

from shallows._core.contract.params import Fraction, PositiveFloat, PositiveInt, check_value
from shallows.theory._dichotomies import separable_labelings

MOST_POINTS = 20  # for a finite class, because every set of points may have to be examined


class StructuralRisk(NamedTuple):
    """The choice between nested classes.

    Parameters
    ----------
    best : int
        Index of the class with the smallest bound.
    bounds : ndarray
        Empirical risk plus confidence term, for every class.
    confidence : ndarray
        Confidence term of every class.

    Examples
    --------
    >>> from shallows.theory import structural_risk
    >>> structural_risk([0.4, 0.1, 0.09], [3, 5, 50], n=1000).best
    1
    """

    best: int
    bounds: np.ndarray
    confidence: np.ndarray


def count_labelings(X, affine: bool = True) -> int:
    """Count the labelings of given points that a hyperplane realises, by enumeration.

    Parameters
    ----------
    X : array-like of shape (P, n)
        Points, in any position.
    affine : bool, default=True
        Whether the hyperplane may have a threshold; otherwise it goes through the origin.

    Returns
    -------
    count : int
        At most ``2**P``.

    Examples
    --------
    >>> from shallows.theory import count_labelings
    >>> count_labelings([[0, 0], [0, 1], [1, 0], [1, 1]])
    14
    """
    return len(separable_labelings(_inputs("count_labelings", X, affine)))


def is_shattered(X, affine: bool = True) -> bool:
    """Return whether hyperplanes realise every labeling of the points, by enumeration.

    Parameters
    ----------
    X : array-like of shape (P, n)
        Points, in any position.
    affine : bool, default=True
        Whether the hyperplane may have a threshold; otherwise it goes through the origin.

    Returns
    -------
    shattered : bool
        Whether all ``2**P`` labelings are possible.

    Examples
    --------
    >>> from shallows.theory import is_shattered
    >>> is_shattered([[0, 0], [0, 1], [1, 0]]), is_shattered([[0, 0], [1, 1], [2, 2]])
    (True, False)
    """
    inputs = _inputs("is_shattered", X, affine)
    # A set can be shattered only if its subsets are, so the first failure ends the search.
    return all(len(separable_labelings(inputs[:P])) == 2**P for P in range(1, len(inputs) + 1))


def vc_dimension_hyperplane(n: PositiveInt, affine: bool = True) -> int:
    """Return the largest number of points in n dimensions that hyperplanes can shatter.

    Parameters
    ----------
    n : int
        Dimension.
    affine : bool, default=True
        Whether the hyperplane may have a threshold; otherwise it goes through the origin.

    Returns
    -------
    dimension : int
        ``n + 1`` with a threshold, else ``n``.

    Examples
    --------
    >>> from shallows.theory import vc_dimension_hyperplane
    >>> vc_dimension_hyperplane(2), vc_dimension_hyperplane(2, affine=False)
    (3, 2)
    """
    check_value("vc_dimension_hyperplane", "n", PositiveInt, n)
    return int(n) + bool(affine)


def vc_dimension(predictions) -> int:
    """Return the VC dimension of a finite class on a finite set of points, by enumeration.

    Sets of points grow one by one, and only shattered sets grow: a subset of a shattered set is
    shattered.

    Parameters
    ----------
    predictions : array-like of shape (n_hypotheses, n_points)
        Answers of every hypothesis to every point, with at most two different values.

    Returns
    -------
    dimension : int
        Size of the largest set of points on which all labelings occur.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.theory import vc_dimension
    >>> thresholds = np.arange(5)[:, None] > np.arange(4)
    >>> intervals = thresholds[:, None] ^ thresholds
    >>> vc_dimension(thresholds), vc_dimension(intervals.reshape(25, 4))
    (1, 2)
    """
    table = np.asarray(predictions)
    values = np.unique(table)
    if table.ndim != 2 or table.size == 0 or len(values) > 2 or table.shape[1] > MOST_POINTS:
        raise ValueError(
            "vc_dimension: predictions must have shape (n_hypotheses, n_points) with two values "
            f"and at most {MOST_POINTS} points, got shape {table.shape} with {len(values)} values."
        )
    answers = np.unique(table == values[-1], axis=0)
    shattered: set[tuple[int, ...]] = {()}
    size = 0
    while shattered:
        bits = 1 << np.arange(size + 1)
        # Candidates with one more point: all their subsets must be shattered.
        longer = {
            (*points, new)
            for points in shattered
            for new in range(points[-1] + 1 if points else 0, answers.shape[1])
            if all(part in shattered for part in combinations((*points, new), size))
        }
        # A set of k points is shattered if all 2^k answers occur on it.
        shattered = {
            points
            for points in longer
            if len(np.unique(answers[:, list(points)] @ bits)) == 2 ** (size + 1)
        }
        size += 1
    return size - 1


def vc_confidence(vc, n, delta: Fraction = 0.05):
    r"""Return by how much the risk may exceed the empirical risk.

    With probability at least :math:`1 - \delta`, for all classifiers of a class with VC dimension
    :math:`h < n` at once, :math:`R \leq R_{emp} + \epsilon` where :math:`\epsilon^2 = [h (\ln(2 n
    / h) + 1) - \ln(\delta / 4)] / n` [1]_. The bound is valid for every distribution, and
    therefore far too pessimistic for most.

    Parameters
    ----------
    vc : float or array-like
        VC dimension :math:`h`, above zero.
    n : int or array-like
        Number of examples, more than `vc`.
    delta : float, default=0.05
        Accepted probability that the bound fails.

    Returns
    -------
    epsilon : float or ndarray
        The confidence term.

    References
    ----------
    .. [1] V. N. Vapnik, "The Nature of Statistical Learning Theory", Springer, 1995.

    Examples
    --------
    >>> from shallows.theory import vc_confidence
    >>> vc_confidence(3, [100, 1000, 10000]).round(4)
    array([0.447 , 0.164 , 0.0581])
    """
    check_value("vc_confidence", "delta", Fraction, delta)
    vc, n = np.asarray(vc, dtype=float), np.asarray(n, dtype=float)
    if not np.all((vc > 0) & (vc < n)):
        raise ValueError(
            f"vc_confidence: the bound requires 0 < vc < n, got vc={vc!r} and n={n!r}."
        )
    return np.sqrt(_squared_confidence(vc, n, delta))


def sample_size(vc: PositiveFloat, epsilon: PositiveFloat, delta: Fraction = 0.05) -> int:
    r"""Return how many examples bring the VC confidence term down to epsilon.

    Parameters
    ----------
    vc : float
        VC dimension.
    epsilon : float
        Accepted distance between risk and empirical risk.
    delta : float, default=0.05
        Accepted probability that the bound fails.

    Returns
    -------
    n : int
        The smallest number with ``vc_confidence(vc, n, delta) <= epsilon``. It is nearly
        proportional to `vc`.

    Examples
    --------
    >>> from shallows.theory import sample_size
    >>> [sample_size(vc, 0.1) for vc in (3, 10, 100)]
    [3021, 8926, 84799]
    """
    check_value("sample_size", "vc", PositiveFloat, vc)
    check_value("sample_size", "epsilon", PositiveFloat, epsilon)
    check_value("sample_size", "delta", Fraction, delta)
    low = int(vc)  # the confidence term falls with n from here on
    # Double until the term is small enough, then bisect.
    high = low + 1
    while _squared_confidence(vc, high, delta) > epsilon**2:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _squared_confidence(vc, middle, delta) > epsilon**2:
            low = middle
        else:
            high = middle
    return high


def structural_risk(emp_risks, vcs, n: PositiveInt, delta: Fraction = 0.05) -> StructuralRisk:
    """Choose the one of several nested classes that has the smallest guaranteed risk.

    Larger classes fit better, but their confidence term is larger. The sum of the empirical risk
    and `vc_confidence` has a minimum in between.

    Parameters
    ----------
    emp_risks : array-like of shape (n_classes,)
        Smallest error on the training set in each class, between 0 and 1.
    vcs : array-like of shape (n_classes,)
        VC dimensions, in non-decreasing order.
    n : int
        Number of examples.
    delta : float, default=0.05
        Accepted probability that the bound fails, for each class.

    Returns
    -------
    choice : StructuralRisk
        The best class and the bounds of all. A class with ``vc >= n`` has no bound: infinity.

    Examples
    --------
    >>> from shallows.theory import structural_risk
    >>> structural_risk([0.4, 0.1, 0.09], [3, 5, 50], n=1000).bounds.round(3)
    array([0.564, 0.298, 0.579])
    """
    check_value("structural_risk", "n", PositiveInt, n)
    risks, vcs = np.asarray(emp_risks, dtype=float), np.asarray(vcs, dtype=float)
    if risks.ndim != 1 or len(risks) == 0 or risks.shape != vcs.shape:
        raise ValueError(
            "structural_risk: emp_risks and vcs must be lists of one length, got shapes "
            f"{risks.shape} and {vcs.shape}."
        )
    if not np.all((risks >= 0) & (risks <= 1)) or np.any(np.diff(vcs) < 0):
        raise ValueError(
            "structural_risk: emp_risks must be in [0, 1] and vcs must not decrease, got "
            f"{risks!r} and {vcs!r}."
        )
    confidence = np.full(len(vcs), np.inf)
    confidence[vcs < n] = vc_confidence(vcs[vcs < n], n, delta)
    bounds = risks + confidence
    if not np.isfinite(bounds).any():
        raise ValueError(f"structural_risk: every class has vc >= n = {n}; give more examples.")
    return StructuralRisk(int(bounds.argmin()), bounds, confidence)


def _squared_confidence(vc, n, delta):
    return (vc * (np.log(2 * n / vc) + 1) - np.log(delta / 4)) / n


def _inputs(owner, X, affine):
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or not np.isfinite(X).all():
        raise ValueError(f"{owner}: X must be a finite array of shape (P, n), got {short(X)}.")
    return np.column_stack([X, np.ones(len(X))]) if affine else X
