"""Inverses of K + alpha I for several penalties, from one reduction of K to a narrow band.

``K = Q B Q'`` with orthogonal Q and a band matrix B made up of small square blocks. It is all
matrix products, which an eigendecomposition is not, and takes a fraction of its time. Each penalty
then costs a Cholesky decomposition of B + alpha I and, for the diagonal of the inverse, its
triangular solves with Q. The trace needs no Q, which is half of the work.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.linalg import LinAlgError

from shallows._core.numerics.blas import (
    add_product,
    set_symmetric_product,
    subtract_symmetric,
    triangulate,
)
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import hold_threads, map_blocks

WIDTH = 48
ROWS = 20 * WIDTH
TURNED_AT_ONCE = 8 * WIDTH
COLUMNS, PENALTIES = 3 * WIDTH, 10  # solved for at once: few enough to stay in a core's cache


def inverse_parts(K, targets, alphas, dtype=np.float64):
    """Return the diagonals of the inverses G, and G @ targets, one entry per penalty.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric positive semi-definite matrix, with neighbours in memory along the last axis.
        It is overwritten but for the triangle below the diagonal.
    targets : ndarray of shape (n, n_outputs)
        Right-hand sides.
    alphas : ndarray of shape (n_alphas,)
        Penalties.
    dtype : type
        Precision of Q. Single precision halves the time of the diagonals; six digits of them are
        right, fewer for samples far from all others where penalties are tiny. Nothing else
        depends on it.

    Returns
    -------
    diagonals : ndarray of shape (n_alphas, n)
        Diagonals of G.
    solutions : ndarray of shape (n_alphas, n, n_outputs)
        G @ targets.

    Raises
    ------
    LinAlgError
        If K + alpha I is not positive definite.
    """
    scales = K.diagonal().mean() + alphas  # G_ii is at least about 1 / scale
    with hold_threads():
        band, reflectors = reduce_to_band(K)
        steps, solutions = _solve(band, reflectors, targets, alphas)
        turned = _turned(reflectors, len(K), dtype)
        steps[..., WIDTH:] *= np.sqrt(scales)[:, None, None, None]
        steps = steps.astype(dtype, copy=False)
        groups = [steps[k : k + PENALTIES] for k in range(0, len(alphas), PENALTIES)]

        def part(columns):
            block = turned[:, columns]
            return np.concatenate([_squared_norms(group, block) for group in groups])

        diagonals = np.concatenate(map_blocks(part, len(K), COLUMNS), axis=1)
    return diagonals / scales[:, None], solutions


def inverse_traces(K, targets, alphas):
    """Return the traces of the inverses G, and G @ targets; else like `inverse_parts`."""
    with hold_threads():
        steps, solutions = _solve(*reduce_to_band(K), targets, alphas)
    padding = steps.shape[1] * WIDTH - len(K)
    return _traces(steps) - padding / (1 + alphas), solutions


def reduce_to_band(K):
    """Return the blocks of B on its diagonal and below, and the reflectors whose product is Q.

    The last blocks are padded by ones on the diagonal. A reflector is I - V T V' on the last rows,
    as many as V has. The vectors V stand in the place of K, of which the triangle below the
    diagonal is left.
    """
    A, starts, below, reflectors = K.T, range(0, len(K), WIDTH), [], []
    for start in starts[:-1]:
        V = A[start + WIDTH :, start : start + WIDTH]
        if len(V) < WIDTH:
            below.append(_padded(V, 0.0))
            break
        R, T = triangulate(V)
        _reflect(A, start + WIDTH, V, (T.T @ V.T).T)
        below.append(R)
        reflectors.append((V, T))
    on = [np.tril(A[s : s + WIDTH, s : s + WIDTH]) for s in starts]
    return ([_padded(low + np.tril(low, -1).T, 1.0) for low in on], below), reflectors


def _padded(block, diagonal):
    """Return a whole block, by this value on the diagonal and zeros where rows are missing."""
    whole = np.diag(np.where(np.arange(WIDTH) < len(block), 0.0, diagonal))
    whole[: len(block), : block.shape[1]] = block
    return whole


def _solve(band, reflectors, targets, alphas):
    """Return the steps of `_factor`, and G @ targets."""
    n, size = len(targets), len(band[0]) * WIDTH
    rotated = np.zeros((size, targets.shape[1]))
    rotated[:n] = targets
    for V, T in reflectors:
        rotated[n - len(V) : n] -= V @ (T.T @ (V.T @ rotated[n - len(V) : n]))
    steps, solved = _factor(band, alphas, rotated)
    columns = _solve_back(steps, solved).transpose(1, 0, 2).reshape(size, -1)[:n]
    for V, T in reversed(reflectors):
        columns[n - len(V) :] -= V @ (T @ (V.T @ columns[n - len(V) :]))
    return steps, columns.reshape(n, len(alphas), -1).transpose(1, 0, 2)


def _turned(reflectors, n, dtype=np.float64):
    """Return Q' above zeros that fill its last block.

    Few rows at a time go through all reflectors, and stay in the cache for it.
    """
    turned = np.eye(-(-n // WIDTH) * WIDTH, n, dtype=dtype)

    def converted(number):
        V, T = reflectors[number.start]
        return V.astype(dtype), (T.T @ V.T).astype(dtype)

    factors = map_blocks(converted, len(reflectors), 1)

    def part(rows):
        for V, TV in reversed(factors):
            first = n - len(V)  # the first row that is no longer that of I
            if first < rows.stop:
                block = turned[max(first, rows.start) : rows.stop, first:]
                add_product(block, block @ V, TV, -1.0)

    map_blocks(part, n, TURNED_AT_ONCE)
    return turned


def _reflect(A, start, V, VT):
    """Apply a block reflector to rows and columns from `start` of a symmetric matrix, in place.

    Only the lower triangle is read and written.
    """
    blocks = _blocks(start, len(A))
    both = np.concatenate([V.T, np.empty_like(V.T), V.T]).T  # V, W and V side by side
    W = both[:, WIDTH : 2 * WIDTH]

    def product(number):
        rows = blocks[number.start]
        here = slice(rows.start - start, rows.stop - start)
        set_symmetric_product(W[here], A[rows, rows], VT[here])
        add_product(W[here], A[rows, start : rows.start], VT[: here.start])
        add_product(W[here], A[rows.stop :, rows].T, VT[here.stop :])

    map_blocks(product, len(blocks), 1)
    add_product(W, V, VT.T @ W, -0.5)

    triangles = _blocks(start, len(A), 0.5)

    def subtract(number):
        rows = triangles[number.start]
        here = slice(rows.start - start, rows.stop - start)
        subtract_symmetric(A[rows, rows], V[here], W[here])
        others = both[: here.start, WIDTH:]
        add_product(A[rows, start : rows.start], both[here, : 2 * WIDTH], others.T, -1.0)

    map_blocks(subtract, len(triangles), 1)


def _blocks(start, stop, power=1.0):
    """Cut rows into blocks of equal work, an even number, as most machines have of cores.

    The work of a row grows with the number of rows before it to the power of ``1 / power - 1``.
    """
    n_blocks = 2 * -(-(stop - start) // (2 * ROWS))
    edges = start + (stop - start) * np.linspace(0, 1, n_blocks + 1) ** power
    return [slice(*pair) for pair in pairwise(edges.astype(int).tolist())]


def _factor(band, alphas, rotated):
    """Return what solves with the Cholesky factors L of B + alpha I, and L^-1 rotated.

    A block of L^-1 Q' is the product of a step with the block found last above that of Q'.
    """
    on, below = band
    n_alphas, n_blocks = len(alphas), len(on)
    steps = np.empty((n_alphas, n_blocks, WIDTH, 2 * WIDTH))
    solved = np.empty((n_alphas, n_blocks, WIDTH, rotated.shape[1]))
    shifts, rotated = np.multiply.outer(alphas, np.eye(WIDTH)), rotated.reshape(*solved.shape[1:])
    pairs, last = np.zeros((n_alphas, WIDTH, 2 * WIDTH)), np.zeros_like(solved[:, 0])
    left, inverse = pairs[:, :, :WIDTH], pairs[:, :, WIDTH:]
    for k, (block, link) in enumerate(zip(on, [np.zeros((WIDTH, WIDTH)), *below], strict=True)):
        # Block Cholesky: L_k = chol(A_k + alpha I - B_k B_k') with B_k = C_k inv(L_k-1)'.
        beside = link @ inverse.swapaxes(1, 2)
        left[:], inverse[:] = block + shifts - beside @ beside.swapaxes(1, 2), np.eye(WIDTH)
        if not invert_roots(pairs):
            raise LinAlgError("The matrix plus penalty is not positive definite.")

        # The forward substitution of the right-hand sides, on the way.
        before = np.matmul(-inverse, beside, out=steps[:, k, :, :WIDTH])
        steps[:, k, :, WIDTH:] = inverse
        last = np.add(before @ last, inverse @ rotated[k], out=solved[:, k])
    return steps, solved.reshape(n_alphas, n_blocks * WIDTH, -1)


@compiled
def invert_roots(pairs):
    """Turn matrices beside identities into Cholesky factors L' beside the inverses of L.

    Return whether all matrices are positive definite. They are small: zeros are not skipped, as
    loops of one length are quicker.
    """
    row = np.empty(2 * WIDTH)
    for a in range(len(pairs)):
        for i in range(WIDTH):
            # Eliminate in the matrix and the unit matrix beside it at once, row by row.
            for k in range(2 * WIDTH):
                row[k] = pairs[a, i, k]
            for j in range(i):
                factor = pairs[a, j, i]
                for k in range(2 * WIDTH):
                    row[k] -= factor * pairs[a, j, k]
            if not row[i] > 0.0:
                return False
            scale = 1.0 / np.sqrt(row[i])
            for k in range(2 * WIDTH):
                pairs[a, i, k] = scale * row[k]
    return True


def _squared_norms(steps, turned):
    """Return those of the columns of L^-1 turned, which are diagonals of G, for each penalty."""
    n_alphas, n_blocks = steps.shape[:2]
    above, below = np.zeros((2, n_alphas, 2 * WIDTH, turned.shape[1]), dtype=turned.dtype)
    norms = np.zeros((n_alphas, turned.shape[1]))
    for k in range(n_blocks):
        above[:, WIDTH:] = turned[k * WIDTH : (k + 1) * WIDTH]
        found = np.matmul(steps[:, k], above, out=below[:, :WIDTH])
        norms += np.einsum("aij,aij->aj", found, found)
        above, below = below, above
    return norms


def _solve_back(steps, solved):
    """Return L^-T solved."""
    solutions, after = np.empty_like(solved), 0.0
    for k in range(steps.shape[1] - 1, -1, -1):
        before, inverse = steps[:, k, :, :WIDTH], steps[:, k, :, WIDTH:]
        here = slice(k * WIDTH, (k + 1) * WIDTH)
        right = solved[:, here] + after
        solutions[:, here] = inverse.swapaxes(1, 2) @ right
        after = before.swapaxes(1, 2) @ right
    return solutions


def _traces(steps):
    """Return the traces of (B + alpha I)^-1, from its blocks on the diagonal."""
    traces, inner = np.zeros(len(steps)), np.eye(WIDTH)
    for k in range(steps.shape[1] - 1, -1, -1):
        before, inverse = steps[:, k, :, :WIDTH], steps[:, k, :, WIDTH:]
        traces += np.einsum("aij,aij->a", inner @ inverse, inverse)
        inner = np.eye(WIDTH) + before.swapaxes(1, 2) @ inner @ before
    return traces
