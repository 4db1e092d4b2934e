"""Mean and scatter matrix of weighted rows, in one pass and mergeable.

``accumulate`` and ``merge`` are the two halves of the pairwise update of Chan, Golub and
LeVeque (1983): each block is centred on its own mean, so nothing cancels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows._core.threads import block_slices

BLOCK_ROWS = 4096


class Moments(NamedTuple):
    """Sum of weights, mean, and sum of outer products of the centred rows, in float64."""

    weight: float
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]

    def covariance(self, ddof: float = 0) -> NDArray[np.float64]:
        """Return the scatter divided by the weight less `ddof`."""
        return self.scatter / (self.weight - ddof)


def accumulate(X: NDArray[Any], sample_weight: NDArray[np.float64] | None = None) -> Moments:
    """Return the moments of the rows of X.

    The mean is found first and the rows are then centred block by block: the products of
    float32 data are summed in float64, and no copy of X is made.
    """
    if sample_weight is None:
        weight, mean = float(len(X)), X.mean(axis=0, dtype=np.float64)
    else:
        weight = float(sample_weight.sum())
        blocks = block_slices(len(X), BLOCK_ROWS)
        mean = sum(sample_weight[rows] @ X[rows] for rows in blocks) / weight
    centre = mean.astype(X.dtype)
    scatter = np.zeros((X.shape[1], X.shape[1]))
    for rows in block_slices(len(X), BLOCK_ROWS):
        centred = X[rows] - centre
        if sample_weight is not None:
            centred *= np.sqrt(sample_weight[rows, None]).astype(X.dtype)
        scatter += centred.T @ centred
    rounding = mean - centre
    return Moments(weight, mean, scatter - weight * np.outer(rounding, rounding))


def merge(left: Moments, right: Moments) -> Moments:
    """Return the moments of the rows of both."""
    weight = left.weight + right.weight
    shift = right.mean - left.mean
    mean = left.mean + shift * (right.weight / weight)
    between = (left.weight * right.weight / weight) * np.outer(shift, shift)
    return Moments(weight, mean, left.scatter + right.scatter + between)
