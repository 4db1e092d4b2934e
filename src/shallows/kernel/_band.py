"""Inverses of K + alpha I for several penalties, from one reduction of K to a narrow band.

``K = Q B Q'`` with orthogonal Q and a band matrix B made up of small square blocks. It is all
matrix products, which an eigendecomposition is not, and takes a fraction of its time. Each penalty
then costs a Cholesky decomposition of B + alpha I and, for the diagonal of the inverse, its
triangular solves with Q. The trace needs no Q, which is half of the work.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from shallows._core.blas import add_product, subtract_symmetric, symmetric_product
from shallows._core.threads import hold_threads, map_blocks

WIDTH = 48
ROWS = 10 * WIDTH
COLUMNS, PENALTIES = 3 * WIDTH, 10  # solved for at once: few enough to stay in a core's cache
AT_ONCE = 2  # reflectors


def inverse_parts(K, targets, alphas, dtype=np.float64):
    """Return the diagonals of the inverses G, and G @ targets, one entry per penalty.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric positive semi-definite matrix; it is left alone.
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
    with hold_threads():
        band, reflectors = reduce_to_band(K)
        steps, solutions = _solve(band, reflectors, targets, alphas)
        turned = _turned(reflectors, len(K), dtype)
        scales = K.diagonal().mean() + alphas  # G_ii is at least about 1 / scale
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

    Both are padded to whole blocks by ones on the diagonal. A reflector is I - V T V' on the last
    rows, as many as V has.
    """
    size = -(-len(K) // WIDTH) * WIDTH
    A = np.empty((size, size), order="F")
    A[: len(K), : len(K)] = K.T  # the same, but read in the order in which it is written
    A[len(K) :, : len(K)] = 0.0
    A[len(K) :, len(K) :] = np.eye(size - len(K))
    starts, reflectors = range(0, size, WIDTH), []
    for start in starts[:-1]:
        rest = slice(start + WIDTH, size)
        V, T, R = _reflector(A[rest, start : start + WIDTH])
        A[start + WIDTH : start + 2 * WIDTH, start : start + WIDTH] = R
        _reflect(A, rest.start, V, (T.T @ V.T).T)
        reflectors.append((V, T))
    on = [A[s : s + WIDTH, s : s + WIDTH] for s in starts]
    below = [A[s + WIDTH : s + 2 * WIDTH, s : s + WIDTH] for s in starts[:-1]]
    return ([np.tril(block) + np.tril(block, -1).T for block in on], below), reflectors


def _solve(band, reflectors, targets, alphas):
    """Return the steps of `_factor`, and G @ targets."""
    n, size = len(targets), len(band[0]) * WIDTH
    rotated = np.zeros((size, targets.shape[1]))
    rotated[:n] = targets
    for V, T in reflectors:
        rotated[size - len(V) :] -= V @ (T.T @ (V.T @ rotated[size - len(V) :]))
    steps, solved = _factor(band, alphas, rotated)
    columns = _solve_back(steps, solved).transpose(1, 0, 2).reshape(size, -1)
    for V, T in reversed(reflectors):
        columns[size - len(V) :] -= V @ (T @ (V.T @ columns[size - len(V) :]))
    return steps, columns[:n].reshape(n, len(alphas), -1).transpose(1, 0, 2)


def _turned(reflectors, n_columns, dtype=np.float64):
    """Return that many columns of Q'."""
    turned = np.eye((len(reflectors) + 1) * WIDTH, dtype=dtype)
    for last in range(len(reflectors), 0, -AT_ONCE):
        V, T = _join(reflectors[max(last - AT_ONCE, 0) : last])
        _turn(turned, V.astype(dtype), (T.T @ V.T).astype(dtype))
    return turned[:, :n_columns]


def _reflector(panel):
    """Return V, T, R with (I - V T V')' panel = R above zeros."""
    V, T, _ = lapack.dgeqrt(WIDTH, panel.copy(order="F"), overwrite_a=True)
    top = V[:WIDTH].copy()
    V[:WIDTH] = np.tril(top, -1) + np.eye(WIDTH)
    return V, T, np.triu(top)


def _reflect(A, start, V, VT):
    """Apply a block reflector to rows and columns from `start` of a symmetric matrix, in place.

    Only the lower triangle is read and written. Blocks of rows begin at multiples of ROWS
    whatever the start, so that they are the same squares of the matrix in every step.
    """
    firsts = range(start - start % ROWS, len(A), ROWS)
    blocks = [slice(max(first, start), min(first + ROWS, len(A))) for first in firsts]

    def product(number):
        rows = blocks[number.start]
        here, left = slice(rows.start - start, rows.stop - start), A[rows, start : rows.start]
        own = symmetric_product(A[rows, rows], VT[here])
        add_product(own, left, VT[: here.start])
        return here, own, (VT[here].T @ left).T

    both = np.concatenate([V.T, np.empty_like(V.T), V.T]).T  # V, W and V side by side
    W = both[:, WIDTH : 2 * WIDTH]
    for here, own, before in map_blocks(product, len(blocks), 1):
        W[here] = own
        W[: here.start] += before
    add_product(W, V, VT.T @ W, -0.5)

    def subtract(number):
        rows = blocks[number.start]
        here = slice(rows.start - start, rows.stop - start)
        subtract_symmetric(A[rows, rows], V[here], W[here])
        others = both[: here.start, WIDTH:]
        add_product(A[rows, start : rows.start], both[here, : 2 * WIDTH], others.T, -1.0)

    map_blocks(subtract, len(blocks), 1)


def _join(reflectors):
    """Return V, T of the product of consecutive reflectors, which makes for larger products."""
    V, T = reflectors[0]
    for next_V, next_T in reflectors[1:]:
        padded = np.vstack([np.zeros((len(V) - len(next_V), WIDTH)), next_V])
        corner = -T @ (V.T @ padded) @ next_T
        T = np.block([[T, corner], [np.zeros((WIDTH, len(T))), next_T]])
        V = np.hstack([V, padded])
    return V, T


def _turn(turned, V, TV):
    """Apply reflectors to Q' from the right, in place; rows before theirs are still those of I."""
    first = len(turned) - len(V)

    def part(rows):
        block = turned[first + rows.start : first + rows.stop, first:]
        add_product(block, block @ V, TV, -1.0)

    map_blocks(part, len(V), ROWS)


def _factor(band, alphas, rotated):
    """Return what solves with the Cholesky factors L of B + alpha I, and L^-1 rotated.

    A block of L^-1 Q' is the product of a step with the block found last above that of Q'.
    """
    on, below = band
    shifts = np.multiply.outer(alphas, np.eye(WIDTH))
    inverse, last = np.zeros_like(shifts), np.zeros((len(alphas), WIDTH, rotated.shape[1]))
    steps, solved = [], []
    for k, (block, link) in enumerate(zip(on, [np.zeros((WIDTH, WIDTH)), *below], strict=True)):
        beside = link @ inverse.swapaxes(1, 2)
        roots = np.linalg.cholesky(block + shifts - beside @ beside.swapaxes(1, 2))
        inverse = np.array([_inverted(root) for root in roots])
        before = -inverse @ beside
        last = before @ last + inverse @ rotated[k * WIDTH : (k + 1) * WIDTH]
        steps.append(np.concatenate([before, inverse], axis=2))
        solved.append(last)
    return np.stack(steps, axis=1), np.concatenate(solved, axis=1)


def _inverted(root):
    """Return the inverse of a lower triangle, which LAPACK sees as an upper one."""
    return lapack.dtrtri(root.T)[0].T


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
