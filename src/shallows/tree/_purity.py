"""Purity of nodes by every criterion, in units of weight, and the impurity that users see.

A question gains what the purities of its branches sum up to beyond that of the node. For class
weights `c` with sum `w` the purity is sum c^2 / w (Gini), sum c log2 (c / w) (entropy) or max c
(misclassification); for weighted sums `s` of targets it is sum s^2 / w (squared error) or
sum s log (s / w) (Poisson deviance). Several targets add up. The absolute error needs the targets
themselves: `_medians` has its purity.
"""

from __future__ import annotations

import numpy as np

LOGARITHMIC = ("entropy", "log_loss", "gain-ratio")
SQUARED = ("squared_error", "friedman_mse")  # both choose the same cuts and have one impurity
OF_NUMBERS = (*SQUARED, "poisson", "absolute_error")


def purity(criterion: str, sums, weight) -> np.ndarray:
    """Return the purity of sets of samples, a row of `sums` for each."""
    safe = np.where(weight > 0, weight, 1.0)
    if criterion == "misclassification":
        return sums.max(axis=-1)
    if criterion in LOGARITHMIC:
        return _log_of(sums, np.log2).sum(axis=-1) - sums.sum(axis=-1) * np.log2(safe)
    if criterion == "poisson":
        return _log_of(sums, np.log).sum(axis=-1) - sums.sum(axis=-1) * np.log(safe)
    return (sums**2).sum(axis=-1) / safe


def own_purity(criterion: str, targets) -> np.ndarray:
    """Return the purity that samples of weight 1 have alone, from which impurities are counted."""
    if criterion == "poisson":
        return _log_of(targets, np.log).sum(axis=-1)
    return (targets**2).sum(axis=-1)


def impurity_of_nodes(criterion: str, sums, squares, weight, n_outputs: int) -> np.ndarray:
    """Return the impurity of nodes per unit of weight and target.

    `squares` sums the purities of the samples, or has the absolute deviations from the median.
    """
    safe = np.where(weight > 0, weight, np.inf) * n_outputs
    if criterion == "absolute_error":
        impurity = squares / safe
    elif criterion in OF_NUMBERS:
        impurity = (squares - purity(criterion, sums, weight)) / safe
    elif criterion in LOGARITHMIC:
        impurity = -purity(criterion, sums, weight) / safe
    else:
        shares = purity(criterion, sums, weight) / safe
        impurity = np.where(weight > 0, 1 - shares, 0.0)
    return np.maximum(impurity, 0.0)


def split_entropy(parts, whole) -> np.ndarray:
    """Return in units of weight the entropy of the sizes of parts, along the last axis."""
    return np.maximum(_log_of(whole, np.log2) - _log_of(parts, np.log2).sum(axis=-1), 0.0)


def _log_of(c, log):
    return c * log(np.where(c > 0, c, 1.0))
