"""Perceptron convergence theorem: how many mistakes a perceptron can make on separable data.

The hyperplane goes through the origin. For a threshold, append a constant input 1.
"""

from __future__ import annotations

from reprlib import repr as short
from typing import NamedTuple

import numpy as np

from shallows._core.contract.params import NonNegativeFloat, PositiveFloat, PositiveInt, check_value
from shallows._core.numerics.separability import least_distance


class Envelopes(NamedTuple):
    """Bounds after each number of updates.

    Parameters
    ----------
    updates : ndarray
        Number of updates M, from 0.
    overlap : ndarray
        Smallest possible overlap R = w . w* with the solution.
    lower : ndarray
        Smallest possible squared length Q = w . w, from the overlap.
    upper : ndarray
        Largest possible squared length, from the mistakes.

    Examples
    --------
    >>> from shallows.theory import norm_envelopes
    >>> norm_envelopes([[1, 2], [2, 1]], [1, 1], n_updates=1).upper
    array([0., 5.])
    """

    updates: np.ndarray
    overlap: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


class ConvergenceTrace(NamedTuple):
    """A perceptron's run, update by update.

    Parameters
    ----------
    M : ndarray of shape (n_updates + 1,)
        Number of updates, from 0.
    R : ndarray of shape (n_updates + 1,)
        Overlap w . w* with the solution.
    Q : ndarray of shape (n_updates + 1,)
        Squared length w . w.
    weights : ndarray of shape (n_updates + 1, N)
        The weights.
    envelopes : Envelopes
        Bounds on R and Q at the same updates.
    bound : float
        Largest possible number of updates.

    Examples
    --------
    >>> from shallows.theory import convergence_trace
    >>> convergence_trace([[1, 2], [2, 1]], [1, 1]).M
    array([0, 1])
    """

    M: np.ndarray
    R: np.ndarray
    Q: np.ndarray
    weights: np.ndarray
    envelopes: Envelopes
    bound: float


def mistake_bound(
    X,
    y,
    w_star=None,
    *,
    c: NonNegativeFloat = 0.0,
    w0=None,
    eta: PositiveFloat = 1.0,
) -> float:
    r"""Return the largest number of updates of Rosenblatt's perceptron.

    The weights move by :math:`\eta S x` wherever :math:`S w \cdot x \leq c`. With a solution
    :math:`w^*`, :math:`\delta = \min S w^* \cdot x > 0` and :math:`\epsilon = \max |x|^2`, a
    start from zero allows :math:`(2 c / \eta + \epsilon) |w^*|^2 / \delta^2` updates [1]_. With
    :math:`\eta = 1/N`, the convention of statistical physics, this is
    :math:`(2 c + \Gamma) N Q^* / \delta^2` where :math:`\Gamma = \epsilon / N`.

    Parameters
    ----------
    X : array-like of shape (P, N)
        Examples.
    y : array-like of shape (P,)
        Labels +1 and -1.
    w_star : array-like of shape (N,), default=None
        A solution. With None the one of largest stability is used; it gives the smallest bound.
    c : float, default=0.0
        Margin that an example must exceed.
    w0 : array-like of shape (N,), default=None
        Weights at the start; None means zero.
    eta : float, default=1.0
        Learning rate.

    Returns
    -------
    bound : float
        Bound on the number of updates, not rounded to a whole number.

    References
    ----------
    .. [1] A. B. J. Novikoff, "On convergence proofs for perceptrons", Symposium on the
       Mathematical Theory of Automata 12, 615-622, 1963.

    Examples
    --------
    >>> from shallows.theory import mistake_bound
    >>> X = [[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> round(mistake_bound(X, [-1, -1, -1, 1]), 6), round(mistake_bound(X, [-1, 1, 1, 1]), 6)
    (51.0, 27.0)
    """
    folded, w_star, w0 = _prepare("mistake_bound", X, y, w_star, c, w0, eta)
    delta, growth = _constants(folded, w_star, c, eta)
    # After M updates the overlap a + M delta satisfies (a + M delta)^2 <= |w*|^2 Q, and Q is at
    # most |w0|^2 + M growth. The bound is the larger root of this quadratic in M.
    a, length = w_star @ w0, w_star @ w_star
    half = (length * growth - 2 * a * delta) / 2
    rest = length * (w0 @ w0) - a**2
    root = np.sqrt(max(half**2 + delta**2 * rest, 0.0))
    return float(max(half + root, 0.0) / delta**2)


def norm_envelopes(
    X,
    y,
    w_star=None,
    *,
    n_updates: PositiveInt,
    c: NonNegativeFloat = 0.0,
    w0=None,
    eta: PositiveFloat = 1.0,
) -> Envelopes:
    r"""Return the two bounds that cross, and thereby end every run of a perceptron.

    After :math:`M` updates the overlap :math:`R = w \cdot w^*` is at least :math:`w_0 \cdot w^* +
    M \eta \delta`. By Cauchy and Schwarz the squared length :math:`Q` is then at least :math:`R^2
    / |w^*|^2`. On the other hand it is at most :math:`|w_0|^2 + M (2 \eta c + \eta^2 \epsilon)`.

    Parameters
    ----------
    X : array-like of shape (P, N)
        Examples.
    y : array-like of shape (P,)
        Labels +1 and -1.
    w_star : array-like of shape (N,), default=None
        A solution. With None the one of largest stability is used.
    n_updates : int
        Last number of updates.
    c : float, default=0.0
        Margin that an example must exceed.
    w0 : array-like of shape (N,), default=None
        Weights at the start; None means zero.
    eta : float, default=1.0
        Learning rate.

    Returns
    -------
    envelopes : Envelopes
        Arrays of length ``n_updates + 1``.

    Examples
    --------
    >>> from shallows.theory import norm_envelopes
    >>> X = [[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> bounds = norm_envelopes(X, [-1, -1, -1, 1], [-3, 2, 2], n_updates=51)
    >>> bounds.lower[-1], bounds.upper[-1]
    (np.float64(153.0), np.float64(153.0))
    """
    check_value("norm_envelopes", "n_updates", PositiveInt, n_updates)
    folded, w_star, w0 = _prepare("norm_envelopes", X, y, w_star, c, w0, eta)
    return _envelopes(folded, w_star, c, w0, eta, n_updates)


def convergence_trace(
    X,
    y,
    w_star=None,
    *,
    c: NonNegativeFloat = 0.0,
    w0=None,
    eta: PositiveFloat = 1.0,
) -> ConvergenceTrace:
    """Run Rosenblatt's perceptron and return the terms of the theorem after every update.

    The examples are visited in their order, again and again, until none needs an update. The
    theorem guarantees that this happens, and that R, Q and M stay within the envelopes.

    Parameters
    ----------
    X : array-like of shape (P, N)
        Examples.
    y : array-like of shape (P,)
        Labels +1 and -1.
    w_star : array-like of shape (N,), default=None
        A solution. With None the one of largest stability is used.
    c : float, default=0.0
        Margin that an example must exceed.
    w0 : array-like of shape (N,), default=None
        Weights at the start; None means zero.
    eta : float, default=1.0
        Learning rate.

    Returns
    -------
    trace : ConvergenceTrace
        M, R, Q, the weights, the envelopes and the bound.

    Examples
    --------
    >>> from shallows.theory import convergence_trace
    >>> X = [[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> trace = convergence_trace(X, [-1, -1, -1, 1])
    >>> int(trace.M[-1]), round(trace.bound)
    (18, 51)
    """
    folded, w_star, w0 = _prepare("convergence_trace", X, y, w_star, c, w0, eta)
    steps, w, correct, i = [w0], w0.copy(), 0, 0
    # The run ends after a whole pass without an update.
    while correct < len(folded):
        if folded[i] @ w <= c:
            w = w + eta * folded[i]
            steps.append(w)
            correct = 0
        else:
            correct += 1
        i = (i + 1) % len(folded)
    weights = np.array(steps)
    n_updates = len(weights) - 1
    return ConvergenceTrace(
        np.arange(n_updates + 1),
        weights @ w_star,
        (weights**2).sum(1),
        weights,
        _envelopes(folded, w_star, c, w0, eta, n_updates),
        mistake_bound(X, y, w_star, c=c, w0=w0, eta=eta),
    )


def _prepare(owner, X, y, w_star, c, w0, eta):
    """Return the examples times their labels, a solution and the start."""
    check_value(owner, "c", NonNegativeFloat, c)
    check_value(owner, "eta", PositiveFloat, eta)
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if X.ndim != 2 or X.size == 0 or not np.isfinite(X).all():
        raise ValueError(f"{owner}: X must be a finite array of shape (P, N), got {short(X)}.")
    if y.shape != (len(X),) or not np.isin(y, (-1, 1)).all():
        raise ValueError(f"{owner}: y must be {len(X)} values -1 or 1, got {short(y)}.")
    folded, given = X * y[:, None], w_star is not None
    w_star = _vector(owner, "w_star", w_star, X.shape[1]) if given else _most_stable(folded)
    w0 = np.zeros(X.shape[1]) if w0 is None else _vector(owner, "w0", w0, X.shape[1])
    smallest = (folded @ w_star).min()
    if not smallest > 1e-12 * np.linalg.norm(w_star) * np.linalg.norm(folded, axis=1).max():
        raise ValueError(
            f"{owner}: the theorem needs a w_star that separates the examples, but the smallest "
            f"field of this one is {smallest:.3g}. Leave w_star out for the most stable solution."
            if given
            else f"{owner}: no hyperplane through the origin separates the examples, but the "
            "theorem needs one. Append a constant 1 to allow for a threshold."
        )
    return folded, w_star, w0


def _vector(owner, name, value, length):
    vector = np.asarray(value, dtype=float)
    if vector.shape != (length,) or not np.isfinite(vector).all():
        raise ValueError(
            f"{owner}: {name} must have shape ({length},) and finite values, got {short(value)}."
        )
    return vector


def _constants(folded, w_star, c, eta):
    """Return the least growth of the overlap and the most of the squared length, per update."""
    delta = (folded @ w_star).min()
    epsilon = (folded**2).sum(1).max()
    return eta * delta, 2 * eta * c + eta**2 * epsilon


def _envelopes(folded, w_star, c, w0, eta, n_updates):
    delta, growth = _constants(folded, w_star, c, eta)
    updates = np.arange(n_updates + 1)
    # Cauchy-Schwarz: Q >= R^2 / |w*|^2, which says something only while R is positive.
    overlap = w_star @ w0 + updates * delta
    lower = np.maximum(overlap, 0) ** 2 / (w_star @ w_star)
    return Envelopes(updates, overlap, lower, w0 @ w0 + updates * growth)


def _most_stable(folded):
    """Return the solution of largest stability."""
    # It is the shortest convex combination of the examples times labels, up to scale.
    scale = np.linalg.norm(folded, axis=1).max() or 1.0
    return folded.T @ least_distance(folded / scale, np.ones(len(folded)))
