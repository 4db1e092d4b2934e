"""Impurity of a set of labelled samples."""

from __future__ import annotations

from typing import Literal

import numpy as np

from shallows._core.contract.params import check_arguments

Impurity = Literal["entropy", "gini", "misclassification"]


def impurity(counts, criterion: Impurity = "entropy"):
    r"""Return how mixed the classes of a node are: 0 if and only if it is pure.

    With shares :math:`p_i = n_i / n` of the classes, entropy is :math:`-\sum_i p_i \log_2 p_i` in
    bits, at most :math:`\log_2 q` for q classes. Gini's impurity :math:`1 - \sum_i p_i^2` is the
    error of labels drawn at random from the node. Misclassification :math:`1 - \max_i p_i` is the
    error of the majority's label.

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Samples, or weights, of each class.
    criterion : {"entropy", "gini", "misclassification"}, default="entropy"
        Which impurity.

    Returns
    -------
    impurity : float or ndarray of shape (...)
        One value per node; 0 for an empty one.

    Examples
    --------
    >>> from shallows.tree import impurity
    >>> impurity([2, 1, 1])
    1.5
    >>> impurity([[5, 5], [10, 0]], "gini")
    array([0.5, 0. ])
    """
    check_arguments(impurity, locals())
    result = impurity_of(_checked(counts), criterion)
    return float(result) if result.ndim == 0 else result


def impurity_of(counts: np.ndarray, criterion: str) -> np.ndarray:
    """Return the impurity of checked counts."""
    total = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(total > 0, total, 1.0)
    if criterion == "entropy":
        logs = np.log2(np.where(shares > 0, shares, 1.0))
        result = -(shares * logs).sum(axis=-1) + 0.0
    elif criterion == "gini":
        result = 1.0 - (shares**2).sum(axis=-1)
    else:
        result = 1.0 - shares.max(axis=-1)
    return np.where(total[..., 0] > 0, np.maximum(result, 0.0), 0.0)


def _checked(counts):
    counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim == 0 or counts.shape[-1] == 0:
        raise ValueError("impurity: counts must hold one number per class, got none.")
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError("impurity: counts must be finite and not negative.")
    return counts
