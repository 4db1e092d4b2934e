"""Neighbour graphs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.utils.validation import check_array

from shallows._core.contract.params import PositiveFloat, PositiveInt, check_arguments
from shallows._core.numerics.neighbors import Metric, NeighborIndex
from shallows._core.numerics.threads import map_blocks


@dataclass(frozen=True)
class NeighborGraph:
    """Samples joined to their neighbours, and how well the graph holds together.

    Parameters
    ----------
    lengths : CSR array of shape (n_samples, n_samples)
        Length of each edge; a stored zero is an edge between samples at one place.
    n_components : int
        Number of connected parts.
    labels : ndarray of shape (n_samples,)
        Part of each sample.
    isolated : ndarray of int
        Samples without any neighbour.
    """

    lengths: csr_array
    n_components: int
    labels: np.ndarray
    isolated: np.ndarray


def neighbor_graph(
    X,
    n_neighbors: PositiveInt | None = None,
    *,
    radius: PositiveFloat | None = None,
    metric: Metric = "euclidean",
    symmetric: bool = True,
) -> NeighborGraph:
    """Join each sample to its nearest neighbours, or to all within a radius.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples, or distances between them where precomputed.
    n_neighbors : int or None, default=None
        Number of neighbours of each sample, itself not counted.
    radius : float or None, default=None
        Largest length of an edge. Give this or `n_neighbors`.
    metric : str or callable, default="euclidean"
        Distance between samples; "precomputed" takes the distances as X.
    symmetric : bool, default=True
        Join two samples where one is a neighbour of the other. Without, edges lead from a
        sample to its neighbours only.

    Returns
    -------
    graph : NeighborGraph
        Edges, connected parts and isolated samples.

    Examples
    --------
    >>> from shallows.reduce import neighbor_graph
    >>> graph = neighbor_graph([[0.0], [1.0], [3.0], [9.0]], radius=2.5)
    >>> graph.n_components, graph.isolated.tolist()
    (2, [3])
    """
    given = {"n_neighbors": n_neighbors, "radius": radius, "metric": metric}
    check_arguments(neighbor_graph, {**given, "symmetric": symmetric})
    X = check_array(X, dtype=(np.float64, np.float32), order="C")
    if (n_neighbors is None) == (radius is None):
        raise ValueError(
            f"neighbor_graph takes n_neighbors or radius, got n_neighbors={n_neighbors} and "
            f"radius={radius}."
        )
    if radius is None:
        distances, index = nearest_others(X, n_neighbors, metric)
        rows = np.repeat(np.arange(len(X)), index.shape[1])
        edges = rows, index.ravel(), distances.ravel()
    else:
        edges = _within(X, radius, metric)
    if symmetric:
        rows, columns, lengths = edges
        edges = (
            np.append(rows, columns),
            np.append(columns, rows),
            np.append(lengths, lengths),
        )
    return graph_of(edges, len(X))


def nearest_others(X, n_neighbors, metric="euclidean"):
    """Return distances and places of the nearest samples of each sample, itself left out."""
    if n_neighbors >= len(X):
        raise ValueError(
            f"n_neighbors={n_neighbors} must be less than n_samples={len(X)}: a sample is no "
            "neighbour of itself."
        )
    distances, index = NeighborIndex(X, metric).query(X, n_neighbors + 1)
    itself = index == np.arange(len(X))[:, None]
    itself[~itself.any(axis=1), -1] = True  # among many samples at one place
    shape = len(X), n_neighbors
    return distances[~itself].reshape(shape), index[~itself].reshape(shape)


def graph_of(edges, n_samples):
    """Return the graph with these edges, each kept once."""
    rows, columns, lengths = edges
    keys, first = np.unique(rows.astype(np.int64) * n_samples + columns, return_index=True)
    starts = np.searchsorted(keys, np.arange(n_samples + 1, dtype=np.int64) * n_samples)
    parts = lengths[first].astype(np.float64), (keys % n_samples).astype(np.int32)
    matrix = csr_array((*parts, starts.astype(np.int32)), shape=(n_samples, n_samples))
    count, labels = connected_components(matrix, directed=True, connection="weak")
    ends = np.bincount(rows, minlength=n_samples) + np.bincount(columns, minlength=n_samples)
    return NeighborGraph(matrix, int(count), labels, np.flatnonzero(ends == 0))


def join_components(graph, X, metric):
    """Add the shortest edges that make the graph one piece, the smallest part first."""
    while graph.n_components > 1:
        smallest = np.bincount(graph.labels).argmin()
        inside = np.flatnonzero(graph.labels == smallest)
        outside = np.flatnonzero(graph.labels != smallest)
        if metric == "precomputed":
            gaps = np.asarray(X)[np.ix_(inside, outside)]
            place = np.unravel_index(gaps.argmin(), gaps.shape)
            start, end, length = inside[place[0]], outside[place[1]], gaps[place]
        else:
            distances, nearest = NeighborIndex(X[outside], metric).query(X[inside], 1)
            best = distances[:, 0].argmin()
            start, end, length = inside[best], outside[nearest[best, 0]], distances[best, 0]
        known = graph.lengths.tocoo()
        edges = (
            np.append(known.row, [start, end]),
            np.append(known.col, [end, start]),
            np.append(known.data, [length, length]),
        )
        graph = graph_of(edges, len(X))
    return graph


def _within(X, radius, metric):
    index = NeighborIndex(X, metric)

    def block(rows):
        distances = index.distances(X[rows])
        near = distances <= radius
        near[np.arange(len(near)), np.arange(rows.start, rows.stop)] = False
        row, column = np.nonzero(near)
        return row + rows.start, column, distances[row, column]

    parts = map_blocks(block, len(X), max(1, 2**20 // len(X)))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
