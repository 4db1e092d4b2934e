"""Ward's linkage of points, by chains of nearest neighbours and without distances in store.

See `shallows.cluster._chain` for the chains. A cluster is its mean and its mass, and what a
merge adds to the sum of squares follows from these.
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

TILE = 512


@compiled
def chain_of_centers(centers, mass, first, second, height):
    """Merge points with masses; both arrays are overwritten.

    `centers` has a row per feature. Writes for each merge a point of either cluster and what
    the merge adds to the sum of squares, in the order found.
    """
    n_features, n = centers.shape
    sample, cluster, alive = np.arange(n), np.arange(n), n
    place, heir = np.arange(2 * n - 1), np.arange(2 * n - 1)
    near, rival = np.full(2 * n - 1, -1), np.full(2 * n - 1, -1)
    gap, rival_gap = np.full(2 * n - 1, np.inf), np.full(2 * n - 1, np.inf)
    chain, length = np.zeros(n, np.int64), 0
    point, squared = np.empty(n_features), np.empty(TILE)
    for step in range(n - 1):
        # Follow nearest neighbours until two clusters are nearest to each other.
        if length == 0:
            chain[0], length = cluster[0], 1

        # Go on to the nearest neighbour until two clusters are nearest to one another.
        growing = True
        while growing:
            tip = chain[length - 1]
            # The nearest cluster has been merged since: use the bounds, or search again.
            known = near[tip] >= 0
            if known and heir[near[tip]] != near[tip]:
                # It has been merged: the cluster it is in now and the second nearest compete.
                new = near[tip]
                while heir[new] != new:
                    new = heir[new]
                value = added_squares(centers, mass, place[tip], place[new])
                if value <= rival_gap[tip]:
                    near[tip], gap[tip] = new, value
                elif rival[tip] >= 0 and heir[rival[tip]] == rival[tip]:
                    near[tip], gap[tip], rival[tip] = rival[tip], rival_gap[tip], -1
                else:
                    known = False
            if not known:
                best, runner_up = search(centers, mass, place[tip], alive, point, squared)
                near[tip], gap[tip] = (
                    cluster[best],
                    added_squares(centers, mass, place[tip], best),
                )
                if runner_up >= 0:
                    rival[tip] = cluster[runner_up]
                    rival_gap[tip] = added_squares(centers, mass, place[tip], runner_up)
            before = chain[length - 2] if length > 1 else -1
            growing = before < 0 or gap[tip] < gap[before]
            if growing:
                chain[length] = near[tip]
                length += 1
        # Merge: the new centre is the weighted mean, at the place of the first.
        length -= 2
        i, j, new = place[tip], place[before], n + step
        first[step], second[step], height[step] = sample[i], sample[j], gap[before]
        heir[tip] = heir[before] = new
        total = mass[i] + mass[j]
        for f in range(n_features):
            centers[f, i] += (centers[f, j] - centers[f, i]) * (mass[j] / total)
        mass[i], cluster[i], place[new] = total, new, i
        alive -= 1
        # The last cluster moves into the free place, so that the arrays stay dense.
        if j != alive:
            for f in range(n_features):
                centers[f, j] = centers[f, alive]
            mass[j], sample[j], cluster[j] = mass[alive], sample[alive], cluster[alive]
            place[cluster[j]] = j


@compiled
def search(centers, mass, at, alive, point, squared):
    """Return the places of the nearest and the second nearest cluster of the one at `at`.

    Rows are cut off before the loops: these then vectorise, as they could not with an index
    that might be negative.
    """
    n_features = len(centers)
    for f in range(n_features):
        point[f] = centers[f, at]
    weight = mass[at]
    best = runner_up = -1
    least = next_least = np.inf

    # A tile of clusters at a time: squared distances, four features at once, then the last ones.
    for start in range(0, alive, TILE):
        count = min(TILE, alive - start)
        for k in range(count):
            squared[k] = 0.0
        # Squared distances, four features at once.
        for f in range(0, n_features - 3, 4):
            p0, p1, p2, p3 = point[f], point[f + 1], point[f + 2], point[f + 3]
            row0, row1 = centers[f, start:], centers[f + 1, start:]
            row2, row3 = centers[f + 2, start:], centers[f + 3, start:]
            for k in range(count):
                d0, d1, d2, d3 = row0[k] - p0, row1[k] - p1, row2[k] - p2, row3[k] - p3
                squared[k] += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
        for f in range(n_features - n_features % 4, n_features):
            row = centers[f, start:]
            for k in range(count):
                difference = row[k] - point[f]
                squared[k] += difference * difference
        # Ward's increase of the cost: m_a m_b / (m_a + m_b) d^2, up to the factor m_a.
        others = mass[start:]
        for k in range(count):
            squared[k] *= others[k] / (weight + others[k])

        # Keep the two least.
        for k in range(count):
            if squared[k] < next_least and start + k != at:
                if squared[k] < least:
                    best, runner_up, least, next_least = start + k, best, squared[k], least
                else:
                    runner_up, next_least = start + k, squared[k]
    return best, runner_up


@compiled
def added_squares(centers, mass, a, b):
    """Return what merging the clusters at two places adds to the sum of squares."""
    total = 0.0
    for f in range(len(centers)):
        difference = centers[f, a] - centers[f, b]
        total += difference * difference
    return total * (mass[a] * mass[b] / (mass[a] + mass[b]))
