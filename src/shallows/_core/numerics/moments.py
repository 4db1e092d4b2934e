"""Mean and scatter matrix of weighted rows, in one pass and mergeable.

``accumulate`` and ``merge`` are the two halves of the pairwise update of Chan, Golub and
LeVeque (1983): each block is centred on its own mean, so nothing cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.threads import block_slices, map_blocks

BLOCK_ROWS = 2048
MANY_FEATURES = 256


class Moments(NamedTuple):
    """Sum of weights, mean, and sum of outer products of the centred rows, in float64.

    The scatter is a matrix, or only its diagonal.
    """

    weight: float
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]

    def covariance(self, ddof: float = 0) -> NDArray[np.float64]:
        """Return the scatter divided by the weight less `ddof`."""
        return self.scatter / (self.weight - ddof)


def accumulate(
    X: NDArray[Any], sample_weight: NDArray[np.float64] | None = None, *, diagonal: bool = False
) -> Moments:
    """Return the moments of the rows of X.

    Rows are moved to the mean of the first block before they are multiplied; the rest of
    the way to the mean of all is made good at the end. Products of a block keep the dtype
    of X, sums over blocks are float64, and no copy of X is made.
    """
    first = X[:BLOCK_ROWS]
    centre = np.einsum("ij->j", first) / len(first)  # sooner than `mean` for few features

    def block(rows: slice) -> tuple[NDArray[Any], NDArray[Any]]:
        moved = X[rows] - centre
        weights = np.ones(len(moved), X.dtype)
        if sample_weight is not None:
            weights = sample_weight[rows].astype(X.dtype)
        total = weights @ moved
        if diagonal:
            return total, weights @ (moved * moved)
        if sample_weight is not None:
            moved *= np.sqrt(weights)[:, None]
        return total, moved.T @ moved

    total = np.zeros(X.shape[1])
    scatter = np.zeros(X.shape[1:] if diagonal else 2 * X.shape[1:])
    for part_total, part_scatter in _each_block(block, X):
        total += part_total
        scatter += part_scatter
    weight = float(len(X)) if sample_weight is None else float(sample_weight.sum())
    shift = total / weight
    return Moments(weight, centre + shift, scatter - weight * _products(shift, scatter))


def merge(left: Moments, right: Moments) -> Moments:
    """Return the moments of the rows of both."""
    weight = left.weight + right.weight
    shift = right.mean - left.mean
    mean = left.mean + shift * (right.weight / weight)
    between = (left.weight * right.weight / weight) * _products(shift, left.scatter)
    return Moments(weight, mean, left.scatter + right.scatter + between)


def _products(shift: NDArray[Any], scatter: NDArray[Any]) -> NDArray[Any]:
    return shift**2 if scatter.ndim == 1 else shift[:, None] * shift


def _each_block(
    block: Callable[[slice], tuple[NDArray[Any], NDArray[Any]]], X: NDArray[Any]
) -> Iterable[tuple[NDArray[Any], NDArray[Any]]]:
    """Small blocks run on our threads; products of many features are left to BLAS's own."""
    if X.shape[1] > MANY_FEATURES:
        return map(block, block_slices(len(X), BLOCK_ROWS))
    return map_blocks(block, len(X), BLOCK_ROWS)
