"""Kernel ridge regression for many penalties at once, with exact leave-one-out predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from shallows._core.threads import map_blocks

MOST_PENALTIES = 1000


@dataclass(frozen=True)
class RidgePath:
    """The eigendecomposition of a Gram matrix, from which each penalty costs little.

    With ``G = (K + alpha I)^-1`` the coefficients are ``c = G y``, and leaving sample i out moves
    its prediction to ``y_i - c_i / G_ii``. Weights enter as ``sqrt(w_i) K_ij sqrt(w_j)``.

    Attributes
    ----------
    values, vectors : ndarray
        Eigenvalues and eigenvectors of the weighted Gram matrix.
    rotated : ndarray of shape (n_samples, n_outputs)
        The weighted targets in the basis of the eigenvectors.
    y : ndarray of shape (n_samples, n_outputs)
        Targets.
    roots : ndarray of shape (n_samples,)
        Square roots of the weights.
    """

    values: np.ndarray
    vectors: np.ndarray
    rotated: np.ndarray
    y: np.ndarray
    roots: np.ndarray

    def coefficients(self, alpha):
        """Return the dual coefficients for one penalty."""
        shrunk = self.rotated / (self.values + alpha)[:, None]
        return (self.vectors @ shrunk) * self.roots[:, None]

    def leave_one_out(self, alphas):
        """Return the predictions of each sample without it, of shape (n_alphas, n, n_outputs)."""
        alphas = np.asarray(alphas, dtype=np.float64)
        inverse = 1.0 / (self.values[:, None] + alphas)

        def block(rows):
            vectors = self.vectors[rows]
            diagonal = vectors**2 @ inverse
            shrunk = inverse[:, :, None] * self.rotated[:, None, :]
            coef = vectors @ shrunk.reshape(len(inverse), -1)
            coef = coef.reshape(len(vectors), len(alphas), -1)
            return self.y[rows, None] - coef / (diagonal * self.roots[rows, None])[:, :, None]

        return np.concatenate(map_blocks(block, len(self.y), 512)).transpose(1, 0, 2)


def ridge_path(gram, y, weights):
    """Decompose a Gram matrix; it may be overwritten."""
    roots = np.sqrt(weights)
    gram = np.asarray(gram, dtype=np.float64)
    if (weights != 1).any():
        gram = gram * roots[:, None] * roots
    values, vectors = eigh(gram, driver="evd", overwrite_a=True, check_finite=False)
    values = np.maximum(values, 0.0)
    y = np.asarray(y, dtype=np.float64)
    return RidgePath(values, vectors, vectors.T @ (y * roots[:, None]), y, roots)


def check_penalties(owner, alphas):
    """Return the penalties as an array; they must be positive and not absurdly many."""
    alphas = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    if alphas.ndim != 1 or not len(alphas) or not np.all(np.isfinite(alphas) & (alphas > 0)):
        raise ValueError(f"{owner}: alphas must be positive finite numbers, got {alphas!r}.")
    if len(alphas) > MOST_PENALTIES:
        raise ValueError(
            f"{owner}: alphas holds {len(alphas)} penalties, at most {MOST_PENALTIES} are allowed. "
            "A grid of three per decade is fine enough for any choice."
        )
    return alphas
