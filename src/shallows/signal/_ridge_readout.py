"""Ridge regression with intercept, for one penalty or the best of several."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from scipy import linalg

from shallows._core.numerics import moments
from shallows._core.numerics.threads import map_blocks, quick_lapack

GRAM_LIMIT = 1e-10  # smallest penalty that X'X resolves, relative to its largest eigenvalue
BLOCK_ROWS = 2048


class Joined(NamedTuple):
    """Inputs and targets as one array, joined only when rows are read."""

    X: np.ndarray
    Y: np.ndarray

    @property
    def shape(self):
        return self.X.shape[0], self.X.shape[1] + self.Y.shape[1]

    @property
    def dtype(self):
        return np.dtype(np.float64)

    def __len__(self):
        return self.X.shape[0]

    def __getitem__(self, rows):
        return np.hstack([self.X[rows], self.Y[rows]], dtype=np.float64)


def ridge(X, Y, alphas):
    """Return the penalty with the least leave-one-out error, weights by target, and intercepts.

    A single penalty is used without this search. Y is two-dimensional.
    """
    with quick_lapack(X.shape[1]):
        if len(alphas) == 1 and len(X) > X.shape[1]:
            found = _by_products(X, Y, alphas[0])
            if found is not None:
                return found
        return _by_triangle(X, Y, alphas)


def _by_products(X, Y, alpha):
    """Solve the normal equations, or return None if rounding would hide the penalty."""
    split = X.shape[1]
    joint = moments.accumulate(cast(Any, Joined(X, Y)))
    square = joint.scatter[:split, :split]
    if alpha < GRAM_LIMIT * linalg.norm(square, 2):
        return None
    square.flat[:: split + 1] += alpha
    coef = linalg.solve(square, joint.scatter[:split, split:], assume_a="pos").T
    return alpha, coef, joint.mean[split:] - coef @ joint.mean[:split]


def _by_triangle(X, Y, alphas):
    """Solve by an SVD of the R factor of a QR decomposition of the centred [X, Y]."""
    split = X.shape[1]
    x_mean, y_mean = X.mean(axis=0, dtype=np.float64), Y.mean(axis=0, dtype=np.float64)

    def triangle(rows):
        return np.linalg.qr(np.hstack([X[rows] - x_mean, Y[rows] - y_mean]), mode="r")

    R = np.vstack(map_blocks(triangle, len(X), max(BLOCK_ROWS, 8 * split)))
    left, values, right = linalg.svd(R[:, :split], full_matrices=False)
    live = values > max(X.shape) * np.finfo(np.float64).eps * values.max(initial=0.0)
    squares, vectors = values[live] ** 2, right[live].T
    targets = values[live, None] * (left[:, live].T @ R[:, split:])
    shrunk = 1 / (squares[:, None] + alphas)  # one column per penalty

    def errors(rows):
        # Leave-one-out error of a linear smoother: residual / (1 - leverage), without refitting.
        moved = (X[rows] - x_mean) @ vectors
        kept = 1 - 1 / len(X) - moved**2 @ shrunk
        kept = np.where(kept > 1e-10, kept, np.nan)
        total = np.zeros(len(alphas))
        for k in range(Y.shape[1]):
            fitted = moved @ (targets[:, k, None] * shrunk)
            total += (((Y[rows, k] - y_mean[k])[:, None] - fitted) ** 2 / kept**2).sum(axis=0)
        return total

    best = 0
    if len(alphas) > 1:
        total = np.sum(map_blocks(errors, len(X), BLOCK_ROWS), axis=0)
        best = int(np.where(np.isnan(total), np.inf, total).argmin())
    coef = (vectors @ (targets * shrunk[:, best, None])).T
    return alphas[best], coef, y_mean - coef @ x_mean
