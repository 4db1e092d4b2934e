"""Leading eigenvectors of a symmetric operator that is only known by its products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr

Array = NDArray[np.float64]


def leading_eigenpairs(
    multiply: Callable[[Array], NDArray[Any]],
    size: int,
    n_pairs: int,
    rng: np.random.Generator,
    *,
    n_extra: int = 10,
    max_products: int = 12,
    tol: float = 1e-3,
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
    n_extra : int, default=10
        Columns of a block beyond `n_pairs`.
    max_products : int, default=12
        Largest number of products; each is one pass over the data behind the operator.
    tol : float, default=1e-3
        It stops when all residuals are below this fraction of the largest eigenvalue. The
        error of an eigenvalue is of the order of the square.

    Returns
    -------
    values : ndarray of shape (n_pairs,)
        Eigenvalues.
    vectors : ndarray of shape (size, n_pairs)
        Orthonormal eigenvectors.
    """
    width = min(n_pairs + n_extra, size)
    block = _orthonormal(rng.standard_normal((size, width)))
    basis, image = np.empty((size, 0)), np.empty((size, 0))
    while True:
        product = np.asarray(multiply(block), dtype=np.float64)
        basis, image = np.hstack([basis, block]), np.hstack([image, product])
        values, weights = eigh(basis.T @ image)
        values, weights = values[: -n_pairs - 1 : -1], weights[:, : -n_pairs - 1 : -1]
        vectors = basis @ weights
        residual = np.linalg.norm(image @ weights - vectors * values, axis=0).max()
        products = basis.shape[1] // width
        if residual <= tol * values[0] or products >= max_products or basis.shape[1] >= size:
            return values, vectors
        block = _orthogonal_to(basis, product[:, : size - basis.shape[1]])


def _orthogonal_to(basis: Array, columns: Array) -> Array:
    """Twice, because what is left of columns inside the span of the basis is mere rounding."""
    for _ in range(2):
        columns = _orthonormal(columns - basis @ (basis.T @ columns))
    return columns


def _orthonormal(columns: Array) -> Array:
    return qr(columns, mode="economic", check_finite=False)[0]
