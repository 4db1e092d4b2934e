"""Shortest paths in a graph."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import floyd_warshall

from shallows._core.contract.params import check_arguments
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks
from shallows.reduce._neighbor_graph import NeighborGraph

SOURCES = 32
FLOYD_UP_TO = 150


def shortest_paths(graph, method: Literal["auto", "dijkstra", "floyd-warshall"] = "auto"):
    """Return the length of the shortest path between each two vertices of a graph.

    Parameters
    ----------
    graph : NeighborGraph, CSR array or ndarray of shape (n, n)
        Lengths of edges from row to column, not negative. In an ndarray a zero is no edge.
    method : {"auto", "dijkstra", "floyd-warshall"}, default="auto"
        Dijkstra's algorithm from every vertex, on several threads, which suits sparse
        graphs; or Floyd and Warshall's, which suits small or dense ones.

    Returns
    -------
    paths : ndarray of shape (n, n)
        Lengths; infinite where no path leads.

    Examples
    --------
    >>> from shallows.reduce import neighbor_graph, shortest_paths
    >>> shortest_paths(neighbor_graph([[0.0], [1.0], [3.0]], 1))
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    check_arguments(shortest_paths, {"method": method})
    lengths = graph.lengths if isinstance(graph, NeighborGraph) else graph
    lengths = lengths.tocsr() if issparse(lengths) else csr_array(np.asarray(lengths, dtype=float))
    n = lengths.shape[0]
    if n != lengths.shape[1] or (lengths.nnz and lengths.data.min() < 0):
        raise ValueError(
            "shortest_paths: graph must be square, with lengths that are not negative, got "
            f"shape {lengths.shape}."
        )
    if method == "auto":
        method = "floyd-warshall" if n <= FLOYD_UP_TO else "dijkstra"
    if method == "floyd-warshall":
        return floyd_warshall(lengths, directed=True)

    # Dijkstra's algorithm from a block of sources per thread.
    paths = np.empty((n, n))
    starts = lengths.indptr.astype(np.int64)
    ends, weights = lengths.indices.astype(np.int64), lengths.data.astype(np.float64)

    def block(rows):
        dijkstra_rows(starts, ends, weights, rows.start, paths[rows])

    map_blocks(block, n, SOURCES)
    return paths


@compiled
def dijkstra_rows(starts, ends, weights, first, paths):
    """Write the shortest paths from the vertices first, first + 1, ... into the rows of paths.

    A binary heap holds the vertices that are reached but not done; `place` says where.
    """
    n = paths.shape[1]
    heap = np.empty(n, np.int64)
    keys = np.empty(n)
    place = np.empty(n, np.int64)
    for row in range(paths.shape[0]):
        length = paths[row]
        length[:] = np.inf
        place[:] = -1  # not reached
        length[first + row] = 0.0
        heap[0] = first + row
        keys[0] = 0.0
        size = 1
        while size > 0:
            here = heap[0]
            so_far = keys[0]
            size -= 1
            moved = heap[size]
            key = keys[size]
            spot, child = 0, 1
            while child < size:
                if child + 1 < size and keys[child + 1] < keys[child]:
                    child += 1
                if keys[child] >= key:
                    break
                heap[spot] = heap[child]
                keys[spot] = keys[child]
                place[heap[spot]] = spot
                spot = child
                child = 2 * spot + 1
            heap[spot] = moved
            keys[spot] = key
            place[moved] = spot
            for edge in range(starts[here], starts[here + 1]):
                there = ends[edge]
                through = so_far + weights[edge]
                if through >= length[there]:  # so it is for all that left the heap
                    continue
                length[there] = through
                spot = place[there]
                if spot == -1:
                    spot = size
                    size += 1
                parent = (spot - 1) >> 1
                while spot > 0 and keys[parent] > through:
                    heap[spot] = heap[parent]
                    keys[spot] = keys[parent]
                    place[heap[spot]] = spot
                    spot = parent
                    parent = (spot - 1) >> 1
                heap[spot] = there
                keys[spot] = through
                place[there] = spot
