"""Agglomeration over a graph: only clusters that an edge joins may merge."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.sparse import coo_array, csr_array, triu
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from sklearn.utils import check_array

from shallows._core.contract.magnitude import check_magnitude
from shallows._core.contract.precomputed import check_pairs
from shallows._core.contract.targets import naming
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import block_slices, map_blocks
from shallows.cluster._dissimilarity import check_directions, distances_between
from shallows.cluster._edge_merges import CODES, merge_over_edges
from shallows.cluster._merge_tree import tree_of_merges

BLOCK_DISTANCES = 2**21


def build_constrained_tree(owner, X, method, metric, weights, connectivity, used):
    """Return the linkage matrix of checked samples over a graph, and in how many pieces that is.

    A graph that is no callable has a row per sample, of which `used` tells those in X.
    """
    if method != "single" and method not in CODES:
        raise ValueError(
            f"{owner}: connectivity goes with linkage 'ward', 'complete', 'average' or 'single', "
            f"got {method!r}. Choose one of these, or connectivity=None."
        )
    if method == "ward" and metric != "euclidean":
        raise ValueError(
            f'{owner}: ward linkage over connectivity needs samples and metric="euclidean", '
            f"got {metric!r}. Choose another linkage for it, such as average."
        )
    if metric == "precomputed":
        check_pairs(owner, X)
    check_magnitude(owner, X)
    check_directions(owner, X, metric)
    graph = _check_graph(owner, X, connectivity, used)
    pieces, piece = connected_components(graph, directed=False)
    a, b = (ends.astype(np.int64) for ends in triu(graph, 1).nonzero())
    if pieces > 1:
        warnings.warn(
            f"{owner}: the graph of connectivity has {pieces} connected components. Each two were "
            "joined by their nearest samples. Completing it to avoid stopping the tree early.",
            stacklevel=3,
        )
        more_a, more_b = _bridges(X, metric, pieces, piece)
        a, b = np.concatenate([a, more_a]), np.concatenate([b, more_b])
    if method == "single":
        return _spanning_tree(a, b, _lengths(X, metric, a, b), len(X)), pieces
    merges, ends = len(X) - 1, np.stack([b, a], axis=1).ravel()
    first, second, height = np.empty(merges, np.int64), np.empty(merges, np.int64), np.empty(merges)
    ward, heaviest = method == "ward", weights.max()  # products of larger weights might overflow
    centers = np.array(X if ward else X[:0], dtype=np.float64)
    gap = np.empty(len(a)) if ward else _lengths(X, metric, a, b)
    merge_over_edges(ends, gap, centers, weights / heaviest, CODES[method], first, second, height)
    if ward:
        height = np.sqrt(2 * height) * np.sqrt(heaviest)
    return tree_of_merges(first, second, height, ordered=True), pieces


def _check_graph(owner, X, connectivity, used):
    """Return the symmetric graph of the samples in X, as a sparse array of True."""
    made = callable(connectivity)
    try:
        graph = check_array(
            connectivity(X) if made else connectivity,
            accept_sparse="csr",
            input_name="connectivity",
            estimator=owner,
        )
    except (TypeError, ValueError) as error:
        raise naming(f"{owner}: connectivity", error) from None
    n = len(X) if made else len(used)
    if graph.shape != (n, n):
        raise ValueError(
            f"{owner}: connectivity must have shape ({n}, {n}), a row and a column per sample, "
            f"got shape {graph.shape}. Make it from the samples that you fit."
        )

    # An edge in one direction joins both samples.
    graph = csr_array(graph != 0)
    if not (made or used.all()):
        graph = graph[used][:, used]
    return graph + graph.T


def _bridges(X, metric, pieces, piece):
    """Return the nearest two samples of each two pieces."""
    # Pieces one after the other, so that a block of rows looks at later pieces only.
    order = np.argsort(piece, kind="stable")
    piece = piece[order].astype(np.int64)
    behind = np.searchsorted(piece, np.arange(pieces), side="right")
    least, nearest = np.full((pieces, pieces), np.inf), np.zeros((pieces, pieces, 2), np.int64)
    for rows in block_slices(len(X), max(1, BLOCK_DISTANCES // len(X))):
        start = behind[piece[rows.start]]
        own, others = order[rows], order[start:]
        if len(others) == 0:
            break
        if metric == "precomputed":
            distances = X[np.ix_(own, others)].astype(np.float64)
        else:
            distances = distances_between(X[own], X[others], metric)
        note_nearest(distances, piece[rows], piece[start:], own, others, nearest, least)
    return nearest[np.triu_indices(pieces, 1)].T


def _lengths(X, metric, a, b):
    """Return the distances of the samples at the two ends of each edge, in float64."""
    if metric == "precomputed":
        return X[a, b].astype(np.float64)

    def block(edges):
        u, v = (X[ends[edges]].astype(np.float64) for ends in (a, b))
        if metric == "correlation":
            u, v = (side - side.mean(axis=1, keepdims=True) for side in (u, v))
        if metric in ("cosine", "correlation"):
            u, v = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (u, v))
        difference = np.abs(u - v)
        if metric == "manhattan":
            return difference.sum(axis=1)
        if metric == "chebyshev":
            return difference.max(axis=1)
        squared = np.einsum("ij,ij->i", difference, difference)
        return np.sqrt(squared) if metric == "euclidean" else squared / 2

    return np.concatenate(map_blocks(block, len(a)))


def _spanning_tree(a, b, length, n):
    """Return the tree of single linkage; ranks stand for lengths, of which SciPy drops zeros."""
    order = np.argsort(length, kind="stable")
    rank = np.empty(len(order))
    rank[order] = np.arange(1, len(order) + 1)
    tree = minimum_spanning_tree(coo_array((rank, (a, b)), shape=(n, n)).tocsr())
    chosen = order[np.sort(tree.data).astype(np.int64) - 1]
    return tree_of_merges(a[chosen], b[chosen], length[chosen], ordered=True)


@compiled
def note_nearest(distances, own, others, rows, columns, nearest, least):
    """Note the nearest samples of each two pieces so far; `own` and `others` name their pieces."""
    for r in range(len(own)):
        for c in range(len(others)):
            i, j = own[r], others[c]
            if i < j and distances[r, c] < least[i, j]:
                least[i, j] = distances[r, c]
                nearest[i, j, 0], nearest[i, j, 1] = rows[r], columns[c]
