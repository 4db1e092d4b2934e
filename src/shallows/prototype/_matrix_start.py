"""The matrix that GMLVQ starts from: samples spread about their prototypes as on a sphere."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.distances import squared_distances
from shallows._core.numerics.threads import map_blocks
from shallows.prototype._start import Samples, fill_missing

FAINT = 1e-3  # weight of the spread where directions are ranked by how far prototypes are apart


def start_matrix(samples, start, rank, shrinkage):
    """Return the inverse root of the spread of samples about the nearest prototype of their class.

    With one prototype per class its borders are those of linear discriminant analysis. Of fewer
    rows than features, those lead in which the prototypes differ most.

    Parameters
    ----------
    samples : Samples
        Training data.
    start : Start
        The first prototypes.
    rank : int
        Number of rows.
    shrinkage : float
        How far the spread is drawn to a sphere; at 1 it is one.

    Returns
    -------
    omega : ndarray of shape (rank, n_features)
        The matrix; the sum of its squares is 1.
    """
    X, y, weights = samples
    n_features = X.shape[1]
    if rank == n_features and shrinkage == 1:
        return np.eye(n_features) / n_features**0.5
    filled = Samples(fill_missing(X, weights), y, weights / weights.sum())
    values, axes = _spread(filled, start)
    floor = shrinkage * values.sum() / n_features or 1.0
    inside, outside = ((1 - shrinkage) * values + floor) ** -0.5, floor**-0.5

    def sphere(rows):
        return outside * rows + (rows @ axes * (inside - outside)) @ axes.T

    directions = np.eye(n_features)
    if rank < n_features:
        offsets = start.prototypes - start.prototypes.mean(axis=0)
        apart = sphere(offsets / start.spread.scale**0.5)
        around = (axes * (np.sqrt(values) * inside)).T
        directions = _leading_directions(apart, around, rank)
    omega = sphere(directions)
    return omega / np.linalg.norm(omega)


def _spread(samples, start):
    """Return the variances along the principal axes of the spread, and the axes as columns."""
    X, y, shares = samples

    def gaps(rows):
        own = start.labels == y[rows, None]
        distances = squared_distances(X[rows], start.prototypes)
        nearest = start.prototypes[np.where(own, distances, np.inf).argmin(axis=1)]
        lengths = np.sqrt(shares[rows] / start.spread.scale)
        return lengths[:, None] * (X[rows] - nearest).astype(np.float64)

    if len(X) < X.shape[1]:
        return _principal_axes(gaps(slice(None)))
    parts = map_blocks(lambda rows: (block := gaps(rows)).T @ block, len(X))
    return _falling(*np.linalg.eigh(sum(parts)))


def _leading_directions(apart, around, rank):
    """Return the directions in which the rows of `apart` are long, then those of `around`."""
    faint = FAINT * np.sum(apart**2) / max(np.sum(around**2), np.finfo(float).tiny)
    rows = np.concatenate([apart, np.sqrt(faint or 1.0) * around])
    return _principal_axes(rows, at_least=rank)[1].T[:rank]


def _principal_axes(rows, at_least=0):
    """Return the squared lengths of all rows along their principal axes, and these as columns."""
    if at_least <= len(rows) < rows.shape[1]:
        _, lengths, axes = np.linalg.svd(rows, full_matrices=False)
        return lengths**2, axes.T
    return _falling(*np.linalg.eigh(rows.T @ rows))


def _falling(values, vectors):
    return np.maximum(values[::-1], 0.0), vectors[:, ::-1]
