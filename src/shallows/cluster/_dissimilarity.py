"""Distances between all samples: computed, or given and checked."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.spatial.distance import cdist, squareform

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks

Metric = Literal[
    "euclidean",
    "l2",
    "manhattan",
    "l1",
    "cityblock",
    "chebyshev",
    "cosine",
    "correlation",
    "precomputed",
]
OTHER_NAMES = {"l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean"}
SCIPY_NAMES = {"manhattan": "cityblock"}
BLOCK_ROWS, TILE, STRIP = 64, 256, 32


def one_name(metric):
    """Return the name of a metric that has two."""
    return OTHER_NAMES.get(metric, metric)


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
    rows = isinstance(X, list | tuple)
    shape = (len(X), *np.shape(X[:1])[1:]) if rows else getattr(X, "shape", ())
    if len(shape) == 1:
        raise ValueError(
            f"{owner}: X must have two dimensions, samples or with "
            f'metric="precomputed" a square array of distances, got shape {shape}. '
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
    n_features, n = points.shape
    own, tile = np.empty((stop - start, n_features)), np.empty((STRIP, TILE))
    for f in range(n_features):
        for i in range(start, stop):
            own[i - start, f] = points[f, i]
    # Tiles of points and strips of features stay in the cache.
    for begin in range(start + 1, n, TILE):
        for strip in range(0, n_features, STRIP):
            end = min(strip + STRIP, n_features)
            part = take_tile(points, strip, end, begin, tile)
            for i in range(start, min(stop, begin + TILE - 1)):
                first = max(begin, i + 1)
                count = min(begin + TILE, n) - first
                # The part of the condensed row that the tile covers.
                squared = condensed[i * n - i * (i + 1) // 2 - i - 1 + first :]
                if strip == 0:
                    for k in range(count):
                        squared[k] = 0
                add_squares(part, own[i - start, strip:end], first - begin, count, squared)
                # After the last strip the sums are complete.
                if end == n_features:
                    for k in range(count):
                        squared[k] = np.sqrt(squared[k])


@compiled
def rows_of_distances(X, points, distances):
    """Write the Euclidean distances of rows of X to points, given with a row per feature."""
    n_features, n = points.shape
    own, tile = np.empty(X.shape), np.empty((STRIP, TILE))
    for i in range(len(X)):
        for f in range(n_features):
            own[i, f] = X[i, f]
    # Tiles of points and strips of features stay in the cache.
    for first in range(0, n, TILE):
        count = min(TILE, n - first)
        for strip in range(0, n_features, STRIP):
            end = min(strip + STRIP, n_features)
            part = take_tile(points, strip, end, first, tile)
            for i in range(len(X)):
                squared = distances[i, first:]
                if strip == 0:
                    for k in range(count):
                        squared[k] = 0
                add_squares(part, own[i, strip:end], np.int64(0), count, squared)
                if end == n_features:
                    for k in range(count):
                        squared[k] = np.sqrt(squared[k])


@compiled
def take_tile(points, strip, end, first, tile):
    """Copy some features of some points to `tile`, which stays in the cache; return that part."""
    for f in range(strip, end):
        for k in range(min(TILE, points.shape[1] - first)):
            tile[f - strip, k] = points[f, first + k]
    return tile[: end - strip]


@compiled
def add_squares(points, point, first, count, squared):
    """Add the squared distances of some points to one; four features at a time save memory.

    Rows are cut off before the loops: these then vectorise, as they could not with an index
    that might be negative.
    """
    n_features = len(points)
    for f in range(0, n_features - 3, 4):
        p0, p1, p2, p3 = point[f], point[f + 1], point[f + 2], point[f + 3]
        row0, row1 = points[f, first:], points[f + 1, first:]
        row2, row3 = points[f + 2, first:], points[f + 3, first:]
        for k in range(count):
            d0, d1, d2, d3 = row0[k] - p0, row1[k] - p1, row2[k] - p2, row3[k] - p3
            squared[k] += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
    for f in range(n_features - n_features % 4, n_features):
        row = points[f, first:]
        for k in range(count):
            difference = row[k] - point[f]
            squared[k] += difference * difference
