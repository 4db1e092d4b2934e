"""Eigenvectors of the smallest eigenvalues of a sparse matrix without negative ones."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import eye_array
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from shallows._core.numerics.threads import hold_threads, quick_lapack

DENSE_UP_TO = 300


def smallest_eigenpairs(matrix, n_pairs):
    """Return the smallest eigenvalues, ascending, and their vectors in columns.

    By inverse iteration: a symmetric factorisation of the matrix, lifted a little since it
    is singular, and ARPACK on its inverse. In each vector the largest entry is positive.
    """
    n = matrix.shape[0]
    if n <= DENSE_UP_TO or n_pairs > n // 4:
        with quick_lapack(n):
            values, vectors = eigh(matrix.toarray(), subset_by_index=(0, n_pairs - 1))
    else:
        # Shift and invert just below zero: the matrix is singular, and lifted, it can be
        # factorised.
        lift = 1e-10 * matrix.diagonal().mean()
        start = np.random.default_rng(0).standard_normal(n)
        with hold_threads():
            factors = splu(
                (matrix + lift * eye_array(n)).tocsc(),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
            inverse = LinearOperator((n, n), factors.solve, dtype=np.float64)
            values, vectors = eigsh(matrix, n_pairs, sigma=-lift, OPinv=inverse, v0=start)
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]

    # The sign of a vector is free: its largest entry is positive.
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
    return values, vectors * signs
