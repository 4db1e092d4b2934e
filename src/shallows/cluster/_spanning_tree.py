"""Single linkage: the edges of a minimum spanning tree, found by Prim's algorithm."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

TILE = 512


@compiled
def tree_of_points(points, first, second, length):
    """Write the edges of the tree over Euclidean distances, with squared lengths.

    `points` has a row per feature and is overwritten: points not yet in the tree stand in
    front. No distance is stored but the least of each point to the tree. Rows are cut off before
    the loops: these then vectorise, as they could not with an index that might be negative.
    """
    n_features, n = points.shape
    sample, nearest = np.arange(n), np.zeros(n, np.int64)
    least = np.full(n, np.inf)
    newest, outside = np.empty(n_features), np.empty(TILE)
    left, added = n, n - 1
    for step in range(n - 1):
        # Move the newest point of the tree out of the front, the last point into its place.
        name = sample[added]
        # Move the point just added out of the way: the last outside point takes its place.
        left -= 1
        for f in range(n_features):
            newest[f], points[f, added] = points[f, added], points[f, left]
        sample[added], nearest[added] = sample[left], nearest[left]
        least[added] = least[left]
        shortest = np.inf
        # Squared distances of the outside points to the newest one, tile by tile, four features at
        # once.
        for start in range(0, left, TILE):
            stop = min(start + TILE, left)

            # Squared distances to the newest point, four features at a time, then the last ones.
            for k in range(stop - start):
                outside[k] = 0
            for f in range(0, n_features - 3, 4):
                p0, p1, p2, p3 = newest[f], newest[f + 1], newest[f + 2], newest[f + 3]
                row0, row1 = points[f, start:], points[f + 1, start:]
                row2, row3 = points[f + 2, start:], points[f + 3, start:]
                for k in range(stop - start):
                    d0, d1, d2, d3 = row0[k] - p0, row1[k] - p1, row2[k] - p2, row3[k] - p3
                    outside[k] += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
            for f in range(n_features - n_features % 4, n_features):
                row = points[f, start:]
                for k in range(stop - start):
                    difference = row[k] - newest[f]
                    outside[k] += difference * difference
            # Update the nearest tree point of each, then find the next edge.
            known, names = least[start:], nearest[start:]
            for k in range(stop - start):
                nearer = outside[k] < known[k]
                names[k] = name if nearer else names[k]
                known[k] = outside[k] if nearer else known[k]

            # The next point of the tree is the one nearest to it.
            for k in range(start, stop):
                if least[k] < shortest:
                    shortest, added = least[k], k
        first[step], second[step], length[step] = nearest[added], sample[added], shortest


@compiled
def tree_of_distances(condensed, first, second, length):
    """Write the edges of the tree over condensed distances."""
    n = len(length) + 1
    sample, nearest = np.arange(n), np.zeros(n, np.int64)
    least = np.full(n, np.inf)
    left, added = n, n - 1
    for step in range(n - 1):
        # Take the newest point of the tree off the list.
        name = sample[added]
        left -= 1
        for k in range(added, left):  # keeps samples in order, so that rows are read in order
            sample[k], nearest[k], least[k] = sample[k + 1], nearest[k + 1], least[k + 1]

        # Prim's update, and the point nearest to the tree.
        shortest = np.inf
        for k in range(left):
            i, j = min(name, sample[k]), max(name, sample[k])
            value = condensed[i * n - i * (i + 1) // 2 + j - i - 1]
            if value < least[k]:
                least[k], nearest[k] = value, name
            if least[k] < shortest:
                shortest, added = least[k], k
        first[step], second[step], length[step] = nearest[added], sample[added], shortest
