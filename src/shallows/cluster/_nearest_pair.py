"""Centroid and median linkage from distances: merged clusters may come nearer to a third.

Each cluster keeps its nearest neighbour among those behind it, and a lower bound on that
distance. Only the cluster with the least bound is looked at: where its bound is not exact, its
neighbour is searched again (D. Müllner, arXiv:1109.2378, 2011).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled

CENTROID, MEDIAN = 0, 1
CODES = {"centroid": CENTROID, "median": MEDIAN}


class Bounds(NamedTuple):
    """The nearest neighbour of each cluster behind it, and a lower bound on its distance."""

    near: np.ndarray
    bound: np.ndarray


@compiled
def merge_nearest_pairs(condensed, size, code, first, second, height):
    """Always merge the nearest pair, from condensed squared distances.

    These and the sizes are overwritten. Writes for each merge a sample of either cluster and
    the squared height.
    """
    n = len(size)
    alive = np.arange(n)
    near, bound = np.zeros(n, np.int64), np.full(n, np.inf)
    # Nearest later cluster of each, with its distance as lower bound.
    for i in range(n - 1):
        near[i], bound[i] = search_row(condensed, n, i, alive, i + 1, n)
    count = n
    for step in range(n - 1):
        # The least bound wins; one that is too low is computed again, and the search goes on.
        exact = False
        place, i = 0, 0
        # A bound may be too small after merges: search the row of the least bound until it is
        # exact.
        while not exact:
            place = least_bound(bound, alive, count)
            i = alive[place]
            j = near[i]
            exact = bound[i] >= condensed[row_start(n, i) + j]
            if not exact:
                near[i], bound[i] = search_row(condensed, n, i, alive, place + 1, count)

        # Merge i into j, and take i off the list.
        j, gap = near[i], bound[i]
        first[step], second[step], height[step] = i, j, gap
        # Merge i into j.
        count -= 1
        for k in range(place, count):
            alive[k] = alive[k + 1]
        join(condensed, i, j, gap, size, alive[:count], Bounds(near, bound), code)
        size[j] += size[i]


@compiled
def join(condensed, i, j, gap, size, alive, bounds, code):
    """Write the distances of cluster j with i merged in, and keep the bounds below them."""
    near, bound = bounds
    n = len(size)
    near[j], bound[j] = -1, np.inf
    # Lance and Williams: share d_ik + (1 - share) d_jk - share (1 - share) d_ij.
    share = size[i] / (size[i] + size[j]) if code == CENTROID else 0.5
    less = share * (1 - share) * gap
    for p in range(len(alive)):
        k = alive[p]
        if k == j:
            continue

        # d^2 of k to the merged mean, from the sides of the triangle i, j, k.
        to_i = row_start(n, min(i, k)) + max(i, k)
        to_j = row_start(n, min(j, k)) + max(j, k)
        value = share * condensed[to_i] + (1 - share) * condensed[to_j] - less
        condensed[to_j] = value

        # Of two clusters the one in front remembers the distance.
        if k < j:
            if near[k] == i:
                near[k] = j
            if value < bound[k]:
                near[k], bound[k] = j, value
        elif value < bound[j]:
            near[j], bound[j] = k, value


@compiled
def search_row(condensed, n, i, alive, start, stop):
    """Return the nearest of the clusters behind i, and its distance."""
    near, least = -1, np.inf
    row = row_start(n, i)
    for p in range(start, stop):
        value = condensed[row + alive[p]]
        if value < least:
            near, least = alive[p], value
    return near, least


@compiled
def least_bound(bound, alive, count):
    """Return the place of the cluster with the least bound."""
    place, least = 0, np.inf
    for p in range(count):
        if bound[alive[p]] < least:
            place, least = p, bound[alive[p]]
    return place


@compiled
def row_start(n, i):
    """Return what to add to j > i to find the distance of i and j."""
    return i * n - i * (i + 1) // 2 - i - 1
