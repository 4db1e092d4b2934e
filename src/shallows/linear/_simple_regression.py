"""Regression on one input in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length


class Line(NamedTuple):
    """A straight line: slope and offset."""

    slope: float
    offset: float


def simple_regression(x, y, *, through_origin: bool = False) -> Line:
    r"""Fit a straight line to points by least squares, in closed form.

    The slope is Cov(x, y) / Var(x) and the line passes through the mean of the points; through
    the origin it is :math:`\sum x y / \sum x^2`.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        Coordinates of the points.
    through_origin : bool, default=False
        Whether the line must pass through the origin.

    Returns
    -------
    slope : float
        Slope.
    offset : float
        Value at 0.

    Examples
    --------
    >>> from shallows.linear import simple_regression
    >>> simple_regression([0, 1, 2], [1, 3, 5])
    Line(slope=2.0, offset=1.0)
    >>> simple_regression([1, 2], [2, 4], through_origin=True).slope
    2.0
    """
    x = check_array(x, ensure_2d=False, dtype=np.float64, input_name="x")
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    check_consistent_length(x, y)
    centre = (0.0, 0.0) if through_origin else (x.mean(), y.mean())
    x, y = x - centre[0], y - centre[1]
    if not (x @ x) > 0:
        raise ValueError(
            "simple_regression: all x are the same, so no slope can be found. Give at least two "
            "different x, or one other than 0 for a line through the origin."
        )
    slope = float(x @ y / (x @ x))
    return Line(slope, float(centre[1] - slope * centre[0]))
