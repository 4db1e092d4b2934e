"""Leading eigenvectors of a symmetric operator that is only known by its products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr

Array = NDArray[np.float64]
N_EXTRA = 10  # columns of a block beyond the pairs sought


def leading_eigenpairs(
    multiply: Callable[[Array], NDArray[Any]],
    size: int,
    n_pairs: int,
    rng: np.random.Generator,
    *,
    max_products: int = 12,
    tol: float = 1e-4,
) -> tuple[Array, Array]:
    """Return the largest eigenvalues, in descending order, and their vectors as columns.

    Randomised block Krylov iteration (C. Musco and C. Musco, "Randomized block Krylov
    methods for stronger and faster approximate singular value decomposition", 2015): the
    operator is applied to a random block again and again, and the best approximation is
    taken from the span of all blocks.

    Parameters
    ----------
    multiply : callable
        Takes a block of columns of shape (size, n_columns) and returns operator @ block.
    size : int
        Size of the operator, which is symmetric and positive semi-definite.
    n_pairs : int
        How many eigenpairs.
    rng : Generator
        Draws the first block.
    max_products : int, default=12
        Largest number of products; each is one pass over the data behind the operator.
    tol : float, default=1e-4
        It stops when the sum of the eigenvalues is short by about this fraction of itself.

    Returns
    -------
    values : ndarray of shape (n_pairs,)
        Eigenvalues.
    vectors : ndarray of shape (size, n_pairs)
        Orthonormal eigenvectors.
    """
    width = min(n_pairs + N_EXTRA, size)
    block = _orthonormal(rng.standard_normal((size, width)))
    basis, image = np.empty((size, 0)), np.empty((size, 0))
    for products in range(1, max_products + 1):
        product = np.asarray(multiply(block), dtype=np.float64)
        basis, image = np.hstack([basis, block]), np.hstack([image, product])
        values, weights = eigh(basis.T @ image)
        values, weights = values[::-1], weights[:, : -n_pairs - 1 : -1]
        vectors = basis @ weights
        complete = basis.shape[1] >= size
        if complete or (products > 1 and _shortfall(values, vectors, image @ weights) <= tol):
            break
        block = _orthogonal_to(basis, product[:, : size - basis.shape[1]])
    return values[:n_pairs], vectors


def _shortfall(values: Array, vectors: Array, images: Array) -> float:
    """Estimate what the leading values lack: residual squared by the gap to those not sought.

    The gap is taken to the first value after the first block, the next not approximated well.
    """
    n_pairs = vectors.shape[1]
    residual = np.linalg.norm(images - vectors * values[:n_pairs], axis=0)
    beyond = values[min(n_pairs + N_EXTRA, len(values) - 1)]
    gap = np.maximum(values[:n_pairs] - beyond, np.finfo(float).tiny)
    total = max(float(values[:n_pairs].sum()), np.finfo(float).tiny)
    return float((np.minimum(residual**2 / gap, residual)).sum()) / total


def _orthogonal_to(basis: Array, columns: Array) -> Array:
    """Twice, because what is left of columns inside the span of the basis is mere rounding."""
    for _ in range(2):
        columns = _orthonormal(columns - basis @ (basis.T @ columns))
    return columns


def _orthonormal(columns: Array) -> Array:
    return qr(columns, mode="economic", check_finite=False)[0]
