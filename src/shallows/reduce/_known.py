"""Training samples among new ones."""

from __future__ import annotations

from shallows._core.numerics.neighbors import NeighborIndex


def keep_known(placed, X, X_fit, metric, embedding):
    """Give rows of X that are training samples their own place, in place.

    A row counts as one where its distance to it is exactly zero; of several, the first.
    """
    searched = NeighborIndex(embedding if X_fit is None else X_fit, metric)
    distances, nearest = searched.query(X, 1)
    known = distances[:, 0] == 0
    placed[known] = embedding[nearest[known, 0]]
