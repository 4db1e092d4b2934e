"""Kernel ridge regression without the Gram matrix: conjugate gradients and a preconditioner.

Each product with the Gram matrix is computed in blocks that are used and forgotten, so memory
grows as n times the rank of the preconditioner. The preconditioner inverts the Nystroem
approximation of the Gram matrix on randomly chosen columns (Frangella, Tropp and Udell,
"Randomized Nystroem preconditioning", 2023): what is left converges in a few dozen steps.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
from sklearn.exceptions import ConvergenceWarning

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks
from shallows.kernel._gram_rows import precision

BLOCK = 1024
MAX_STEPS = 500


class ImplicitGram:
    """The Gram matrix of points as an operator; `roots` are square roots of weights."""

    def __init__(self, kernel, X, roots, dtype):
        self.kernel, self.roots = kernel, roots
        self.left, self.right = kernel.factors(X, X, dtype)

    def __len__(self):
        return self.left.shape[0]

    def columns(self, chosen):
        """Return the weighted columns of a few points."""
        right = self.right[chosen]
        parts = map_blocks(lambda rows: self.kernel.block(self.left[rows], right), len(self), BLOCK)
        return np.concatenate(parts) * self.roots[:, None] * self.roots[chosen]

    def __matmul__(self, vectors):
        """Return the product with a few columns; each block serves for its mirror image too."""
        weighted = np.ascontiguousarray((vectors * self.roots[:, None]).T)
        n = len(self)

        def part(rows):
            sums = np.zeros_like(weighted)
            left = self.left[rows]
            for start in range(rows.start, n, BLOCK):
                stop = min(start + BLOCK, n)
                block = np.ascontiguousarray(self.kernel.block(left, self.right[start:stop]))
                add_block(block, rows.start, start, weighted, sums)
            return sums[:, rows.start :]

        total = np.zeros_like(weighted)
        for first in range(0, n, 16 * BLOCK):
            chunk = min(16 * BLOCK, n - first)
            parts = map_blocks(
                lambda rows, at=first: part(slice(at + rows.start, at + rows.stop)), chunk, BLOCK
            )
            for sums in parts:
                total[:, n - sums.shape[1] :] += sums
        return total.T * self.roots[:, None]


def solve_ridge(kernel, X, y, weights, alpha, rank, tol, rng):
    """Return the dual coefficients and the relative residual after each step.

    Steps are taken with kernel values in single precision where their errors are small. The
    residual that they leave is then found in double precision and solved for in turn, which
    wipes those errors out; where it doesn't shrink, double precision takes over. LinAlgError says
    that the kernel is not positive semi-definite.
    """
    roots = np.sqrt(weights)
    exact = ImplicitGram(kernel, X, roots, np.float64)
    errors = 4 * np.sqrt(len(y)) * np.finfo(np.float32).eps * weights.max()  # of eigenvalues
    quick = precision(kernel, X) == np.float32 and alpha > errors
    gram = ImplicitGram(kernel, X, roots, np.float32) if quick else exact
    target = np.asarray(y, dtype=np.float64) * roots[:, None]
    precondition = _nystroem(gram, alpha, min(rank, len(gram)), rng)
    size = np.maximum(np.linalg.norm(target, axis=0), np.finfo(np.float64).tiny)

    coef, residual, history, last = np.zeros_like(target), target, [], 1.0
    while last > tol and len(history) < MAX_STEPS:
        step, path = _descend(gram, alpha, precondition, residual, size, tol, len(history))
        left = residual - (exact @ step + alpha * step)
        now = float((np.linalg.norm(left, axis=0) / size).max())
        history += [*path[:-1], now]
        if now < last:
            coef, residual = coef + step, left
        if now > last / 2:
            if gram is exact:
                break  # at the level of rounding
            gram = exact
        last = min(now, last)
    if last > tol:
        warnings.warn(
            f"Conjugate gradients stopped after {len(history)} steps at a relative residual of "
            f"{last:.2g}, above tol={tol}. Raise rank, alpha or tol.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return coef * roots[:, None], history


def _descend(gram, alpha, precondition, target, size, tol, n_before):
    """Return a solution by conjugate gradients, and its relative residual after each step."""
    coef, residual = np.zeros_like(target), target.copy()
    direction = improved = precondition(residual)
    power = np.einsum("ij,ij->j", residual, improved)
    path = []
    for _ in range(n_before, MAX_STEPS):
        product = gram @ direction + alpha * direction
        step = _ratio(power, np.einsum("ij,ij->j", direction, product))
        coef += step * direction
        residual -= step * product
        path.append(float((np.linalg.norm(residual, axis=0) / size).max()))
        if path[-1] <= tol / 2:
            break
        improved = precondition(residual)
        power, before = np.einsum("ij,ij->j", residual, improved), power
        direction = improved + _ratio(power, before) * direction
    return coef, path


def _nystroem(gram, alpha, rank, rng):
    """Return the function that applies the preconditioner."""
    chosen = np.sort(rng.choice(len(gram), rank, replace=False))
    columns = gram.columns(chosen).astype(np.float64, copy=False)
    inner = columns[chosen]
    inner[np.diag_indices(rank)] += rank * np.finfo(np.float32).eps * np.trace(inner) / rank
    factor = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
    thin = solve_triangular(factor, columns.T, lower=True, overwrite_b=True, check_finite=False)
    values, vectors = eigh(thin @ thin.T, driver="evd", check_finite=False)
    kept = values > values[-1] * 1e-12
    values, vectors = values[kept], vectors[:, kept]
    basis = (vectors / np.sqrt(values)).T @ thin
    shrink = (values[0] + alpha) / (values + alpha) - 1.0

    def precondition(vector):
        inside = basis @ vector
        return vector + basis.T @ (shrink[:, None] * inside)

    return precondition


def _ratio(above, below):
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


@compiled
def add_block(block, row_start, column_start, vectors, sums):
    """Add the products of a block and, off the diagonal, of its mirror image to `sums`."""
    mirror = row_start != column_start
    for output in range(vectors.shape[0]):
        # cut off before the loops, which could not vectorise with an index that might be negative
        across, down = vectors[output, column_start:], vectors[output, row_start:]
        target, own = sums[output, column_start:], sums[output, row_start:]
        for i in range(block.shape[0]):
            weight, total = down[i], 0.0
            if mirror:
                for j in range(block.shape[1]):
                    total += block[i, j] * across[j]
                    target[j] += block[i, j] * weight
            else:
                for j in range(block.shape[1]):
                    total += block[i, j] * across[j]
            own[i] += total
