"""Least squares and ridge of CSR rows: X'X in one pass, or iterations that never form it."""

from __future__ import annotations

from functools import reduce

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal
from scipy.sparse import diags_array
from scipy.sparse.linalg import LinearOperator, lsqr

from shallows._core.numerics.compile import compiled, unsigned
from shallows._core.numerics.threads import hold_threads, map_blocks

BLOCK_ROWS = 4096
MOST_BLOCKS = 4  # each holds a matrix or a vector of its own
TOLERANCE = 1e-12
MAX_STEPS = 100
SHORT = 30  # entries of a row up to which its two loops cost more than they do


def squares(X, weights):
    """Return X' diag(weights) X as a dense matrix."""
    parts = map_blocks(
        lambda rows: half_square(*_rows_of(X, rows), weights[rows], X.shape[1]),
        X.shape[0],
        _block_rows(X),
    )
    half = reduce(np.add, parts)
    return half + half.T


def iterate(X, Y, weights, centre, alpha, safe):
    """Return weights and offsets by iterations on centred columns, which are never formed.

    Conjugate gradients read X once per step. Where the condition of X'X + alpha turns out to
    be above `safe`, or steps don't end, LSQR starts again: it knows of X alone, not of X'X.
    """
    X, Y = X.astype(np.float64, copy=False), Y.astype(np.float64, copy=False)
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    found = []
    with hold_threads():
        if centre:
            x_mean, y_mean = X.T @ weights / weights.sum(), weights @ Y / weights.sum()
        product = _normal_product(X, weights, x_mean)
        for column in (Y - y_mean).T:
            start = X.T @ (weights * column) - x_mean * (weights @ column)
            coef = _conjugate_gradients(product, start, alpha, safe)
            found.append(_lsqr(X, column, weights, x_mean, alpha) if coef is None else coef)
    coef = np.stack(found, axis=1)
    return coef, y_mean - x_mean @ coef


def _conjugate_gradients(normal_product, right, alpha, safe):
    """Solve (X'WX + alpha) w = X'Wy, or return None where digits would be lost.

    The steps make up the tridiagonal matrix of Lanczos, whose eigenvalues tell the condition.
    """
    residual, direction, coef = right.copy(), right.copy(), np.zeros_like(right)
    square = first = float(residual @ residual)
    lengths, ratios = [], []
    while square > TOLERANCE**2 * first:
        if len(lengths) == MAX_STEPS:
            return None
        product = normal_product(direction) + alpha * direction
        length = square / float(direction @ product)
        coef += length * direction
        residual -= length * product
        square, before = float(residual @ residual), square
        direction = residual + (square / before) * direction
        lengths.append(length)
        ratios.append(square / before)
    if lengths:
        steps, kept = np.array(lengths), np.array(ratios[:-1])
        diagonal = 1 / steps
        diagonal[1:] += kept / steps[:-1]
        values = eigvalsh_tridiagonal(diagonal, np.sqrt(kept) / steps[:-1])
        if values[-1] > safe * values[0]:
            return None
    return coef


def _lsqr(X, y, weights, mean, alpha):
    roots = np.sqrt(weights)
    X = diags_array(roots).tocsr() @ X
    centred = LinearOperator(
        X.shape,
        matvec=lambda v: X @ v.ravel() - roots * (mean @ v.ravel()),
        rmatvec=lambda u: X.T @ u.ravel() - mean * (roots @ u.ravel()),
    )
    return lsqr(centred, roots * y, damp=np.sqrt(alpha), atol=1e-14, btol=1e-14)[0]


def _normal_product(X, weights, mean):
    """Return a function that takes v to X'W(X v), for X centred at the mean."""
    block_rows, row_in_block = _block_rows(X), None
    if X.nnz < SHORT * X.shape[0]:
        row_in_block = np.arange(X.shape[0], dtype=np.uint32) % np.uint32(block_rows)
        row_in_block = np.repeat(row_in_block, np.diff(X.indptr))

    def product(v):
        shift = float(mean @ v)

        def part(rows):
            if row_in_block is None:
                return product_of_rows(*_rows_of(X, rows), weights[rows], v, shift)
            here = slice(X.indptr[rows.start], X.indptr[rows.stop])
            entries = X.data[here], unsigned(X.indices[here]), row_in_block[here]
            return product_of_entries(*entries, weights[rows], v, shift)

        sums = reduce(np.add, map_blocks(part, X.shape[0], block_rows))
        return sums[:-1] - sums[-1] * mean

    return product


def _rows_of(X, rows):
    return X.data, unsigned(X.indices), unsigned(X.indptr[rows.start : rows.stop + 1])


def _block_rows(X):
    return max(BLOCK_ROWS, -(-X.shape[0] // MOST_BLOCKS))


@compiled
def half_square(data, indices, starts, weights, n_columns):
    """Return H with H + H' = X' diag(weights) X, in whatever order a row stores its columns."""
    half = np.zeros((n_columns, n_columns))
    for i in range(len(weights)):
        for a in range(starts[i], starts[i + 1]):
            column, value = indices[a], weights[i] * data[a]
            for b in range(starts[i], a):
                half[column, indices[b]] += value * data[b]
            half[column, column] += 0.5 * value * data[a]
    return half


@compiled
def product_of_rows(data, indices, starts, weights, v, shift):
    """Return X'u and, as last entry, the sum of u, for u = W (X v - shift)."""
    sums, total = np.zeros(len(v) + 1), 0.0
    for i in range(len(weights)):
        value = 0.0
        for a in range(starts[i], starts[i + 1]):
            value += data[a] * v[indices[a]]
        value = weights[i] * (value - shift)
        total += value
        for a in range(starts[i], starts[i + 1]):
            sums[indices[a]] += value * data[a]
    sums[-1] = total
    return sums


@compiled
def product_of_entries(data, indices, rows, weights, v, shift):
    """Do as `product_of_rows`, with the row of each entry in place of the rows' starts."""
    u = np.full(len(weights), -shift)
    for a in range(len(data)):
        u[rows[a]] += data[a] * v[indices[a]]
    u *= weights
    sums = np.zeros(len(v) + 1)
    for a in range(len(data)):
        sums[indices[a]] += data[a] * u[rows[a]]
    sums[-1] = u.sum()
    return sums
