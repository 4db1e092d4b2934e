"""Agglomeration by chains of nearest neighbours, for complete, average and weighted linkage.

From any cluster go on to its nearest neighbour until two clusters are nearest to one another,
and merge them. With these linkages, and with Ward's, a merged cluster is never nearer to a
third than the nearer of its parts. So the rest of the chain stays valid, and the merges, sorted
by height, are those of always merging the nearest pair (F. Murtagh, The Computer Journal 26, 1983).

For the same reason a nearest neighbour stays the nearest until it is merged itself, and then
only the cluster it went into and the second nearest compete for its place. A row of distances
is searched once, apart from the rare case that both are gone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled

COMPLETE, AVERAGE, WEIGHTED, WARD = 0, 1, 2, 3
CODES = {"complete": COMPLETE, "average": AVERAGE, "weighted": WEIGHTED, "ward": WARD}


class Known(NamedTuple):
    """What is known of each cluster's neighbours: the nearest, the second nearest, and how far.

    A neighbour that is not known is -1.
    """

    near: np.ndarray
    gap: np.ndarray
    rival: np.ndarray
    rival_gap: np.ndarray


class Standing(NamedTuple):
    """The cluster at each place of the condensed distances: a sample, its number, its size."""

    sample: np.ndarray
    cluster: np.ndarray
    size: np.ndarray


class Pair(NamedTuple):
    """The places of two clusters that merge, the smaller first, and their distance."""

    i: int
    j: int
    height: float


@compiled
def chain_of_distances(condensed, size, code, first, second, height):
    """Merge clusters from their condensed distances; these and the sizes are overwritten.

    Writes for each merge a sample of either cluster and the height, in the order found.
    Clusters are numbered as they arise and stand at places, of which the smaller stays when
    two merge: the longer a row, the more of it is read in order. A place given up is
    infinitely far, and when every fourth is, the others move together.
    """
    n = len(size)
    width = alive = n
    standing = Standing(np.arange(n), np.arange(n), size)
    place, heir = np.arange(2 * n - 1), np.arange(2 * n - 1)
    known = Known(
        np.full(2 * n - 1, -1),
        np.full(2 * n - 1, np.inf),
        np.full(2 * n - 1, -1),
        np.full(2 * n - 1, np.inf),
    )
    chain, length = np.zeros(n, np.int64), 0
    for step in range(n - 1):
        if 4 * alive < 3 * width:
            width = close_ranks(condensed, width, standing, place)
        if length == 0:
            chain[0], length = standing.cluster[0], 1

        # Go on to the nearest neighbour until two clusters are nearest to one another.
        growing = True
        while growing:
            tip = chain[length - 1]
            near = known.near[tip]
            certain = near >= 0
            if certain and heir[near] != near:  # it has been merged into another
                new = last_heir(heir, near)
                value = condensed[where(width, place[tip], place[new])]
                certain = replace_nearest(tip, new, value, heir, known)
            if not certain:
                search_row(condensed, width, place[tip], tip, standing.cluster, known)
            before = chain[length - 2] if length > 1 else -1
            growing = before < 0 or known.gap[tip] < known.gap[before]
            if growing:
                chain[length] = known.near[tip]
                length += 1

        # Merge these two; the rest of the chain stays valid.
        length -= 2
        i, j = min(place[tip], place[before]), max(place[tip], place[before])
        first[step], second[step] = standing.sample[i], standing.sample[j]
        height[step] = known.gap[before]
        new = n + step
        heir[tip] = heir[before] = new
        merge_rows(condensed, width, Pair(i, j, height[step]), code, new, standing, known)
        size[i] += size[j]
        size[j] = 0
        standing.cluster[i], place[new] = new, i
        alive -= 1


@compiled
def replace_nearest(tip, new, value, heir, known):
    """Name the nearest neighbour after the old one went into `new`; tell whether it is known."""
    near, gap, rival, rival_gap = known
    if value <= rival_gap[tip]:
        near[tip], gap[tip] = new, value
        return True
    if rival[tip] >= 0 and heir[rival[tip]] == rival[tip]:
        near[tip], gap[tip], rival[tip] = rival[tip], rival_gap[tip], -1
        return True
    return False


@compiled
def last_heir(heir, cluster):
    """Return the cluster that holds this one now."""
    while heir[cluster] != cluster:
        cluster = heir[cluster]
    return cluster


@compiled
def search_row(condensed, width, at, tip, cluster, known):
    """Find the nearest and the second nearest of cluster `tip`, which stands at `at`."""
    best = runner_up = -1
    least = next_least = np.inf
    # Distances to places before `at` are scattered over the rows above; those behind are a row.
    index = at - 1
    for k in range(at):
        value = condensed[index]
        if value < next_least:
            if value < least:
                best, runner_up, least, next_least = k, best, value, least
            else:
                runner_up, next_least = k, value
        index += width - k - 2

    # Those to larger places are its row, in order.
    row = at * width - at * (at + 1) // 2 - at - 1
    for k in range(at + 1, width):
        value = condensed[row + k]
        if value < next_least:
            if value < least:
                best, runner_up, least, next_least = k, best, value, least
            else:
                runner_up, next_least = k, value
    near, gap, rival, rival_gap = known
    near[tip], gap[tip] = cluster[best], least
    rival[tip], rival_gap[tip] = cluster[runner_up] if runner_up >= 0 else -1, next_least


@compiled
def merge_rows(condensed, width, pair, code, new, standing, known):
    """Put cluster `new` at place i, in which a pair merges, and find its nearest."""
    i, j, height = pair
    _, cluster, size = standing
    best = runner_up = -1
    least = next_least = np.inf
    row_i = i * width - i * (i + 1) // 2 - i - 1
    row_j = j * width - j * (j + 1) // 2 - j - 1
    to_i, to_j = i - 1, j - 1
    # New distances by the update formula of the linkage; place j is given up.
    for k in range(width):
        # Where the distances of k to i and to j are: in columns up to the place, then in rows.
        if k in (i, j):
            to_j += width - k - 2
            continue
        if k > i:
            to_i = row_i + k
        if k > j:
            to_j = row_j + k

        # Lance and Williams's update, and the two nearest on the way.
        if size[k] > 0:
            value = merged(
                condensed[to_i], condensed[to_j], height, size[i], size[j], size[k], code
            )
            condensed[to_i] = value
            condensed[to_j] = np.inf
            if value < next_least:
                if value < least:
                    best, runner_up, least, next_least = k, best, value, least
                else:
                    runner_up, next_least = k, value
        to_i += width - k - 2
        to_j += width - k - 2
    condensed[row_i + j] = np.inf
    near, gap, rival, rival_gap = known
    near[new], gap[new] = cluster[best] if best >= 0 else -1, least
    rival[new], rival_gap[new] = cluster[runner_up] if runner_up >= 0 else -1, next_least


@compiled
def merged(a, b, height, size_a, size_b, size, code):
    """Return the distance of a third cluster, at a and b from two, to these two merged.

    Ward's takes and gives squares.
    """
    # Coefficients of Lance and Williams (1967).
    if code == COMPLETE:
        return a if a > b else b
    if code == AVERAGE:
        return (size_a * a + size_b * b) / (size_a + size_b)
    if code == WEIGHTED:
        return (a + b) / 2
    all_three = size_a + size_b + size
    return ((size_a + size) * a + (size_b + size) * b - size * height) / all_three


@compiled
def close_ranks(condensed, width, standing, place):
    """Move the distances of clusters alive to the front; return how many there are."""
    sample, cluster, size = standing
    kept = np.flatnonzero(size[:width] > 0)
    to = 0
    for p in range(len(kept)):
        i = kept[p]
        row = i * width - i * (i + 1) // 2 - i - 1
        for q in range(p + 1, len(kept)):
            condensed[to] = condensed[row + kept[q]]
            to += 1
    for p in range(len(kept)):
        sample[p], cluster[p], size[p] = sample[kept[p]], cluster[kept[p]], size[kept[p]]
        place[cluster[p]] = p
    return len(kept)


@compiled
def where(width, a, b):
    """Return the index of the distance between two places."""
    i, j = min(a, b), max(a, b)
    return i * width - i * (i + 1) // 2 + j - i - 1
