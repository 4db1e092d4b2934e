"""Mutual information of two variables."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import digamma
from sklearn.utils.validation import check_consistent_length, column_or_1d

from shallows._core.contract.params import PositiveInt, check_arguments


def mutual_information(
    x,
    y,
    method: Literal["auto", "neighbors", "histogram", "discrete"] = "auto",
    *,
    n_neighbors: PositiveInt = 3,
    bins: PositiveInt | None = None,
) -> float:
    r"""Return how much one variable tells about another, in nats.

    :math:`I = \sum p(x, y) \log \frac{p(x, y)}{p(x)\,p(y)}` is never negative, and 0 only for
    independent variables. For one continuous and one discrete variable use
    :func:`sklearn.feature_selection.mutual_info_classif`.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        Samples of the two variables.
    method : {"auto", "neighbors", "histogram", "discrete"}, default="auto"
        "discrete" counts pairs of values. "histogram" counts in cells of equal width, and is
        too large by about half the number of cells over the samples. "neighbors" compares
        the distance to near samples in the plane and along each axis [1]_; it has next to no
        bias and may come out as 0. "auto" is "neighbors" for floats, "discrete" for others.
    n_neighbors : int, default=3
        Neighbours of "neighbors".
    bins : int or None, default=None
        Cells per axis of "histogram"; None takes the root of a fifth of the samples.

    Returns
    -------
    information : float
        Mutual information in nats.

    References
    ----------
    .. [1] A. Kraskov, H. Stoegbauer and P. Grassberger, "Estimating mutual information",
       Physical Review E 69, 066138, 2004.

    Examples
    --------
    >>> from shallows.reduce import mutual_information
    >>> round(mutual_information([0, 0, 1, 1], [5, 5, 7, 7]), 4)
    0.6931
    >>> mutual_information([0, 0, 1, 1], [0, 1, 0, 1])
    0.0
    """
    given = {"method": method, "n_neighbors": n_neighbors, "bins": bins}
    check_arguments(mutual_information, given)
    x, y = column_or_1d(x), column_or_1d(y)
    check_consistent_length(x, y)
    if method == "auto":
        method = _suited_to(x, y)
    if method == "discrete":
        (xs, rows), (ys, columns) = (np.unique(values, return_inverse=True) for values in (x, y))
        counts = np.bincount(rows * len(ys) + columns, minlength=len(xs) * len(ys))
        return _of_table(counts.reshape(len(xs), len(ys)))
    x, y = x.astype(np.float64), y.astype(np.float64)
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("mutual_information: x and y must be finite.")
    if method == "histogram":
        cells = max(2, round(np.sqrt(len(x) / 5))) if bins is None else bins
        return _of_table(np.histogram2d(x, y, cells)[0])
    return by_neighbors(x, y, n_neighbors)


def _of_table(counts: np.ndarray) -> float:
    joint = counts / counts.sum()
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    used = joint > 0
    return max(float(np.sum(joint[used] * np.log(joint[used] / product[used]))), 0.0)


def by_neighbors(x: np.ndarray, y: np.ndarray, k: int) -> float:
    """Return the mutual information of continuous variables from the k-th neighbours."""
    if len(x) <= k:
        raise ValueError(
            f"mutual_information: n_neighbors={k} needs more samples than that, got {len(x)}."
        )
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    plane = np.column_stack([x / x.std(), y / y.std()])
    reach = cKDTree(plane).query(plane, k=[k + 1], p=np.inf)[0][:, 0]
    # Strictly nearer along an axis than in the plane, whatever the rounding of sums below.
    reach = np.maximum(reach - 8 * np.finfo(float).eps * np.abs(plane).max(), 0)
    terms = digamma(k) + digamma(len(x))
    for axis in plane.T:
        order = np.sort(axis)
        inside = np.searchsorted(order, axis + reach, "right")
        inside -= np.searchsorted(order, axis - reach, "left")
        terms -= digamma(np.maximum(inside, 1)).mean()  # the sample itself counts
    return max(float(terms), 0.0)


def _suited_to(x: np.ndarray, y: np.ndarray) -> Literal["neighbors", "discrete"]:
    continuous = [variable.dtype.kind == "f" for variable in (x, y)]
    if any(continuous) and not all(continuous):
        raise ValueError(
            f"mutual_information: one variable is continuous ({x.dtype}, {y.dtype}). Name a "
            "method, or use sklearn.feature_selection.mutual_info_classif."
        )
    return "neighbors" if all(continuous) else "discrete"
