"""Weights with which neighbours make up a sample."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.threads import map_blocks

BLOCK_ROWS = 256


def barycentric_weights(X, Z, index, reg, *, by_trace):
    """Return weights, summing to one, with which rows of Z come closest to each row of X.

    Solves (C + nu I) w = 1 with the local products C_jl = (x - z_j)(x - z_l) and scales the
    sum to one; nu is `reg`, times the trace of C with `by_trace`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points to make up.
    Z : ndarray of shape (n_fixed, n_features)
        Points to make them from.
    index : ndarray of shape (n_samples, k)
        The neighbours of each.
    reg : float
        Regularisation, needed where k is larger than the number of features.
    by_trace : bool
        Whether `reg` is relative.
    """
    k = index.shape[1]
    weights = np.empty(index.shape)

    def block(rows):
        gaps = Z[index[rows]].astype(np.float64) - X[rows, None]
        products = gaps @ gaps.transpose(0, 2, 1)
        trace = np.trace(products, axis1=1, axis2=2)
        lift = reg * trace if by_trace else np.full(len(gaps), reg)
        # Neighbours all at the sample's own place: any weights do.
        lift = np.where((trace == 0) & (lift == 0), 1.0 if reg == 0 else reg, lift)
        products[:, np.arange(k), np.arange(k)] += lift[:, None]
        solved = np.linalg.solve(products, np.ones((len(gaps), k, 1)))[:, :, 0]
        weights[rows] = solved / solved.sum(axis=1, keepdims=True)

    map_blocks(block, len(X), BLOCK_ROWS)
    return weights
