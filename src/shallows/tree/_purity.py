"""Purity of nodes by every criterion, in units of weight, and the impurity that users see.

A question gains what the purities of its branches sum up to beyond that of the node. For class
weights `c` with sum `w` the purity is sum c^2 / w (Gini), sum c log c - w log w (entropy) or
max c (misclassification); for weighted sums `s` of targets it is sum s^2 / w (squared error) or
sum s log (s / w) (Poisson deviance).
"""

from __future__ import annotations

import numpy as np

LOGARITHMIC = ("entropy", "log_loss", "gain-ratio")


def purity(criterion: str, sums, weight) -> np.ndarray:
    """Return the purity of sets of samples, a row of `sums` for each."""
    safe = np.where(weight > 0, weight, 1.0)
    if criterion == "misclassification":
        return sums.max(axis=-1)
    if criterion in LOGARITHMIC:
        return _log2_of(sums).sum(axis=-1) - _log2_of(weight)
    return (sums**2).sum(axis=-1) / safe


def impurity_of_nodes(criterion: str, sums, squares, weight) -> np.ndarray:
    """Return the impurity of nodes per unit of weight; `squares` sums the targets' squares."""
    safe = np.where(weight > 0, weight, np.inf)
    if criterion == "squared_error":
        impurity = (squares - purity(criterion, sums, weight)) / safe / sums.shape[1]
    elif criterion in LOGARITHMIC:
        impurity = -purity(criterion, sums, weight) / safe
    else:
        shares = purity(criterion, sums, weight) / safe
        impurity = np.where(weight > 0, 1 - shares, 0.0)
    return np.maximum(impurity, 0.0)


def split_entropy(parts, whole) -> np.ndarray:
    """Return in units of weight the entropy of the sizes of parts, along the last axis."""
    return np.maximum(_log2_of(whole) - _log2_of(parts).sum(axis=-1), 0.0)


def _log2_of(c):
    return c * np.log2(np.where(c > 0, c, 1.0))
