"""Solve least squares: by the normal equations where that is safe, else by QR and refinement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.sparse import diags_array
from scipy.sparse.linalg import LinearOperator, lsqr

from shallows._core.threads import map_blocks
from shallows.linear._products import of_array

EPS = float(np.finfo(np.float64).eps)
SAFE = 1e4  # condition of the normal equations up to which they lose at most four digits
LEAST_SPREAD = 1e-8  # a column whose centred norm is a smaller share of its norm may be noise
REFINE = 100.0  # condition of the scaled columns above which the weights are refined
SMALL = 4_000_000  # entries of a sparse matrix that are spread out without a second thought
WIDE = 2000  # columns of a sparse matrix up to which X'X is formed
SPLITTER = 2.0**27 + 1


class Solution(NamedTuple):
    """Weights of shape (n_features, n_targets), offsets, and what is known of the matrix.

    The rank and the singular values are those of the inputs, centred where an offset is
    fitted; the condition is that of their columns scaled to one norm. An iterative solution
    knows none of the three.
    """

    coef: np.ndarray
    intercept: np.ndarray
    rank: int | None
    singular_values: np.ndarray | None
    condition: float | None


def least_squares(X, Y, weights, fit_intercept, solver="auto") -> Solution:
    """Return the least-squares weights of smallest norm; Y is two-dimensional."""
    sparse = not isinstance(X, np.ndarray)
    if sparse and X.shape[0] * X.shape[1] > SMALL and X.shape[1] > WIDE:
        return _iterative(X, Y, weights, fit_intercept)
    tall = X.shape[0] > X.shape[1]
    if solver == "normal" or (solver == "auto" and tall):
        products = of_array(X, Y, weights, fit_intercept)
        solution = by_cholesky(products)
        if solution is not None:
            return solution
        if solver == "normal":
            return by_eigenvectors(products)
        if sparse and X.shape[0] * X.shape[1] > SMALL:
            return _iterative(X, Y, weights, fit_intercept)
    X = X.toarray() if sparse else X
    solve = by_qr if X.shape[0] >= X.shape[1] + fit_intercept else by_svd
    return solve(X, Y, weights, fit_intercept)


def by_cholesky(products) -> Solution | None:
    """Solve the scaled normal equations, or return None where their condition is above SAFE."""
    if products.spread < LEAST_SPREAD:
        return None
    scale = np.sqrt(np.diagonal(products.xx))
    scaled = products.xx / np.outer(scale, scale)
    factor, failed = linalg.lapack.dpotrf(scaled)
    if failed:
        return None
    reciprocal, _ = linalg.lapack.dpocon(factor, np.abs(scaled).sum(axis=0).max())
    if reciprocal * SAFE < 1:
        return None
    coef = linalg.cho_solve((factor, False), products.xy / scale[:, None]) / scale[:, None]
    if scale.max() < 1e3 * scale.min():  # else squares lose the small ones
        values = np.sqrt(np.maximum(linalg.eigvalsh(products.xx)[::-1], 0))
    else:
        values = linalg.svdvals(factor * scale)
    rank = len(values)
    return Solution(coef, _offset(products, coef), rank, values, float(reciprocal**-0.5))


def by_eigenvectors(products) -> Solution:
    """Solve the scaled normal equations without the directions that rounding blurs."""
    norms = np.sqrt(np.maximum(np.diagonal(products.xx), 0))
    live = norms > 0 if products.spread >= LEAST_SPREAD else norms > LEAST_SPREAD * norms.max()
    scale = np.where(live, norms, 1.0)
    scaled = np.where(np.outer(live, live), products.xx, 0.0) / np.outer(scale, scale)
    values, vectors = linalg.eigh(scaled)
    kept = values > max(len(values), 100) * EPS * values[-1]
    part = vectors[:, kept]
    coef = part @ (part.T @ (products.xy / scale[:, None]) / values[kept, None]) / scale[:, None]
    coef = _shortest(coef, vectors[:, ~kept] / scale[:, None])
    plain = np.sqrt(np.maximum(linalg.eigvalsh(products.xx)[::-1], 0))
    condition = float(np.sqrt(values[-1] / values[kept].min())) if kept.any() else 1.0
    return Solution(coef, _offset(products, coef), int(kept.sum()), plain, condition)


def by_qr(X, Y, weights, fit_intercept) -> Solution:
    """Solve by a QR decomposition of [1, X] and an SVD of its triangle, refined where needed.

    There are at least as many rows as unknowns. Columns are scaled by powers of two, so that
    scaling rounds nothing.
    """
    roots = None if (weights == 1).all() else np.sqrt(weights)[:, None]
    ones = np.ones((len(X), int(fit_intercept)))
    A = np.hstack([ones, X], dtype=np.float64)
    B = Y.astype(np.float64)
    if roots is not None:
        A, B = A * roots, B * roots
    norms = np.linalg.norm(A, axis=0)
    scale = np.exp2(np.round(np.log2(np.where(norms > 0, norms, 1.0))))
    A /= scale

    Q, R = linalg.qr(A, mode="economic", check_finite=False)
    left, values, right = linalg.svd(R, full_matrices=False)
    kept = values > max(A.shape) * EPS * values[0]
    U, S, V = Q @ left[:, kept], values[kept], right[kept].T
    if not kept.any():
        S, condition = np.ones(0), 1.0
    else:
        condition = float(S[0] / S[-1])
    solution = V @ (U.T @ B / S[:, None])
    residual = B - A @ solution
    if condition > REFINE:
        solution = _refine(A, B, U, S, V, solution, residual)

    solution /= scale[:, None]
    offset = solution[0] if fit_intercept else np.zeros(B.shape[1])
    coef = solution[int(fit_intercept) :]
    rank = int(kept.sum()) - fit_intercept
    if rank < X.shape[1]:
        null = right[~kept].T / scale[:, None]
        shorter = _shortest(coef, null[int(fit_intercept) :])
        if fit_intercept:
            offset = offset + np.average(X, axis=0, weights=weights) @ (coef - shorter)
        coef = shorter
    plain = linalg.svdvals(R[int(fit_intercept) :, int(fit_intercept) :] * scale[fit_intercept:])
    return Solution(coef, offset, rank, plain, condition)


def by_svd(X, Y, weights, fit_intercept) -> Solution:
    """Solve with fewer rows than unknowns; the right singular vectors give the smallest norm."""
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean, y_mean = (np.average(part, axis=0, weights=weights) for part in (X, Y))
    roots = np.sqrt(weights)[:, None]
    U, S, V = linalg.svd((X - x_mean) * roots, full_matrices=False, check_finite=False)
    kept = np.greater(S, max(X.shape) * EPS * S[0])
    projected = U[:, kept].T @ ((Y - y_mean) * roots)
    coef = V[kept].T @ (projected / S[kept, None])
    condition = float(S[0] / S[kept].min()) if kept.any() else 1.0
    return Solution(coef, y_mean - x_mean @ coef, int(kept.sum()), S, condition)


def _shortest(coef, null):
    """Take from the weights what lies in the null space; the columns of `null` span it."""
    if not null.shape[1]:
        return coef
    basis = linalg.orth(null)
    return coef - basis @ (basis.T @ coef)


def _refine(A, B, U, S, V, solution, residual):
    """Improve solution and residual together, as A. Bjorck (1967) does, until neither moves.

    The residuals of the augmented system are summed in twice the working precision.
    """
    for column in range(B.shape[1]):
        x, r = solution[:, column].copy(), residual[:, column].copy()
        last = np.inf
        for _ in range(10):
            wide = np.column_stack([A, B[:, column], r])
            top = _precise_product(wide, np.concatenate([-x, [1.0, -1.0]]))
            bottom = -_precise_product(A.T, r)
            lower, inner = V.T @ bottom / S, U.T @ top
            step = V @ ((inner - lower) / S)
            size = float(np.linalg.norm(step))
            if not size < last / 2:
                break
            x, r, last = x + step, r + top + U @ (lower - inner), size
            if size**2 <= EPS * float(x @ x):  # the next step would be below the last digit
                break
        solution[:, column] = x
    return solution


def _precise_product(A, x):
    """Return A x as if summed in twice the working precision and rounded once."""
    A = np.ascontiguousarray(A)
    rows = max(1, 2**16 // A.shape[1])
    high, low = _split(x)

    def block(part):
        left, right = _split(A[part])
        product = A[part] * x
        error = ((left * high - product) + left * low + right * high) + right * low
        while product.shape[1] > 1:
            half = (product.shape[1] + 1) // 2
            rest = product.shape[1] - half
            first, second = product[:, :half].copy(), product[:, half:]
            total = first[:, :rest] + second
            shadow = total - first[:, :rest]
            rounding = (first[:, :rest] - (total - shadow)) + (second - shadow)
            joined = error[:, :half].copy()
            joined[:, :rest] += error[:, half:] + rounding
            first[:, :rest] = total
            product, error = first, joined
        return product[:, 0] + error[:, 0]

    return np.concatenate(map_blocks(block, len(A), rows))


def _split(a):
    """Return two halves of the digits of each number; their products are exact."""
    shifted = SPLITTER * a
    high = shifted - (shifted - a)
    return high, a - high


def _offset(products, coef):
    return products.y_mean - products.x_mean @ coef


def _iterative(X, Y, weights, fit_intercept) -> Solution:
    """Solve a large sparse problem by LSQR on centred and scaled columns, never formed."""
    roots = np.sqrt(weights)
    X = diags_array(roots).tocsr() @ X.astype(np.float64)
    Y = Y * roots[:, None]
    total, x_mean, y_mean = weights.sum(), np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean, y_mean = X.T @ roots / total, roots @ Y / total
    centred = LinearOperator(
        X.shape,
        matvec=lambda v: X @ v.ravel() - roots * (x_mean @ v.ravel()),
        rmatvec=lambda u: X.T @ u.ravel() - x_mean * (roots @ u.ravel()),
    )
    columns = (Y - np.outer(roots, y_mean)).T
    found = [lsqr(centred, column, atol=1e-14, btol=1e-14)[0] for column in columns]
    coef = np.stack(found, axis=1)
    return Solution(coef, y_mean - x_mean @ coef, None, None, None)
