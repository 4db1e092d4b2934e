"""Solve least squares: by the normal equations where that is safe, else by QR and refinement."""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from scipy import linalg

from shallows._core.numerics.threads import map_blocks, quick_lapack
from shallows.linear._products import of_array
from shallows.linear._sparse import iterate
from shallows.linear._twofold import residuals

EPS = float(np.finfo(np.float64).eps)
SAFE = 1e4  # condition of the normal equations up to which they lose at most four digits
LEAST_SPREAD = 1e-8  # a column whose centred norm is a smaller share of its norm may be noise
REFINE = 100.0  # condition of the scaled columns above which the weights are refined
SMALL = 4_000_000  # entries of a sparse matrix that are spread out without a second thought
FEW = 500  # columns of a large sparse matrix up to which X'X is formed
FEW_ENTRIES = 4096  # of which BLAS never uses threads, so that none need be held back
QR_ROWS = 2048
MANY = 4  # blocks of rows from which on a sample of them comes first
ALIKE = 0.1  # least reciprocal condition of products in the basis that a sample gives


class Solution(NamedTuple):
    """Weights of shape (n_features, n_targets), offsets, and what is known of the matrix.

    The rank and the singular values are those of the inputs, centred where an offset is
    fitted; the condition is that of their columns scaled to one norm. An iterative solution
    knows none of the three, that of a large sparse matrix no singular values: they would cost
    more than it.
    """

    coef: np.ndarray
    intercept: np.ndarray
    rank: int | None
    singular_values: np.ndarray | None
    condition: float | None


def least_squares(X, Y, weights, fit_intercept, solver="auto", *, spectrum=True) -> Solution:
    """Return the least-squares weights of smallest norm; Y is two-dimensional.

    Without `spectrum` the singular values may be left out.
    """
    sparse = not isinstance(X, np.ndarray)
    large = sparse and X.shape[0] * X.shape[1] > SMALL
    if large and X.shape[1] > FEW:
        return _iterative(X, Y, weights, fit_intercept)

    # Products first where rows are many; QR or SVD where these lose too many digits.
    tall = X.shape[0] > X.shape[1]
    if solver == "normal" or (solver == "auto" and tall):
        products = of_array(X, Y, weights, fit_intercept)
        solution = by_cholesky(products, spectrum=spectrum and not large)
        if solution is not None:
            return solution
        if solver == "normal":
            return by_eigenvectors(products)
        if large:
            return _iterative(X, Y, weights, fit_intercept)
    X = X.toarray() if sparse else X
    with nullcontext() if X.size < FEW_ENTRIES else quick_lapack(X.shape[1]):
        if X.shape[0] < X.shape[1] + fit_intercept:
            return by_svd(X, Y, weights, fit_intercept)
        return by_qr(X, Y, weights, fit_intercept, spectrum=spectrum)


def by_cholesky(products, *, spectrum=True) -> Solution | None:
    """Solve the scaled normal equations, or return None where their condition is above SAFE."""
    if products.spread < LEAST_SPREAD:
        return None
    with quick_lapack(len(products.xx)):
        return _by_cholesky(products, spectrum)


def _by_cholesky(products, spectrum):
    scale = np.sqrt(np.diagonal(products.xx))
    scaled = products.xx / np.outer(scale, scale)
    factor, failed = linalg.lapack.dpotrf(scaled)
    if failed:
        return None
    reciprocal, _ = linalg.lapack.dpocon(factor, np.abs(scaled).sum(axis=0).max())
    if reciprocal * SAFE < 1:
        return None
    coef = linalg.cho_solve((factor, False), products.xy / scale[:, None]) / scale[:, None]
    values = _singular_values(products.xx, factor, scale) if spectrum else None
    offset = _offset(products, coef)
    return Solution(coef, offset, len(scale), values, float(reciprocal**-0.5))


def _singular_values(square, factor, scale):
    if scale.max() < 1e3 * scale.min():  # else squares lose the small ones
        return np.sqrt(np.maximum(linalg.eigvalsh(square)[::-1], 0))
    return linalg.svdvals(factor * scale)


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


def by_qr(X, Y, weights, fit_intercept, *, spectrum=True) -> Solution:
    """Solve by the triangle R of a QR decomposition of [1, X, Y], refined where needed.

    There are at least as many rows as unknowns. The columns of R are scaled by powers of two, so
    that scaling rounds nothing; those of X, which may be many, need not be.
    """
    A = np.hstack([np.ones((len(X), 1)), X]) if fit_intercept else X
    A, B = A.astype(np.float64, order="C", copy=False), Y.astype(np.float64, copy=False)
    if (weights != 1).any():
        roots = np.sqrt(weights)[:, None]
        A, B = A * roots, B * roots
    if not spectrum and A.size < FEW_ENTRIES:
        solution = _at_once(A, B, fit_intercept)
        if solution is not None:
            return solution

    # The triangle R of [A B], with columns scaled, decides about the rank.
    size = A.shape[1]
    R = _triangle(A, B)
    scale = _scale_of(R[:, :size])
    left, values, right = _svd(R[:, :size] / scale)
    kept = values > max(A.shape) * EPS * values[0]
    S, V = values[kept], right[kept].T
    condition = float(S[0] / S[-1]) if len(S) else 1.0
    solution = V @ (left[:, kept].T @ R[:, size:] / S[:, None]) / scale[:, None]
    if condition > REFINE:
        solution = _refine(A, B, S, V / scale[:, None], solution, scale)

    offset = solution[0] if fit_intercept else np.zeros(B.shape[1])
    coef = solution[int(fit_intercept) :]

    # Of all solutions the one with the shortest coefficients, the offset apart.
    rank = len(S) - fit_intercept
    if rank < X.shape[1]:
        null = right[~kept].T / scale[:, None]
        shorter = _shortest(coef, null[int(fit_intercept) :])
        if fit_intercept:
            offset = offset + np.average(X, axis=0, weights=weights) @ (coef - shorter)
        coef = shorter
    inputs = slice(int(fit_intercept), size)
    plain = linalg.svdvals(R[inputs, inputs]) if spectrum else None
    return Solution(coef, offset, rank, plain, condition)


def by_svd(X, Y, weights, fit_intercept) -> Solution:
    """Solve with fewer rows than unknowns, for the weights of smallest norm."""
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean, y_mean = (np.average(part, axis=0, weights=weights) for part in (X, Y))
    roots = np.sqrt(weights)[:, None]
    A, B = (X - x_mean) * roots, (Y - y_mean) * roots
    options = {"overwrite_a": True, "overwrite_b": True, "check_finite": False}
    coef, _, rank, S = linalg.lstsq(A, B, max(X.shape) * EPS, **options)
    condition = float(S[0] / S[rank - 1]) if rank else 1.0
    return Solution(coef, y_mean - x_mean @ coef, int(rank), S, condition)


def _shortest(coef, null):
    """Take from the weights what lies in the null space; the columns of `null` span it."""
    if not null.shape[1]:
        return coef
    basis = linalg.orth(null)
    return coef - basis @ (basis.T @ coef)


def _at_once(A, B, fit_intercept):
    """Solve a small problem of small condition by one call of LAPACK, or return None."""
    size = A.shape[1]
    factors, found, _ = linalg.lapack.dgels(A, B)
    reciprocal, _ = linalg.lapack.dtrcon(factors[:size] / _scale_of(A))
    if not reciprocal * REFINE * size**0.5 >= 1:  # a norm by sums may be that much larger
        return None
    offset = found[0] if fit_intercept else np.zeros(B.shape[1])
    rank = size - fit_intercept
    return Solution(found[int(fit_intercept) : size], offset, rank, None, 1 / reciprocal)


def _scale_of(A):
    """Return a power of two near the norm of each column, one for a column of zeros."""
    return np.ldexp(1.0, np.frexp(np.einsum("ij,ij->j", A, A))[1] // 2)


def _svd(square):
    """Return the singular value decomposition; for a few columns SciPy's checks take longer."""
    left, values, right, failed = linalg.lapack.dgesdd(square)
    if failed or not np.isfinite(values).all():
        raise linalg.LinAlgError("The singular value decomposition of the triangle of X failed.")
    return left, values, right


def _triangle(A, B):
    """Return the rows of R that belong to A, of a QR decomposition of [A, B]."""
    block_rows = max(QR_ROWS, 8 * A.shape[1])
    found = _from_sample(A, B, block_rows) if len(A) >= MANY * block_rows else None
    return _from_blocks(A, B, block_rows) if found is None else found


def _from_sample(A, B, block_rows):
    """Find R through that of some rows, or return None where these don't stand for the others.

    They make the columns of A nearly orthogonal, whose products lose no digits then.
    """
    # A sample's triangle makes the columns nearly orthonormal; then Cholesky loses few digits.
    first = _qr(A[:: len(A) // block_rows])
    if linalg.lapack.dtrcon(first / _scale_of(first))[0] < EPS:
        return None

    def block(rows):
        basis = linalg.blas.dtrsm(1.0, first, A[rows].T, trans_a=True)
        return basis @ basis.T, basis @ B[rows]

    square, products = (
        sum(part) for part in zip(*map_blocks(block, len(A), MANY * block_rows), strict=True)
    )
    factor, failed = linalg.lapack.dpotrf(square)
    if failed or linalg.lapack.dpocon(factor, np.abs(square).sum(axis=0).max())[0] < ALIKE:
        return None
    return np.hstack([factor @ first, linalg.solve_triangular(factor, products, trans=1)])


def _from_blocks(A, B, block_rows):
    """Find R of blocks of rows, then of their triangles."""
    if len(A) <= block_rows:
        return _qr(np.concatenate([A, B], axis=1))[: A.shape[1]]
    parts = map_blocks(lambda rows: _qr(np.hstack([A[rows], B[rows]])), len(A), block_rows)
    return _qr(np.vstack(parts))[: A.shape[1]]


def _qr(rows):
    size = min(rows.shape)
    turned, *_ = linalg.lapack.dgeqrt(min(16, size), rows)
    return np.triu(turned[:size])


def _refine(A, B, S, V, solution, scale):
    """Improve solution and residual together, as A. Bjorck (1967) does, until neither moves.

    The residuals of the augmented system are summed in twice the working precision. The
    orthogonal factor A V / S is never formed. Steps are measured in units of `scale`.
    """
    for column in range(B.shape[1]):
        b = np.ascontiguousarray(B[:, column])
        x, last = solution[:, column], np.inf
        r = b - A @ x
        for _ in range(10):
            top, lower, inner = residuals(A, x, b, r)
            step = V @ (V.T @ (inner + lower) / S**2)
            size = float(np.linalg.norm(step * scale))
            if not size < last / 2:
                break
            x, last = x + step, size
            if size**2 <= EPS * float(np.sum((x * scale) ** 2)):
                break  # the next step would be below the last digit
            r += top - A @ step
        solution[:, column] = x
    return solution


def _offset(products, coef):
    return products.y_mean - products.x_mean @ coef


def _iterative(X, Y, weights, fit_intercept) -> Solution:
    coef, offset = iterate(X, Y, weights, fit_intercept, 0.0, SAFE)
    return Solution(coef, offset, None, None, None)
