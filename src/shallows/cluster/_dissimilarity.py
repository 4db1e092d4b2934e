"""Distances between all samples: computed, or given and checked."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.spatial.distance import cdist, squareform

from shallows._core.compile import compiled
from shallows._core.threads import map_blocks

Metric = Literal["euclidean", "manhattan", "chebyshev", "cosine", "correlation", "precomputed"]
SCIPY_NAMES = {"manhattan": "cityblock"}
BLOCK_ROWS, TILE = 64, 512


def condensed_distances(X, metric):
    """Return the distances of all pairs of rows in SciPy's condensed order, in float64."""
    if metric == "precomputed":
        return squareform(X, checks=False).astype(np.float64, copy=True)
    n = len(X)
    condensed = np.empty(n * (n - 1) // 2)
    points = np.ascontiguousarray(X.T, dtype=np.float64)

    def block(rows):
        if metric == "euclidean":
            condensed_rows(points, rows.start, rows.stop, condensed)
            return
        start = rows.start * n - rows.start * (rows.start + 1) // 2
        part = distances_between(X[rows], X[rows.start :], metric)
        for i, row in enumerate(part):
            stop = start + len(row) - i - 1
            condensed[start:stop] = row[i + 1 :]
            start = stop

    map_blocks(block, n, BLOCK_ROWS)
    return condensed


def distances_between(X, Z, metric):
    """Return the distance of each row of X to each row of Z, in float64."""
    name = SCIPY_NAMES.get(metric, metric)
    if metric == "euclidean":
        squared = np.empty((len(X), len(Z)))
        points = np.ascontiguousarray(Z.T, dtype=np.float64)
        map_blocks(lambda rows: rows_of_distances(X[rows], points, squared[rows]), len(X), 64)
        return squared
    parts = map_blocks(lambda rows: cdist(X[rows], Z, metric=name), len(X), 256)
    return np.concatenate(parts)


def refuse_condensed(owner, X):
    """Raise for one dimension, such as SciPy's condensed distances."""
    shape = np.shape(X[:1]) if isinstance(X, list | tuple) else getattr(X, "shape", ())
    if len(shape) == 1:
        raise ValueError(
            f"{owner}: X must have two dimensions, samples or with "
            f'metric="precomputed" a square array of distances, got shape ({len(X)},). '
            "Use scipy.spatial.distance.squareform for condensed distances, and "
            "reshape(-1, 1) for samples of one feature."
        )


def check_directions(owner, X, metric):
    """Raise where a row has no direction, so that its cosine or correlation is undefined."""
    if metric == "cosine":
        bare = np.einsum("ij,ij->i", X, X, dtype=np.float64) == 0
    elif metric == "correlation":
        bare = np.ptp(X, axis=1) == 0
    else:
        return
    if bare.any():
        kind = "zeros only" if metric == "cosine" else "equal numbers only"
        raise ValueError(
            f'{owner}: metric="{metric}" has no distance for a sample of {kind}, got '
            f"{int(bare.sum())} of them, the first at row {int(bare.argmax())}. Leave them out, or "
            'take metric="euclidean".'
        )


@compiled
def condensed_rows(points, start, stop, condensed):
    """Write the Euclidean distances of some points to all behind them.

    `points` has a row per feature, so that the inner loops run over neighbouring numbers.
    """
    n = points.shape[1]
    squared = np.empty(TILE)
    for tile in range(start + 1, n, TILE):
        for i in range(start, min(stop, tile + TILE - 1)):
            first = max(tile, i + 1)
            count = min(tile + TILE, n) - first
            for k in range(count):
                squared[k] = 0
            add_squares(points, points[:, i], first, count, squared)
            row = i * n - i * (i + 1) // 2 - i - 1
            for k in range(count):
                condensed[row + first + k] = np.sqrt(squared[k])


@compiled
def rows_of_distances(X, points, distances):
    """Write the Euclidean distances of rows of X to points, given with a row per feature."""
    n = points.shape[1]
    squared = np.empty(TILE)
    for i in range(len(X)):
        for first in range(0, n, TILE):
            count = min(TILE, n - first)
            for k in range(count):
                squared[k] = 0
            add_squares(points, X[i], first, count, squared)
            for k in range(count):
                distances[i, first + k] = np.sqrt(squared[k])


@compiled
def add_squares(points, point, first, count, squared):
    """Add the squared distances of some points to one; four features at a time save memory."""
    n_features = len(points)
    for f in range(0, n_features - 3, 4):
        p0, p1, p2, p3 = point[f], point[f + 1], point[f + 2], point[f + 3]
        for k in range(count):
            d0 = points[f, first + k] - p0
            d1 = points[f + 1, first + k] - p1
            d2 = points[f + 2, first + k] - p2
            d3 = points[f + 3, first + k] - p3
            squared[k] += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
    for f in range(n_features - n_features % 4, n_features):
        for k in range(count):
            difference = points[f, first + k] - point[f]
            squared[k] += difference * difference
