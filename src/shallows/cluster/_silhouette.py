"""Silhouette: how well each sample lies within its cluster."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics.pairwise import pairwise_distances
from sklearn.utils import check_array

from shallows._core.contract.magnitude import check_magnitude
from shallows._core.contract.params import check_arguments
from shallows._core.contract.precomputed import check_pairs
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks
from shallows._core.showing.figures import Drawing
from shallows._core.showing.figures.chart import assemble, axis, color_by
from shallows.cluster._dissimilarity import (
    Metric,
    check_directions,
    distances_between,
    one_name,
    refuse_condensed,
)
from shallows.cluster._given_labels import check_labels

BLOCK_ROWS, TILE = 128, 512
CLOSE = 1e-3  # a squared distance this much below the squared lengths is summed anew
SPARSE_METRICS = ("euclidean", "manhattan", "cosine")
MOST_DRAWN = 2000  # samples; of more every k-th is drawn


class Silhouette(NamedTuple):
    """Silhouettes of samples.

    Parameters
    ----------
    score : float
        Mean of the values.
    values : ndarray of shape (n_samples,)
        Silhouette of each sample, from -1 to 1.
    labels : ndarray of shape (n_samples,)
        Cluster of each sample, as it was given.
    """

    score: float
    values: np.ndarray
    labels: np.ndarray

    def chart(self) -> Drawing:
        """Return a drawing, which shows itself in a notebook.

        Each cluster is a block of bars with its name at the left, one bar for each sample, from
        the largest silhouette to the smallest; the dashed line is the mean. Of many samples only
        some are drawn.

        Returns
        -------
        drawing : Drawing
            Displays itself in a notebook; `save` writes it as PNG, SVG or HTML.
        """
        step = -(-len(self.values) // MOST_DRAWN)
        names = np.unique(self.labels)
        gap = max(1, round(min(0.02, 0.3 / len(names)) * len(self.values) / step))
        rows, place = [], 0
        middles: dict[int, str] = {}
        for name in names:
            inside = np.sort(self.values[self.labels == name])[::-1][::step]
            middles[place + len(inside) // 2] = str(name)
            for value in inside:
                bar = {"cluster": str(name), "silhouette": float(value)}
                rows.append({**bar, "above": place, "below": place + 1})
                place += 1
            place += gap
        down: dict[str, Any] = {
            "type": "quantitative",
            "title": "cluster",
            "scale": {"reverse": True, "nice": False},
            "axis": {
                "values": list(middles),
                "labelExpr": f"({json.dumps(middles)})[datum.value]",
                "labelOverlap": "greedy",
                "grid": False,
                "ticks": False,
                "domain": False,
            },
        }
        color = color_by("cluster")["color"] | {"legend": None}  # of many, several share a colour
        bars = {
            "x": axis("silhouette", {}, "x"),
            "x2": {"datum": 0},
            "y": {"field": "above", **down},
            "y2": {"field": "below"},
            "color": color,
        }
        layers = [{"mark": {"type": "rect", "tooltip": True}, "encoding": bars}]
        columns = ["cluster", "silhouette", "above", "below"]
        title = f"Silhouettes by cluster, mean {self.score:.3f}"
        return assemble(columns, layers, {"title": title, "x_rule": self.score}).spec(rows)


def silhouette(X, labels, metric: Metric = "euclidean") -> Silhouette:
    """Compare the distances of each sample to its own cluster and to the next.

    With the mean distance a to the other samples of its cluster and the least mean distance b to
    the samples of another, a sample has the silhouette (b - a) / max(a, b), or 0 if it is alone
    in its cluster [1]_. The number of clusters with the largest mean suggests itself. Distances
    are summed as they are computed and never stored.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Samples, or their distances if `metric` is "precomputed". Euclidean and Manhattan
        distances and cosines also go with CSR arrays.
    labels : array-like of shape (n_samples,)
        Cluster of each, at least two and fewer than samples.
    metric : str, default="euclidean"
        Distance of two samples: "euclidean" or "l2", "manhattan" or "l1", "chebyshev", "cosine",
        "correlation", or "precomputed".

    Returns
    -------
    silhouette : Silhouette
        The mean, the value of each sample, and `chart` to draw them.

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
    check_arguments(silhouette, locals())
    refuse_condensed("silhouette", X)
    X = check_array(
        X, dtype=np.float64, accept_sparse="csr", input_name="X", estimator="silhouette"
    )
    n, metric = X.shape[0], one_name(metric)
    labels = check_labels("silhouette", labels, n)
    if metric != "precomputed":
        check_magnitude("silhouette", X)
    names, own = np.unique(labels, return_inverse=True)
    if not 2 <= len(names) < n:
        raise ValueError(
            f"silhouette: labels must name at least 2 clusters and fewer than n_samples={n}, "
            f"got {len(names)}."
        )

    # Sorted by cluster, the sums over clusters are sums over slices.
    order, sizes = np.argsort(own, kind="stable"), np.bincount(own)
    sorted_values = (
        _by_products(X[order], sizes)
        if metric == "euclidean" and not issparse(X)
        else _by_distances(X, order, own[order], sizes, metric)
    )
    values = np.empty(n)
    values[order] = sorted_values
    return Silhouette(float(values.mean()), values, labels)


def _by_products(X, sizes):
    """Return the silhouettes of samples that stand cluster by cluster, by Euclidean distances."""
    points = X - X.mean(axis=0)
    norms = np.einsum("ij,ij->i", points, points)
    ends, values = np.cumsum(sizes), np.empty(len(X))

    def block(rows):
        products = points[rows] @ points.T
        silhouettes(points, norms, products, ends, rows.start, values[rows])

    map_blocks(block, len(X), BLOCK_ROWS)
    return values


def _by_distances(X, order, own, sizes, metric):
    """Return the silhouettes in the given order, in which samples stand cluster by cluster."""
    if metric == "precomputed":
        if issparse(X):
            raise TypeError("silhouette: precomputed distances must be dense, got a sparse matrix.")
        check_pairs("silhouette", X)
    elif not issparse(X):
        check_directions("silhouette", X, metric)
    elif metric not in SPARSE_METRICS:
        raise TypeError(
            f"silhouette: sparse samples go with the metrics {', '.join(SPARSE_METRICS)}, got "
            f"metric={metric!r}. Use X.toarray() if it fits in memory."
        )
    starts, sorted_X = np.cumsum(sizes) - sizes, X if metric == "precomputed" else X[order]

    def block(rows):
        if metric == "precomputed":
            part = X[np.ix_(order[rows], order)]
        elif issparse(X):
            part = pairwise_distances(sorted_X[rows], sorted_X, metric=metric)
        else:
            part = distances_between(sorted_X[rows], sorted_X, metric)
        here, mine = np.arange(len(part)), own[rows]
        sums = np.add.reduceat(part, starts, axis=1)
        inside = sums[here, mine] / np.maximum(sizes[mine] - 1, 1)
        means = sums / sizes
        means[here, mine] = np.inf
        outside = means.min(axis=1)
        larger = np.maximum(inside, outside)
        known = (sizes[mine] > 1) & (larger > 0)
        return np.where(known, (outside - inside) / np.where(known, larger, 1.0), 0.0)

    return np.concatenate(map_blocks(block, X.shape[0], BLOCK_ROWS))


@compiled
def silhouettes(points, norms, products, ends, start, values):
    """Write the silhouettes of the points from `start` on, given their products with all.

    The points stand cluster by cluster, which end at `ends`; `norms` are their squared lengths.
    """
    squared = np.empty(TILE)
    for p in range(len(values)):
        i = start + p

        # a: mean distance to the own cluster; b: least mean distance to another (Rousseeuw 1987).
        inside, outside, alone = 0.0, np.inf, False
        begin = 0
        # Mean distance to each cluster; in its own cluster the point itself does not count.
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
        # Silhouette (outside - inside) / larger, 0 for a cluster of one.
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
        # |x|^2 + |z|^2 - 2 x'z, and how many of these have lost their digits.
        together = own + lengths[k]
        squared[k] = together - product[k] - product[k]
        n_close += squared[k] < CLOSE * together
    if n_close == 0:
        return

    # Sum those up anew from differences.
    for k in range(count):
        if squared[k] < CLOSE * (own + lengths[k]):
            total = 0.0
            for j in range(points.shape[1]):
                difference = points[i, j] - points[first + k, j]
                total += difference * difference
            squared[k] = total
