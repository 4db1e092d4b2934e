"""Gordan's alternative: a direction that all rows agree with, or a proof that there is none.

For rows f exactly one holds: some w has f.w > 0 for all rows, or some y >= 0 with sum 1 has
y.f = 0. Both come out of one least-squares problem with non-negative unknowns: the point of
the rows' convex hull that is nearest to the origin is such a w unless it is the origin.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, nnls

Array = NDArray[np.float64]

EVIDENCE = 1e-9  # of rows of length 1: a smaller stability, or a larger residual, proves nothing
ALL_AT_ONCE = 400  # rows; of more, only those that matter are looked at


class Alternative(NamedTuple):
    """One of the two: a direction `w` of length 1, or weights `y` that sum to 1; the other is None.

    `worth` is the smallest f.w, or the length of y.f, for rows of length 1.
    """

    w: Array | None
    y: Array | None
    worth: float


def gordan_alternative(rows: Array) -> Alternative:
    """Find a direction with a positive product with all rows, or a null combination of them.

    Rows are scaled to length 1 and columns to comparable size before, which changes neither
    alternative but their numerical worth.

    Parameters
    ----------
    rows : array of floats, shape (p, n)
        Rows f.

    Returns
    -------
    Alternative
        The one that holds, verified.

    Raises
    ------
    ArithmeticError
        If neither can be verified to 1e-9.

    Examples
    --------
    >>> gordan_alternative(np.array([[1.0, 0.0], [1.0, 1.0]])).y is None
    True
    >>> gordan_alternative(np.array([[1.0, 0.0], [-3.0, 0.0]])).y
    array([0.75, 0.25])
    """
    if not len(rows):
        return Alternative(np.zeros(rows.shape[1]), None, np.inf)
    columns = np.abs(rows).max(axis=0)
    columns = np.where(columns > 0, columns, 1.0)
    lengths = np.linalg.norm(rows / columns, axis=1)
    if not lengths.all():
        y = np.zeros(len(rows))
        y[int(np.argmin(lengths))] = 1.0
        return Alternative(None, y, 0.0)

    units = rows / columns / lengths[:, None]
    for find in (nearest_in_hull, nearest_by_program):
        try:
            w, y = find(units)
        except RuntimeError:
            continue
        if (verified := _verified(units, w, y)) is not None:
            return _in_original_units(verified, columns, lengths)
    raise ArithmeticError(
        "gordan_alternative: neither a separating direction nor a null combination could be "
        "verified to 1e-9; the rows are too nearly contradictory. Scale or round the data."
    )


def nearest_in_hull(units: Array) -> tuple[Array, Array]:
    """Return the point of the hull that is nearest to the origin, and its combination.

    Rows that the present point does not agree with join a working set, until none is left or
    the set alone has the origin in its hull.
    """
    p, n = units.shape
    working = np.arange(p) if p <= ALL_AT_ONCE else np.linspace(0, p - 1, 2 * n + 2, dtype=int)
    working = np.unique(working)
    while True:
        y = np.zeros(p)
        y[working] = least_distance(units[working], np.ones(len(working)))
        y /= y.sum()
        w = units.T @ y
        length2 = float(w @ w)
        if length2 <= EVIDENCE**2:
            return w, y
        products = units @ w
        wrong = products < length2 * (1 - 1e-10)
        wrong[working] = False
        if not wrong.any():
            return w, y
        worst = np.argsort(products)[: 2 * n + 2]
        working = np.union1d(working, worst[wrong[worst]])


def least_distance(rows: Array, targets: Array) -> Array:
    """Return u >= 0 with u.rows proportional to the shortest w with rows.w >= targets.

    If there is no such w, u.rows is 0 and u.targets is 1.

    References
    ----------
    Lawson and Hanson, Solving least squares problems, 1974, chapter 23.
    """
    last = np.zeros(rows.shape[1] + 1)
    last[-1] = 1.0
    found: Array = nnls(np.vstack([rows.T, targets]), last, maxiter=30 * len(rows) + 100)[0]
    return found


def nearest_by_program(units: Array) -> tuple[Array, Array]:
    """Return the same two by linear programming, with nearness in the maximum norm."""
    p, n = units.shape
    sides = np.vstack([units.T, -units.T])
    limits = np.hstack([sides, -np.ones((2 * n, 1))])
    simplex = np.append(np.ones(p), 0.0)[None, :]
    found: Any = linprog(
        np.append(np.zeros(p), 1.0),
        A_ub=limits,
        b_ub=np.zeros(2 * n),
        A_eq=simplex,
        b_eq=[1.0],
        method="highs",
    )
    if not found.success:
        raise RuntimeError(found.message)
    y = np.maximum(found.x[:p], 0.0)
    w = found.ineqlin.marginals[n:] - found.ineqlin.marginals[:n]
    return w, y / y.sum()


def _verified(units: Array, w: Array, y: Array) -> Alternative | None:
    residual = float(np.linalg.norm(units.T @ y))
    if residual <= EVIDENCE:
        return Alternative(None, y, residual)
    length = float(np.linalg.norm(w))
    if length == 0:
        return None
    stability = float((units @ (w / length)).min())
    return Alternative(w / length, None, stability) if stability > EVIDENCE else None


def _in_original_units(found: Alternative, columns: Array, lengths: Array) -> Alternative:
    if found.w is not None:
        w = found.w / columns
        return Alternative(w / np.linalg.norm(w), None, found.worth)
    assert found.y is not None
    y = found.y / lengths
    return Alternative(None, y / y.sum(), found.worth)
