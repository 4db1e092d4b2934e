"""Least squares and ridge under the condition that no weight is negative."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr
from scipy.optimize import nnls

MAX_STEPS = 30  # exchanges of the active set per feature


def nonnegative_weights(X, Y, weights, centre, penalties):
    """Return non-negative weights of shape (n_features, n_targets) and offsets.

    Lawson and Hanson's active set solves ``min |R w - Q'y|`` with w >= 0 for each target, where
    QR is a decomposition of X. A penalty adds the rows ``sqrt(alpha) I``; there is one for each
    target.
    """
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    if centre:
        x_mean, y_mean = (np.average(part, axis=0, weights=weights) for part in (X, Y))
    roots = np.sqrt(weights)[:, None]
    A, B = (X - x_mean) * roots, (Y - y_mean) * roots
    if len(A) > A.shape[1]:
        basis, A = qr(A, mode="economic")
        B = basis.T @ B
    coef = np.empty((A.shape[1], B.shape[1]))
    for target, alpha in enumerate(penalties):
        left, right = A, B[:, target]
        if alpha > 0:
            left = np.vstack([A, np.sqrt(alpha) * np.eye(A.shape[1])])
            right = np.append(right, np.zeros(A.shape[1]))
        coef[:, target] = nnls(left, right, maxiter=MAX_STEPS * A.shape[1])[0]
    return coef, y_mean - x_mean @ coef
