"""P-values of several tests at once."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from shallows._core.contract.params import check_value
from shallows.validate._inputs import Floats, finite_column

Adjustment = Literal["holm", "hochberg", "bonferroni"]


def adjust_p_values(p_values: ArrayLike, method: Adjustment = "holm") -> Floats:
    r"""Adjust p-values so that rejecting below 5 % gives any false rejection in at most 5 % of
    cases.

    Holm multiplies the smallest of :math:`m` p-values by :math:`m`, the next by :math:`m - 1` and
    so on, then makes the sequence non-decreasing. This needs no assumption and always rejects at
    least as much as Bonferroni. Hochberg starts at the largest p-value and rejects even more, but
    needs independent or positively dependent tests. `scipy.stats.false_discovery_control` bounds
    the share of false rejections instead.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        P-values of the tests.
    method : {"holm", "hochberg", "bonferroni"}, default="holm"
        The adjustment.

    Returns
    -------
    adjusted : ndarray of shape (n_tests,)
        Adjusted p-values in the given order.

    Examples
    --------
    >>> from shallows.validate import adjust_p_values
    >>> adjust_p_values([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    >>> adjust_p_values([0.01, 0.04, 0.03], "hochberg")
    array([0.03, 0.04, 0.04])
    """
    check_value("adjust_p_values", "method", Adjustment, method)
    values = finite_column("adjust_p_values", "p_values", p_values)
    if values.min() < 0 or values.max() > 1:
        raise ValueError(
            "adjust_p_values: p_values must lie in [0, 1], "
            f"got values from {values.min():.4g} to {values.max():.4g}."
        )
    n = len(values)
    if method == "bonferroni":
        return np.minimum(n * values, 1.0)
    order = np.argsort(values)
    scaled = values[order] * np.arange(n, 0, -1)
    # Step down (Holm): a running maximum. Step up (Hochberg): a running minimum from the end.
    if method == "holm":
        stepped = np.maximum.accumulate(scaled)
    else:
        stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
