"""Silhouette: how well each sample lies within its cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from shallows._core.compile import compiled
from shallows._core.threads import map_blocks

BLOCK_ROWS, TILE = 128, 512
CLOSE = 1e-3  # a squared distance this much below the squared lengths is summed anew


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
    points = X[order] - X.mean(axis=0)
    norms = np.einsum("ij,ij->i", points, points)
    ends = np.cumsum(np.bincount(own))
    sorted_values = np.empty(len(X))

    def block(rows):
        products = points[rows] @ points.T
        silhouettes(points, norms, products, ends, rows.start, sorted_values[rows])

    map_blocks(block, len(X), BLOCK_ROWS)
    values = np.empty(len(X))
    values[order] = sorted_values
    return Silhouette(float(values.mean()), values)


@compiled
def silhouettes(points, norms, products, ends, start, values):
    """Write the silhouettes of the points from `start` on, given their products with all.

    The points stand cluster by cluster, which end at `ends`; `norms` are their squared lengths.
    """
    squared = np.empty(TILE)
    for p in range(len(values)):
        i = start + p
        inside, outside, alone = 0.0, np.inf, False
        begin = 0
        for c in range(len(ends)):
            total = 0.0
            for first in range(begin, ends[c], TILE):
                count = min(TILE, ends[c] - first)
                squares_of(points, norms, products[p], i, first, count, squared)
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
        values[p] = 0.0 if alone or larger == 0 else (outside - inside) / larger


@compiled
def squares_of(points, norms, products, i, first, count, squared):
    """Write the squared distances of point i to some others.

    A product leaves too few digits for points that are near to one another; the squares of
    these are summed anew.
    """
    lengths, product, own, n_close = norms[first:], products[first:], norms[i], 0
    for k in range(count):
        together = own + lengths[k]
        squared[k] = together - product[k] - product[k]
        n_close += squared[k] < CLOSE * together
    if n_close == 0:
        return
    for k in range(count):
        if squared[k] < CLOSE * (own + lengths[k]):
            total = 0.0
            for j in range(points.shape[1]):
                difference = points[i, j] - points[first + k, j]
                total += difference * difference
            squared[k] = total
