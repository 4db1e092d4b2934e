"""Kernel ridge regression for many penalties at once, with exact leave-one-out predictions."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, eigh

from shallows._core.numerics.threads import map_blocks, quick_lapack
from shallows.kernel._band import inverse_parts, inverse_traces

MOST_PENALTIES = 1000
FEW_PENALTIES = 40  # an eigendecomposition costs more, but less for each penalty
SMALL = 400


class RidgePath(NamedTuple):
    """Dual coefficients, and predictions of each sample without it, one entry per penalty.

    Both have shape (n_alphas, n_samples, n_outputs).
    """

    coefficients: np.ndarray
    left_out: np.ndarray


def ridge_path(gram, y, weights, alphas, dtype=np.float64) -> RidgePath:
    """Solve for all penalties from one decomposition of the Gram matrix.

    With ``G = (K + alpha I)^-1`` the coefficients are ``c = G y``, and leaving sample i out moves
    its prediction to ``y_i - c_i / G_ii``. Weights enter as ``sqrt(w_i) K_ij sqrt(w_j)``. The
    coefficients are found in double precision, G_ii where it takes long in that of `dtype`. A
    Gram matrix that can be written is.
    """
    gram, right, roots = _weighted(gram, y, weights)
    by_band = partial(inverse_parts, dtype=dtype)
    with quick_lapack(len(gram)):
        diagonals, solutions = _first_of(by_band, _by_eigenvectors, gram, right, alphas)
    left_out = y - solutions / (diagonals[:, :, None] * roots)
    return RidgePath(solutions * roots, left_out)


def generalized_path(gram, y, weights, alphas):
    """Return dual coefficients like `ridge_path`, and errors by generalized cross-validation.

    Errors left out are replaced by errors over the mean of ``1 - H_ii = alpha G_ii``. A weight
    counts as so many samples, of which all but one have their error from another.
    """
    gram, right, roots = _weighted(gram, y, weights)
    with quick_lapack(len(gram)):
        traces, solutions = _first_of(inverse_traces, _traces_by_eigenvectors, gram, right, alphas)
    squares, total = (alphas[:, None, None] * solutions) ** 2, weights.sum()
    free = alphas * traces + total - len(gram)
    return solutions * roots, total * squares.mean(axis=2).sum(axis=1) / free**2


def _weighted(gram, y, weights):
    """Return the matrix and the targets of the weighted problem, and the roots of the weights."""
    gram, roots = np.require(gram, np.float64, ["C", "W"]), np.sqrt(weights)[:, None]
    if (weights != 1).any():
        gram *= roots
        gram *= roots.T
    return gram, np.asarray(y, dtype=np.float64) * roots, roots


def _first_of(by_band, by_eigenvectors, gram, targets, alphas):
    """Take the quicker way, unless the matrix is small or no kernel, or penalties are many."""
    if len(gram) > SMALL and len(alphas) <= FEW_PENALTIES:
        diagonal = gram.diagonal().copy()
        try:
            return by_band(gram, targets, alphas)
        except LinAlgError:  # no kernel, or penalties at the level of rounding
            np.fill_diagonal(gram, diagonal)  # now the lower triangle is whole, and enough
    return by_eigenvectors(gram, targets, alphas)


def _traces_by_eigenvectors(gram, targets, alphas):
    diagonals, solutions = _by_eigenvectors(gram, targets, alphas)
    return diagonals.sum(axis=1), solutions


def _by_eigenvectors(gram, targets, alphas):
    """Return the diagonals of the inverses, and the inverses times the targets."""
    values, vectors = eigh(gram, driver="evd", check_finite=False)
    inverse = 1.0 / (np.maximum(values, 0.0)[:, None] + alphas)
    shrunk = inverse.T[:, :, None] * (vectors.T @ targets)

    def block(rows):
        return (vectors[rows] ** 2 @ inverse).T, vectors[rows] @ shrunk

    parts = map_blocks(block, len(targets), 512)
    return tuple(np.concatenate(part, axis=1) for part in zip(*parts, strict=True))


def check_penalties(owner, alphas):
    """Return the penalties as an array; they must be positive and not absurdly many."""
    alphas = np.atleast_1d(np.asarray(alphas))
    fit = alphas.ndim == 1 and len(alphas) and alphas.dtype.kind in "iuf"
    if not fit or not np.all(np.isfinite(alphas) & (alphas > 0)):
        raise ValueError(f"{owner}: alphas must be positive finite numbers, got {alphas!r}.")
    if len(alphas) > MOST_PENALTIES:
        raise ValueError(
            f"{owner}: alphas holds {len(alphas)} penalties, at most {MOST_PENALTIES} are allowed. "
            "A grid of three per decade is fine enough for any choice."
        )
    return alphas.astype(np.float64)
