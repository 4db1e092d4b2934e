"""Gordan's alternative: a direction that all rows agree with, or a proof that there is none.

For rows f exactly one holds: some w has f.w > 0 for all rows, or some y >= 0 with sum 1 has
y.f = 0. Both come out of one least-squares problem with non-negative unknowns: the point of
the rows' convex hull that is nearest to the origin is such a w unless it is the origin. Where
rounding hides which of the two holds, linear programs decide, each of them a closer look at what
the one before left open.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, nnls
from scipy.sparse import hstack, identity

Array = NDArray[np.float64]

EVIDENCE = 1e-13  # of rows of length 1: a smaller stability, or a larger residual, is doubtful
LARGEST_RESIDUAL = 1e-9  # where nothing is beyond doubt
CLOSER_LOOKS = (1.0, 1e5, 1e9)  # magnifications; each program is exact to about 1e-9 of its view
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
    alternative but their numerical worth. A direction has products above 1e-13 with all of them;
    a smaller stability counts as none.

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
        If there is no such direction and no combination shorter than 1e-9 is found, which
        duality excludes up to rounding.

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
    shortest: Alternative | None = None
    for find in (nearest_in_hull, nearest_by_program):
        try:
            w, y = find(units)
        except RuntimeError:
            continue
        if (verified := _verified(units, w, y)) is not None:
            return _in_original_units(verified, columns, lengths)
        null = Alternative(None, y, float(np.linalg.norm(units.T @ y)))
        shortest = null if shortest is None or null.worth < shortest.worth else shortest
    if shortest is not None and shortest.worth <= LARGEST_RESIDUAL:
        return _in_original_units(shortest, columns, lengths)
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
    """Return the same two by linear programming, with nearness in the sum norm.

    A program calls products equal and combinations zero that are so within its tolerance. The
    next one asks for the best correction of both, in units so small that the difference counts.

    References
    ----------
    Gleixner, Steffy and Wolter, Iterative refinement for linear programming, 2016.
    """
    p, n = units.shape
    w, y = np.zeros(n), np.zeros(p)
    equations = hstack([-units, np.ones((p, 1)), identity(p)], format="csr")
    for magnification in CLOSER_LOOKS:
        products = units @ w
        spare = products - products.min()
        costs = np.concatenate([-units.T @ y, [y.sum() - 1], y])
        lower = np.concatenate([-1 - w, [-np.inf], -spare])
        upper = np.concatenate([1 - w, np.full(p + 1, np.inf)])
        found: Any = linprog(
            costs * magnification,
            A_eq=equations,
            b_eq=np.zeros(p),
            bounds=np.column_stack([lower, upper]) * magnification,
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if not found.success:
            break
        w = np.clip(w + found.x[:n] / magnification, -1.0, 1.0)
        y = np.maximum(y - found.eqlin.marginals / magnification, 0.0)
    if not y.any():
        raise RuntimeError(found.message)
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
