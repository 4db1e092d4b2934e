"""Silhouette: how well each sample lies within its cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from shallows._core.compile import compiled
from shallows._core.threads import map_blocks

BLOCK_ROWS, TILE = 64, 512


class Silhouette(NamedTuple):
    """Silhouettes of samples.

    Parameters
    ----------
    score : float
        Mean of the values.
    values : ndarray of shape (n_samples,)
        Silhouette of each sample, from -1 to 1.
    """

    score: float
    values: np.ndarray


def silhouette(X, labels) -> Silhouette:
    """Compare the distances of each sample to its own cluster and to the next.

    With the mean Euclidean distance a to the other samples of its cluster and the least mean
    distance b to the samples of another, a sample has the silhouette (b - a) / max(a, b), or
    0 if it is alone in its cluster [1]_. The number of clusters with the largest mean suggests
    itself. Distances are summed as they are computed and never stored.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples. For other distances use :func:`sklearn.metrics.silhouette_samples`.
    labels : array-like of shape (n_samples,)
        Cluster of each, at least two and fewer than samples.

    Returns
    -------
    silhouette : Silhouette
        The mean, and the value of each sample.

    References
    ----------
    .. [1] P. J. Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation
       of cluster analysis", Journal of Computational and Applied Mathematics 20, 1987.

    Examples
    --------
    >>> from shallows.cluster import silhouette
    >>> round(silhouette([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1]).score, 3)
    0.889
    """
    X = check_array(X, dtype=np.float64, input_name="X")
    check_consistent_length(X, labels)
    names, own = np.unique(np.asarray(labels), return_inverse=True)
    if not 2 <= len(names) < len(X):
        raise ValueError(
            f"silhouette: labels must name at least 2 clusters and fewer than n_samples={len(X)}, "
            f"got {len(names)}."
        )
    order = np.argsort(own, kind="stable")
    points = np.ascontiguousarray(X[order].T)
    ends = np.cumsum(np.bincount(own))
    sorted_values = np.empty(len(X))
    map_blocks(
        lambda rows: silhouettes(points, ends, rows.start, rows.stop, sorted_values),
        len(X),
        BLOCK_ROWS,
    )
    values = np.empty(len(X))
    values[order] = sorted_values
    return Silhouette(float(values.mean()), values)


@compiled
def silhouettes(points, ends, start, stop, values):
    """Write the silhouettes of some points.

    `points` has a row per feature and the clusters one after the other, which end at `ends`.
    """
    n_features = len(points)
    squared = np.empty(TILE)
    for i in range(start, stop):
        inside, outside, alone = 0.0, np.inf, False
        begin = 0
        for c in range(len(ends)):
            total = 0.0
            for first in range(begin, ends[c], TILE):
                count = min(TILE, ends[c] - first)
                for k in range(count):
                    squared[k] = 0.0
                for f in range(0, n_features - 3, 4):
                    p0, p1, p2, p3 = (
                        points[f, i],
                        points[f + 1, i],
                        points[f + 2, i],
                        points[f + 3, i],
                    )
                    for k in range(count):
                        d0 = points[f, first + k] - p0
                        d1 = points[f + 1, first + k] - p1
                        d2 = points[f + 2, first + k] - p2
                        d3 = points[f + 3, first + k] - p3
                        squared[k] += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
                for f in range(n_features - n_features % 4, n_features):
                    own = points[f, i]
                    for k in range(count):
                        difference = points[f, first + k] - own
                        squared[k] += difference * difference
                for k in range(count):
                    total += np.sqrt(squared[k])
            size = ends[c] - begin
            if begin <= i < ends[c]:
                alone = size == 1
                inside = total / max(size - 1, 1)
            else:
                outside = min(outside, total / size)
            begin = ends[c]
        larger = max(inside, outside)
        values[i] = 0.0 if alone or larger == 0 else (outside - inside) / larger
