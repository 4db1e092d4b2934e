"""The soft problem of optimal stability, smoothed and solved by Newton's method.

The price of a missing potential ``z = 1 - E`` is ``cap z`` for ``z > 0``. Rounded off over a
width, ``cap z^2 / (2 width)`` up to there, it leaves a cost with two derivatives almost
everywhere. Its minimum has strengths ``a = cap clip(z / width, 0, 1)``, allowed in the true
problem, and no sample adds more than ``cap width / 4`` to their duality gap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse import issparse

FIRST_WIDTH, LAST_WIDTH, NARROWING = 1.0, 1e-6, 4.0
MAX_STEPS = 30  # of one width; more are a sign that too few samples lie within it
SLACK = 1e-3  # share of the gap asked for that may come from ending a descent early
FLAT = 0.1  # share of the first slope at which a step along a line ends
SAMPLING = 8  # a sample of every so many rows gives the start for all of them
ROWS_PER_FEATURE = 32  # of the smallest sample


class Smoothed(NamedTuple):
    """Plane with the threshold as its last entry, strengths, and the width they belong to.

    `dual` and `gap` are their dual value and relative duality gap in the true problem.
    """

    plane: np.ndarray
    strengths: np.ndarray
    width: float
    dual: float
    gap: float


def smoothed_solution(X, S, caps, price, tol):
    """Narrow the width until the duality gap is within `tol`, or Newton's steps go astray.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Inputs, several per feature.
    S : ndarray of shape (n_samples,)
        Labels -1.0, +1.0.
    caps : ndarray of shape (n_samples,)
        Largest strength of each sample.
    price : float or None
        The cost of a threshold b is ``price * b**2 / 2``; None means no threshold.
    tol : float
        Duality gap asked for, as a share of the cost.

    Returns
    -------
    found : Smoothed or None
        Of the narrowest width that was solved; None if none was.
    """
    plane, width, best = np.zeros(X.shape[1] + 1), FIRST_WIDTH, None
    if X.shape[0] >= SAMPLING * ROWS_PER_FEATURE * X.shape[1]:
        few = slice(None, None, SAMPLING)
        start = smoothed_solution(X[few], S[few], SAMPLING * caps[few], price, SAMPLING * tol)
        if start is not None:
            plane, width = start.plane, start.width
    while LAST_WIDTH < width <= FIRST_WIDTH:
        found = _minimum(X, S, caps, price, plane, width, tol)
        if found is None and best is None:
            width *= NARROWING  # narrower than the rows allow, from a sample of them
            continue
        if found is None or (best and found.gap > best.gap):
            break
        best, plane = found, found.plane
        if found.gap <= tol:
            break
        width /= NARROWING
    return best


def _minimum(X, S, caps, price, plane, width, tol):
    """Minimise the cost of one width from `plane`; None if that fails."""
    prices = np.append(np.ones(X.shape[1]), price or 0.0)
    missing = 1 - _potentials(X, S, plane)
    for _ in range(MAX_STEPS):
        shares = np.clip(missing / width, 0.0, 1.0)
        strengths = caps * shares
        own = _sums(X, S * strengths, price)
        length2 = own[:-1] @ own[:-1] + (own[-1] ** 2 / price if price else 0.0)
        dual = strengths.sum() - length2 / 2
        cost = prices * plane @ plane / 2
        primal = cost + caps @ np.maximum(missing, 0.0)
        smooth_gap = cost + strengths @ missing - dual  # both values lose the same to the width
        balanced = price != 0 or abs(own[-1]) <= SLACK * tol * strengths.sum()
        if balanced and smooth_gap <= SLACK * tol * primal:
            return Smoothed(plane, strengths, width, float(dual), float(1 - dual / primal))
        gradient = prices * plane - own
        try:
            within = np.flatnonzero((missing > 0) & (missing <= width))
            curvature = np.diag(prices) + _squares(X[within], caps[within] / width, price)
            step = -cho_solve(cho_factor(curvature, check_finite=False), gradient)
        except LinAlgError:
            return None
        change = _potentials(X, S, step)
        length = _line_search(missing, change, caps, width, prices * plane @ step, prices, step)
        plane, missing = plane + length * step, missing - length * change
    return None


def _line_search(missing, change, caps, width, slope_of_length, prices, step):
    """Return a share of the step at which the cost is nearly flat, or all of it."""
    curvature = prices * step @ step

    def slope(length):
        shares = np.clip((missing - length * change) / width, 0.0, 1.0)
        return slope_of_length + length * curvature - (caps * shares) @ change

    # Bisection on the slope along the step, which only rises because the cost is convex.
    low, high, length = 0.0, 1.0, 1.0
    limit = FLAT * abs(slope(0.0))
    while high - low > LAST_WIDTH:
        here = slope(length)
        if here <= limit and (here >= -limit or length == 1.0):
            break
        low, high = (low, length) if here > 0 else (length, high)
        length = (low + high) / 2
    return length


def _potentials(X, S, plane):
    """Return labels times fields; in the precision of X, or all of X would be converted."""
    fields = X @ plane[:-1].astype(X.dtype)
    return S * (np.asarray(fields, dtype=np.float64) + plane[-1])


def _sums(X, signed, price):
    """Return the sum of the rows, with the constant input 1 of a threshold, times factors."""
    sums = signed.astype(X.dtype) @ X
    return np.append(sums, 0.0 if price is None else signed.sum()).astype(np.float64)


def _squares(rows, weights, price):
    """Return the weighted sum of products of each row, with its constant input, with itself."""
    if issparse(rows):
        weighted = rows.T.multiply(weights).tocsr()
        inner, border = (weighted @ rows).toarray(), np.asarray(weighted.sum(axis=1)).ravel()
    else:
        weighted = rows.T * weights
        inner, border = weighted @ rows, weighted.sum(axis=1)
    squares = np.zeros((len(inner) + 1, len(inner) + 1))
    squares[:-1, :-1] = inner
    if price is not None:
        squares[-1, :-1] = squares[:-1, -1] = border
        squares[-1, -1] = weights.sum()
    if squares[-1, -1] == 0:
        squares[-1, -1] = 1.0  # the threshold rests
    return squares
