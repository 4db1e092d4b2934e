"""Centroid and median linkage of points, without distances in store.

Each cluster keeps its two nearest neighbours among those behind it, and bounds: no cluster
behind it but the first neighbour is nearer than the second bound, and none is nearer than the
first. Only the cluster with the least bound is looked at. Where both neighbours have been
merged into others they are searched again, which is rare (after D. Müllner, arXiv:1109.2378,
2011, who keeps one).

Points stand in blocks, a row per feature: distances to a block are computed side by side, and
a block stays in the cache while many points are compared with it.
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

BLOCK = 64
CENTROID = 0  # as in `shallows.cluster._nearest_pair`


def in_blocks(X):
    """Return points as an array of shape (n_blocks, n_features, BLOCK), filled up by infinity."""
    n_blocks = -(-len(X) // BLOCK)
    padded = np.full((n_blocks * BLOCK, X.shape[1]), np.inf)
    padded[: len(X)] = X
    return np.ascontiguousarray(padded.reshape(n_blocks, BLOCK, -1).transpose(0, 2, 1))


@compiled
def merge_nearest_points(centers, size, code, first, second, height):
    """Always merge the nearest pair of points; `centers` and `size` are overwritten.

    Clusters are numbered as they arise and stand at places. A merged cluster takes the later
    place of the two; the other is infinitely far, and when every eighth is, the rest closes
    ranks in order. Writes for each merge a point of either cluster and the squared height.
    """
    n, n_features = len(size), centers.shape[1]
    sample, cluster, place = np.arange(n), np.arange(n), np.full(2 * n, -1)
    for i in range(n):
        place[i] = i
    near, bound = np.full((2, n), -1), np.full((2, n), np.inf)
    squared, point, end = np.empty(BLOCK), np.empty(n_features), n
    search_all(centers, n, point, squared, near, bound)
    lowest = np.full(len(centers), -np.inf)  # never above the bounds of a block
    for step in range(n - 1):
        if 8 * (n - step) < 7 * end:
            end = close_ranks(centers, sample, cluster, size, place, near, bound, end)
            for block in range(len(lowest)):
                lowest[block] = -np.inf
        i = least_place(bound[0], lowest, end)
        while place[near[0, i]] < 0:
            if place[near[1, i]] >= 0 or bound[0, i] < bound[1, i]:
                near[0, i], bound[0, i] = near[1, i], bound[1, i]
            else:
                search_behind(centers, i, end, cluster, point, squared, near, bound)
            i = least_place(bound[0], lowest, end)
        gone, gone_too, new = cluster[i], near[0, i], n + step
        j = place[gone_too]
        first[step], second[step], height[step] = sample[i], sample[j], bound[0, i]
        place[gone] = place[gone_too] = -1
        cluster[j], place[new] = new, j
        share = size[i] / (size[i] + size[j]) if code == CENTROID else 0.5
        size[j] += size[i]
        size[i] = 0
        bound[0, i] = bound[1, i] = np.inf
        for f in range(n_features):
            own, other = centers[i // BLOCK, f, i % BLOCK], centers[j // BLOCK, f, j % BLOCK]
            point[f] = share * own + (1 - share) * other
            centers[j // BLOCK, f, j % BLOCK] = point[f]
            centers[i // BLOCK, f, i % BLOCK] = np.inf
        for start in range(0, j, BLOCK):
            block, stop = start // BLOCK, min(start + BLOCK, j)
            squares_to(centers[block], point, squared)
            if compete(start, stop, squared, gone, gone_too, new, near, bound):
                lowest[block] = -np.inf
        search_behind(centers, j, end, cluster, point, squared, near, bound)
        lowest[j // BLOCK] = -np.inf


@compiled
def squares_to(block, point, squared):
    """Write the squared distances of a point to those of a block, four features at a time."""
    n_features = len(block)
    for k in range(BLOCK):
        squared[k] = 0.0
    for f in range(0, n_features - 3, 4):
        p0, p1, p2, p3 = point[f], point[f + 1], point[f + 2], point[f + 3]
        for k in range(BLOCK):
            d0, d1 = block[f, k] - p0, block[f + 1, k] - p1
            d2, d3 = block[f + 2, k] - p2, block[f + 3, k] - p3
            squared[k] += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
    for f in range(n_features - n_features % 4, n_features):
        for k in range(BLOCK):
            difference = block[f, k] - point[f]
            squared[k] += difference * difference


@compiled
def search_all(centers, n, point, squared, near, bound):
    """Find the two nearest points behind each, block by block."""
    for own in range(len(centers)):
        for other in range(own, len(centers)):
            for p in range(min(BLOCK, n - own * BLOCK)):
                for f in range(len(point)):
                    point[f] = centers[own, f, p]
                squares_to(centers[other], point, squared)
                if own == other:
                    for k in range(p + 1):
                        squared[k] = np.inf
                note_nearest(own * BLOCK + p, other * BLOCK, squared, near, bound)


@compiled
def search_behind(centers, i, end, cluster, point, squared, near, bound):
    """Find the two nearest clusters behind place i."""
    own, p = i // BLOCK, i % BLOCK

    # Two candidates each: the second is at hand when the nearest is merged.
    for rank in range(2):
        near[rank, i], bound[rank, i] = -1, np.inf
    for f in range(len(point)):
        point[f] = centers[own, f, p]
    for other in range(own, (end - 1) // BLOCK + 1):
        squares_to(centers[other], point, squared)
        if own == other:  # clusters before this one have their own search
            for k in range(p + 1):
                squared[k] = np.inf
        note_nearest(i, other * BLOCK, squared, near, bound)
    for rank in range(2):
        if near[rank, i] >= 0:
            near[rank, i] = cluster[near[rank, i]]


@compiled
def note_nearest(i, start, squared, near, bound):
    """Keep the two nearest to place i, where the block from place `start` has nearer ones."""
    limit, nearer = bound[1, i], False
    for k in range(BLOCK):
        nearer |= squared[k] < limit
    if nearer:
        for k in range(BLOCK):
            if squared[k] < bound[0, i]:
                near[1, i], bound[1, i] = near[0, i], bound[0, i]
                near[0, i], bound[0, i] = start + k, squared[k]
            elif squared[k] < bound[1, i]:
                near[1, i], bound[1, i] = start + k, squared[k]


@compiled
def compete(start, stop, squared, gone, gone_too, new, near, bound):
    """Let cluster `new` be a neighbour of those it is near to; tell if it is anyone's nearest.

    Where the nearest is `gone`, the second takes its place. Written without branches, so that
    it runs on several places at once.
    """
    nearest_to_any = False
    for k in range(start, stop):
        value, a, b = squared[k - start], near[0, k], near[1, k]
        first, second = bound[0, k], bound[1, k]
        lost = (a == gone) | (a == gone_too)
        a, first = b if lost else a, second if lost else first
        wins, follows = value < first, value < second
        near[0, k], bound[0, k] = new if wins else a, value if wins else first
        near[1, k] = a if wins else (new if follows else b)
        bound[1, k] = first if wins else (value if follows else second)
        nearest_to_any |= wins
    return nearest_to_any


@compiled
def least_place(bound, lowest, end):
    """Return the place with the least bound; `lowest` rises to what is found in a block."""
    found = -1
    while found < 0:
        block = 0
        for g in range(1, (end - 1) // BLOCK + 1):
            block = g if lowest[g] < lowest[block] else block
        place = block * BLOCK
        for k in range(place + 1, min(place + BLOCK, end)):
            place = k if bound[k] < bound[place] else place
        if bound[place] <= lowest[block]:
            found = place
        lowest[block] = bound[place]
    return found


@compiled
def close_ranks(centers, sample, cluster, size, place, near, bound, end):
    """Move the clusters alive to the front, in order; return how many there are."""
    # Move the clusters alive to the front, then fill the rest with what is infinitely far.
    kept = np.flatnonzero(size[:end] > 0)
    for p in range(len(kept)):
        k = kept[p]
        for f in range(centers.shape[1]):
            centers[p // BLOCK, f, p % BLOCK] = centers[k // BLOCK, f, k % BLOCK]
        sample[p], cluster[p], size[p] = sample[k], cluster[k], size[k]
        for rank in range(2):
            near[rank, p], bound[rank, p] = near[rank, k], bound[rank, k]
        place[cluster[p]] = p
    for p in range(len(kept), end):
        for f in range(centers.shape[1]):
            centers[p // BLOCK, f, p % BLOCK] = np.inf
        size[p], bound[0, p], bound[1, p] = 0, np.inf, np.inf
    return len(kept)
