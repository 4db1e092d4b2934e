"""What neighbourhoods ask of an embedding: combinations of coordinates that should be zero.

Each function takes places of samples, and for each the places of equally many neighbours. It
returns pairs of arrays: members of neighbourhoods, the sample itself in front, of shape
(n, n_members), and coefficients of their coordinates, of shape (n, n_combinations, n_members).
A sample is in its own neighbourhood, or one that is nobody's neighbour could be put anywhere.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, vstack

from shallows._core.numerics.threads import map_blocks

BLOCK_ROWS = 512
REGULARIZATION = 1e-3  # of the trace, added to the products of differences
ROUNDING = 1e-12


def residual_matrix(combinations, n_samples):
    """Return the sparse matrix with one row for each combination of coordinates."""
    parts = []
    for members, coefficients in combinations:
        n_rows, size = coefficients.shape[0] * coefficients.shape[1], coefficients.shape[2]
        columns = np.broadcast_to(members[:, None], coefficients.shape).ravel()
        starts = np.arange(n_rows + 1) * size
        parts.append(csr_array((coefficients.ravel(), columns, starts), shape=(n_rows, n_samples)))
    return vstack(parts, format="csr")


def tangent_combinations(X, rows, index, n_components):
    """Return what is orthogonal to all affine functions of the tangent coordinates [1]_.

    References
    ----------
    .. [1] Z. Zhang and H. Zha, "Principal manifolds and nonlinear dimensionality reduction via
       tangent space alignment", SIAM Journal on Scientific Computing 26, 313-338, 2004.
    """
    members = np.column_stack([rows, index])

    def block(part):
        affine = _affine_functions(X[members[part]], n_components)
        return np.linalg.qr(affine, mode="complete")[0][:, :, n_components + 1 :]

    found = np.concatenate(map_blocks(block, len(rows), BLOCK_ROWS))
    return [(members, found.transpose(0, 2, 1))]


def hessian_combinations(X, rows, index, n_components):
    """Return estimates of the second derivatives along the tangent space [1]_.

    References
    ----------
    .. [1] D. Donoho and C. Grimes, "Hessian eigenmaps: locally linear embedding techniques for
       high-dimensional data", PNAS 100, 5591-5596, 2003.
    """
    members = np.column_stack([rows, index])
    first, second = np.triu_indices(n_components)

    def block(part):
        affine = _affine_functions(X[members[part]], n_components)
        products = affine[:, :, 1 + first] * affine[:, :, 1 + second]
        basis = np.concatenate([affine, products], axis=2)
        return np.linalg.qr(basis)[0][:, :, n_components + 1 :]

    found = np.concatenate(map_blocks(block, len(rows), BLOCK_ROWS))
    return [(members, found.transpose(0, 2, 1))]


def modified_combinations(X, rows, index, n_components, tol=ROUNDING):
    """Return the differences of samples from several sums of their neighbours [1]_.

    As many sums as directions in which the neighbours differ little; what is little, the
    median of all neighbourhoods decides. A reflection shorter than `tol` is none.

    References
    ----------
    .. [1] Z. Zhang and J. Wang, "MLLE: modified locally linear embedding using multiple weights",
       NIPS 19, 1593-1600, 2006.
    """

    def block(part):
        return _principal(X[index[part]].astype(np.float64) - X[rows[part], None])

    parts = map_blocks(block, len(rows), BLOCK_ROWS)
    variances, directions = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    held = np.cumsum(variances, axis=1)
    total = held[:, -1:]
    missed = (total - held) / np.maximum(held, np.finfo(float).tiny)
    little = max(float(np.median(missed[:, n_components - 1])), ROUNDING)
    counts = np.maximum((missed[:, n_components - 1 : -1] < little).sum(axis=1), 1)

    along = directions.sum(axis=1)
    lifted = variances + REGULARIZATION * np.where(total > 0, total, 1.0)
    weights = np.einsum("ijk,ik->ij", directions, along / lifted)
    weights /= weights.sum(axis=1, keepdims=True)
    found = []
    for count in np.unique(counts):
        own = np.flatnonzero(counts == count)
        flat, sums = directions[own, :, -count:], along[own, -count:]
        mean = np.linalg.norm(sums, axis=1, keepdims=True) / np.sqrt(count)
        mirror = mean - sums  # reflects the sums to equal ones
        length = np.linalg.norm(mirror, axis=1, keepdims=True)
        mirror = np.divide(mirror, length, out=np.zeros_like(mirror), where=length > tol)
        turned = flat - 2 * (flat @ mirror[:, :, None]) * mirror[:, None]
        turned += ((1 - mean) * weights[own])[:, :, None]
        itself = np.ones((len(own), count, 1))
        coefficients = np.concatenate([itself, -turned.transpose(0, 2, 1)], axis=2)
        found.append((np.column_stack([rows[own], index[own]]), coefficients))
    return found


def _affine_functions(members, n_components):
    """Return the constant one and the tangent coordinates of each neighbourhood."""
    members = members.astype(np.float64)
    _, directions = _principal(members - members.mean(axis=1, keepdims=True))
    constant = np.ones((*members.shape[:2], 1))
    return np.concatenate([constant, directions[:, :, :n_components]], axis=2)


def _principal(gaps):
    """Return squared singular values from large to small, and the left singular vectors."""
    values, vectors = np.linalg.eigh(gaps @ gaps.transpose(0, 2, 1))
    return np.maximum(values[:, ::-1], 0.0), vectors[:, :, ::-1]
