"""Agglomeration for linkages whose merged clusters may come nearer: centroid and median.

Each cluster keeps its nearest neighbour among those behind it, and a lower bound on that
distance. Only the cluster with the least bound is looked at: where its bound is not exact, its
neighbour is searched again (D. Müllner, arXiv:1109.2378, 2011).
"""

from __future__ import annotations

import numpy as np

from shallows._core.compile import compiled

TILE, GROUP = 512, 64
CENTROID, MEDIAN = 0, 1
CODES = {"centroid": CENTROID, "median": MEDIAN}


@compiled
def merge_nearest_points(centers, n, code, first, second, height):
    """Always merge the nearest pair of n points, without distances in store.

    `centers` has a row per feature and room for more columns behind the n points, and is
    overwritten. A merged cluster comes to the end; a place given up is infinitely far, and
    where room runs out the others move together, in order. A bound is exact as long as the
    neighbour lives. Writes for each merge a point of either cluster and the squared height.
    """
    n_features, room = centers.shape
    sample, size = np.zeros(room, np.int64), np.zeros(room)
    sample[:n], size[:n] = np.arange(n), 1
    near, bound = np.full(room, -1), np.full(room, np.inf)
    squared, end = np.empty(TILE), n
    for i in range(n - 1):
        near[i], bound[i] = search_behind(centers, i, end, squared)
    lowest = np.full(room // GROUP + 1, np.inf)  # of the bounds in each group of places
    for k in range(0, end, GROUP):
        lower_group(bound, k, lowest)
    for step in range(n - 1):
        if end == room:
            end = move_together(centers, sample, size, near, bound)
            for k in range(0, room, GROUP):
                lower_group(bound, k, lowest)
        exact = False
        i = 0
        while not exact:
            group = 0
            for g in range(1, end // GROUP + 1):
                group = g if lowest[g] < lowest[group] else group
            i = group * GROUP
            for k in range(i + 1, min(i + GROUP, end)):
                i = k if bound[k] < bound[i] else i
            exact = near[i] >= 0 and size[near[i]] > 0
            if not exact:
                near[i], bound[i] = search_behind(centers, i, end, squared)
                lower_group(bound, i, lowest)
        j = near[i]
        first[step], second[step], height[step] = sample[i], sample[j], bound[i]
        share = size[i] / (size[i] + size[j]) if code == CENTROID else 0.5
        sample[end], size[end], bound[end] = sample[i], size[i] + size[j], np.inf
        for f in range(n_features):
            centers[f, end] = share * centers[f, i] + (1 - share) * centers[f, j]
            centers[f, i] = centers[f, j] = np.inf
        size[i] = size[j] = 0
        bound[i] = bound[j] = np.inf
        lower_group(bound, i, lowest)
        lower_group(bound, j, lowest)
        for start in range(0, end, TILE):
            count = min(TILE, end - start)
            tile_of_squares(centers, end, start, count, squared)
            for k in range(count):
                if squared[k] < bound[start + k]:
                    near[start + k], bound[start + k] = end, squared[k]
                    group = (start + k) // GROUP
                    lowest[group] = min(lowest[group], squared[k])
        end += 1


@compiled
def search_behind(centers, i, end, squared):
    """Return the nearest of the clusters behind place i, and its squared distance."""
    near, least = -1, np.inf
    for start in range(i + 1, end, TILE):
        count = min(TILE, end - start)
        tile_of_squares(centers, i, start, count, squared)
        for k in range(count):
            if squared[k] < least:
                near, least = start + k, squared[k]
    return near, least


@compiled
def tile_of_squares(centers, i, start, count, squared):
    """Write the squared distances of the cluster at place i to some others."""
    n_features = len(centers)
    for k in range(count):
        squared[k] = 0.0
    for f in range(0, n_features - 3, 4):
        p0, p1, p2, p3 = centers[f, i], centers[f + 1, i], centers[f + 2, i], centers[f + 3, i]
        for k in range(count):
            d0 = centers[f, start + k] - p0
            d1 = centers[f + 1, start + k] - p1
            d2 = centers[f + 2, start + k] - p2
            d3 = centers[f + 3, start + k] - p3
            squared[k] += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
    for f in range(n_features - n_features % 4, n_features):
        own = centers[f, i]
        for k in range(count):
            difference = centers[f, start + k] - own
            squared[k] += difference * difference


@compiled
def move_together(centers, sample, size, near, bound):
    """Close the gaps that merged clusters left; return how many clusters there are."""
    place, end = np.zeros(len(size), np.int64), 0
    for k in range(len(size)):
        place[k] = end
        end += size[k] > 0
    for f in range(len(centers)):
        for k in range(len(size)):
            if size[k] > 0:
                centers[f, place[k]] = centers[f, k]
    for k in range(len(size)):
        if size[k] > 0:
            alive = near[k] >= 0 and size[near[k]] > 0
            near[place[k]] = place[near[k]] if alive else -1
            sample[place[k]], bound[place[k]] = sample[k], bound[k]
    count = 0
    for k in range(len(size)):
        if size[k] > 0:
            size[count] = size[k]
            count += 1
    size[end:] = 0
    bound[end:] = np.inf
    return end


@compiled
def lower_group(bound, k, lowest):
    """Write the least bound of the group that place k is in."""
    group = k // GROUP
    lowest[group] = np.inf
    for place in range(group * GROUP, min((group + 1) * GROUP, len(bound))):
        lowest[group] = min(lowest[group], bound[place])


@compiled
def merge_nearest_pairs(condensed, code, first, second, height):
    """Always merge the nearest pair, from condensed squared distances, which are overwritten.

    Writes for each merge a sample of either cluster and the squared height.
    """
    n = len(height) + 1
    size, alive = np.ones(n), np.arange(n)
    near, bound = np.zeros(n, np.int64), np.full(n, np.inf)
    for i in range(n - 1):
        near[i], bound[i] = search_row(condensed, n, i, alive, i + 1, n)
    count = n
    for step in range(n - 1):
        exact = False
        place, i = 0, 0
        while not exact:
            place = least_bound(bound, alive, count)
            i = alive[place]
            j = near[i]
            exact = bound[i] >= condensed[row_start(n, i) + j]
            if not exact:
                near[i], bound[i] = search_row(condensed, n, i, alive, place + 1, count)
        j, gap = near[i], bound[i]
        first[step], second[step], height[step] = i, j, gap
        count -= 1
        for k in range(place, count):
            alive[k] = alive[k + 1]
        join(condensed, n, i, j, gap, size, alive, count, near, bound, code)
        size[j] += size[i]


@compiled
def join(condensed, n, i, j, gap, size, alive, count, near, bound, code):
    """Write the distances of cluster j with i merged in, and keep the bounds below them."""
    near[j], bound[j] = -1, np.inf
    share = size[i] / (size[i] + size[j]) if code == CENTROID else 0.5
    less = share * (1 - share) * gap
    for p in range(count):
        k = alive[p]
        if k == j:
            continue
        to_i = row_start(n, min(i, k)) + max(i, k)
        to_j = row_start(n, min(j, k)) + max(j, k)
        value = share * condensed[to_i] + (1 - share) * condensed[to_j] - less
        condensed[to_j] = value
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
